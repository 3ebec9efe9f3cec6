internal import UniformTypes

/// Weighs the type by name against the type by content, in the numbers of a catalog.
struct ContentVerdict {
  private let sniffer: ContentSniffer
  private let numbering: TypeNumbering
  private let positions: [Int32: TypeIndex]

  init(_ numbering: TypeNumbering) {
    self.numbering = numbering
    sniffer = ContentSniffer(numbering.registry)
    positions = numbering.positions
  }

  /// The number of the type that some bytes have by themselves; 0 if they say nothing.
  func type(of bytes: UnsafeBufferPointer<UInt8>) -> Int32 {
    sniffer.sniff(bytes).map { numbering.number(of: $0) } ?? 0
  }

  /// The number of the type that a file with this name and this content has.
  func number(_ named: NameTyping.Answer, content: Int32) -> Int32 {
    guard named.mayBeSniffed, let sniffed = positions[content] else { return named.number }
    let type = sniffer.refine(named.match.type, sniffed: sniffed)
    return type == .none ? named.number : numbering.number(of: type)
  }
}
