extension SortOrder {
  /// What a table of entries can be sorted by.
  public enum Key: Hashable, Sendable {
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
    case totalSize
    /// Of a directory or a package: bytes taken on disk by it and all that is in it, at any depth.
    case totalAllocated
    /// Of a directory or a package: the number of files in it, at any depth.
    case totalFiles
    /// Bytes of content: of a directory those of all that is in it, at any depth.
    case fullSize
    /// Bytes taken on disk: of a directory by it and all that is in it, at any depth.
    case fullAllocated
    /// The values that are stored under a key: numbers by their size, then texts and then bytes, both by
    /// their bytes.
    case value(ValueKey)
  }
}

extension SortOrder.Key: CaseIterable {
  /// The keys that every catalog has: all but those of values.
  public static let allCases: [Self] = [
    .name, .path, .size, .allocated, .modified, .created, .changed, .accessed, .kind, .type,
    .extension, .owner, .group, .mode, .inode, .links, .depth, .totalSize, .totalAllocated,
    .totalFiles, .fullSize, .fullAllocated,
  ]
}

extension SortOrder.Key {
  /// What it is called: `size`, `total_size`, `value:pixel_width`.
  public var name: String {
    switch self {
    case .name: "name"
    case .path: "path"
    case .size: "size"
    case .allocated: "allocated"
    case .modified: "modified"
    case .created: "created"
    case .changed: "changed"
    case .accessed: "accessed"
    case .kind: "kind"
    case .type: "type"
    case .extension: "extension"
    case .owner: "owner"
    case .group: "group"
    case .mode: "mode"
    case .inode: "inode"
    case .links: "links"
    case .depth: "depth"
    case .totalSize: "total_size"
    case .totalAllocated: "total_allocated"
    case .totalFiles: "total_files"
    case .fullSize: "full_size"
    case .fullAllocated: "full_allocated"
    case .value(let key): key.name
    }
  }

  /// Reads a name; `nil` for one that no key has.
  public init?(named name: String) {
    if let key = Self.byName[name.lowercased()] {
      self = key
    } else if let key = ValueKey(named: name) {
      self = .value(key)
    } else {
      return nil
    }
  }

  /// The key of the values; `nil` for what every entry has.
  var valueKey: ValueKey? {
    guard case .value(let key) = self else { return nil }
    return key
  }

  private static let byName = Dictionary(
    allCases.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
}

/// The order of a table of entries: keys, each ascending or descending.
///
/// ```swift
/// let order = try SortOrder(parsing: "-size,name")
/// ```
///
/// Whoever sorts by it ends ties with the name, then the bytes of the path, then the id, and puts
/// unknown dates, and entries without the value that is asked for, last in both directions.
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
  /// Before the keys may stand `directories-first`; alone, it means directories first, then names. Values are
  /// called as in `-value:pixel_width` and `xattr:user.project`; a comma in such a key has a backslash
  /// before it.
  ///
  /// - Throws: ``SortOrder/ParseError`` for a key that is missing, unknown or given twice.
  public init(parsing text: String) throws(SortOrder.ParseError) {
    var terms: [Term] = []
    var items = NameList.names(in: text)[...]
    directories = .mixed
    if items.first?.lowercased() == Self.directoriesFirst {
      directories = .first
      items.removeFirst()
      if items.isEmpty { items = ["name"] }
    }
    for item in items {
      let isDescending = item.first == "-"
      let name = isDescending ? String(item.dropFirst()) : item
      if name.lowercased() == Self.directoriesFirst {
        throw SortOrder.ParseError(message: "“\(name)” stands once, before all sort keys")
      }
      guard let key = SortOrder.Key(named: name) else {
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
    let keys = terms.map { ($0.direction == .descending ? "-" : "") + $0.key.name }
    return NameList.text(of: (directories == .first ? [Self.directoriesFirst] : []) + keys)
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
          to: name, in: SortOrder.Key.allCases.map(\.name) + [SortOrder.directoriesFirst]))
    }
  }
}

extension SortOrder.ParseError: CustomStringConvertible {
  /// The message and all known keys, on one line.
  public var description: String {
    "\(message); known keys are "
      + SortOrder.Key.allCases.map(\.name).joined(separator: ", ") + ", value:KEY and xattr:NAME"
  }
}
