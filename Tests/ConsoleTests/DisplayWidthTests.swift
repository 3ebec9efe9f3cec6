import TestSupport
import Testing

@testable import Console

@Suite("Display width")
struct DisplayWidthTests {
  @Test(
    "Text takes the columns that terminals give it",
    arguments: [
      ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本語", 6), ("한글", 4),
      ("\u{1112}\u{1161}\u{11AB}", 2), ("ｱ", 1), ("Ａ", 2), ("👍", 2), ("👍🏽", 2), ("👩‍👩‍👧‍👦", 2),
      ("❤", 1), ("❤️", 2), ("❤️‍🔥", 2), ("🇩🇪", 2), ("🇩", 1), ("🇩🇪🇫🇷", 4), ("1️⃣", 2), ("…", 1),
      ("\u{FFFD}", 1), ("a\u{200B}b", 2), ("क्ष", 2), ("🏴\u{E0067}\u{E0062}\u{E007F}", 2),
      ("\u{AD}", 1), ("⌚", 2), ("a👍b", 4), ("©", 1), ("𠀀", 2), ("ﷺ", 1), ("👍\u{903}", 3),
      ("🏽", 2), ("🏽🏽", 4), (" 🏽", 3), ("é🏽", 3),
    ])
  func width(text: String, columns: Int) {
    #expect(DisplayWidth.of(text) == columns)
  }

  @Test("The ranges of wide scalars are in order and apart")
  func rangesAscend() {
    for (range, next) in zip(WideRanges.ranges, WideRanges.ranges.dropFirst()) {
      #expect(range.upperBound + 1 < next.lowerBound)
    }
  }

  @Test("Every emoji that is shown in colour by default is two columns wide")
  func emojiAreWide() {
    for value in UInt32(0x80)...0x1FFFF {
      guard let scalar = Unicode.Scalar(value), scalar.properties.isEmojiPresentation,
        !(0x1F1E6...0x1F1FF).contains(value)
      else { continue }
      #expect(DisplayWidth.of(scalar) == 2, "U+\(String(value, radix: 16))")
    }
  }
}

@Suite("Display text")
struct DisplayTextTests {
  @Test("Control characters, also those of bidirectional text, are escaped")
  func escapes() {
    #expect(DisplayText("a\nb\tc\r\u{1b}[31m").string == "a\\nb\\tc\\r\\u{1b}[31m")
    #expect(DisplayText("gpj\u{202E}exe\u{85}\u{7f}").string == "gpj\\u{202e}exe\\u{85}\\u{7f}")
    #expect(DisplayText("\n").width == 2)
  }

  @Test("Bytes that are not UTF-8 are replaced as the standard library does")
  func repairsLikeString() {
    var random = SeededRandom(seed: 11)
    for _ in 0..<2_000 {
      let bytes = random.bytes(upTo: 12)
      let printable = bytes.map { $0 < 0x20 || $0 == 0x7F ? UInt8(ascii: "x") : $0 }
      var expected = ""
      for scalar in String(decoding: printable, as: UTF8.self).unicodeScalars {
        var escaped: [UInt8] = []
        if ControlCharacters.contains(scalar.value) {
          ControlCharacters.appendEscape(scalar.value, to: &escaped)
          expected += String(decoding: escaped, as: UTF8.self)
        } else {
          expected.unicodeScalars.append(scalar)
        }
      }
      let text = DisplayText(escaping: printable)
      #expect(Array(text.string.unicodeScalars) == Array(expected.unicodeScalars))
      #expect(text.width == DisplayWidth.of(expected))
    }
  }

  @Test("A path is shortened in the middle and keeps its last component while it fits")
  func shortensPaths() {
    let path = DisplayText("/usr/share/doc/packages/README.md")
    #expect(path.shortened(to: 20, .inMiddle).string == "/usr/shar…/README.md")
    #expect(path.shortened(to: 12, .inMiddle).string == "/…/README.md")
    #expect(path.shortened(to: 9, .inMiddle).string == "/usr…E.md")
    #expect(path.shortened(to: 1, .inMiddle).string == "…")
    #expect(path.shortened(to: 0, .inMiddle).string == "")
    #expect(path.shortened(to: 33, .inMiddle) == path)
  }

  @Test("A character is kept whole or left out whole")
  func shortensCharacters() {
    #expect(DisplayText("日本語").shortened(to: 4, .atEnd).string == "日…")
    #expect(DisplayText("日本語").shortened(to: 4, .atEnd).width == 3)
    #expect(DisplayText("ab👩‍👩‍👧‍👦cd").shortened(to: 4, .atEnd).string == "ab…")
    #expect(
      DisplayText("e\u{301}e\u{301}e\u{301}").shortened(to: 2, .inMiddle).string == "e\u{301}…")
  }
}
