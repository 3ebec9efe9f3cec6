/// Which runs of three bytes the texts of a list hold, in some thousand bits: it tells most lists that do
/// not hold a text from those that may.
///
/// The texts are taken as they are, their ASCII letters in lower case; those that are not ASCII also
/// folded and composed. So no pattern misses a text that it matches, whether case counts for it or not.
package struct TrigramSet {
  /// Four of them and what belongs to each fit on a page of a database.
  package static let byteCount = 1000

  /// A bit for each of some thousand groups of trigrams.
  package private(set) var bytes = [UInt8](repeating: 0, count: byteCount)

  /// Those of no text.
  package init() {}

  /// The trigrams of texts in UTF-8, each ended by a zero byte.
  package init(of list: UnsafeRawBufferPointer) {
    insert(list)
    guard !list.isASCII else { return }
    TextList(list).forEachText { _, text in
      if !text.isASCII { CaseFolding.withFolded(text) { insert($0) } }
    }
  }

  /// Adds those of other texts.
  package mutating func formUnion(_ other: TrigramSet) {
    for index in bytes.indices { bytes[index] |= other.bytes[index] }
  }

  /// How many bits come to one in ``coarse``.
  static let coarseness = 4
  /// As many bytes has what is ``coarse``.
  package static let coarseByteCount = byteCount / coarseness

  /// The same in a quarter of the bits, which is enough for a quarter of the texts.
  package var coarse: [UInt8] {
    (0..<Self.coarseByteCount).map { place in
      var byte: UInt8 = 0
      for half in 0..<8 where bytes[place * 4 + half / 2] & (half & 1 == 0 ? 0x0f : 0xf0) != 0 {
        byte |= 1 << UInt8(half)
      }
      return byte
    }
  }

  private mutating func insert(_ text: UnsafeRawBufferPointer) {
    bytes.withUnsafeMutableBytes { bytes in
      var window: UInt32 = 0
      var length = 0
      for byte in text {
        guard byte != 0 else {
          length = 0
          continue
        }
        window = window << 8 | UInt32(CaseFolding.folded(ascii: byte))
        length += 1
        guard length >= 3 else { continue }
        let place = Self.place(of: window & 0xFF_FFFF)
        bytes[place >> 3] |= 1 << UInt8(truncatingIfNeeded: place & 7)
      }
    }
  }

  /// The bit of a trigram.
  @inline(__always)
  private static func place(of trigram: UInt32) -> Int {
    let hash = UInt64(trigram &* 2_654_435_761)
    return Int(truncatingIfNeeded: (hash &* UInt64(byteCount * 8)) >> 32)
  }

  /// The bits that are set where a literal occurs.
  static func places(of literal: [UInt8]) -> [Int] {
    guard literal.count >= 3 else { return [] }
    return (0...literal.count - 3).map { start in
      place(of: literal[start..<start + 3].reduce(0) { $0 << 8 | UInt32($1) })
    }
  }
}
