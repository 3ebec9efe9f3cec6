/// Lower-cases one ASCII letter and leaves every other byte alone.
///
/// Names are bytes, not text: bytes above 0x7F are compared as they are, which is what keeps the
/// scan free of Unicode tables. Extensions with such bytes take a slower path.
@inline(__always)
func foldASCII(_ byte: UInt8) -> UInt8 {
  byte &- 0x41 < 26 ? byte | 0x20 : byte
}

/// The 64-bit FNV-1a hash (Fowler, Noll, Vo) of ASCII-folded bytes. Never zero, because tables use
/// zero for an empty slot.
@inline(__always)
func foldedHash(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
  var hash: UInt64 = 0xcbf2_9ce4_8422_2325
  for byte in bytes {
    hash = (hash ^ UInt64(foldASCII(byte))) &* 0x0000_0100_0000_01b3
  }
  return hash | 1
}

/// Whether two byte strings are equal when ASCII letters are folded.
@inline(__always)
func equalFolded(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
  guard left.count == right.count else { return false }
  for index in 0..<left.count where foldASCII(left[index]) != foldASCII(right[index]) {
    return false
  }
  return true
}

/// The stable 64-bit hash behind registry fingerprints: FNV-1a fed piece by piece.
struct FingerprintHasher {
  private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func combine(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
    }
    // A separator that no UTF-8 text contains, so that "ab","c" differs from "a","bc".
    value = (value ^ 0xff) &* 0x0000_0100_0000_01b3
  }

  mutating func combine(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: UInt64(truncatingIfNeeded: number).littleEndian) { combine($0) }
  }
}
