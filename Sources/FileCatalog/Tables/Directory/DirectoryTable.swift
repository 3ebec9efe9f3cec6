internal import FileSystem
public import StandardDirectories
public import SystemPackage

/// One directory of the disk as a table: its items in order, by index.
///
/// ```swift
/// let table = try DirectoryTable(at: "/home/me/Pictures", ifMissing: .create)
/// for index in 0..<(try table.count()) { print(try table.item(at: index).name) }
/// ```
///
/// Every question reads the directory anew, so answers are always those of the disk; whoever asks
/// much takes ``items()`` once. What is below is not looked at, and a link stands for itself. All
/// methods block the calling thread while they read.
///
/// For directories that are in a catalog, ``TableRequest`` with ``TableRequest/Scope/children(of:)``
/// answers from the index.
public struct DirectoryTable: Sendable {
  /// A test of an item in the program's own words.
  public typealias ItemFilter = @Sendable (DirectoryTable.Item) throws -> Bool

  /// What to do about a directory that is not there.
  public enum Missing: Sendable, Hashable {
    /// Refuse it.
    case refuse
    /// Make it, with those on the way to it.
    case create
  }

  /// Whether hidden items are shown: those whose names begin with a dot.
  public enum HiddenItems: Sendable, Hashable {
    case skipped
    case shown
  }

  /// The directory.
  public let path: FilePath
  /// What the directory is for, where it was opened as that of a container.
  public internal(set) var role: Role?
  /// The order of the items.
  public var order: DirectoryTable.Order
  /// Tests that items must pass. They are asked one after the other, for each item in order, and not
  /// after the first that fails.
  public var filters: [ItemFilter]
  /// Whether hidden items are shown.
  public var hiddenItems: HiddenItems

  /// Opens a directory as a table.
  ///
  /// - Throws: ``DirectoryTable/Failure/Code/notFound`` when there is none and none was to be made,
  ///   ``DirectoryTable/Failure/Code/notADirectory`` when something else is there, whether or not a
  ///   directory was to be made, and ``DirectoryTable/Failure/Code/system`` when the system refuses.
  public init(
    at path: FilePath, ifMissing missing: Missing = .refuse,
    order: DirectoryTable.Order = .nameAFirst,
    filters: [ItemFilter] = [], hiddenItems: HiddenItems = .skipped
  ) throws(DirectoryTable.Failure) {
    self.path = path
    self.order = order
    self.filters = filters
    self.hiddenItems = hiddenItems
    do {
      switch try DirectoryFiles.find(path) {
      case .directory: break
      case .other:
        throw DirectoryTable.Failure(
          .notADirectory, path, .notDirectory,
          "\(path.string) is not a directory")
      case .nothing where missing == .create: try DirectoryFiles.create(path)
      case .nothing:
        throw DirectoryTable.Failure(
          .notFound, path, .noSuchFileOrDirectory,
          "there is no directory \(path.string)")
      }
    } catch let error as Errno {
      throw DirectoryTable.Failure(path, error, to: missing == .create ? "make it" : "look at it")
    } catch let error as DirectoryTable.Failure {
      throw error
    } catch {
      throw DirectoryTable.Failure(.system, path, nil, "\(path.string): \(error)")
    }
  }

  /// ``init(at:ifMissing:order:filters:hiddenItems:)`` for the text of a URL, such as
  /// `file:///home/me/My%20Pictures/`.
  public init(
    url: String, createIfNeeded: Bool, sortedBy order: DirectoryTable.Order = .nameAFirst,
    filteredBy filters: [ItemFilter] = []
  ) throws(DirectoryTable.Failure) {
    guard let path = FilePath(fileURL: url) else {
      throw DirectoryTable.Failure(
        .system, FilePath(url), .notSupported,
        "\(url) is not the URL of a file: it does not begin with file:")
    }
    try self.init(
      at: path, ifMissing: createIfNeeded ? .create : .refuse, order: order, filters: filters)
  }

  // MARK: - Rows

