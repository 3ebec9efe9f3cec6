/// Fills one index on (TEXT or BLOB), on (INTEGER, TEXT or BLOB), or on four integers.
///
/// Keys are kept in memory until ``finish()`` sorts them; when they have no room there, sorted runs
/// of them go to the disk and are merged at the end. Rows come in ascending order of the rowid.
/// Sorting is fastest when the rows with one integer come one after the other, as the entries of a
/// directory do.
///
/// The columns must be compared byte by byte: collation `BINARY`, ascending.
package struct TextIndexLoader: ~Copyable {
  private let slot: IndexSlot
  private let memoryLimit: Int
  private var keys: KeyArena
  private var runs: RunFile?
  private var lastRowid = Int64.min

  init(_ slot: IndexSlot, memoryLimit: Int) {
    self.slot = slot
    self.memoryLimit = memoryLimit
    keys = KeyArena(limit: memoryLimit)
    slot.writer.openTrees += 1
  }

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
    let integer = slot.columns.contains(.integer) ? integer : nil
    if keys.append(integer: integer, bytes, rowid: rowid) { return }
    try writeRun()
    guard keys.append(integer: integer, bytes, rowid: rowid) else {
      throw slot.writer.error(.recordTooLarge(bytes.bytes.count))
    }
  }

  private mutating func writeRun() throws(PageLoaderError) {
    let file = if let runs { runs } else { try RunFile(beside: slot.writer.path) }
    runs = file
    var sorter = ArenaSorter(slot)
    var sink = RunSink(file: file)
    try sorter.sort(&keys, into: &sink)
    try file.endRun()
    keys.removeAll()
  }

  /// Sorts the keys and writes the index.
  ///
  /// - Returns: Rows of a unique index with equal keys.
  package consuming func finish() throws(PageLoaderError) -> [DuplicateKey] {
    slot.writer.openTrees -= 1
    guard let runs else {
      if slot.writer.isLive, keys.count == 0 { return [] }
      var index = try IndexBuilder(slot)
      var sorter = ArenaSorter(slot)
      try sorter.sort(&keys, into: &index)
      try index.finish()
      return sorter.duplicates
    }
    try writeRun()
    keys = KeyArena(limit: 0)
    return try runs.merge(into: slot, memory: memoryLimit)
  }
}
