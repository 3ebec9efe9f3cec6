/// Two rows of a unique index with one key, none of it NULL; of several, each stands beside the one
/// before it.
///
/// The index holds them all the same, so it fits the table, and deleting one row of each pair through
/// SQL makes the database sound.
package struct DuplicateKey: Sendable, Equatable {
  package var rowid: Int64
  package var earlierRowid: Int64

  package init(rowid: Int64, earlierRowid: Int64) {
    self.rowid = rowid
    self.earlierRowid = earlierRowid
  }
}
