/// Reads JSON as RFC 8259 defines it, in UTF-8.
struct JSONReader {
  private let bytes: [UInt8]
  private var position = 0
  private var budget = PropertyListBudget()

  static func read(_ bytes: [UInt8]) throws(PropertyListError) -> PropertyList {
    var reader = JSONReader(bytes)
    let value = try reader.value(depth: 1)
    reader.skipSpace()
    guard reader.position == bytes.count else { throw .malformed }
    return value
  }

  private init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  // MARK: - Values

  private mutating func value(depth: Int) throws(PropertyListError) -> PropertyList {
    try budget.enter(depth)
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return .dictionary(try members(depth: depth))
    case UInt8(ascii: "["): return .array(try elements(depth: depth))
    case UInt8(ascii: "\""): return .string(try string())
    default:
      if take("true") { return .boolean(true) }
      if take("false") { return .boolean(false) }
      return take("null") ? .other : try number()
    }
  }

  private mutating func members(depth: Int) throws(PropertyListError) -> [String: PropertyList] {
    position += 1
    var result: [String: PropertyList] = [:]
    skipSpace()
    if take("}") { return result }
    while true {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw .malformed }
      let name = try string()
      skipSpace()
      guard take(":") else { throw .malformed }
      result[name] = try value(depth: depth + 1)
      skipSpace()
      if take("}") { return result }
      guard take(",") else { throw .malformed }
    }
  }

  private mutating func elements(depth: Int) throws(PropertyListError) -> [PropertyList] {
    position += 1
    var result: [PropertyList] = []
    skipSpace()
    if take("]") { return result }
    while true {
      result.append(try value(depth: depth + 1))
      skipSpace()
      if take("]") { return result }
      guard take(",") else { throw .malformed }
    }
  }

  // MARK: - Numbers

  private mutating func number() throws(PropertyListError) -> PropertyList {
    let start = position
    _ = take("-")
    if !take("0") { try skipDigits() }
    if take(".") { try skipDigits() }
    if take("e") || take("E") {
      _ = take("+") || take("-")
      try skipDigits()
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if let number = Int(text) { return .number(number) }
    guard let value = Double(text), let number = Int(exactly: value) else { return .other }
    return .number(number)
  }

  private mutating func skipDigits() throws(PropertyListError) {
    let start = position
    while let byte = next, byte &- UInt8(ascii: "0") < 10 { position += 1 }
    guard position > start else { throw .malformed }
  }

  // MARK: - Strings

  private mutating func string() throws(PropertyListError) -> String {
    position += 1
    var content: [UInt8] = []
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: "\""):
        try budget.spend(text: content.count)
        guard let text = String(validating: content, as: UTF8.self) else { throw .malformed }
        return text
      case UInt8(ascii: "\\"):
        content += UTF8.encode(try escape()) ?? UTF8.encodedReplacementCharacter
      case ..<0x20: throw .malformed
      default: content.append(byte)
      }
    }
    throw .malformed
  }

  private mutating func escape() throws(PropertyListError) -> Unicode.Scalar {
    guard let byte = next else { throw .malformed }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try escapedScalar()
    default: throw .malformed
    }
  }

  /// Four hexadecimal digits, or twice that for the two halves of a surrogate pair.
  private mutating func escapedScalar() throws(PropertyListError) -> Unicode.Scalar {
    let unit = try codeUnit()
    if let scalar = Unicode.Scalar(UInt32(unit)) { return scalar }
    guard take("\\u") else { throw .malformed }
    let pair = [unit, try codeUnit()]
    guard let text = String(validating: pair, as: UTF16.self),
      let scalar = text.unicodeScalars.first
    else { throw .malformed }
    return scalar
  }

  private mutating func codeUnit() throws(PropertyListError) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw .malformed
      }
      unit = unit << 4 | UInt16(digit)
      position += 1
    }
    return unit
  }

  // MARK: - Bytes

  private mutating func skipSpace() {
    while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func take(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard bytes.count - position >= count else { return false }
    for index in 0..<count where bytes[position + index] != text.utf8Start[index] { return false }
    position += count
    return true
  }
}
