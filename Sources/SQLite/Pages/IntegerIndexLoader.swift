/// Fills one index on a single INTEGER column.
///
/// Keys are kept in memory until ``finish()`` sorts them; when they have no room there, sorted runs
/// of them go to the disk and are merged at the end. Rows come in ascending order of the rowid.
package struct IntegerIndexLoader: ~Copyable {
  private let slot: IndexSlot
  private let memoryLimit: Int
  /// Key the integer, value the rowid.
  private var items: [SortItem] = []
  private var nullRowids: [Int64] = []
  private var runs: RunFile?
  private var lastRowid = Int64.min

  init(_ slot: IndexSlot, memoryLimit: Int) {
    self.slot = slot
    self.memoryLimit = memoryLimit
    slot.writer.openTrees += 1
  }

  /// Adds the key of a row.
  package mutating func append(_ key: Int64?, rowid: Int64) throws(PageLoaderError) {
    if rowid <= lastRowid {
      guard rowid == .min, lastRowid == .min else {
        throw slot.writer.error(.rowidNotAscending(rowid, after: lastRowid))
      }
    }
    lastRowid = rowid
    // The items are sorted with as much memory again.
    let size =
      2 * (items.count + 1) * MemoryLayout<SortItem>.stride
      + (nullRowids.count + 1) * MemoryLayout<Int64>.stride
    if size > memoryLimit { try writeRun() }
    if let key {
      items.append(SortItem(key: UInt64(ordering: key), value: UInt64(bitPattern: rowid)))
    } else {
      nullRowids.append(rowid)
    }
  }

  private mutating func writeRun() throws(PageLoaderError) {
    let file = if let runs { runs } else { try RunFile(beside: slot.writer.path) }
    runs = file
    items.sortByKey()
    for rowid in nullRowids { try file.append(nil, rowid: rowid) }
    for item in items {
      try file.append(Int64(ordering: item.key), rowid: Int64(bitPattern: item.value))
    }
    try file.endRun()
    items.removeAll(keepingCapacity: true)
    nullRowids.removeAll(keepingCapacity: true)
  }

  /// Sorts the keys and writes the index.
  ///
  /// - Returns: Rows of a unique index with equal keys.
  package consuming func finish() throws(PageLoaderError) -> [DuplicateKey] {
    slot.writer.openTrees -= 1
    guard let runs else { return try write() }
    try writeRun()
    items = []
    nullRowids = []
    return try runs.merge(into: slot, memory: memoryLimit)
  }

  /// Writes an index whose keys are all in memory.
  private mutating func write() throws(PageLoaderError) -> [DuplicateKey] {
    items.sortByKey()
    var duplicates: [DuplicateKey] = []
    if slot.writer.isLive, nullRowids.isEmpty, items.isEmpty { return [] }
    var index = try IndexBuilder(slot)
    for rowid in nullRowids { try index.append(nil, rowid: rowid) }
    var previous: SortItem?
    for item in items {
      let rowid = Int64(bitPattern: item.value)
      if slot.isUnique, let previous, previous.key == item.key {
        duplicates.append(.init(rowid: rowid, earlierRowid: Int64(bitPattern: previous.value)))
      }
      previous = item
      try index.append(Int64(ordering: item.key), rowid: rowid)
    }
    try index.finish()
    return duplicates
  }
}
