/// The characters that a terminal may obey rather than show.
enum ControlCharacters {
  /// Whether a scalar moves the cursor, breaks the line or reorders the text around it.
  ///
  /// These are the C0 and C1 controls, the line and paragraph separators, and the controls of
  /// the bidirectional algorithm, with which `gpj.exe` can be made to read `exe.jpg`.
  static func contains(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x00...0x1F, 0x7F...0x9F: true
    case 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// Appends the scalar as people know it from source code: `\n`, `\u{1b}`.
  ///
  /// Backslashes that were in the text are left alone: this is for reading, not for parsing.
  static func appendEscape(_ scalar: UInt32, to bytes: inout [UInt8]) {
    switch scalar {
    case 0x09: bytes.append(contentsOf: "\\t".utf8)
    case 0x0A: bytes.append(contentsOf: "\\n".utf8)
    case 0x0D: bytes.append(contentsOf: "\\r".utf8)
    default:
      bytes.append(contentsOf: "\\u{".utf8)
      bytes.append(contentsOf: String(scalar, radix: 16).utf8)
      bytes.append(UInt8(ascii: "}"))
    }
  }
}
