internal import FileSystem
public import SystemPackage

/// Which entries to read, in which order, and how many.
public struct TableRequest: Sendable {
  /// Where to look.
  public enum Scope: Sendable, Hashable {
    /// All roots.
    case everything
    /// The direct children of a directory.
    case children(of: FilePath)
    /// A directory and everything below it.
    case subtree(of: FilePath)
  }

  /// What an entry must satisfy.
  public var query: Query
  /// Where to look.
  public var scope: Scope
  /// The order of the rows.
  public var order: SortOrder
  /// What to read of each entry.
  public var columns: [EntryColumn]
  /// At most so many rows; `nil` for all.
  public var limit: Int?
  /// How many rows to skip. Beyond the last row, there are none.
  public var offset: Int

  /// Asks for the paths of all entries, unless told otherwise.
  public init(
    _ query: Query = Query(), in scope: Scope = .everything,
    order: SortOrder = SortOrder([SortOrder.Term(.path)]),
    columns: [EntryColumn] = [.path], limit: Int? = nil, offset: Int = 0
  ) {
    self.query = query
    self.scope = scope
    self.order = order
    self.columns = columns
    self.limit = limit
    self.offset = offset
  }
}

/// One field of a row.
public enum ColumnValue: Sendable, Hashable {
  case null
  case integer(Int64)
  case real(Double)
  /// Text as bytes: names need not be UTF-8.
  case text([UInt8])

  /// The number, or `nil`.
  public var integer: Int64? {
    guard case .integer(let value) = self else { return nil }
    return value
  }

  /// The text, with U+FFFD for what is not UTF-8, or `nil`.
  public var string: String? {
    guard case .text(let bytes) = self else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The path, or `nil`.
  public var path: FilePath? {
    guard case .text(let bytes) = self else { return nil }
    return FilePath(bytes: bytes)
  }
}
