/// How many columns of a terminal text takes.
///
/// There is no standard for this. The rules here are those on which current terminals agree:
/// a cluster (what people see as one character) is as wide as its scalars together, combining
/// marks take nothing, East Asian wide characters take two, and an emoji sequence takes two
/// however many scalars it is made of. Control characters count nothing; they have to be escaped
/// before, see ``DisplayText``.
public enum DisplayWidth {
  /// The columns that text takes.
  ///
  /// - Complexity: O(n) in the length of the text.
  public static func of(_ text: some StringProtocol) -> Int {
    var total = 0
    for character in text { total += of(character) }
    return total
  }

  /// The columns that one character takes: 0, 1 or 2, and more for a few clusters of scripts
  /// in which several letters are joined.
  public static func of(_ character: Character) -> Int {
    var scalars = character.unicodeScalars.makeIterator()
    guard let base = scalars.next() else { return 0 }
    var total = of(base)
    var emojiParts = 1
    var asksForEmoji = false
    var next = scalars.next()
    // Most characters are one scalar; the rest of the rules is for those that are not.
    guard next != nil else { return total }
    while let scalar = next {
      let width = of(scalar)
      total += width
      if width > 0, scalar.properties.isEmoji { emojiParts += 1 }
      if scalar.value == variationSelector16 { asksForEmoji = true }
      next = scalars.next()
    }
    // A skin colour without a person before it is drawn by itself.
    guard base.properties.isEmoji, !base.properties.isEmojiModifier else { return total }
    if asksForEmoji { return 2 }
    // Pictographs joined by U+200D, with a skin colour, or a pair of regional indicators.
    return emojiParts > 1 && !base.isASCII ? 2 : total
  }

  /// The columns that a scalar takes by itself.
  public static func of(_ scalar: Unicode.Scalar) -> Int {
    let value = scalar.value
    if value < 0x300 {
      // U+00AD, the soft hyphen, is of the category "format" but terminals show it.
      return value < 0x20 || (0x7F..<0xA0).contains(value) ? 0 : 1
    }
    switch value {
    case 0x1160...0x11FF, 0xD7B0...0xD7FF:
      // Vowels and final consonants of Hangul are drawn into the syllable begun before them.
      return 0
    case 0xE0000...0xE0FFF:
      return 0
    default:
      break
    }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .control, .lineSeparator, .paragraphSeparator:
      return 0
    case .format:
      // Arabic signs that enclose the digits after them are the format characters one can see.
      switch value {
      case 0x0600...0x0605, 0x06DD, 0x070F, 0x0890...0x0891, 0x08E2, 0x110BD, 0x110CD: return 1
      default: return 0
      }
    default:
      return WideRanges.contains(value) ? 2 : 1
    }
  }

  private static let variationSelector16: UInt32 = 0xFE0F
}
