/// A scalar in a sequence of bytes, or a byte that is part of none.
enum DecodedUnit: Hashable {
  case scalar(Unicode.Scalar)
  case invalid(UInt8)
}

extension UnsafeRawBufferPointer {
  /// The scalar at an index, or its byte if no well-formed UTF-8 starts there, and the number of
  /// bytes it takes.
  ///
  /// Overlong forms, surrogates and values beyond U+10FFFF are not well formed, so each of their
  /// bytes stands for itself.
  @inline(__always)
  func decodeUnit(at index: Int) -> (unit: DecodedUnit, length: Int) {
    let lead = self[index]
    if lead < 0x80 { return (.scalar(Unicode.Scalar(lead)), 1) }
    return decodeMultibyteUnit(at: index, lead: lead)
  }

  private func decodeMultibyteUnit(at index: Int, lead: UInt8) -> (DecodedUnit, Int) {
    let length: Int
    var value: UInt32
    let smallest: UInt32
    switch lead {
    case 0xC2...0xDF: (length, value, smallest) = (2, UInt32(lead & 0x1F), 0x80)
    case 0xE0...0xEF: (length, value, smallest) = (3, UInt32(lead & 0x0F), 0x800)
    case 0xF0...0xF4: (length, value, smallest) = (4, UInt32(lead & 0x07), 0x10000)
    default: return (.invalid(lead), 1)
    }
    guard index + length <= count else { return (.invalid(lead), 1) }
    for offset in 1..<length {
      let byte = self[index + offset]
      guard byte & 0xC0 == 0x80 else { return (.invalid(lead), 1) }
      value = value << 6 | UInt32(byte & 0x3F)
    }
    guard value >= smallest, let scalar = Unicode.Scalar(value) else {
      return (.invalid(lead), 1)
    }
    return (.scalar(scalar), length)
  }

  /// Whether no scalar lies across an index.
  @inline(__always)
  func isBoundary(_ index: Int) -> Bool {
    index >= count || self[index] & 0xC0 != 0x80 || !isWithinScalar(index)
  }

  private func isWithinScalar(_ index: Int) -> Bool {
    (1...3).contains { $0 <= index && decodeUnit(at: index - $0).length > $0 }
  }

  /// Whether no byte is above 0x7F.
  @inline(__always)
  var isASCII: Bool {
    var index = 0
    var seen: UInt64 = 0
    while index + 8 <= count {
      seen |= loadUnaligned(fromByteOffset: index, as: UInt64.self)
      index += 8
    }
    while index < count {
      seen |= UInt64(self[index])
      index += 1
    }
    return seen & 0x8080_8080_8080_8080 == 0
  }
}
