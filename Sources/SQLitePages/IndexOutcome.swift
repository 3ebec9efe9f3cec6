/// How the loading of an index ended.
package struct IndexOutcome: Sendable, Equatable {
  /// Whether the index is in the file.
  ///
  /// Otherwise its keys needed more memory than allowed, and the index is still empty. The caller
  /// must have SQLite fill it before anything else uses the table: `REINDEX name`.
  package var isComplete: Bool

  /// Rows of a unique index with equal keys, none of them NULL.
  ///
  /// The index holds them all the same, so it fits the table, and deleting one row of each pair
  /// through SQL makes the database sound.
  package var duplicates: [DuplicateKey]

  package init(isComplete: Bool, duplicates: [DuplicateKey]) {
    self.isComplete = isComplete
    self.duplicates = duplicates
  }

  /// Two rows with one key; of several, each stands beside the one before it.
  package struct DuplicateKey: Sendable, Equatable {
    package var rowid: Int64
    package var earlierRowid: Int64

    package init(rowid: Int64, earlierRowid: Int64) {
      self.rowid = rowid
      self.earlierRowid = earlierRowid
    }
  }
}
