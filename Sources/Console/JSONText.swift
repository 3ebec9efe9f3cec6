/// The scalars of JSON (RFC 8259), appended to a buffer.
enum JSONText {
  /// Whether a string in JSON says all that its bytes said.
  enum Fidelity {
    /// The bytes were UTF-8.
    case exact
    /// Some were not, and were replaced.
    case repaired
  }

  /// Appends a string with its quotes. What is not UTF-8 becomes U+FFFD.
  ///
  /// Beyond what the format asks for, all control characters are escaped, so that the output can
  /// be looked at on a terminal.
  @discardableResult
  static func appendString(
    _ raw: UnsafeRawBufferPointer, to bytes: inout [UInt8]
  ) -> Fidelity {
    var fidelity = Fidelity.exact
    bytes.append(quote)
    var index = 0
    var copied = 0
    while index < raw.count {
      let byte = raw[index]
      if byte >= 0x20, byte < 0x7F, byte != quote, byte != backslash {
        index += 1
        continue
      }
      let step = UTF8Step(raw, at: index)
      if step.isValid, byte != quote, byte != backslash,
        !ControlCharacters.contains(step.scalar)
      {
        index += step.length
        continue
      }
      // Everything up to here stands as it is, and is copied in one piece.
      bytes.append(contentsOf: raw[copied..<index])
      if step.isValid {
        appendEscape(step.scalar, to: &bytes)
      } else {
        bytes.append(contentsOf: UTF8Step.replacement)
        fidelity = .repaired
      }
      index += step.length
      copied = index
    }
    bytes.append(contentsOf: raw[copied...])
    bytes.append(quote)
    return fidelity
  }

  /// Appends a string with its quotes.
  @discardableResult
  static func appendString(_ raw: [UInt8], to bytes: inout [UInt8]) -> Fidelity {
    raw.withUnsafeBytes { appendString($0, to: &bytes) }
  }

  /// Appends a number, or null for what JSON has no number for.
  static func appendNumber(_ value: Double, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: value.isFinite ? value.description.utf8 : "null".utf8)
  }

  private static let quote = UInt8(ascii: "\"")
  private static let backslash = UInt8(ascii: "\\")
  private static let hexadecimal = Array("0123456789abcdef".utf8)

  private static func appendEscape(_ scalar: UInt32, to bytes: inout [UInt8]) {
    bytes.append(backslash)
    switch scalar {
    case UInt32(quote): bytes.append(quote)
    case UInt32(backslash): bytes.append(backslash)
    case 0x08: bytes.append(UInt8(ascii: "b"))
    case 0x09: bytes.append(UInt8(ascii: "t"))
    case 0x0A: bytes.append(UInt8(ascii: "n"))
    case 0x0C: bytes.append(UInt8(ascii: "f"))
    case 0x0D: bytes.append(UInt8(ascii: "r"))
    default:
      // All characters that are escaped lie in the basic plane: four digits are enough.
      bytes.append(UInt8(ascii: "u"))
      for shift in stride(from: UInt32(12), through: 0, by: -4) {
        bytes.append(hexadecimal[Int(scalar >> shift & 0xF)])
      }
    }
  }
}