  /// The items in order.
  ///
  /// - Throws: ``DirectoryTable/Failure/Code/gone`` when the directory is not there any more, or what a
  ///   filter throws.
  public func items() throws -> [DirectoryTable.Item] {
    let found: [DirectoryTable.Item]
    do throws(Errno) {
      found = try DirectoryFiles.items(of: path, hiddenItems)
    } catch {
      guard error == .noSuchFileOrDirectory || error == .notDirectory else {
        throw DirectoryTable.Failure(path, error, to: "read the directory")
      }
      throw DirectoryTable.Failure(gone: path, error)
    }
    return try order.sort(found).filter { item in
      try filters.allSatisfy { try $0(item) }
    }
  }

  /// How many items there are.
  public func count() throws -> Int { try items().count }

  /// The item in a row.
  ///
  /// - Throws: ``DirectoryTable/Failure/Code/outOfRange``, and as ``items()``.
  public func item(at index: Int) throws -> DirectoryTable.Item {
    let items = try items()
    guard items.indices.contains(index) else {
      throw DirectoryTable.Failure(
        .outOfRange, path, nil,
        "there is no row \(index); \(path.string) has \(items.count) items, counted from 0")
    }
    return items[index]
  }

  /// The items in some rows; those beyond either end are left out.
  public func items(in range: Range<Int>) throws -> [DirectoryTable.Item] {
    let items = try items()
    return Array(items[range.clamped(to: items.indices)])
  }

  /// The row of an item.
  ///
  /// - Throws: ``DirectoryTable/Failure/Code/itemNotFound`` when the table does not show it, and as
  ///   ``items()``.
  public func index(of item: FilePath) throws -> Int {
    guard let index = try items().firstIndex(where: { $0.path == item }) else {
      throw DirectoryTable.Failure(
        .itemNotFound, item, nil, "\(item.string) is not among the items of \(path.string)")
    }
    return index
  }
}

extension FilePath {
  /// The path that the URL of a file on this machine stands for (RFC 8089); `nil` for other URLs.
  fileprivate init?(fileURL text: String) {
    guard text.utf8.prefix(5).elementsEqual("file:".utf8) else { return nil }
    var rest = text.utf8.dropFirst(5)
    if rest.starts(with: "//".utf8) {
      let host = rest.dropFirst(2).prefix { $0 != UInt8(ascii: "/") }
      guard host.isEmpty || host.elementsEqual("localhost".utf8) else { return nil }
      rest = rest[host.endIndex...]
    }
    var bytes: [UInt8] = []
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = String(decoding: Array(rest.prefix(2)), as: UTF8.self)
      guard digits.utf8.count == 2, let value = UInt8(digits, radix: 16), value != 0 else {
        return nil
      }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    guard bytes.first == UInt8(ascii: "/") else { return nil }
    self.init(bytes: bytes)
  }
}

extension DirectoryTable {
  /// Why a table of a directory could not do what it was asked.
  public struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The reason, for programs. The numbers never change.
    public enum Code: Int, Sendable, Hashable, CaseIterable {
      /// The system refused something; ``DirectoryTable/Failure/errno`` says what.
      case system = 0
      /// There is no directory, and none was to be made.
      case notFound = 1
      /// There is something else at the path.
      case notADirectory = 2
      /// The table shows no such item.
      case itemNotFound = 3
      /// The table has no row with this index.
      case outOfRange = 4
      /// The directory was there when the table was made and is not any more.
      case gone = 5
    }

    /// The reason, for programs.
    public let code: Code
    /// What it is about.
    public let path: FilePath
    /// What the system said, where it was asked.
    public let errno: Errno?
    /// The reason, in one line for a person.
    public let description: String

    init(_ code: Code, _ path: FilePath, _ errno: Errno? = nil, _ description: String) {
      self.code = code
      self.path = path
      self.errno = errno
      self.description = description
    }

    init(gone path: FilePath, _ errno: Errno = .noSuchFileOrDirectory) {
      self.init(
        .gone, path, errno, "the directory \(path.string) is not there any more")
    }

    init(_ path: FilePath, _ errno: Errno, to action: String) {
      self.init(.system, path, errno, "\(path.string): cannot \(action): \(errno)")
    }
  }
}
