/// A number of bytes as people read it: `512`, `1.5M`, `12G`; or exactly: `1,572,864`.
///
/// The units are powers of 1024, and the number is rounded up, as `ls -h` and `du -h` do: what
/// is shown is never less than what is there.
public struct ByteCountText: ByteText {
  /// The number of bytes.
  public var byteCount: Int64

  /// How it is shown.
  public var style: SizeStyle

  /// The text of a number of bytes.
  public init(_ byteCount: Int64, style: SizeStyle = .human) {
    self.byteCount = byteCount
    self.style = style
  }

  /// Appends the text in UTF-8.
  public func append(to bytes: inout [UInt8]) {
    if byteCount < 0 { bytes.append(UInt8(ascii: "-")) }
    switch style {
    case .exact: Digits.appendGrouped(byteCount.magnitude, to: &bytes)
    case .human: Self.appendRounded(byteCount.magnitude, to: &bytes)
    }
  }

  private static let units = Array("KMGTPE".utf8)

  private static func appendRounded(_ value: UInt64, to bytes: inout [UInt8]) {
    guard value >= 1024 else { return Digits.append(value, to: &bytes) }
    // The largest unit of which there is at least one.
    var exponent = (63 - value.leadingZeroBitCount) / 10
    let shift = UInt64(exponent * 10)
    let whole = value >> shift
    let rest = value & ((1 << shift) - 1)
    let tenths = whole * 10 + (rest * 10 + (1 << shift) - 1) >> shift
    let rounded = whole + (rest > 0 ? 1 : 0)
    if tenths < 100 {
      Digits.append(tenths / 10, to: &bytes)
      bytes.append(UInt8(ascii: "."))
      Digits.append(tenths % 10, to: &bytes)
    } else if rounded >= 1024, exponent < units.count {
      // 1023.5K is rounded up into the next unit.
      exponent += 1
      bytes.append(contentsOf: "1.0".utf8)
    } else {
      Digits.append(rounded, to: &bytes)
    }
    bytes.append(units[exponent - 1])
  }
}
