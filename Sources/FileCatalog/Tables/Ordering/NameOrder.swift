/// Entries in the order of their paths and of their names: what every other order rests on.
struct NameOrder: Sendable {
  /// Positions in the order of the paths.
  private let byPath: [UInt32]
  /// By position: the rank of the name, the same for names that differ in case only.
  private let ranks: [UInt32]
  /// Positions in the order of names, then paths.
  private let byName: [UInt32]

  /// - Parameter count: how many positions there are.
  init(byPath: [UInt32], _ names: EntryNames, count: Int) {
    self.byPath = byPath
    ranks = NameClasses(of: names, count: count).ranks
    byName = PositionSort.stable(byPath, by: ranks.map { UInt64($0) })
  }

  /// Positions in any order: its terms are applied from the last to the first, each without
  /// disturbing what it leaves undecided. Ties end with names and paths.
  ///
  /// - Parameter codes: the values of a key that is neither the name nor the path.
  func positions(
    _ terms: [SortOrder.Term], codes: (SortOrder.Key) throws -> SortCodes
  ) rethrows -> [UInt32] {
    var positions = terms.contains { $0.key == .name } ? byPath : byName
    for term in terms.reversed() {
      switch (term.key, term.direction) {
      case (.path, .ascending): positions = byPath
      case (.path, .descending): positions = byPath.reversed()
      case (.name, .ascending) where term == terms.last: positions = byName
      case (.name, _):
        positions = SortCodes(ranks: ranks).sort(positions, term.direction, missing: .smallest)
      default:
        positions = try codes(term.key)
          .sort(positions, term.direction, missing: term.key.missingValues)
      }
    }
    return positions
  }
}

/// The ranks of names in `NaturalOrder`: names with equal keys have equal ranks.
struct NameClasses {
  /// By position in the roster.
  private(set) var ranks: [UInt32]

  init(of names: EntryNames, count: Int) {
    ranks = Array(repeating: 0, count: count)
    var keys: [UInt8] = []
    keys.reserveCapacity(names.count * 20)
    var items: [Item] = []
    items.reserveCapacity(names.count)
    for row in 0..<names.count {
      let start = keys.count
      names.withName(row) { name in
        // Of a root, the path was read; its name is what follows the last slash.
        let slash = name.lastIndex(of: UInt8(ascii: "/")) ?? -1
        let last = UnsafeRawBufferPointer(rebasing: name[(slash + 1)...])
        NaturalOrder.appendKey(of: last.isEmpty ? name : last, to: &keys)
      }
      items.append(
        Item(
          chunk: 0, start: start, length: UInt32(truncatingIfNeeded: keys.count - start),
          position: names.positions[row]))
    }
    var rank: UInt32 = 0
    keys.withUnsafeBytes { keys in
      items.withUnsafeMutableBufferPointer { items in
        Self.sort(items, keys: keys, from: 0) { group in
          for item in group { ranks[Int(item.position)] = rank }
          rank += 1
        }
      }
    }
  }

  private struct Item {
    /// Eight bytes of the key, as a number that compares as they do.
    var chunk: UInt64
    var start: Int
    var length: UInt32
    var position: UInt32
  }

  /// Sorts items by their keys from a byte on, eight bytes at a time, and hands over those with equal
  /// keys, group by group. Where a key has ended there are zeros, which no longer key goes on with.
  private static func sort(
    _ items: UnsafeMutableBufferPointer<Item>, keys: UnsafeRawBufferPointer, from depth: Int,
    _ found: (Slice<UnsafeMutableBufferPointer<Item>>) -> Void
  ) {
    // Groups that are still to be sorted, the first on top.
    var pending = [(range: 0..<items.count, depth: depth)]
    while let (range, depth) = pending.popLast() {
      if range.count <= 1 {
        if !range.isEmpty { found(items[range]) }
        continue
      }
      var isLonger = false
      for index in range {
        items[index].chunk = chunk(of: items[index], keys, depth)
        if Int(items[index].length) > depth { isLonger = true }
      }
      guard isLonger else {
        found(items[range])
        continue
      }
      items[range].sort { $0.chunk < $1.chunk }
      var groups: [(Range<Int>, Int)] = []
      var first = range.lowerBound
      for index in range where items[index].chunk != items[first].chunk {
        groups.append((first..<index, depth + 8))
        first = index
      }
      groups.append((first..<range.upperBound, depth + 8))
      pending += groups.reversed()
    }
  }

  @inline(__always)
  private static func chunk(
    of item: Item, _ keys: UnsafeRawBufferPointer, _ depth: Int
  ) -> UInt64 {
    let left = Int(item.length) - depth
    guard left > 0 else { return 0 }
    let start = item.start + depth
    if left >= 8 {
      return UInt64(bigEndian: keys.loadUnaligned(fromByteOffset: start, as: UInt64.self))
    }
    var chunk: UInt64 = 0
    for index in 0..<left { chunk |= UInt64(keys[start + index]) << (56 - 8 * UInt64(index)) }
    return chunk
  }
}
