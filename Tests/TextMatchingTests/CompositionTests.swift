import TestSupport
import TestTraits
import Testing

@testable import TextMatching

@Suite("Composition and braces")
struct CompositionTests {
  @Test(
    "a letter is the same however it is encoded, unless case counts", .feature("P-30"),
    arguments: [
      ("\u{e9}", "e\u{301}"), ("\u{c9}tude", "e\u{301}TUDE"), ("\u{1ead}", "a\u{302}\u{323}"),
      ("\u{1ead}", "a\u{323}\u{302}"), ("\u{1ead}", "\u{e2}\u{323}"),
      ("\u{ac01}", "\u{1100}\u{1161}\u{11a8}"),
      ("\u{ac01}", "\u{ac00}\u{11a8}"), ("\u{212b}", "A\u{30a}"), ("\u{3060}", "\u{305f}\u{3099}"),
      ("\u{958}", "\u{915}\u{93c}"), ("q\u{323}\u{307}", "q\u{307}\u{323}"),
    ])
  func equivalence(_ one: String, _ other: String) throws {
    for (pattern, name) in [(one, other), (other, one)] {
      for form in [
        TextPattern.substring(pattern), .exact(pattern), .glob(pattern + "*"),
        .regex("^" + pattern),
      ] {
        let insensitive = try TextMatcher(form, caseSensitivity: .insensitive)
        #expect(insensitive.matches(name), "\(form)")
        let sensitive = try TextMatcher(form, caseSensitivity: .sensitive)
        #expect(!sensitive.matches(name), "\(form)")
      }
    }
  }

  @Test(
    "a letter with a mark is not the letter, however it is encoded",
    arguments: ["\u{e9}", "e\u{301}"])
  func marks(_ letter: String) throws {
    let name = "caf" + letter + ".txt"
    func matches(_ pattern: TextPattern) throws -> Bool {
      try TextMatcher(pattern, caseSensitivity: .insensitive).matches(name)
    }
    #expect(try !matches(.substring("cafe")))
    #expect(try matches(.substring("caf")))
    #expect(try matches(.glob("caf?.txt")))
    #expect(try matches(.glob("caf[\u{e9}x].*")))
    #expect(try matches(.regex("^caf.\\.txt$")))
    #expect(try !matches(.regex("cafe")))
    #expect(try matches(.glob(#"c*e\u{301}.txt"#)))
    let bytes: [UInt8] = [0xFF] + Array(name.utf8) + [0xCC]
    let part = try TextMatcher(.substring("CAFÉ"), caseSensitivity: .insensitive)
    #expect(bytes.withUnsafeBytes { part.matches($0) })
  }

  @Test("texts are composed as the standard library compares them")
  func agreesWithStrings() {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededRandom(seed: seed)
    let pieces = [
      "a", "e", "o", "\u{300}", "\u{301}", "\u{302}", "\u{323}", "\u{327}", "\u{328}", "\u{31b}",
      "é", "ậ", "ǭ",
      "\u{1100}", "\u{1161}", "\u{11a8}", "가", "\u{9c7}", "\u{9be}", "α", "\u{345}", "\u{308}", "ΐ",
      "x",
    ]
    for _ in 0..<20_000 {
      let texts = (0..<2).map { _ in
        (0..<random.below(5)).map { _ in pieces[random.below(pieces.count)] }.joined()
      }
      let composed = texts.map { text in
        Array(text.utf8).withUnsafeBytes { Composition.composed($0) }
      }
      #expect((composed[0] == composed[1]) == (texts[0] == texts[1]), "seed \(seed): \(texts)")
      #expect(String(decoding: composed[0], as: UTF8.self) == texts[0], "seed \(seed)")
      if composed[0] != Array(texts[0].utf8) {
        #expect(Array(texts[0].utf8).withUnsafeBytes { Composition.concerns($0) }, "seed \(seed)")
      }
      #expect(composed[0].withUnsafeBytes { Composition.composed($0) } == composed[0])
    }
  }

  @Test(
    "braces stand for what a shell makes of them",
    arguments: [
      ("*.{jpg,png}", ["*.jpg", "*.png"]), ("{a,b{1,2}}c", ["ac", "b1c", "b2c"]), ("{a}", ["{a}"]),
      ("a{,b}", ["a", "ab"]), ("{a,b", ["{a,b"]), ("a,b}", ["a,b}"]), (#"\{a,b}"#, [#"\{a,b}"#]),
      ("[{,}]", ["[{,}]"]), (#"{a\,b}"#, [#"{a\,b}"#]),
      (#"\u{1b}{x,y}"#, [#"\u{1b}x"#, #"\u{1b}y"#]),
      ("{{a,b},c}", ["a", "b", "c"]), ("{a,b}{c,d}", ["ac", "ad", "bc", "bd"]),
      ("{x{a,b}", ["{xa", "{xb"]),
      ("{[,],b}", ["[,]", "b"]), ("[a{b,c}", ["[ab", "[ac"]), ("", [""]),
    ] as [(String, [String])])
  func braces(_ pattern: String, _ expected: [String]) throws {
    #expect(try Glob.alternatives(in: pattern) == expected)
  }

  @Test("a name matches one of the alternatives, with its wildcards")
  func alternatives() throws {
    let matcher = try TextMatcher(.glob("{IMG_*,*.{jp?g,png}}"), caseSensitivity: .insensitive)
    for name in ["img_1.raw", "a.jpeg", "b.PNG"] { #expect(matcher.matches(name)) }
    for name in ["a.jpg.txt", "ximg_", "{IMG_"] { #expect(!matcher.matches(name)) }
  }

  @Test("more alternatives than are reasonable are refused", arguments: [9, 20, 10_000])
  func tooMany(_ count: Int) {
    let pattern = String(repeating: "{a,b}", count: count)
    #expect(throws: PatternError.self) { try Glob.alternatives(in: pattern) }
    #expect(throws: PatternError.self) {
      try TextMatcher(.glob(pattern), caseSensitivity: .sensitive)
    }
  }
}
