/// Fills one index on (TEXT or BLOB) or on (INTEGER, TEXT or BLOB).
///
/// Keys are kept in memory until ``finish()`` sorts them. Rows come in ascending order of the
/// rowid. Sorting is fastest when the rows with one integer come one after the other, as the
/// entries of a directory do.
///
/// The columns must be compared byte by byte: collation `BINARY`, ascending.
package struct TextIndexLoader: ~Copyable {
  private let slot: IndexSlot
  private let hasInteger: Bool
  private let memoryLimit: Int
  private var keys: KeyArena?
  private var lastRowid = Int64.min

  init(_ slot: IndexSlot, hasInteger: Bool, memoryLimit: Int) {
    self.slot = slot
    self.hasInteger = hasInteger
    self.memoryLimit = memoryLimit
    keys = KeyArena(limit: memoryLimit)
    slot.writer.openTrees += 1
  }

  /// Whether all keys had room so far. When not, those to come are not taken any more.
  package var isComplete: Bool { keys != nil }

  /// Adds the key of a row to an index on one column.
  package mutating func append(_ key: KeyBytes, rowid: Int64) throws(PageLoaderError) {
    try append(nil, key, rowid: rowid)
  }

  /// Adds the key of a row to an index on two columns.
  package mutating func append(
    _ integer: Int64?, _ bytes: KeyBytes, rowid: Int64
  ) throws(PageLoaderError) {
    if rowid <= lastRowid {
      guard rowid == .min, lastRowid == .min else {
        throw slot.writer.error(.rowidNotAscending(rowid, after: lastRowid))
      }
    }
    lastRowid = rowid
    let integer = hasInteger ? integer : nil
    if keys?.append(integer: integer, bytes, rowid: rowid) == false { keys = nil }
  }

  /// Sorts the keys and writes the index.
  package consuming func finish() throws(PageLoaderError) -> IndexOutcome {
    slot.writer.openTrees -= 1
    guard var keys = keys.take(), keys.memoryNeeded <= memoryLimit else {
      return IndexOutcome(isComplete: false, duplicates: [])
    }
    var order = TextIndexWriter(slot, hasInteger: hasInteger)
    return try order.write(&keys)
  }
}
