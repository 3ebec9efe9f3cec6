/// Names that file systems of Linux take and that programs stumble over.
package enum CrookedNames {
  /// Names of which each means something to somebody: a shell, a query, a terminal, a spreadsheet, a
  /// browser or a decoder.
  package static let all: [[UInt8]] =
    [
      "=HYPERLINK(\"x\")", "=", "==a", "=1+2", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "'=1", "=a,b",
      "*", "?", "a*b", "[x]", "[", "]", "a[!b", "{a,b}", "{", "\\", "\\\\", "a\\b", "\\n", "\\x41",
      "\\xff", "\\u{1b}", "\"", "a\"b", "\\\"", "'", "`", " ", " a ", "a  b", "(", ")", "(a", "a)b",
      "OR", "NOT", "AND", "-x", "--x", "--", "!x", "|", "a|b", "name:x", "size:>1", "case:yes",
      "@big",
      "\n", "a\nfilecat: b", "\r\n", "\u{1B}]0;pwn\u{7}", "\u{8}", "\u{7F}", "\u{85}", "\u{9B}31m",
      "\u{2028}", "\u{2029}", "\u{202E}gpj.exe", "\u{2066}x\u{2069}", "\u{FEFF}x", "\u{FFFD}",
      "\u{10FFF0}", "A", "a", "é", "e\u{301}", "É", "ſ", "ß", "~", "$(x)", "$HOME", "#", "%00",
      "&lt;",
      "<script>", "<!--", "]]>", ",", ";", ".a", "a.", "a.b.c", "null", "-0", "NaN",
    ].map { Array($0.utf8) } + [
      [0xFF], [0x9B, 0x33, 0x31, 0x6D], [0xC3], [0xC3, 0x28], [0x61, 0xFF, 0x62], [0xA9],
      [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x5C, 0xFF], [0x5C, 0x5C, 0xFF], [0x3D, 0xFF],
      [0x22, 0xFF, 0x22],
    ]

  /// A name of any bytes, more often of those that mean something.
  package static func random(using random: inout SeededRandom) -> [UInt8] {
    while true {
      let name = (0...random.below(10)).flatMap { _ in
        random.below(3) == 0 ? all[random.below(all.count)] : [UInt8(1 + random.below(255))]
      }.filter { $0 != UInt8(ascii: "/") }.prefix(200)
      guard !name.isEmpty, ![[0x2E], [0x2E, 0x2E]].contains(Array(name)) else { continue }
      return Array(name)
    }
  }
}
