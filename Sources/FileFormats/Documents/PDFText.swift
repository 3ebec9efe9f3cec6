/// Texts for people in PDF files (ISO 32000-1, 7.9.2.2, and ISO 32000-2): UTF-16 or UTF-8 where a mark says so, else
/// PDFDocEncoding.
enum PDFText {
  static func text(_ bytes: [UInt8]) -> String? {
    if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) {
      let isLowestFirst = bytes[0] == 0xFF
      let units = stride(from: 2, to: bytes.count - 1, by: 2).map { index in
        let (high, low) = isLowestFirst ? (index + 1, index) : (index, index + 1)
        return UInt16(bytes[high]) << 8 | UInt16(bytes[low])
      }
      return String(decoding: withoutLanguages(units), as: UTF16.self).trimmed
    }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      return String(decoding: bytes.dropFirst(3), as: UTF8.self).trimmed
    }
    var text = String.UnicodeScalarView()
    for byte in bytes { text.append(scalar(byte)) }
    return String(text).trimmed
  }

  /// Which language a text is in may stand between two escapes.
  private static func withoutLanguages(_ units: [UInt16]) -> [UInt16] {
    var result: [UInt16] = []
    var isLanguage = false
    for unit in units {
      if unit == 0x1B {
        isLanguage.toggle()
      } else if !isLanguage {
        result.append(unit)
      }
    }
    return result
  }

  private static func scalar(_ byte: UInt8) -> Unicode.Scalar {
    switch byte {
    case 0x18...0x1F: accents[Int(byte) - 0x18]
    case 0x80...0x9E: signs[Int(byte) - 0x80]
    case 0xA0: "\u{20AC}"
    default: Unicode.Scalar(byte)
    }
  }

  private static let accents: [Unicode.Scalar] = [
    "\u{2D8}", "\u{2C7}", "\u{2C6}", "\u{2D9}", "\u{2DD}", "\u{2DB}", "\u{2DA}", "\u{2DC}",
  ]
  private static let signs: [Unicode.Scalar] = [
    "\u{2022}", "\u{2020}", "\u{2021}", "\u{2026}", "\u{2014}", "\u{2013}", "\u{192}", "\u{2044}",
    "\u{2039}", "\u{203A}", "\u{2212}", "\u{2030}", "\u{201E}", "\u{201C}", "\u{201D}", "\u{2018}",
    "\u{2019}", "\u{201A}", "\u{2122}", "\u{FB01}", "\u{FB02}", "\u{141}", "\u{152}", "\u{160}",
    "\u{178}", "\u{17D}", "\u{131}", "\u{142}", "\u{153}", "\u{161}", "\u{17E}",
  ]
}
