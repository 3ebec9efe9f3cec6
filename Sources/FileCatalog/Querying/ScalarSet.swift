/// A set of scalars, as in the brackets of a glob or a regular expression.
struct ScalarSet: Hashable {
  /// Ranges in ascending order with gaps between them.
  private(set) var ranges: [ClosedRange<UInt32>]

  init(_ ranges: [ClosedRange<UInt32>] = []) {
    self.ranges = Self.normalized(ranges)
  }

  init(_ scalars: Unicode.Scalar...) {
    self.init(scalars.map { $0.value...$0.value })
  }

  /// The scalars that are not in the set; surrogates, which are none, may be.
  var inverted: ScalarSet {
    var result: [ClosedRange<UInt32>] = []
    var next: UInt32 = 0
    for range in ranges {
      if range.lowerBound > next { result.append(next...range.lowerBound - 1) }
      next = range.upperBound + 1
    }
    if next <= 0x10FFFF { result.append(next...0x10FFFF) }
    return ScalarSet(result)
  }

  /// The set for texts that have been folded: with the folded form of each of its scalars.
  var folded: ScalarSet {
    var result = ranges
    for pair in CaseFolding.pairs where contains(pair.from) {
      result.append(pair.to.value...pair.to.value)
    }
    return ScalarSet(result)
  }

  func union(_ other: ScalarSet) -> ScalarSet {
    ScalarSet(ranges + other.ranges)
  }

  func contains(_ scalar: Unicode.Scalar) -> Bool {
    let value = scalar.value
    if ranges.count <= 8 {
      for range in ranges where range.contains(value) { return true }
      return false
    }
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < value { low = middle + 1 } else { high = middle }
    }
    return low < ranges.count && ranges[low].contains(value)
  }

  private static func normalized(_ ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
    var result: [ClosedRange<UInt32>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = result.last, range.lowerBound <= last.upperBound + 1 {
        result[result.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
      } else {
        result.append(range)
      }
    }
    return result
  }
}
