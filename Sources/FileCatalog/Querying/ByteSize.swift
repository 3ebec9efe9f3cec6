/// A number of bytes as it is written in a query.
struct ByteSize {
  var bytes: Int64

  init(bytes: Int64) {
    self.bytes = bytes
  }

  /// Reads `10`, `1.5M`, `4KiB`, `20 kB` without the space. A fraction of a byte is rounded.
  ///
  /// Returns `nil` for anything else and for what does not fit 63 bits.
  init?(_ text: String) {
    let digits = text.prefix { $0.isASCII && $0.isNumber || $0 == "." }
    guard let unit = Self.units[text.dropFirst(digits.count).lowercased()] else { return nil }
    let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty }),
      let whole = Int64(parts[0])
    else { return nil }
    let (product, overflow) = whole.multipliedReportingOverflow(by: unit)
    guard !overflow else { return nil }
    var fraction: Int64 = 0
    if parts.count == 2 {
      guard let value = Double("0." + parts[1]) else { return nil }
      fraction = Int64((value * Double(unit)).rounded())
    }
    let (sum, sumOverflow) = product.addingReportingOverflow(fraction)
    guard !sumOverflow else { return nil }
    bytes = sum
  }

  private static let units: [String: Int64] = {
    var units: [String: Int64] = ["": 1, "b": 1]
    for (power, letter) in ["k", "m", "g", "t", "p", "e"].enumerated() {
      let binary: Int64 = 1 << (10 * (power + 1))
      units[letter] = binary
      units[letter + "ib"] = binary
      units[letter + "b"] = (0...power).reduce(1) { product, _ in product * 1000 }
    }
    return units
  }()
}

extension ByteSize: CustomStringConvertible {
  /// The exact number in the largest binary unit that gives a whole one: `10M`, `1000`.
  var description: String {
    var count = bytes
    var unit = ""
    for letter in ["K", "M", "G", "T"] where count != 0 && count % 1024 == 0 {
      count /= 1024
      unit = letter
    }
    return "\(count)\(unit)"
  }
}
