/// A value with a fixed way to be shown, that is appended to a buffer without a string between.
public protocol ByteText: CustomStringConvertible, Sendable {
  /// Appends the text in UTF-8.
  func append(to bytes: inout [UInt8])
}

extension ByteText {
  /// The text as a string.
  public var description: String {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// The digits of whole numbers.
enum Digits {
  /// Appends a number in decimal.
  static func append(_ value: Int64, to bytes: inout [UInt8]) {
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    append(value.magnitude, to: &bytes)
  }

  /// Appends a number in decimal, with zeros in front until it has `width` digits.
  static func append(_ value: UInt64, width: Int = 1, to bytes: inout [UInt8]) {
    let start = bytes.count
    var rest = value
    repeat {
      bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    } while rest > 0
    while bytes.count - start < width { bytes.append(UInt8(ascii: "0")) }
    reverse(&bytes, from: start)
  }

  /// Reverses the end of an array in place, which a slice of it would copy first.
  private static func reverse(_ bytes: inout [UInt8], from start: Int) {
    var (low, high) = (start, bytes.count - 1)
    while low < high {
      bytes.swapAt(low, high)
      low += 1
      high -= 1
    }
  }

  /// Appends a number in decimal with a comma before every three digits.
  static func appendGrouped(_ value: UInt64, to bytes: inout [UInt8]) {
    let start = bytes.count
    var rest = value
    var count = 0
    repeat {
      if count > 0, count % 3 == 0 { bytes.append(UInt8(ascii: ",")) }
      bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
      count += 1
    } while rest > 0
    reverse(&bytes, from: start)
  }
}
