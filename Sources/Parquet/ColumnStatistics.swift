/// What a reader may know of the values of a column in a row group without reading them: `Statistics` in
/// `parquet.thrift`.
struct ColumnStatistics {
  /// A bound of texts with more bytes than this is cut off.
  private static let longestBound = 64

  private let type: ParquetColumn.ValueType
  private(set) var nullCount: Int64 = 0
  private var words: (least: Int64, greatest: Int64)?
  private var texts: (least: [UInt8], greatest: [UInt8])?

  init(_ type: ParquetColumn.ValueType) { self.type = type }

  // MARK: - Values

  mutating func addNulls(_ count: Int) { nullCount += Int64(count) }

  mutating func add(_ added: UnsafeBufferPointer<Int64>) {
    // Bits of doubles compare like the numbers once those of negative ones are turned around.
    var least = Int64.max
    var greatest = Int64.min
    var hasAny = false
    for word in added {
      var key = word
      if type == .double {
        if Double(bitPattern: UInt64(bitPattern: word)).isNaN { continue }
        key = Self.ordered(word)
      }
      least = min(least, key)
      greatest = max(greatest, key)
      hasAny = true
    }
    guard hasAny else { return }
    let known = words ?? (least, greatest)
    words = (min(known.least, least), max(known.greatest, greatest))
  }

  mutating func add(_ text: UnsafeRawBufferPointer) {
    guard let known = texts else {
      texts = (Array(text), Array(text))
      return
    }
    if known.least.withUnsafeBytes({ text.compare(with: $0) }) < 0 {
      texts?.least = Array(text)
    } else if known.greatest.withUnsafeBytes({ text.compare(with: $0) }) > 0 {
      texts?.greatest = Array(text)
    }
  }

  /// The bits of a double as a number in the same order, and back.
  private static func ordered(_ bits: Int64) -> Int64 { bits < 0 ? bits ^ Int64.max : bits }

  // MARK: - What is told of them

  func write(to thrift: inout ThriftWriter) {
    thrift.field(3, nullCount)
    if let words {
      thrift.field(5, plain(words.greatest, zero: 0))
      thrift.field(6, plain(words.least, zero: -0.0))
      thrift.field(7, true)
      thrift.field(8, true)
    }
    guard let texts else { return }
    let greatest = upperBound(of: texts.greatest)
    if let greatest { thrift.field(5, greatest) }
    let least = lowerBound(of: texts.least)
    thrift.field(6, least)
    if let greatest { thrift.field(7, greatest == texts.greatest) }
    thrift.field(8, least == texts.least)
  }

  /// - Parameter zero: the zero to write: readers may take either for the other.
  private func plain(_ key: Int64, zero: Double) -> [UInt8] {
    var bytes: [UInt8] = []
    var word = key
    if type == .double {
      let value = Double(bitPattern: UInt64(bitPattern: Self.ordered(key)))
      word = Int64(bitPattern: (value == 0 ? zero : value).bitPattern)
    }
    withUnsafePointer(to: word) {
      PlainEncoding.append(UnsafeBufferPointer(start: $0, count: 1), as: type, to: &bytes)
    }
    return bytes
  }

  /// The beginning of a text, which is no greater.
  func lowerBound(of text: [UInt8]) -> [UInt8] {
    text.count <= Self.longestBound ? text : Array(beginning(of: text))
  }

  /// A text that is greater than all that begin as this one; `nil` where there is none.
  func upperBound(of text: [UInt8]) -> [UInt8]? {
    guard text.count > Self.longestBound else { return text }
    var bound = Array(beginning(of: text))
    while let last = bound.popLast() {
      // A byte of ASCII stays one, so that a string remains UTF-8. Others are left out.
      let greatest: UInt8 = type == .string ? 0x7E : 0xFE
      if last <= greatest { return bound + [last + 1] }
    }
    return nil
  }

  /// As much of a text as a bound may have, without half a character at its end.
  private func beginning(of text: [UInt8]) -> ArraySlice<UInt8> {
    var end = Self.longestBound
    while type == .string, end > 0, text[end] & 0xC0 == 0x80 { end -= 1 }
    return text[..<end]
  }
}
