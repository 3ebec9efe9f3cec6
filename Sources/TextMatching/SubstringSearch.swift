#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// Looks for one text in many short ones.
///
/// It looks for the byte of the needle that is rarest in names, and compares the rest where that
/// one stands.
struct SubstringSearch: Sendable {
  private let needle: [UInt8]
  private let caseSensitivity: CaseSensitivity
  /// Where the rarest byte stands in the needle, and its two forms.
  private let anchor: Int
  private let lower: UInt8
  private let upper: UInt8
  /// Whether scalars outside of ASCII may equal some of the needle when folded. Else they are
  /// bytes that match nothing, and folding the text would be for nothing.
  private let concernsNonASCII: Bool
  /// Whether the needle is UTF-8, and so never begins or ends within a scalar of a text.
  private let isUTF8: Bool

  /// Looks for bytes, which need not be UTF-8.
  init(_ bytes: [UInt8], caseSensitivity: CaseSensitivity) {
    let needle = caseSensitivity.comparable(bytes)
    self.needle = needle
    self.caseSensitivity = caseSensitivity
    anchor =
      needle.indices.min { Self.frequency(of: needle[$0]) < Self.frequency(of: needle[$1]) } ?? 0
    lower = needle.isEmpty ? 0 : needle[anchor]
    let isLetter = lower &- 0x61 < 26
    upper = isLetter && caseSensitivity == .insensitive ? lower ^ 0x20 : lower
    // The Kelvin sign folds to k and the long s to s.
    concernsNonASCII =
      caseSensitivity == .insensitive
      && needle.contains { $0 >= 0x80 || $0 == UInt8(ascii: "k") || $0 == UInt8(ascii: "s") }
    isUTF8 = String(validating: bytes, as: UTF8.self) != nil
  }

  func isFound(in text: UnsafeRawBufferPointer) -> Bool {
    if concernsNonASCII, !text.isASCII {
      return CaseFolding.withFolded(text) { search($0) }
    }
    guard search(text) else { return false }
    // “cafe” is no part of “café”, be that an e and an accent.
    guard caseSensitivity == .insensitive, !text.isASCII, Composition.concerns(text) else {
      return true
    }
    return CaseFolding.withFolded(text) { search($0) }
  }

  @inline(__always)
  private func search(_ text: UnsafeRawBufferPointer) -> Bool {
    firstIndex(in: text, from: 0) != nil
  }

  /// Where the needle stands next in a text, of which no more than the ASCII letters are folded.
  @inline(__always)
  func firstIndex(in text: UnsafeRawBufferPointer, from start: Int) -> Int? {
    let count = needle.count
    guard count > 0 else { return start }
    guard count <= text.count - start, let base = text.baseAddress else { return nil }
    let last = text.count - count
    return needle.withUnsafeBytes { needle in
      let candidates = base + anchor
      var index = start
      while index + 8 <= last + 1 {
        let word = (candidates + index).loadUnaligned(as: UInt64.self).littleEndian
        var hits = Self.markZeros(word ^ lower.repeated) | Self.markZeros(word ^ upper.repeated)
        while hits != 0 {
          let place = index + hits.trailingZeroBitCount / 8
          if isNeedle(needle, at: place, in: text) { return place }
          hits &= hits - 1
        }
        index += 8
      }
      while index <= last {
        let byte = (candidates + index).load(as: UInt8.self)
        if byte == lower || byte == upper, isNeedle(needle, at: index, in: text) { return index }
        index += 1
      }
      return nil
    }
  }

  /// The highest bit of each byte that is zero. A byte above one may be marked as well, which
  /// costs no more than a comparison.
  @inline(__always)
  private static func markZeros(_ word: UInt64) -> UInt64 {
    (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
  }

  @inline(__always)
  private func isNeedle(
    _ needle: UnsafeRawBufferPointer, at index: Int, in text: UnsafeRawBufferPointer
  ) -> Bool {
    guard let base = text.baseAddress,
      isUTF8 || text.isBoundary(index) && text.isBoundary(index + needle.count)
    else { return false }
    let place = base + index
    if caseSensitivity == .sensitive {
      return needle.baseAddress.map { memcmp($0, place, needle.count) == 0 } ?? true
    }
    for index in 0..<needle.count {
      let byte = (place + index).load(as: UInt8.self)
      if CaseFolding.folded(ascii: byte) != needle[index] { return false }
    }
    return true
  }

  /// How often a byte is met in file names, roughly; of those not listed, little is known.
  private static func frequency(of byte: UInt8) -> Int {
    let common = "etaoinsrlcdpmuhgfbyv0123._-wkxjqz".utf8
    let folded = CaseFolding.folded(ascii: byte)
    return common.firstIndex(of: folded)
      .map { 64 - common.distance(from: common.startIndex, to: $0) } ?? 0
  }
}

extension UInt8 {
  /// The byte in each of the eight places.
  @inline(__always)
  fileprivate var repeated: UInt64 {
    UInt64(self) &* 0x0101_0101_0101_0101
  }
}
