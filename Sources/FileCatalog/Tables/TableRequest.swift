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
  /// What to read of each entry. ``Entry`` values have all that is in the view `files`, and further values
  /// by the keys that are among the columns or in the order.
  public var columns: [TableColumn]
  /// At most so many rows; `nil` for all.
  public var limit: Int?
  /// How many rows to skip. Beyond the last row, there are none.
  public var offset: Int

  /// Asks for the paths of all entries, unless told otherwise.
  ///
  /// - Parameter values: the keys of further values, whose columns come behind the others.
  public init(
    _ query: Query = Query(), in scope: Scope = .everything,
    order: SortOrder = SortOrder([SortOrder.Term(.path)]),
    columns: [EntryColumn] = [.path], values: [ValueKey] = [], limit: Int? = nil, offset: Int = 0
  ) {
    self.query = query
    self.scope = scope
    self.order = order
    self.columns = columns.map { .entry($0) } + values.map { .value($0) }
    self.limit = limit
    self.offset = offset
  }
}

extension TableRequest {
  /// The keys of the values that are asked for, each once.
  var valueKeys: [ValueKey] {
    var keys: [ValueKey] = []
    let asked = columns.compactMap(\.valueKey) + order.terms.compactMap(\.key.valueKey)
    for key in asked where !keys.contains(key) { keys.append(key) }
    return keys
  }
}
