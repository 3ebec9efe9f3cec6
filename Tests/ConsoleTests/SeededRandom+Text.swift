import TestSupport

extension SeededRandom {
  /// Bytes of which many, but not all, happen to be parts of UTF-8.
  mutating func bytes(upTo count: Int) -> [UInt8] {
    let leads: [UInt8] = [0xC2, 0xE0, 0xE2, 0xED, 0xEF, 0xF0, 0xF3, 0xF4, 0xFF, 0xC0]
    var result: [UInt8] = []
    for _ in 0..<Int.random(in: 0...count, using: &self) {
      switch Int.random(in: 0..<4, using: &self) {
      case 0: result.append(leads.randomElement(using: &self) ?? 0xFF)
      case 1, 2: result.append(UInt8.random(in: 0x80...0xBF, using: &self))
      default: result.append(UInt8.random(in: 0...0x7F, using: &self))
      }
    }
    return result
  }

  /// Text with everything that makes columns crooked. It has no capital letters.
  mutating func crookedText() -> [UInt8] {
    let pieces = [
      "a", "plain text", "é", "e\u{301}", "\u{301}", "日本", "한", "\u{1112}\u{1161}\u{11AB}", "👍🏽",
      "👩‍👩‍👧‍👦", "❤️", "🇩🇪", "🇩", "1️⃣", "\u{200D}", "\u{FE0F}", "\n", "\t", "\u{1b}[31m", "\u{202E}", "/",
      "usr/share", "क्ष", "\u{903}", "\u{200B}", "\u{AD}", "🏽", "\u{600}", "\"", ",", "\\",
    ]
    var result: [UInt8] = []
    for _ in 0..<Int.random(in: 0...9, using: &self) {
      if Int.random(in: 0..<8, using: &self) == 0 {
        result += bytes(upTo: 4).filter { !(0x41...0x5A).contains($0) }
      } else {
        result += Array((pieces.randomElement(using: &self) ?? "").utf8)
      }
    }
    return result
  }
}
