/// Reads what the encodings have written, by the words of the specification: a few lines, slow and plain.
struct BitReader {
  private let bytes: [UInt8]
  private var offset = 0
  /// The most bits that a number of a miniblock had.
  private(set) var greatestWidth = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { offset == bytes.count }

  private mutating func byte() -> UInt8 {
    defer { offset += 1 }
    return offset < bytes.count ? bytes[offset] : 0
  }

  private mutating func number() -> UInt64 {
    var number: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = byte()
      number |= UInt64(byte & 0x7F) << shift
      shift += 7
      if byte < 0x80 { return number }
    }
  }

  private mutating func zigzag() -> Int64 {
    let number = number()
    return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
  }

  private mutating func unpack(_ count: Int, width: Int) -> [UInt64] {
    let bits = (0..<(count * width + 7) / 8).flatMap { _ in
      let byte = byte()
      return (0..<8).map { byte >> $0 & 1 }
    }
    return (0..<count).map { number in
      (0..<width).reduce(0) { $0 | UInt64(bits[number * width + $1]) << UInt64($1) }
    }
  }

  mutating func hybrid(count: Int, width: Int) -> [UInt32] {
    var values: [UInt32] = []
    while values.count < count, !isAtEnd {
      let header = number()
      if header & 1 == 1 {
        values += unpack(Int(header >> 1) * 8, width: width).map { UInt32($0) }
      } else {
        let value = (0..<(width + 7) / 8).reduce(0) { $0 | UInt32(byte()) << UInt32(8 * $1) }
        values += Array(repeating: value, count: Int(header >> 1))
      }
    }
    // Only the last group has more than there are.
    return values.count < count + 8 ? Array(values.prefix(count)) : []
  }

  mutating func deltas<Integer: FixedWidthInteger & SignedInteger>(
    as type: Integer.Type
  ) -> [Integer] {
    let block = Int(number())
    let miniblocks = Int(number())
    let count = Int(number())
    var values = [Integer(truncatingIfNeeded: zigzag())]
    while values.count < count, !isAtEnd {
      let least = Integer(truncatingIfNeeded: zigzag())
      let widths = (0..<miniblocks).map { _ in Int(byte()) }
      for width in widths where values.count < count {
        greatestWidth = max(greatestWidth, width)
        for above in unpack(block / miniblocks, width: width) {
          let delta = least &+ Integer(truncatingIfNeeded: above)
          values.append((values.last ?? 0) &+ delta)
        }
      }
    }
    return Array(values.prefix(count))
  }
}
