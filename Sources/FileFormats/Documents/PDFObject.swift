/// The values that PDF files are made of (ISO 32000-1, 7.3).
indirect enum PDFObject: Hashable, Sendable {
  case null
  case boolean(Bool)
  case integer(Int)
  case real(Double)
  case string([UInt8])
  case name(String)
  case array([PDFObject])
  case dictionary([String: PDFObject])
  /// Another object, by its number.
  case reference(Int)
  /// A word that is no value, such as `stream`.
  case word(String)

  var integer: Int? {
    guard case .integer(let value) = self else { return nil }
    return value
  }

  var name: String? {
    guard case .name(let name) = self else { return nil }
    return name
  }

  var array: [PDFObject]? {
    guard case .array(let values) = self else { return nil }
    return values
  }

  var dictionary: [String: PDFObject]? {
    guard case .dictionary(let values) = self else { return nil }
    return values
  }
}

/// Reads values of PDF from bytes that may break off.
struct PDFParser {
  /// The bytes end within a value: with more of them it may be one.
  struct BreaksOff: Error {}

  private static let deepest = 32
  private static let malformed = FormatError.malformed("a PDF with a value that makes no sense")

  private let bytes: ArraySlice<UInt8>
  private var position: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  /// How many bytes were read.
  var offset: Int { position - bytes.startIndex }

  // MARK: - Values

  /// The next value or word.
  mutating func value(depth: Int = 0) throws -> PDFObject {
    guard depth < Self.deepest else { throw Self.malformed }
    try skipSpace()
    switch bytes[position] {
    case UInt8(ascii: "<"):
      guard byte(at: position + 1) == UInt8(ascii: "<") else { return try hexadecimal() }
      position += 2
      return try dictionary(depth: depth)
    case UInt8(ascii: "["):
      position += 1
      return try array(depth: depth)
    case UInt8(ascii: "("): return try literal()
    case UInt8(ascii: "/"): return .name(try name())
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
      UInt8(ascii: "."):
      return try numberOrReference()
    default: return try word()
    }
  }

  private mutating func dictionary(depth: Int) throws -> PDFObject {
    var entries: [String: PDFObject] = [:]
    while true {
      try skipSpace()
      if bytes[position] == UInt8(ascii: ">") {
        guard position + 1 < bytes.endIndex else { throw BreaksOff() }
        guard bytes[position + 1] == UInt8(ascii: ">") else { throw Self.malformed }
        position += 2
        return .dictionary(entries)
      }
      guard bytes[position] == UInt8(ascii: "/") else { throw Self.malformed }
      let key = try name()
      entries[key] = try value(depth: depth + 1)
    }
  }

  private mutating func array(depth: Int) throws -> PDFObject {
    var values: [PDFObject] = []
    while true {
      try skipSpace()
      if bytes[position] == UInt8(ascii: "]") {
        position += 1
        return .array(values)
      }
      values.append(try value(depth: depth + 1))
    }
  }

  /// A number, or the number of an object, its generation and an R.
  private mutating func numberOrReference() throws -> PDFObject {
    let first = try number()
    guard case .integer(let object) = first, object >= 0 else { return first }
    let mark = position
    guard let generation = byteAfterSpace(), Self.isDigit(generation),
      case .integer = try number(), byteAfterSpace() == UInt8(ascii: "R")
    else {
      position = mark
      return first
    }
    position += 1
    return .reference(object)
  }

  private mutating func number() throws -> PDFObject {
    let start = position
    while let byte = byte(at: position), Self.isDigit(byte) || [0x2B, 0x2D, 0x2E].contains(byte) {
      position += 1
    }
    guard position < bytes.endIndex else { throw BreaksOff() }
    let text = String(decoding: bytes[start..<position].prefix(32), as: UTF8.self)
    if let value = Int(text) { return .integer(value) }
    guard let value = Double(text) else { throw Self.malformed }
    return .real(value)
  }

