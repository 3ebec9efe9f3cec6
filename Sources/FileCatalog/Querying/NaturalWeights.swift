internal import Foundation

/// The tables of ``NaturalOrder``.
enum NaturalWeights {
  /// Begins the weight of a control character.
  static let control: UInt8 = 0x02
  /// The weight of a space; those of ASCII punctuation follow.
  private static let space: UInt8 = 0x03
  /// Begins the weight of punctuation and symbols outside of ASCII.
  static let symbol: UInt8 = 0x30
  /// Begins the weight of a number.
  static let number: UInt8 = 0x40
  /// The weight of `a`; those of the other Latin letters follow.
  private static let letterA: UInt8 = 0x50
  /// Begins the weight of a letter of another script.
  static let letter: UInt8 = 0x70
  /// Begins the weight of a byte that is not UTF-8.
  static let invalid: UInt8 = 0xF0

  /// The weight of each ASCII character, or the byte that begins it.
  ///
  /// Punctuation is in the order of the Unicode collation algorithm.
  static let ascii: [UInt8] = {
    var weights = [UInt8](repeating: control, count: 128)
    for (index, byte) in #" _-,;:!?.'"()[]{}@*/\&#%`^+<=>|~$"#.utf8.enumerated() {
      weights[Int(byte)] = space + UInt8(index)
    }
    for digit in UInt8(ascii: "0")...UInt8(ascii: "9") { weights[Int(digit)] = number }
    for index in 0..<UInt8(26) {
      weights[Int(UInt8(ascii: "a") + index)] = letterA + index
      weights[Int(UInt8(ascii: "A") + index)] = letterA + index
    }
    return weights
  }()

  /// What letters are made of: a base letter without case and its marks.
  ///
  /// Letters with strokes and ligatures, which Unicode does not take apart, are taken for their
  /// base letters with the mark of a stroke, so that `ø` comes after `o` and `æ` after `ae`.
  static let parts: [Unicode.Scalar: String] = {
    var parts: [Unicode.Scalar: String] = [
      "ß": "ss\u{338}", "ẞ": "ss\u{338}", "æ": "ae\u{338}", "Æ": "ae\u{338}",
      "œ": "oe\u{338}", "Œ": "oe\u{338}", "ø": "o\u{338}", "Ø": "o\u{338}", "đ": "d\u{338}",
      "Đ": "d\u{338}", "ð": "d\u{338}\u{338}", "Ð": "d\u{338}\u{338}", "ł": "l\u{338}",
      "Ł": "l\u{338}", "ħ": "h\u{338}", "Ħ": "h\u{338}", "ŧ": "t\u{338}", "Ŧ": "t\u{338}",
      "ı": "i\u{338}", "\u{A0}": " \u{338}",
    ]
    // The blocks of scripts whose letters carry accents.
    let blocks: [ClosedRange<UInt32>] = [
      0xC0...0x24F, 0x370...0x58F, 0x1E00...0x1FFF, 0x3040...0x30FF,
    ]
    for value in blocks.joined() {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let whole = String(scalar)
      let decomposed = whole.decomposedStringWithCanonicalMapping.unicodeScalars
      guard decomposed.count > 1, parts[scalar] == nil else { continue }
      var part = ""
      for piece in decomposed {
        // A base may itself be one that is taken for another, as in ǿ.
        let folded = CaseFolding.folded(piece)
        if let base = parts[folded] { part += base } else { part.unicodeScalars.append(folded) }
      }
      parts[scalar] = part
    }
    return parts
  }()
}
