/// Fills one index on a single INTEGER column.
///
/// Keys are kept in memory until ``finish()`` sorts them. Rows come in ascending order of the
/// rowid.
package struct IntegerIndexLoader: ~Copyable {
  private let slot: IndexSlot
  private let memoryLimit: Int
  /// Key the integer, value the rowid.
  private var items: [SortItem] = []
  private var nullRowids: [Int64] = []
  private var lastRowid = Int64.min
  /// Whether all keys had room so far. When not, those to come are not taken any more.
  package private(set) var isComplete = true

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
    guard isComplete else { return }
    // The items are sorted with as much memory again.
    let size =
      2 * (items.count + 1) * MemoryLayout<SortItem>.stride
      + (nullRowids.count + 1) * MemoryLayout<Int64>.stride
    if size > memoryLimit {
      isComplete = false
      items = []
      nullRowids = []
    } else if let key {
      items.append(SortItem(key: UInt64(ordering: key), value: UInt64(bitPattern: rowid)))
    } else {
      nullRowids.append(rowid)
    }
  }

  /// Sorts the keys and writes the index.
  package consuming func finish() throws(PageLoaderError) -> IndexOutcome {
    slot.writer.openTrees -= 1
    var outcome = IndexOutcome(isComplete: isComplete, duplicates: [])
    guard isComplete else { return outcome }
    items.sortByKey()

    var index = try IndexBuilder(slot, count: nullRowids.count + items.count)
    for rowid in nullRowids {
      index.record.reset()
      index.record.null()
      index.record.integer(rowid)
      try index.append()
    }
    var previous: SortItem?
    for item in items {
      let rowid = Int64(bitPattern: item.value)
      if slot.isUnique, let previous, previous.key == item.key {
        outcome.duplicates.append(
          .init(rowid: rowid, earlierRowid: Int64(bitPattern: previous.value)))
      }
      previous = item
      index.record.reset()
      index.record.integer(Int64(ordering: item.key))
      index.record.integer(rowid)
      try index.append()
    }
    try index.finish()
    return outcome
  }
}