  private mutating func word() throws -> PDFObject {
    let start = position
    while let byte = byte(at: position), Self.isRegular(byte) { position += 1 }
    guard position < bytes.endIndex else { throw BreaksOff() }
    guard position > start, position - start <= 32 else { throw Self.malformed }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    switch text {
    case "true": return .boolean(true)
    case "false": return .boolean(false)
    case "null": return .null
    default: return .word(text)
    }
  }

  private mutating func name() throws -> String {
    position += 1
    var name: [UInt8] = []
    while let byte = byte(at: position), Self.isRegular(byte) {
      position += 1
      if byte == UInt8(ascii: "#"), let high = digit(at: position),
        let low = digit(at: position + 1)
      {
        name.append(high << 4 | low)
        position += 2
      } else {
        name.append(byte)
      }
    }
    guard position < bytes.endIndex else { throw BreaksOff() }
    return String(decoding: name, as: UTF8.self)
  }

  // MARK: - Strings

  private mutating func hexadecimal() throws -> PDFObject {
    position += 1
    var result: [UInt8] = []
    var half: UInt8?
    while let byte = byte(at: position) {
      if byte == UInt8(ascii: ">") {
        position += 1
        if let half { result.append(half << 4) }
        return .string(result)
      }
      if let digit = digit(at: position) {
        if let high = half {
          result.append(high << 4 | digit)
          half = nil
        } else {
          half = digit
        }
      } else if byte > 0x20 {
        throw Self.malformed
      }
      position += 1
    }
    throw BreaksOff()
  }

  private mutating func literal() throws -> PDFObject {
    position += 1
    var result: [UInt8] = []
    var depth = 1
    while let byte = byte(at: position) {
      position += 1
      switch byte {
      case UInt8(ascii: "("): depth += 1
      case UInt8(ascii: ")"):
        depth -= 1
        if depth == 0 { return .string(result) }
      case UInt8(ascii: "\\"):
        try escape(into: &result)
        continue
      default: break
      }
      result.append(byte)
    }
    throw BreaksOff()
  }

  private mutating func escape(into result: inout [UInt8]) throws {
    guard let byte = byte(at: position) else { throw BreaksOff() }
    position += 1
    switch byte {
    case UInt8(ascii: "n"): result.append(0x0A)
    case UInt8(ascii: "r"): result.append(0x0D)
    case UInt8(ascii: "t"): result.append(0x09)
    case UInt8(ascii: "b"): result.append(0x08)
    case UInt8(ascii: "f"): result.append(0x0C)
    // The line goes on.
    case 0x0D: if self.byte(at: position) == 0x0A { position += 1 }
    case 0x0A: break
    case UInt8(ascii: "0")...UInt8(ascii: "7"):
      var value = Int(byte - UInt8(ascii: "0"))
      for _ in 0..<2 {
        guard let next = self.byte(at: position), (0x30...0x37).contains(next) else { break }
        value = value << 3 | Int(next - 0x30)
        position += 1
      }
      result.append(UInt8(truncatingIfNeeded: value))
    default: result.append(byte)
    }
  }

  // MARK: - Bytes

  private func byte(at place: Int) -> UInt8? { place < bytes.endIndex ? bytes[place] : nil }

  private func digit(at place: Int) -> UInt8? {
    byte(at: place).flatMap { UInt8(String(UnicodeScalar($0)), radix: 16) }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

  private static func isRegular(_ byte: UInt8) -> Bool {
    byte > 0x20 && !"()<>[]{}/%".utf8.contains(byte)
  }

  /// Goes on to what is no white space and no comment.
  ///
  /// - Throws: ``BreaksOff`` where there is nothing more.
  mutating func skipSpace() throws {
    while let byte = byte(at: position) {
      if byte == UInt8(ascii: "%") {
        while let byte = self.byte(at: position), byte != 0x0A, byte != 0x0D { position += 1 }
      } else if byte <= 0x20 {
        position += 1
      } else {
        return
      }
    }
    throw BreaksOff()
  }

  private mutating func byteAfterSpace() -> UInt8? {
    while let byte = byte(at: position), byte <= 0x20 { position += 1 }
    return byte(at: position)
  }
}
