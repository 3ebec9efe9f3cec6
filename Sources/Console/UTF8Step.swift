/// One step through bytes that should be UTF-8: a scalar, or a run that cannot be one.
///
/// A faulty run is a "maximal subpart" as the Unicode Standard (section 3.9) recommends, so that
/// each run becomes one U+FFFD, exactly as in `String(decoding:as:)`. Unlike a string, a step
/// needs no memory and can tell a faulty run from a U+FFFD that was in the text.
struct UTF8Step {
  /// The scalar, or U+FFFD for a faulty run.
  var scalar: UInt32
  /// How many bytes the step covers; at least one.
  var length: Int
  /// Whether the bytes are the scalar's.
  var isValid: Bool

  /// The step that begins at an index of `bytes`.
  init(_ bytes: UnsafeRawBufferPointer, at index: Int) {
    let lead = bytes[index]
    // The first continuation byte has a narrower range after some lead bytes: it keeps out
    // overlong forms, surrogates and what lies above U+10FFFF.
    let continuation: (count: Int, first: ClosedRange<UInt8>)
    switch lead {
    case 0x00...0x7F:
      self.init(scalar: UInt32(lead), length: 1, isValid: true)
      return
    case 0xC2...0xDF: continuation = (1, 0x80...0xBF)
    case 0xE0: continuation = (2, 0xA0...0xBF)
    case 0xED: continuation = (2, 0x80...0x9F)
    case 0xE1...0xEF: continuation = (2, 0x80...0xBF)
    case 0xF0: continuation = (3, 0x90...0xBF)
    case 0xF1...0xF3: continuation = (3, 0x80...0xBF)
    case 0xF4: continuation = (3, 0x80...0x8F)
    default:
      self.init(scalar: 0xFFFD, length: 1, isValid: false)
      return
    }
    var value = UInt32(lead) & (0x3F >> UInt32(continuation.count))
    for offset in 1...continuation.count {
      let range = offset == 1 ? continuation.first : 0x80...0xBF
      guard index + offset < bytes.count, range.contains(bytes[index + offset]) else {
        self.init(scalar: 0xFFFD, length: offset, isValid: false)
        return
      }
      value = value << 6 | UInt32(bytes[index + offset] & 0x3F)
    }
    self.init(scalar: value, length: continuation.count + 1, isValid: true)
  }

  private init(scalar: UInt32, length: Int, isValid: Bool) {
    self.scalar = scalar
    self.length = length
    self.isValid = isValid
  }

  /// U+FFFD in UTF-8.
  static let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]
}
