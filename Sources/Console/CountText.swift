/// A number of things with grouped digits: `1,234,567`.
public struct CountText: ByteText {
  /// The number.
  public var count: Int64

  /// The text of a number.
  public init(_ count: some BinaryInteger) {
    self.count = Int64(clamping: count)
  }

  /// Appends the text in UTF-8.
  public func append(to bytes: inout [UInt8]) {
    if count < 0 { bytes.append(UInt8(ascii: "-")) }
    Digits.appendGrouped(count.magnitude, to: &bytes)
  }
}
