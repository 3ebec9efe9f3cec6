/// The marks that end a name, read backwards.
struct Marks {
  /// Where the first mark begins, which is where the stem ends.
  private(set) var start: Int
  private(set) var variant = AssetVariant.plain
  /// The bytes of the scale's mark.
  private(set) var scale: Range<Int>?

  init(_ bytes: UnsafeBufferPointer<UInt8>, from first: Int, at end: Int) {
    start = end
    // No mark takes the whole of a name, so the stem is never empty.
    let first = first + 1
    guard end > first, Marks.canEnd(with: bytes[end - 1]) else { return }
    if let found = Idiom.ending(bytes, from: first, at: start) {
      variant.idiom = found.idiom
      start = found.start
    }
    if let found = AssetScale.ending(bytes, from: first, at: start) {
      variant.scale = found.scale
      scale = found.start..<start
      start = found.start
    }
    while readHD(bytes, from: first) || readHeight(bytes, from: first) {}
  }

  /// Whether a mark can end with a byte. Most names are done with this question.
  private static func canEnd(with byte: UInt8) -> Bool {
    switch byte {
    case NameByte.x, NameByte.h, NameByte.d: true
    case UInt8(ascii: "e"), UInt8(ascii: "v"), UInt8(ascii: "r"), UInt8(ascii: "c"): true
    default: false
    }
  }

  private mutating func readHD(_ bytes: UnsafeBufferPointer<UInt8>, from first: Int) -> Bool {
    guard !variant.isHD, start - first >= 3, bytes[start - 1] == NameByte.d,
      bytes[start - 2] == NameByte.h, bytes[start - 3] == NameByte.dash
    else { return false }
    variant.isHD = true
    start -= 3
    return true
  }

  private mutating func readHeight(_ bytes: UnsafeBufferPointer<UInt8>, from first: Int) -> Bool {
    guard variant.height == nil, start - first >= 3, bytes[start - 1] == NameByte.h else {
      return false
    }
    let digits = DigitRun(bytes, from: first, at: start - 1, atMost: 9)
    guard digits.count > 0, digits.start > first, bytes[digits.start - 1] == NameByte.dash else {
      return false
    }
    variant.height = digits.value
    start = digits.start - 1
    return true
  }
}
