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
    for range in ranges {
      for pair in CaseFolding.pairs(from: range) { result.append(pair.to.value...pair.to.value) }
    }
    return ScalarSet(result)
  }

  func contains(_ scalar: Unicode.Scalar) -> Bool { contains(scalar.value) }

  /// Whether the set has a scalar, or a lone surrogate, by its number.
  func contains(_ value: UInt32) -> Bool {
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

extension ScalarSet {
  static let digits = ScalarSet([0x30...0x39])
  static let space = ScalarSet([0x09...0x0D, 0x20...0x20])
  static let word = ScalarSet([0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])

  /// The ASCII characters of a class as POSIX names it.
  static func posix(_ name: String) -> ScalarSet? {
    switch name {
    case "alpha": ScalarSet([0x41...0x5A, 0x61...0x7A])
    case "digit": digits
    case "alnum": ScalarSet([0x30...0x39, 0x41...0x5A, 0x61...0x7A])
    case "upper": ScalarSet([0x41...0x5A])
    case "lower": ScalarSet([0x61...0x7A])
    case "space": space
    case "blank": ScalarSet("\t", " ")
    case "punct": ScalarSet([0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E])
    case "xdigit": ScalarSet([0x30...0x39, 0x41...0x46, 0x61...0x66])
    case "cntrl": ScalarSet([0x00...0x1F, 0x7F...0x7F])
    default: nil
    }
  }
}
