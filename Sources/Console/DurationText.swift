/// A span of time as people read it: `420 ms`, `12.3 s`, `1:05`, `2:03:04`.
public struct DurationText: ByteText {
  /// How short spans are shown.
  public enum Style: Sendable {
    /// Under a minute with a unit: `420 ms`, `12.3 s`.
    case measured
    /// Always minutes and seconds: `0:12`.
    case clock
  }

  /// The span in nanoseconds.
  public var nanoseconds: Int64

  /// How it is shown.
  public var style: Style

  /// The text of a span in nanoseconds.
  public init(nanoseconds: Int64, style: Style = .measured) {
    self.nanoseconds = nanoseconds
    self.style = style
  }

  /// The text of a span.
  public init(_ duration: Duration, style: Style = .measured) {
    let (seconds, attoseconds) = duration.components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let limit: Int64 = seconds < 0 ? .min : .max
    let (sum, sumOverflow) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
    self.init(nanoseconds: overflow || sumOverflow ? limit : sum, style: style)
  }

  /// Appends the text in UTF-8.
  public func append(to bytes: inout [UInt8]) {
    if nanoseconds < 0 { bytes.append(UInt8(ascii: "-")) }
    let span = nanoseconds.magnitude
    // 59.95 s and more would be rounded to a minute.
    guard style == .measured, span < 59_950_000_000 else {
      return Self.appendClock((span + 500_000_000) / 1_000_000_000, to: &bytes)
    }
    switch span {
    case ..<1_000:
      Digits.append(span, to: &bytes)
      bytes.append(contentsOf: " ns".utf8)
    case ..<1_000_000:
      Digits.append(span / 1_000, to: &bytes)
      bytes.append(contentsOf: " µs".utf8)
    case ..<1_000_000_000:
      Digits.append(span / 1_000_000, to: &bytes)
      bytes.append(contentsOf: " ms".utf8)
    default:
      let tenths = (span + 50_000_000) / 100_000_000
      Digits.append(tenths / 10, to: &bytes)
      bytes.append(UInt8(ascii: "."))
      Digits.append(tenths % 10, to: &bytes)
      bytes.append(contentsOf: " s".utf8)
    }
  }

  private static func appendClock(_ seconds: UInt64, to bytes: inout [UInt8]) {
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
    if hours > 0 {
      Digits.append(hours, to: &bytes)
      bytes.append(UInt8(ascii: ":"))
    }
    Digits.append(minutes, width: hours > 0 ? 2 : 1, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    Digits.append(seconds % 60, width: 2, to: &bytes)
  }
}
