import TestSupport
import Testing

@testable import TextMatching

@Suite("Looking through lists of texts")
struct TextListTests {
  /// Texts with much in common, so that patterns made of some of them match others.
  private static func text(_ random: inout SeededRandom) -> [UInt8] {
    if random.below(4) == 0 { return CrookedNames.random(using: &random) }
    let parts = [
      "read", "README", "me", "é", "e\u{301}", "É", "\u{212A}", "k", "ſ", "S", "ss", "img_", "0",
      "12", ".txt", ".TXT", "가", "\u{1100}\u{1161}", "日本", "-", "a", "Ab", "\u{3C3}", "ς",
    ]
    return (0...random.below(5)).flatMap { _ in Array(parts[random.below(parts.count)].utf8) }
  }

  /// A pattern that often matches a text.
  private static func pattern(for text: [UInt8], _ random: inout SeededRandom) -> TextPattern {
    let start = random.below(text.count)
    let piece = Array(text[start..<min(text.count, start + 1 + random.below(7))])
    let written = EscapedText.text(of: piece, escaping: ["*", "?", "[", "{", "\\"])
    let plain = String(decoding: text, as: UTF8.self).unicodeScalars
      .filter { $0.properties.isAlphabetic || $0 == "1" || $0 == "2" }
      .map(String.init)
    switch random.below(9) {
    case 0, 1, 2: return TextPattern(.substring, piece)
    case 3: return .exact(bytes: text)
    case 4: return .glob("*\(written)*")
    case 5: return .glob("{\(written)*,*12*,*[r-t]\(written)}")
    case 6: return .regex(plain.prefix(4).joined())
    case 7:
      let (first, last) = (plain.prefix(3).joined(separator: ".?"), plain.suffix(3).joined())
      return .regex("^\(first)|12|me.*\(last)")
    default: return .regex("(re|12)?\(plain.suffix(3).joined())(x{0}|.)*")
    }
  }

  @Test("finds in a list what it finds in each text, and no trigrams tell otherwise")
  func lists() throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededRandom(seed: seed)
    for round in 0..<3000 {
      // ASCII alone is looked through in another way.
      let isASCII = random.below(2) == 0
      let texts = (0..<1 + random.below(12)).map { _ in
        random.below(6) == 0
          ? [] : Self.text(&random).map { isASCII && $0 >= 0x80 ? $0 & 0x3F | 0x40 : $0 }
      }
      guard let one = texts.first(where: { !$0.isEmpty }) else { continue }
      let model = random.below(3) == 0 ? Self.text(&random) : one
      let pattern = Self.pattern(for: model, &random)
      let sensitivity: CaseSensitivity = random.below(2) == 0 ? .sensitive : .insensitive
      guard let matcher = try? TextMatcher(pattern, caseSensitivity: sensitivity) else { continue }
      let expected = texts.indices.filter { index in
        !texts[index].isEmpty && texts[index].withUnsafeBytes { matcher.matches($0) }
      }
      let search = TextListSearch(matcher)
      var found: [Int] = []
      var bytes: [UInt8] = []
      for text in texts {
        bytes += text
        bytes.append(0)
      }
      bytes.withUnsafeBytes { list in
        TextList(list).forEachMatch(search) { found.append($0) }
        #expect(TextList(list).count == texts.count)
        if !expected.isEmpty {
          let trigrams = TrigramSet(of: list)
          for bytes in [trigrams.bytes, trigrams.coarse] {
            #expect(
              bytes.withUnsafeBytes { search.mayMatch($0) },
              "\(pattern), \(sensitivity), \(texts), round \(round), seed \(seed)")
          }
        }
      }
      #expect(
        found == expected, "\(pattern), \(sensitivity), \(texts), round \(round), seed \(seed)")
    }
  }

  @Test(
    "knows what every match holds",
    arguments: [
      (TextPattern.regex("^img_(\\d+|x)\\.jpe?g$"), [["img_", ".jp", "g"]]),
      (.regex("foo|bar+baz"), [["foo"], ["bar", "baz"]]), (.regex("a.*"), [["a"]]),
      (.regex("(abc){2}d"), [["abc", "d"]]), (.regex("x?"), [[]]), (.regex("ab|c*"), [[]]),
      (.glob("*read*.MD"), [["read", ".md"]]), (.glob("{a,bc}*"), [["a"], ["bc"]]),
      (.glob("*"), [[]]), (.substring("Éa"), [["éa"]]), (.exact("A"), [["a"]]),
    ] as [(TextPattern, [[String]])])
  func literals(pattern: TextPattern, alternatives: [[String]]) throws {
    let matcher = try TextMatcher(pattern, caseSensitivity: .insensitive)
    let found = matcher.required.alternatives.map { literals in
      literals.map { String(decoding: $0, as: UTF8.self) }
    }
    #expect(found.map(Set.init) == alternatives.map(Set.init))
  }

  @Test("takes a list without an end for none")
  func unended() {
    Array("a\0b".utf8).withUnsafeBytes { #expect(TextList($0).count == nil) }
    [UInt8]().withUnsafeBytes { #expect(TextList($0).count == 0) }
  }
}
