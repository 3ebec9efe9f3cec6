/// Takes keys in the order of an index.
protocol SortedKeySink: ~Copyable {
  mutating func append(_ integer: Int64?, _ key: StoredKey) throws(PageLoaderError)
}

/// Brings the keys of a ``KeyArena`` in order, one integer after the other.
struct ArenaSorter: ~Copyable {
  private let isUnique: Bool
  private let hasInteger: Bool
  private var sorter = KeySorter()
  /// Keeps the compiler from leaving the touching out.
  private var touched: UInt8 = 0
  private(set) var duplicates: [DuplicateKey] = []

  /// As many cache misses as a processor has under way, or a few more.
  private static let groupsAtOnce = 16

  init(_ slot: IndexSlot) {
    isUnique = slot.isUnique
    hasInteger = slot.columns.contains(.integer)
  }

  /// Hands over all keys in order.
  mutating func sort<Sink: SortedKeySink & ~Copyable>(
    _ keys: inout KeyArena, into sink: inout Sink
  ) throws(PageLoaderError) {
    for group in keys.nullGroups { addGroup(group, of: keys) }
    try handOver(under: nil, of: keys, to: &sink)

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
      try handOver(under: Int64(ordering: integer), of: keys, to: &sink)
    }
  }

  @inline(__always)
  private mutating func addGroup(_ group: UInt64, of keys: borrowing KeyArena) {
    keys.forEachKey(inGroupAt: group) { sorter.append($0, of: keys) }
  }

  /// Hands over the keys in the sorter, all those under one integer.
  private mutating func handOver<Sink: SortedKeySink & ~Copyable>(
    under integer: Int64?, of keys: borrowing KeyArena, to sink: inout Sink
  ) throws(PageLoaderError) {
    // Equal keys of which a column is NULL are not duplicates to SQL.
    let looksForDuplicates = isUnique && (integer != nil || !hasInteger)
    var duplicateIndexes: [Int] = []
    sorter.sort(keys) { if looksForDuplicates { duplicateIndexes.append($0) } }
    for index in duplicateIndexes { noteDuplicate(index, of: keys) }
    for position in 0..<sorter.count {
      try sink.append(integer, keys.key(at: sorter[position]))
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
