/// How many columns of a terminal text takes.
///
/// There is no standard for this. The rules here are those on which current terminals agree:
/// a cluster (what people see as one character) is as wide as its scalars together, combining
/// marks take nothing, East Asian wide characters take two, and an emoji sequence takes two
/// however many scalars it is made of. Control characters count nothing; they have to be escaped
/// before, see ``DisplayText``.
package enum DisplayWidth {
  /// The columns that text takes.
  ///
  /// - Complexity: O(n) in the length of the text.
  package static func of(_ text: some StringProtocol) -> Int {
    var total = 0
    for character in text { total += of(character) }
    return total
  }

  /// The columns that one character takes: 0, 1 or 2, and more for a few clusters of scripts
  /// in which several letters are joined.
  package static func of(_ character: Character) -> Int {
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
  package static func of(_ scalar: Unicode.Scalar) -> Int {
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

/// The scalars that take two columns: East Asian Width W or F in Unicode 14.0.
///
/// Where scalars between two wide ones are not assigned, the range runs through: new ideographs
/// and emoji come where the old ones are, and they are wide.
enum WideRanges {
  /// Whether a scalar takes two columns.
  ///
  /// - Complexity: O(log n) in the number of ranges.
  static func contains(_ scalar: UInt32) -> Bool {
    guard scalar >= 0x1100 else { return false }
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low + high) / 2
      let range = ranges[middle]
      if scalar < range.lowerBound {
        high = middle
      } else if scalar > range.upperBound {
        low = middle + 1
      } else {
        return true
      }
    }
    return false
  }

  /// In ascending order.
  static let ranges: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x231A...0x231B, 0x2329...0x232A, 0x23E9...0x23EC, 0x23F0...0x23F0,
    0x23F3...0x23F3, 0x25FD...0x25FE, 0x2614...0x2615, 0x2648...0x2653, 0x267F...0x267F,
    0x2693...0x2693, 0x26A1...0x26A1, 0x26AA...0x26AB, 0x26BD...0x26BE, 0x26C4...0x26C5,
    0x26CE...0x26CE, 0x26D4...0x26D4, 0x26EA...0x26EA, 0x26F2...0x26F3, 0x26F5...0x26F5,
    0x26FA...0x26FA, 0x26FD...0x26FD, 0x2705...0x2705, 0x270A...0x270B, 0x2728...0x2728,
    0x274C...0x274C, 0x274E...0x274E, 0x2753...0x2755, 0x2757...0x2757, 0x2795...0x2797,
    0x27B0...0x27B0, 0x27BF...0x27BF, 0x2B1B...0x2B1C, 0x2B50...0x2B50, 0x2B55...0x2B55,
    0x2E80...0x303E, 0x3041...0x3247, 0x3250...0x4DBF, 0x4E00...0xA4C6, 0xA960...0xA97C,
    0xAC00...0xD7A3, 0xF900...0xFAD9, 0xFE10...0xFE19, 0xFE30...0xFE6B, 0xFF01...0xFF60,
    0xFFE0...0xFFE6, 0x16FE0...0x18D08, 0x1AFF0...0x1B2FB, 0x1F004...0x1F004, 0x1F0CF...0x1F0CF,
    0x1F18E...0x1F18E, 0x1F191...0x1F19A, 0x1F200...0x1F265, 0x1F300...0x1F320, 0x1F32D...0x1F335,
    0x1F337...0x1F37C, 0x1F37E...0x1F393, 0x1F3A0...0x1F3CA, 0x1F3CF...0x1F3D3, 0x1F3E0...0x1F3F0,
    0x1F3F4...0x1F3F4, 0x1F3F8...0x1F43E, 0x1F440...0x1F440, 0x1F442...0x1F4FC, 0x1F4FF...0x1F53D,
    0x1F54B...0x1F54E, 0x1F550...0x1F567, 0x1F57A...0x1F57A, 0x1F595...0x1F596, 0x1F5A4...0x1F5A4,
    0x1F5FB...0x1F64F, 0x1F680...0x1F6C5, 0x1F6CC...0x1F6CC, 0x1F6D0...0x1F6D2, 0x1F6D5...0x1F6DF,
    0x1F6EB...0x1F6EC, 0x1F6F4...0x1F6FC, 0x1F7E0...0x1F7F0, 0x1F90C...0x1F93A, 0x1F93C...0x1F945,
    0x1F947...0x1F9FF, 0x1FA70...0x1FAFF, 0x20000...0x2FFFD, 0x30000...0x3FFFD,
  ]
}
