internal import FileSystem

extension SortOrder {
  /// What a table of entries can be sorted by.
  public enum Key: String, CaseIterable, Hashable, Sendable {
    /// The name in `NaturalOrder`.
    case name
    /// The bytes of the path.
    case path
    /// Bytes of content.
    case size
    /// Bytes taken on disk.
    case allocated
    /// When the content was last changed.
    case modified
    /// When the entry was made.
    case created
    /// When the metadata was last changed.
    case changed
    /// When the content was last read.
    case accessed
    /// What the entry is to the file system.
    case kind
    /// The type identifier.
    case type
    /// The text after the last dot of the name.
    case `extension`
    /// The name of the owning user.
    case owner
    /// The name of the owning group.
    case group
    /// The permission bits.
    case mode
    /// The number of the entry in its file system.
    case inode
    /// The number of hard links.
    case links
    /// Steps below the root.
    case depth
    /// Of a directory or a package: bytes of content of all that is in it, at any depth.
    case totalSize = "total_size"
    /// Of a directory or a package: bytes taken on disk by it and all that is in it, at any depth.
    case totalAllocated = "total_allocated"
    /// Of a directory or a package: the number of files in it, at any depth.
    case totalFiles = "total_files"
    /// Bytes of content: of a directory those of all that is in it, at any depth.
    case fullSize = "full_size"
    /// Bytes taken on disk: of a directory by it and all that is in it, at any depth.
    case fullAllocated = "full_allocated"
  }
}

/// The order of a table of entries: keys, each ascending or descending.
///
/// ```swift
/// let order = try SortOrder(parsing: "-size,name")
/// ```
///
/// Whoever sorts by it ends ties with the name, then the bytes of the path, then the id, and puts
/// unknown dates last in both directions.
public struct SortOrder: Hashable, Sendable {
  /// Which end comes first.
  public enum Direction: Hashable, Sendable {
    /// Smallest, oldest, or first in the alphabet.
    case ascending
    /// Largest, newest, or last in the alphabet.
    case descending
  }

  /// A key and its direction.
  public struct Term: Hashable, Sendable {
    /// What to sort by.
    public var key: SortOrder.Key
    /// Which end comes first.
    public var direction: Direction

    /// Makes a term.
    public init(_ key: SortOrder.Key, _ direction: Direction = .ascending) {
      self.key = key
      self.direction = direction
    }
  }

  /// Where directories stand. Packages count as files here, as people see them.
  public enum Directories: Hashable, Sendable {
    /// Among the files, where the terms put them.
    case mixed
    /// Before everything else, whatever the direction of the terms.
    case first
  }

  /// The terms; each decides where all before it are equal.
  public var terms: [Term]

  /// Where directories stand.
  public var directories: Directories

  /// What stands before the terms of an order that has directories first.
  public static let directoriesFirst = "directories-first"

  /// Makes an order from its terms.
  public init(_ terms: [Term] = [Term(.name)], directories: Directories = .mixed) {
    self.terms = terms
    self.directories = directories
  }

  /// Parses keys separated by commas; a leading `-` makes a key descending.
  ///
  /// Before the keys may stand `directories-first`; alone, it means directories first, then names.
  ///
  /// - Throws: ``SortOrder/ParseError`` for a key that is missing, unknown or given twice.
  public init(parsing text: String) throws(SortOrder.ParseError) {
    var terms: [Term] = []
    var items = text.split(separator: ",", omittingEmptySubsequences: false)
    directories = .mixed
    if items.first?.lowercased() == Self.directoriesFirst {
      directories = .first
      items.removeFirst()
      if items.isEmpty { items = ["name"] }
    }
    for item in items {
      let isDescending = item.first == "-"
      let name = String(isDescending ? item.dropFirst() : item)
      if name.lowercased() == Self.directoriesFirst {
        throw SortOrder.ParseError(message: "“\(name)” stands once, before all sort keys")
      }
      guard let key = SortOrder.Key(rawValue: name.lowercased()) else {
        throw SortOrder.ParseError(unknown: name)
      }
      guard !terms.contains(where: { $0.key == key }) else {
        throw SortOrder.ParseError(message: "the sort key “\(name)” is given twice")
      }
      terms.append(Term(key, isDescending ? .descending : .ascending))
    }
    self.terms = terms
  }
}

