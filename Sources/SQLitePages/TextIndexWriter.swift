/// Brings the keys of a ``KeyArena`` in order, one integer after the other, and writes the index.
struct TextIndexWriter: ~Copyable {
  private let slot: IndexSlot
  private let hasInteger: Bool
  private var sorter = KeySorter()
  /// Keeps the compiler from leaving the touching out.
  private var touched: UInt8 = 0
  private var duplicates: [IndexOutcome.DuplicateKey] = []

  /// As many cache misses as a processor has under way, or a few more.
  private static let groupsAtOnce = 16

  init(_ slot: IndexSlot, hasInteger: Bool) {
    self.slot = slot
    self.hasInteger = hasInteger
  }

  mutating func write(_ keys: inout KeyArena) throws(PageLoaderError) -> IndexOutcome {
    var index = try IndexBuilder(slot, count: keys.count)
    for group in keys.nullGroups { addGroup(group, of: keys) }
    try writeKeys(under: nil, of: keys, to: &index)

    keys.groups.sortByKey()
    var position = 0
    var touchedEnd = 0
    while position < keys.groups.count {
      if position >= touchedEnd {
        touchedEnd = min(position + Self.groupsAtOnce, keys.groups.count)
        for next in position..<touchedEnd {
          touched &+= keys.touch(groupAt: keys.groups[next].value)
        }
      }
      let integer = keys.groups[position].key
      repeat {
        addGroup(keys.groups[position].value, of: keys)
        position += 1
      } while position < keys.groups.count && keys.groups[position].key == integer
      try writeKeys(under: Int64(ordering: integer), of: keys, to: &index)
    }
    try index.finish()
    return IndexOutcome(isComplete: true, duplicates: duplicates)
  }

  @inline(__always)
  private mutating func addGroup(_ group: UInt64, of keys: borrowing KeyArena) {
    keys.forEachKey(inGroupAt: group) { sorter.append($0, of: keys) }
  }

  /// Writes the keys in the sorter, all those under one integer.
  private mutating func writeKeys(
    under integer: Int64?, of keys: borrowing KeyArena, to index: inout IndexBuilder
  ) throws(PageLoaderError) {
    // Equal keys of which a column is NULL are not duplicates to SQL.
    let looksForDuplicates = slot.isUnique && (integer != nil || !hasInteger)
    var duplicateIndexes: [Int] = []
    sorter.sort(keys) { if looksForDuplicates { duplicateIndexes.append($0) } }
    for index in duplicateIndexes { noteDuplicate(index, of: keys) }

    for position in 0..<sorter.count {
      let key = keys.key(at: sorter[position])
      index.record.reset()
      if hasInteger {
        if let integer { index.record.integer(integer) } else { index.record.null() }
      }
      let value = key.value
      switch value.storage {
      case .null: index.record.null()
      case .text: index.record.text(value.bytes)
      case .blob: index.record.blob(value.bytes)
      }
      index.record.integer(key.rowid)
      try index.append()
    }
    sorter.removeAll()
  }

  private mutating func noteDuplicate(_ index: Int, of keys: borrowing KeyArena) {
    let key = keys.key(at: sorter[index])
    guard key.value.storage != .null else { return }
    let earlier = keys.key(at: sorter[index - 1])
    duplicates.append(.init(rowid: key.rowid, earlierRowid: earlier.rowid))
  }
}
