/// Text that would do something to a terminal if it came there as it is.
package enum HostileText: String, CaseIterable {
  /// Sequences that set the title, move the cursor and fake a line, the C1 control that begins one, and
  /// what turns text over or breaks lines for who reads Unicode.
  case controls =
    """
    x\u{1B}]0;pwn\u{7}\r\nfilecat: fake\t\u{8}\u{B}\u{7F}\u{85}\u{9B}31m\
    \u{61C}\u{200E}\u{200F}\u{202A}\u{202E}\u{2066}\u{2069}\u{2028}\u{2029}gpj.x
    """
  /// Bytes that are not UTF-8; the first one begins a sequence on terminals of eight bits.
  case bytes = "x"

  package var bytes: [UInt8] {
    Array(rawValue.utf8) + (self == .bytes ? [0x9B, 0x33, 0x31, 0x6D, 0xFF, 0xC2, 0x1B] : [])
  }

  /// The arguments with this text in the places that are marked.
  package func arguments(_ template: [String]) -> [[UInt8]] {
    template.map { word in
      let parts = word.split(separator: "HOSTILE", omittingEmptySubsequences: false)
      return Array(parts.map { Array($0.utf8) }.joined(separator: bytes))
    }
  }

  /// What in an output could do harm; nothing in one that is for people.
  package static func harm(in output: [UInt8]) -> [String] {
    guard let text = String(validating: output, as: UTF8.self) else { return ["not UTF-8"] }
    var harm = text.unicodeScalars.filter { $0 != "\n" && isObeyed($0) }
      .map { "U+\(String($0.value, radix: 16, uppercase: true))" }
    if text.split(separator: "\n").contains(where: { $0.hasPrefix("filecat: fake") }) {
      harm.append("a line of its own")
    }
    if !text.isEmpty, text.unicodeScalars.last != "\n" { harm.append("no end of the line") }
    return harm
  }

  /// Whether a terminal obeys a character rather than showing it.
  private static func isObeyed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case ..<0x20, 0x7F...0x9F, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
