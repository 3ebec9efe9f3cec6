#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// Texts in memory, one behind the other, each ended by a zero byte.
package struct TextList {
  private let bytes: UnsafeRawBufferPointer

  package init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  /// How many texts there are; `nil` if the last one has no end.
  package var count: Int? {
    guard let last = bytes.last else { return 0 }
    return last == 0 ? zeros(in: 0..<bytes.count) : nil
  }

  /// Calls `body` with each text and its number.
  @inline(__always)
  package func forEachText(_ body: (_ number: Int, _ text: UnsafeRawBufferPointer) -> Void) {
    var start = 0
    var number = 0
    while start < bytes.count {
      let end = end(from: start)
      body(number, UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
      number += 1
      start = end + 1
    }
  }

  /// Where the text ends in which there is a place.
  @inline(__always)
  private func end(from place: Int) -> Int {
    guard let base = bytes.baseAddress, place < bytes.count,
      let zero = memchr(base + place, 0, bytes.count - place)
    else { return bytes.count }
    return UnsafeRawPointer(zero) - base
  }

  /// Where the text begins in which there is a place.
  @inline(__always)
  private func start(before place: Int) -> Int {
    var start = place
    while start > 0, bytes[start - 1] != 0 { start -= 1 }
    return start
  }

  /// How many texts end in a range. Eight bytes at a time: the vectors of the library take forty times as long
  /// where nothing is known of the processor.
  private func zeros(in range: Range<Int>) -> Int {
    let low: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
    var count = 0
    var index = range.lowerBound
    while index + 8 <= range.upperBound {
      // As many words as leave the sum of all their zeros in one byte.
      let end = min(range.upperBound - 7, index + 31 * 8)
      var sums: UInt64 = 0
      while index < end {
        let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        // The highest bit of each byte that is zero (Warren, Hacker's Delight, 6-1).
        sums &+= ~(((word & low) &+ low) | word | low) >> 7
        index += 8
      }
      count += Int((sums &* 0x0101_0101_0101_0101) >> 56)
    }
    while index < range.upperBound {
      if bytes[index] == 0 { count += 1 }
      index += 1
    }
    return count
  }

  // MARK: - Searching

  /// Calls `body` with the number of each text that matches; empty ones are none.
  package func forEachMatch(_ search: TextListSearch, _ body: (Int) -> Void) {
    guard let probe = search.probe, bytes.isASCII else {
      forEachText { number, text in
        if !text.isEmpty, search.matches(text) { body(number) }
      }
      return
    }
    var place = 0
    var number = 0
    var counted = 0
    while let hit = probe.firstIndex(in: bytes, from: place) {
      let start = start(before: hit)
      let end = end(from: hit)
      number += zeros(in: counted..<start)
      counted = start
      if search.isProbeSufficient
        || search.matches(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
      {
        body(number)
      }
      place = end + 1
    }
  }
}

/// Looks for what a matcher, or each of several, matches in lists of many texts.
package struct TextListSearch: Sendable {
  private let matchers: [TextMatcher]
  /// Finds a literal that every match holds, in lists that are ASCII; `nil` where there is none.
  fileprivate let probe: SubstringSearch?
  fileprivate let isProbeSufficient: Bool
  /// For each matcher and each of its alternatives, the bits of a ``TrigramSet`` that are set where it is.
  private let places: [[[Int]]]

  /// Of a long text, the first trigrams tell enough.
  private static let mostPlaces = 64

  package init(_ matcher: TextMatcher) {
    self.init(all: [matcher])
  }

  /// Looks for texts that all of these match.
  package init(all matchers: [TextMatcher]) {
    self.matchers = matchers
    let literals = matchers.compactMap { matcher in
      matcher.required.alternatives.count == 1 ? matcher.required.alternatives[0].first : nil
    }
    // Most likely the longest is in the fewest.
    probe = literals.max { $0.count < $1.count }.map {
      SubstringSearch($0, caseSensitivity: .insensitive)
    }
    isProbeSufficient = matchers.count == 1 && matchers[0].required.isSufficient
    places = matchers.map { matcher in
      matcher.required.alternatives.map { literals in
        Array(literals.flatMap(TrigramSet.places).prefix(Self.mostPlaces))
      }
    }
  }

  /// Whether a text matches, wherever it stands.
  package func matches(_ text: UnsafeRawBufferPointer) -> Bool {
    matchers.allSatisfy { $0.matches(text) }
  }

  /// Whether a list with some trigrams may hold a match.
  ///
  /// - Parameter trigrams: the bytes of a ``TrigramSet``, or what is ``TrigramSet/coarse``.
  package func mayMatch(_ trigrams: UnsafeRawBufferPointer) -> Bool {
    let coarseness: Int
    switch trigrams.count {
    case TrigramSet.byteCount: coarseness = 1
    case TrigramSet.coarseByteCount: coarseness = TrigramSet.coarseness
    default: return true
    }
    return places.allSatisfy { alternatives in
      alternatives.contains { places in
        places.allSatisfy { place in
          let place = place / coarseness
          return trigrams[place >> 3] >> UInt8(truncatingIfNeeded: place & 7) & 1 == 1
        }
      }
    }
  }
}
