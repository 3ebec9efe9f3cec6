/// A table before and after a change, and what lies between.
public struct TableChange: Sendable {
  /// What the observer saw last, with those of its own changes that it is not told.
  public let old: TableSnapshot
  /// The table now. Its rows can be read as long as the catalog is not changed again.
  public let new: TableSnapshot
  /// What turns the one into the other; never empty.
  public let diff: TableDiff
}

/// What an observer of a table is told.
public enum TableEvent: Sendable {
  /// Rows came, went, changed or moved.
  case changed(TableChange)
  /// The table could not be read. It stays as it was; the next change of the catalog is looked at
  /// again.
  case failed(CatalogError)
}
