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
    /// One entry alone.
    case entry(at: FilePath)
    /// Several directories, and what is below them on these levels: 0 for themselves, 1 for their children,
    /// `nil` for everything. What is in two of them is there once.
    case subtrees(of: [FilePath], levels: Filter.ValueRange<Int64>?)
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
