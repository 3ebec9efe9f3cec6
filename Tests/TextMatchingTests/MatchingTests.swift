import TestSupport
import TestTraits
import Testing

@testable import TextMatching

@Suite("Matching of names and paths")
struct MatchingTests {
  private static func units(_ bytes: [UInt8], folded: Bool) -> [DecodedUnit] {
    bytes.withUnsafeBytes { buffer in
      var units: [DecodedUnit] = []
      var index = 0
      while index < buffer.count {
        let (unit, length) = buffer.decodeUnit(at: index)
        if folded, case .scalar(let scalar) = unit {
          units.append(.scalar(CaseFolding.folded(scalar)))
        } else {
          units.append(unit)
        }
        index += length
      }
      return units
    }
  }

  private enum Piece {
    case unit(DecodedUnit)
    case any, star, anything, directories
    case set(Set<Unicode.Scalar>, inverted: Bool)
  }

  private static func naive(
    _ pieces: ArraySlice<Piece>, _ text: ArraySlice<DecodedUnit>, path: Bool
  ) -> Bool {
    guard let piece = pieces.first else { return text.isEmpty }
    let rest = pieces.dropFirst()
    let slash = DecodedUnit.scalar("/")
    switch piece {
    case .unit(let unit):
      return text.first == unit && naive(rest, text.dropFirst(), path: path)
    case .any:
      guard let first = text.first, !(path && first == slash) else { return false }
      return naive(rest, text.dropFirst(), path: path)
    case .set(let set, let inverted):
      guard let first = text.first, !(path && first == slash) else { return false }
      let isIn = if case .scalar(let scalar) = first { set.contains(scalar) } else { false }
      return isIn != inverted && naive(rest, text.dropFirst(), path: path)
    case .star:
      if naive(rest, text, path: path) { return true }
      guard let first = text.first, !(path && first == slash) else { return false }
      return naive(pieces, text.dropFirst(), path: path)
    case .anything:
      return naive(rest, text, path: path)
        || !text.isEmpty && naive(pieces, text.dropFirst(), path: path)
    case .directories:
      if naive(rest, text, path: path) { return true }
      guard let end = text.firstIndex(of: slash) else { return false }
      return naive(pieces, text[(end + 1)...], path: path)
    }
  }

