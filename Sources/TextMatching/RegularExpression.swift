/// A regular expression over bytes that is matched in linear time.
///
/// ```swift
/// let images = try RegularExpression(#"^IMG_\d+"#, caseSensitivity: .insensitive)
/// images.matches("img_0042.heic")  // true
/// ```
///
/// The syntax is the common one: `.`, sets with ranges and `[:alpha:]`, `^`, `$`, `\b`, `\B`,
/// groups, `|`, `*`, `+`, `?`, `{2,5}`, `\d`, `\w`, `\s` (of ASCII) and their opposites, `\t`,
/// `\n`, `\r`, `\x41`, `\x{1F600}`, and `\xff` for a byte that is not UTF-8. What would need trying
/// again and again is not there: no references back, no looking around. A usual expression takes a few
/// nanoseconds for each byte of a text; no expression, however it is written, takes more than about half
/// a microsecond, whatever the text. One that might is refused: with more than five hundred
/// characters to look for, repetitions counted one by one, it has to be of a simple form.
///
/// One scalar, or one byte that is not UTF-8, is one character. `.` matches all but a newline.
package struct RegularExpression: Sendable {
  /// Whether letter case counts.
  package let caseSensitivity: CaseSensitivity
  private let automaton: RegexAutomaton
  /// What occurs in every text that matches.
  let required: RequiredText

  /// Compiles an expression.
  ///
  /// - Throws: ``PatternError`` if it is malformed, uses what is not supported, or is too large.
  package init(
    _ pattern: String, caseSensitivity: CaseSensitivity = .sensitive
  ) throws(PatternError) {
    var parser = RegexParser(pattern, caseSensitivity: caseSensitivity)
    let node = try parser.parse()
    guard let automaton = RegexAutomaton(node, caseSensitivity: caseSensitivity) else {
      throw PatternError(
        "the expression is too large", at: 0..<pattern.utf8.count,
        expected: "fewer or smaller repetitions")
    }
    self.automaton = automaton
    required = RequiredText(node)
    self.caseSensitivity = caseSensitivity
  }

  /// Whether the expression matches somewhere in a text.
  package func matches(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { matches(UnsafeRawBufferPointer($0)) }
  }

  /// Whether the expression matches somewhere in a text in UTF-8.
  ///
  /// - Complexity: linear in the length of the text.
  package func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if bytes.isASCII { return automaton.matches(bytes) }
    return switch caseSensitivity {
    case .sensitive: matchesNonASCII(bytes)
    case .insensitive: CaseFolding.withFolded(bytes) { matchesNonASCII($0) }
    }
  }

  /// Writes each byte that is not UTF-8 as the surrogate that the program expects for it.
  private func matchesNonASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytes.count * 3) { buffer in
      var index = 0
      var end = 0
      while index < bytes.count {
        let (unit, length) = bytes.decodeUnit(at: index)
        if case .invalid(let byte) = unit {
          buffer.initializeElement(at: end, to: 0xED)
          buffer.initializeElement(at: end + 1, to: 0xB0 | byte >> 6)
          buffer.initializeElement(at: end + 2, to: 0x80 | byte & 0x3F)
          end += 3
        } else {
          for offset in index..<index + length {
            buffer.initializeElement(at: end, to: bytes[offset])
            end += 1
          }
        }
        index += length
      }
      return automaton.matches(UnsafeRawBufferPointer(start: buffer.baseAddress, count: end))
    }
  }
}
