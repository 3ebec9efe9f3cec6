/// Text in which a backslash keeps the next character from having a meaning, or stands with what
/// follows for something that is hard to type.
///
/// | written | is |
/// | --- | --- |
/// | `\n`, `\r`, `\t` | the control character |
/// | `\u{1b}`, `\x{1b}` | the scalar of this number |
/// | `\x41`, `\xff` | the byte of this number; from 80 on one that is not UTF-8 |
/// | `\` and any other character | the character itself |
///
/// Names are bytes, and text is not: with `\xff` each name can be written as text.
package enum EscapedText {
  /// The bytes that a text stands for.
  ///
  /// - Throws: ``PatternError`` for a backslash at the end, and for a number that is none.
  package static func bytes(of text: String) throws(PatternError) -> [UInt8] {
    var cursor = ScalarCursor(text)
    var bytes: [UInt8] = []
    while let scalar = cursor.next() {
      bytes += scalar == "\\" ? try cursor.escape(from: cursor.index - 1).bytes : scalar.bytes
    }
    return bytes
  }

  /// Returns text that stands for bytes: `\xff` for a byte that is not UTF-8, and a backslash before
  /// each backslash and each special scalar.
  package static func text(
    of bytes: [UInt8], escaping special: [Unicode.Scalar] = []
  ) -> String {
    var text = ""
    forEachUnit(of: bytes) { unit in
      switch unit {
      case .scalar(let scalar):
        if scalar == "\\" || special.contains(scalar) { text += "\\" }
        text.unicodeScalars.append(scalar)
      case .invalid(let byte):
        text += escape(for: byte)
      }
    }
    return text
  }

  /// Returns text as somebody typed it who also typed bytes that are not UTF-8: they become escapes,
  /// and everything else stays.
  package static func text(typed bytes: [UInt8]) -> String {
    var text = ""
    var isEscaped = false
    forEachUnit(of: bytes) { unit in
      switch unit {
      case .scalar(let scalar):
        text.unicodeScalars.append(scalar)
        isEscaped = !isEscaped && scalar == "\\"
      case .invalid(let byte):
        // A backslash before it makes it what it is anyway.
        text += isEscaped ? String(escape(for: byte).dropFirst()) : escape(for: byte)
        isEscaped = false
      }
    }
    return text
  }

  private static func forEachUnit(of bytes: [UInt8], _ body: (DecodedUnit) -> Void) {
    bytes.withUnsafeBytes { bytes in
      var index = 0
      while index < bytes.count {
        let (unit, length) = bytes.decodeUnit(at: index)
        body(unit)
        index += length
      }
    }
  }

  private static func escape(for byte: UInt8) -> String {
    // Those that are not UTF-8 have two digits.
    "\\x" + String(byte, radix: 16)
  }
}

extension DecodedUnit {
  /// The unit as it stands in a name.
  var bytes: [UInt8] {
    switch self {
    case .scalar(let scalar): scalar.bytes
    case .invalid(let byte): [byte]
    }
  }
}

extension Unicode.Scalar {
  /// The scalar in UTF-8.
  var bytes: [UInt8] { Array(UTF8.encode(self) ?? UTF8.encodedReplacementCharacter) }
}

extension ScalarCursor {
  /// Reads what follows a backslash.
  ///
  /// - Parameter start: where the backslash stands.
  mutating func escape(from start: Int) throws(PatternError) -> DecodedUnit {
    guard let scalar = next() else {
      throw error(
        "nothing follows the backslash", from: start,
        expected: "a character after it, or \\\\ for a backslash")
    }
    switch scalar {
    case "n": return .scalar("\n")
    case "r": return .scalar("\r")
    case "t": return .scalar("\t")
    case "x": return try peek() == "{" ? .scalar(bracedScalar(from: start)) : byte(from: start)
    case "u": return .scalar(try bracedScalar(from: start))
    default: return .scalar(scalar)
    }
  }

  /// Reads `{1F600}`.
  private mutating func bracedScalar(from start: Int) throws(PatternError) -> Unicode.Scalar {
    let isOpen = take("{")
    let value = UInt32(digits(atMost: 8), radix: 16)
    guard isOpen, take("}"), let value, let scalar = Unicode.Scalar(value) else {
      throw error(
        "this is not a character", from: start, expected: "its number, as in \\u{1b} or \\u{1F600}")
    }
    return scalar
  }

  /// Reads `41`.
  private mutating func byte(from start: Int) throws(PatternError) -> DecodedUnit {
    let digits = digits(atMost: 2)
    guard digits.count == 2, let byte = UInt8(digits, radix: 16) else {
      throw error("this is not a byte", from: start, expected: "two digits, as in \\x41 or \\xff")
    }
    return byte < 0x80 ? .scalar(Unicode.Scalar(byte)) : .invalid(byte)
  }

  private mutating func digits(atMost limit: Int) -> String {
    var digits = ""
    while let scalar = peek(), scalar.properties.isASCIIHexDigit, digits.count < limit {
      digits.unicodeScalars.append(scalar)
      index += 1
    }
    return digits
  }
}
