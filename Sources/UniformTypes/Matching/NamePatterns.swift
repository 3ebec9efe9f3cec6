/// Whether a name matches a pattern of literal bytes, `?`, `*` and `[a-z]`, ASCII letters folded.
///
/// The pattern must already be folded. One star is remembered at a time, which is enough for this
/// language, so the work is at most name length times pattern length. An unclosed bracket matches a
/// literal `[`.
func matchesGlob(
  _ name: UnsafeBufferPointer<UInt8>, _ pattern: UnsafeBufferPointer<UInt8>
) -> Bool {
  var nameIndex = 0
  var patternIndex = 0
  var starName = 0
  var starPattern = -1
  while nameIndex < name.count {
    if patternIndex < pattern.count {
      if pattern[patternIndex] == UInt8(ascii: "*") {
        starPattern = patternIndex
        starName = nameIndex
        patternIndex += 1
        continue
      }
      if let next = matchOne(foldASCII(name[nameIndex]), pattern, at: patternIndex) {
        nameIndex += 1
        patternIndex = next
        continue
      }
    }
    guard starPattern >= 0 else { return false }
    starName += 1
    nameIndex = starName
    patternIndex = starPattern + 1
  }
  while patternIndex < pattern.count, pattern[patternIndex] == UInt8(ascii: "*") {
    patternIndex += 1
  }
  return patternIndex == pattern.count
}

/// Matches one byte against the pattern element at `index` and returns the index after it.
private func matchOne(
  _ byte: UInt8, _ pattern: UnsafeBufferPointer<UInt8>, at index: Int
) -> Int? {
  switch pattern[index] {
  case UInt8(ascii: "?"):
    return index + 1
  case UInt8(ascii: "["):
    var position = index + 1
    var isMember = false
    while position < pattern.count, pattern[position] != UInt8(ascii: "]") {
      let low = pattern[position]
      if position + 2 < pattern.count, pattern[position + 1] == UInt8(ascii: "-"),
        pattern[position + 2] != UInt8(ascii: "]")
      {
        if low <= byte, byte <= pattern[position + 2] { isMember = true }
        position += 3
      } else {
        if low == byte { isMember = true }
        position += 1
      }
    }
    guard position < pattern.count else { return byte == UInt8(ascii: "[") ? index + 1 : nil }
    return isMember ? position + 1 : nil
  default:
    return pattern[index] == byte ? index + 1 : nil
  }
}

/// Sets of patterns by what the ends of a name may be.
///
/// Most names match no pattern at all, and the first and the last byte tell so for nearly all of
/// them: a lookup then costs two loads instead of dozens of comparisons.
struct PatternFilters {
  /// Words of one group: 256 for the first byte, 256 for the last.
  static let stride = 512

  /// For each group of 64 patterns, the sets by first byte, then those by last byte.
  private(set) var ends: [UInt64]
  /// For each group, the patterns with a dot that a name must have.
  private(set) var dotted: [UInt64]

  init(_ patterns: [[UInt8]]) {
    let groupCount = (patterns.count + 63) / 64
    ends = Array(repeating: 0, count: groupCount * Self.stride)
    dotted = Array(repeating: 0, count: groupCount)
    for (index, pattern) in patterns.enumerated() {
      let start = index / 64 * Self.stride
      let bit = UInt64(1) << UInt64(index % 64)
      Self.forEachByte(beginning: pattern) { ends[start + $0] |= bit }
      Self.forEachByte(ending: pattern) { ends[start + 256 + $0] |= bit }
      if Self.wantsDot(pattern) { dotted[index / 64] |= bit }
    }
  }

  private static func forEachByte(beginning pattern: [UInt8], _ body: (Int) -> Void) {
    if pattern.first == UInt8(ascii: "["), let end = pattern.firstIndex(of: UInt8(ascii: "]")) {
      forEachByte(matching: Array(pattern[...end]), body)
    } else if let first = pattern.first, !isMetacharacter(first) {
      body(Int(first))
    } else {
      (0..<256).forEach(body)
    }
  }

  private static func forEachByte(ending pattern: [UInt8], _ body: (Int) -> Void) {
    if pattern.last == UInt8(ascii: "]"), let start = pattern.lastIndex(of: UInt8(ascii: "[")),
      pattern[start...].firstIndex(of: UInt8(ascii: "]")) == pattern.count - 1
    {
      forEachByte(matching: Array(pattern[start...]), body)
    } else if let last = pattern.last, !isMetacharacter(last) {
      body(Int(last))
    } else {
      (0..<256).forEach(body)
    }
  }

  private static func isMetacharacter(_ byte: UInt8) -> Bool {
    [UInt8(ascii: "*"), UInt8(ascii: "?"), UInt8(ascii: "["), UInt8(ascii: "]")].contains(byte)
  }

  private static func forEachByte(matching element: [UInt8], _ body: (Int) -> Void) {
    for byte in 0..<256 where matches(UInt8(byte), element) { body(byte) }
  }

  private static func matches(_ byte: UInt8, _ element: [UInt8]) -> Bool {
    [byte].withUnsafeBufferPointer { name in
      element.withUnsafeBufferPointer { matchesGlob(name, $0) }
    }
  }

  /// A dot outside of brackets must be in every name that matches.
  private static func wantsDot(_ pattern: [UInt8]) -> Bool {
    var isInBrackets = false
    for byte in pattern {
      if byte == UInt8(ascii: "[") { isInBrackets = true }
      if byte == UInt8(ascii: "]") { isInBrackets = false }
      if byte == UInt8(ascii: "."), !isInBrackets { return true }
    }
    return false
  }
}