  @Test(
    "a glob matches what a naive matcher matches", .feature("P-28"),
    arguments: [Glob.Syntax.name, .path])
  func globAgreesWithNaive(_ syntax: Glob.Syntax) throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SeededRandom(seed: seed)
    let choices: [(String, Piece)] = [
      ("a", .unit(.scalar("a"))), ("b", .unit(.scalar("b"))), ("é", .unit(.scalar("é"))),
      ("\\xff", .unit(.invalid(0xFF))), ("\\xc3", .unit(.invalid(0xC3))), ("?", .any),
      ("*", .star), ("[ab]", .set(["a", "b"], inverted: false)),
      ("[!aé]", .set(["a", "é"], inverted: true)), ("/", .unit(.scalar("/"))),
      ("**", .anything), ("**/", .directories),
    ]
    for _ in 0..<30_000 {
      var pattern = ""
      var pieces: [Piece] = []
      for _ in 0..<generator.below(7) {
        let (text, piece) = choices[generator.below(syntax == .path ? choices.count : 10)]
        let follows = pattern.last == "*" && text.first == "*"
        let isStart = pattern.isEmpty || pattern.last == "/"
        if follows || text == "**/" && !isStart { continue }
        if text == "/", pattern.hasSuffix("**") { continue }
        pattern += text
        pieces.append(piece)
      }
      var bytes: [UInt8] = []
      for _ in 0..<generator.below(9) {
        bytes += [[0x61], [0x62], [0x2F], [0xC3, 0xA9], [0xFF], [0xC3]][generator.below(6)]
      }
      let glob = try Glob(pattern, syntax: syntax)
      let expected = Self.naive(
        pieces[...], Self.units(bytes, folded: false)[...], path: syntax == .path)
      let found = bytes.withUnsafeBytes { glob.matches($0) }
      #expect(found == expected, "seed \(seed): \(pattern) on \(bytes)")
      if found != expected { return }
    }
  }

  @Test("a glob with many stars takes no exponential time")
  func globIsFast() throws {
    let text = String(repeating: "a", count: 5000)
    let glob = try Glob(String(repeating: "*a", count: 50) + "b")
    #expect(!glob.matches(text))
    let path = try Glob(String(repeating: "**a*a", count: 20) + "b", syntax: .path)
    #expect(!path.matches(String(repeating: "a", count: 500)))
  }

  @Test("a substring is found where a naive search finds it")
  func substringAgreesWithNaive() throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SeededRandom(seed: seed)
    let alphabet: [[UInt8]] =
      [
        "a", "A", "s", "S", "ſ", "k", "K", "\u{212A}", "Ⱥ", "ⱥ", "ς", "Σ", "é", "É", "x",
      ].map { Array($0.utf8) } + [[0xFF], [0xC3]]
    for _ in 0..<30_000 {
      let text = (0..<generator.below(24)).flatMap { _ in alphabet[generator.below(17)] }
      let needle = (0..<generator.below(4)).flatMap { _ in alphabet[generator.below(17)] }
      for sensitivity in [CaseSensitivity.sensitive, .insensitive] {
        let isFolded = sensitivity == .insensitive
        let matcher = try TextMatcher(
          TextPattern(.substring, needle), caseSensitivity: sensitivity)
        let units = Self.units(text, folded: isFolded)
        let wanted = Self.units(needle, folded: isFolded)
        let expected =
          units.count >= wanted.count
          && (0...units.count - wanted.count).contains {
            units[$0..<$0 + wanted.count].elementsEqual(wanted)
          }
        let found = text.withUnsafeBytes { matcher.matches($0) }
        #expect(found == expected, "seed \(seed): \(needle) in \(text), \(sensitivity)")
        if found != expected { return }
      }
    }
  }

  @Test(
    "a regular expression matches as usual", .feature("P-28"),
    arguments: [
      ("^IMG_[0-9]+", "img_42.heic", true), ("^IMG_\\d+$", "IMG_42x", false),
      ("a|b$", "cb", true), ("(ab){2,3}$", "ababab", true), ("^(ab){2,3}$", "abababab", false),
      ("\\bfoo\\b", "a foo.b", true), ("\\bfoo\\b", "afoo", false), ("^.{2}$", "éa", true),
      ("^.{2}$", "é", false), ("[^a-c]", "ABC", false), ("[[:digit:]]{3}", "a123", true),
      ("É", "é", true), ("", "x", true), ("^$", "", true), ("^$", "x", false),
      ("(a*)*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaac", false), ("straſe", "STRASE", true),
      ("[k-l]", "\u{212A}", true), ("x\\.y", "xzy", false), ("\\x{1F600}", "a😀", true),
      ("a.c", "a\nc", false), ("(?:x|y|)z", "z", true), ("a{0}b", "b", true),
    ] as [(String, String, Bool)])
  func regexMatches(_ pattern: String, _ text: String, _ expected: Bool) throws {
    let regex = try RegularExpression(pattern, caseSensitivity: .insensitive)
    #expect(regex.matches(text) == expected)
  }

  @Test("an expression too large for tables still matches")
  func largeRegexMatches() throws {
    let regex = try RegularExpression("(a|b)*a(a|b){40}$", caseSensitivity: .sensitive)
    #expect(regex.matches("a" + String(repeating: "b", count: 40)))
    #expect(!regex.matches(String(repeating: "b", count: 60)))
    #expect(!regex.matches("A" + String(repeating: "b", count: 40)))
    #expect(throws: PatternError.self) { try RegularExpression("((a{1000}){1000}){1000}") }
    #expect(throws: PatternError.self) { try RegularExpression("(((){1000}){1000}){1000}") }
  }

  @Test("an expression that never comes to the same place twice still matches")
  func forgetfulRegexMatches() throws {
    let regex = try RegularExpression("a(a|b){500}$", caseSensitivity: .sensitive)
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededRandom(seed: seed)
    for length in [4_000, 4_000, 300, 501, 2_000, 502, 501] {
      let text = (0..<length).map { _ in "ab".utf8.randomElement(using: &random) ?? 0 }
      let expected = length > 500 && text[length - 501] == UInt8(ascii: "a")
      #expect(text.withUnsafeBytes { regex.matches($0) } == expected, "seed \(seed)")
    }
  }

  @Test("an expression gives the same answer with tables made in advance and on the way")
  func growingTablesAgree() throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededRandom(seed: seed)
    let pieces = [
      "a", "b", "é", ".", "a*", "(ab|b)", "(a|b){1,3}", "[^a]", "\\b", "^", "$", "\\w+", "(a?b)*",
      "|",
    ]
    // Too large for tables, and it never matches.
    let ballast = "|\\x{1F600}(.{0,100}[a-m]){0,3}\\x{1F601}"
    for _ in 0..<40 {
      let pattern = (0...random.below(5)).map { _ in pieces[random.below(pieces.count)] }.joined()
      let small = try RegularExpression("(?:\(pattern))", caseSensitivity: .insensitive)
      let large = try RegularExpression("(?:\(pattern))" + ballast, caseSensitivity: .insensitive)
      for _ in 0..<40 {
        let text = (0..<random.below(9)).flatMap { _ in
          [[0x61], [0x42], [0x20], [0xC3, 0xA9], [0xFF], [0x0A]][random.below(6)]
        }
        let answers = [small, large].map { regex in text.withUnsafeBytes { regex.matches($0) } }
        #expect(answers[0] == answers[1], "seed \(seed): \(pattern) on \(text)")
      }
    }
  }

  @Test("an expression that has stopped keeping states gives the same answers")
  func charactersAgree() throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededRandom(seed: seed)
    let pieces = [
      "a", "b", "é", ".", "a*", "(ab|b)", "(a|b){1,3}", "[^a]", "\\b", "\\B", "^", "$", "\\w+",
      "(a?b)*", "|", "[b-é]", "\\xff",
    ]
    // For this alone the text below leads to ever new states; it never matches.
    let ballast = "|a[ab]{300}\\x{1F601}"
    let text = (0..<4_000).map { _ in "ab".utf8.randomElement(using: &random) ?? 0 }
    for caseSensitivity in [CaseSensitivity.sensitive, .insensitive] {
      for _ in 0..<10 {
        let pattern = (0...random.below(5)).map { _ in pieces[random.below(pieces.count)] }.joined()
        let small = try RegularExpression("(?:\(pattern))", caseSensitivity: caseSensitivity)
        let large = try RegularExpression(
          "(?:\(pattern))" + ballast, caseSensitivity: caseSensitivity)
        #expect(
          text.withUnsafeBytes { large.matches($0) } == text.withUnsafeBytes { small.matches($0) })
        for _ in 0..<40 {
          let text = (0..<random.below(9)).flatMap { _ in
            [[0x61], [0x42], [0x62], [0x20], [0xC3, 0xA9], [0xFF], [0x0A]][random.below(7)]
          }
          let answers = [small, large].map { regex in text.withUnsafeBytes { regex.matches($0) } }
          #expect(answers[0] == answers[1], "seed \(seed): \(pattern) on \(text)")
        }
      }
    }
  }

  static let wide = [
    // Windows that overlap, of which a text is in thousands at once.
    (0..<40).map { "[\(Array("abcdefgh")[$0 % 8])-z][ -~]{200}\($0)" }.joined(separator: "|"),
    "((a|b|c|d|e|f|g|h|i|j|k|l|m|n|o|p){9}){100}0", "a(a|b){600}$", "([a-m].{90}x|[c-z].{90}y){4}",
  ]

  @Test("an expression that would take long for every name is refused", arguments: wide)
  func wideExpressions(_ pattern: String) {
    #expect {
      try RegularExpression(pattern, caseSensitivity: .insensitive)
    } throws: { error in
      "\(error)".contains("too large")
    }
  }

  @Test(
    "an expression of a simple form may be long",
    arguments: [
      "^.{200,255}$", ".{255}", (0..<150).map { "word\($0 * 7919)" }.joined(separator: "|"),
    ])
  func longExpressions(_ pattern: String) throws {
    let regex = try RegularExpression(pattern, caseSensitivity: .insensitive)
    #expect(regex.matches(String(repeating: "é", count: 255)) == !pattern.hasPrefix("word"))
    #expect(!regex.matches("short"))
    #expect(regex.matches("word7919") == pattern.hasPrefix("word"))
  }

  @Test(
    "no text makes a pattern hang or crash", arguments: [1, 2, UInt64.random(in: .min ... .max)])
  func anyPatternIsBounded(_ seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let starts = [
      "(a|b)*c{2,5}[^x-z[:alpha:]]\\w+?$", "^(?:x\\x41|\\x{1F600}.*)+\\bé{0,3}",
      "[!a-z]**/?*.[ch]\\*",
    ]
    let tokens = [
      "(", ")", "[", "]", "{1000}", "{0,", "*", "+", "?", "|", "\\", "\\W", "[^", "é", "..", "**/",
    ]
    let texts = ["", "abcabc/def.h", String(repeating: "aé", count: 60), "\n\u{0}"]
    for _ in 0..<150 {
      let bytes = random.damage(Array(starts[random.below(starts.count)].utf8), with: tokens)
      let pattern = String(decoding: bytes, as: UTF8.self)
      for form in [TextPattern.glob(pattern), .regex(pattern), .substring(pattern)] {
        do throws(PatternError) {
          let matcher = try TextMatcher(form, caseSensitivity: .insensitive, syntax: .path)
          for text in texts { #expect(matcher.matches(text) == matcher.matches(text)) }
        } catch {
          #expect(error.range.upperBound <= pattern.utf8.count, "seed \(seed): \(pattern)")
        }
      }
    }
  }

  @Test("thousands of sets are read or refused")
  func manySets() throws {
    #expect(throws: PatternError.self) {
      try RegularExpression(
        String(repeating: "[a]", count: 30_000), caseSensitivity: .insensitive)
    }
    let glob = try Glob(
      String(repeating: "[a-zA-Z]", count: 3_000), caseSensitivity: .insensitive)
    #expect(glob.matches(String(repeating: "Q", count: 3_000)))
  }

  @Test("an expression counts an invalid byte as one character")
  func regexCountsInvalidBytes() throws {
    let two = try RegularExpression("^.[^a]$", caseSensitivity: .insensitive)
    let invalid: [UInt8] = [0xC3, 0xFF]
    let three: [UInt8] = [0xC3, 0xFF, 0xFE]
    #expect(invalid.withUnsafeBytes { two.matches($0) })
    #expect(!three.withUnsafeBytes { two.matches($0) })
  }

  @Test("folding is that of Unicode with its exceptions", .feature("P-30"))
  func foldingHasExceptions() {
    let pairs: [(Unicode.Scalar, Unicode.Scalar)] = [
      ("A", "a"), ("\u{131}", "\u{131}"), ("\u{130}", "\u{130}"), ("ſ", "s"), ("\u{212A}", "k"),
      ("ς", "σ"), ("µ", "μ"), ("ẞ", "ß"), ("É", "é"), ("Ж", "ж"), ("𐐀", "𐐨"),
    ]
    for (from, to) in pairs { #expect(CaseFolding.folded(from) == to) }
  }

  @Test("no scalar outside of the known blocks has case")
  func casedBlocksAreComplete() {
    for value in UInt32(0x80)...0x1_FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let properties = scalar.properties
      guard properties.changesWhenLowercased || properties.changesWhenUppercased else { continue }
      let upper = properties.uppercaseMapping.unicodeScalars
      let single = upper.count == 1 ? upper.first ?? scalar : scalar
      let lower = single.properties.lowercaseMapping.unicodeScalars
      guard lower.count == 1, lower.first != scalar, value != 0x131, value != 0x130 else {
        continue
      }
      #expect(CaseFolding.folded(scalar) == lower.first, "U+\(String(value, radix: 16))")
    }
  }

  @Test("the nearest word is found, and none if all are far")
  func nearestWordIsFound() {
    let words = ["size", "name", "modified"]
    #expect(Spelling.nearest(to: "sise", in: words) == "size")
    #expect(Spelling.nearest(to: "nmae", in: words) == "name")
    #expect(Spelling.nearest(to: "mod", in: words) == "modified")
    #expect(Spelling.nearest(to: "xyzzy", in: words) == nil)
    #expect(Spelling.distance("ab", "ba") == 1)
  }
}
