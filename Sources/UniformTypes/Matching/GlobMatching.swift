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
