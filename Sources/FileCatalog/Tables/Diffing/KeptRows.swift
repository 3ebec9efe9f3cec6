/// The rows that are in both of two lists, in the order of the new one, and which of them moved.
struct KeptRows {
  private var origins: [Int32] = []
  private var places: [Int32] = []
  private var isInOrder = true

  @inline(__always)
  mutating func append(_ origin: Int32, at place: Int) {
    if let last = origins.last, last > origin { isInOrder = false }
    origins.append(origin)
    places.append(Int32(truncatingIfNeeded: place))
  }

  /// All rows but a longest run of rows that have kept their order: no smaller number of moves makes
  /// the one list from the other.
  ///
  /// - Complexity: O(n log n), linear where nothing moved.
  func moves() -> [TableDiff.Move] {
    guard !isInOrder else { return [] }
    let stays = longestIncreasing()
    var moves: [TableDiff.Move] = []
    for index in origins.indices where !stays[index] {
      moves.append(TableDiff.Move(from: Int(origins[index]), to: Int(places[index])))
    }
    return moves
  }

  /// Marks a longest increasing subsequence of the origins.
  ///
  /// For each length, the smallest origin that a run of this length can end with is kept: these grow
  /// with the length, so where the next origin belongs is found by halving (M. L. Fredman, 1975).
  private func longestIncreasing() -> [Bool] {
    var isMember = [Bool](repeating: false, count: origins.count)
    var previous = [Int32](repeating: -1, count: origins.count)
    var ends: [Int32] = []
    origins.withUnsafeBufferPointer { origins in
      for (index, origin) in origins.enumerated() {
        var low = 0
        if let last = ends.last, origins[Int(last)] < origin {
          low = ends.count
        } else {
          var high = ends.count
          while low < high {
            let middle = (low + high) / 2
            if origins[Int(ends[middle])] < origin { low = middle + 1 } else { high = middle }
          }
        }
        if low > 0 { previous[index] = ends[low - 1] }
        if low == ends.count {
          ends.append(Int32(truncatingIfNeeded: index))
        } else {
          ends[low] = Int32(truncatingIfNeeded: index)
        }
      }
    }
    var member = ends.last ?? -1
    while member >= 0 {
      isMember[Int(member)] = true
      member = previous[Int(member)]
    }
    return isMember
  }
}