extension SortOrder: CustomStringConvertible {
  /// The order as text that parses to the same order: `-size,name`.
  public var description: String {
    let keys = terms.map { ($0.direction == .descending ? "-" : "") + $0.key.rawValue }
    return ((directories == .first ? [Self.directoriesFirst] : []) + keys)
      .joined(separator: ",")
  }
}

extension SortOrder {
  /// Why the text of a sort order makes no sense.
  public struct ParseError: Error, Hashable, Sendable {
    /// What is wrong, without a full stop.
    public let message: String
    /// The known key nearest to an unknown one.
    public let suggestion: String?

    init(message: String, suggestion: String? = nil) {
      self.message = message
      self.suggestion = suggestion
    }

    init(unknown name: String) {
      self.init(
        message: name.isEmpty ? "a sort key is missing" : "unknown sort key “\(name)”",
        suggestion: Spelling.nearest(
          to: name, in: SortOrder.Key.allCases.map(\.rawValue) + [SortOrder.directoriesFirst]))
    }
  }
}

extension SortOrder.ParseError: CustomStringConvertible {
  /// The message and all known keys, on one line.
  public var description: String {
    "\(message); known keys are "
      + SortOrder.Key.allCases.map(\.rawValue).joined(separator: ", ")
  }
}

extension SortOrder {
  /// What rows of the view `_entry_rows` are compared by, one after the other: a total order, so ties end
  /// with the name, the bytes of the path and the id.
  ///
  /// - Parameter path: what to compare paths by. Names do among entries of one directory.
  func comparisons(ofPathsBy path: String = "CAST(path AS BLOB)") -> [Comparison] {
    var comparisons: [Comparison] = []
    if directories == .first {
      comparisons.append(Comparison("kind_id <> \(EntryKind.directory.rawValue)"))
    }
    for term in terms { comparisons += term.comparisons(ofPathsBy: path) }
    let keys = terms.map(\.key)
    if !keys.contains(.path) {
      if !keys.contains(.name) { comparisons.append(Comparison("filecat_natural_key(name)")) }
      comparisons.append(Comparison(path))
    }
    return comparisons + [Comparison("id")]
  }

  /// The same as `ORDER BY` terms.
  func sql(comparingPathsBy path: String = "CAST(path AS BLOB)") -> String {
    comparisons(ofPathsBy: path).map(\.sql).joined(separator: ", ")
  }

  /// A value of each row that decides where rows stand, unless it is the same.
  struct Comparison {
    /// The value, in SQL.
    let value: String
    let direction: Direction

    init(_ value: String, _ direction: Direction = .ascending) {
      self.value = value
      self.direction = direction
    }

    fileprivate var sql: String { direction == .descending ? "\(value) DESC" : value }
  }
}

extension SortOrder.Term {
  fileprivate func comparisons(ofPathsBy path: String) -> [SortOrder.Comparison] {
    func known(_ column: String) -> [SortOrder.Comparison] {
      [.init("\(column) IS NULL"), .init(column, direction)]
    }
    return switch key {
    case .name: [.init("filecat_natural_key(name)", direction)]
    case .path: [.init(path, direction)]
    case .modified, .created, .changed, .accessed: known(key.rawValue + "_ns")
    case .size, .allocated, .inode, .links, .depth, .kind, .type: [.init(key.rawValue, direction)]
    case .mode: [.init("mode & 4095", direction)]
    case .extension, .owner: [.init("\(key.rawValue) COLLATE NOCASE", direction)]
    case .group: [.init("group_name COLLATE NOCASE", direction)]
    // Entries that hold nothing have no totals and come last.
    case .totalSize, .totalAllocated, .totalFiles: known(key.rawValue)
    case .fullSize, .fullAllocated: key.viewColumn.map { [.init($0, direction)] } ?? []
    }
  }
}
