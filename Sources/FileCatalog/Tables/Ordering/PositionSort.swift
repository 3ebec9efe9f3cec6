/// Sorts positions of a ``Roster`` by numbers, without comparing.
enum PositionSort {
  /// Sorts positions by the code at each; those with equal codes keep their order.
  ///
  /// A radix sort from the lowest digit, which leaves out digits that are the same everywhere.
  ///
  /// - Complexity: linear.
  static func stable(_ positions: [UInt32], by codes: [UInt64]) -> [UInt32] {
    let digits = 6
    let bits: UInt64 = 11
    let size = 1 << 11
    let mask = UInt64(size - 1)
    let count = positions.count
    guard count > 1 else { return positions }

    var counts = [Int](repeating: 0, count: digits * size)
    var source: [Item] = []
    source.reserveCapacity(count)
    counts.withUnsafeMutableBufferPointer { counts in
      codes.withUnsafeBufferPointer { codes in
        for position in positions {
          let code = codes[Int(position)]
          source.append(Item(code: code, position: position))
          for digit in 0..<digits {
            counts[digit * size + Int((code >> (UInt64(digit) * bits)) & mask)] += 1
          }
        }
      }
    }
    var target = source
    for digit in 0..<digits {
      let shift = UInt64(digit) * bits
      let first = Int((source[0].code >> shift) & mask)
      if counts[digit * size + first] == count { continue }
      var place = 0
      for value in 0..<size {
        let here = counts[digit * size + value]
        counts[digit * size + value] = place
        place += here
      }
      counts.withUnsafeMutableBufferPointer { counts in
        source.withUnsafeBufferPointer { source in
          target.withUnsafeMutableBufferPointer { target in
            for item in source {
              let slot = digit * size + Int((item.code >> shift) & mask)
              target[counts[slot]] = item
              counts[slot] += 1
            }
          }
        }
      }
      swap(&source, &target)
    }
    return source.map(\.position)
  }

  private struct Item {
    let code: UInt64
    let position: UInt32
  }

  /// Moves the positions that satisfy a condition to one end; all keep their order otherwise.
  static func partition(
    _ positions: [UInt32], to end: End, where isMoved: (Int) -> Bool
  ) -> [UInt32] {
    var moved: [UInt32] = []
    var others: [UInt32] = []
    others.reserveCapacity(positions.count)
    for position in positions {
      if isMoved(Int(position)) { moved.append(position) } else { others.append(position) }
    }
    guard !moved.isEmpty else { return positions }
    return end == .front ? moved + others : others + moved
  }

  enum End {
    case front
    case back
  }
}
