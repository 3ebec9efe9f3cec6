/// A value with a fixed way to be shown, that is appended to a buffer without a string between.
package protocol ByteText: CustomStringConvertible, Sendable {
  /// Appends the text in UTF-8.
  func append(to bytes: inout [UInt8])
}

extension ByteText {
  /// The text as a string.
  package var description: String {
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

/// A number of bytes as people read it: `512`, `1.5M`, `12G`; or exactly: `1,572,864`.
///
/// The units are powers of 1024, and the number is rounded up, as `ls -h` and `du -h` do: what
/// is shown is never less than what is there.
package struct ByteCountText: ByteText {
  /// The number of bytes.
  package var byteCount: Int64

  /// How it is shown.
  package var style: SizeStyle

  /// The text of a number of bytes.
  package init(_ byteCount: Int64, style: SizeStyle = .human) {
    self.byteCount = byteCount
    self.style = style
  }

  /// Appends the text in UTF-8.
  package func append(to bytes: inout [UInt8]) {
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

/// How people see numbers of bytes.
package enum SizeStyle: Sendable {
  /// Rounded, with a unit: `1.5M`.
  case human
  /// Every digit, in groups: `1,572,864`.
  case exact
}

/// A number of things with grouped digits: `1,234,567`.
package struct CountText: ByteText {
  /// The number.
  package var count: Int64
  /// What is counted: the word behind the number.
  private let noun: String?

  /// The text of a number.
  package init(_ count: some BinaryInteger) {
    self.count = Int64(clamping: count)
    noun = nil
  }

  /// The text of a number with what is counted, by the word for one and that for several: `1 scan`,
  /// `2 scans`.
  package init(_ count: some BinaryInteger, _ one: String, _ several: String) {
    self.count = Int64(clamping: count)
    noun = count == 1 ? one : several
  }

  /// Appends the text in UTF-8.
  package func append(to bytes: inout [UInt8]) {
    if count < 0 { bytes.append(UInt8(ascii: "-")) }
    Digits.appendGrouped(count.magnitude, to: &bytes)
    if let noun { bytes += " \(noun)".utf8 }
  }
}

/// Where the clock is that dates are shown by.
package enum DisplayTimeZone: Sendable, Equatable {
  /// The time zone of this process, `TZ` included.
  case local
  /// Coordinated Universal Time.
  case utc
  /// A fixed number of seconds ahead of UTC.
  case fixed(secondsAhead: Int)

  /// How far the clock is ahead of UTC at a moment, in seconds.
  func offset(at seconds: Int64) -> Int64 {
    switch self {
    case .local: SystemCalls.localOffset(at: seconds)
    case .utc: 0
    case .fixed(let secondsAhead): Int64(secondsAhead)
    }
  }
}

/// A moment as a date and a time of day: `2026-11-21 14:05`.
package struct DateText: ByteText {
  /// Nanoseconds since 1970-01-01 00:00 UTC.
  package var nanoseconds: Int64

  /// The time zone in which it is shown.
  package var timeZone: DisplayTimeZone

  /// The text of a moment.
  package init(nanoseconds: Int64, timeZone: DisplayTimeZone = .local) {
    self.nanoseconds = nanoseconds
    self.timeZone = timeZone
  }

  /// Appends the text in UTF-8.
  package func append(to bytes: inout [UInt8]) {
    let seconds = nanoseconds.flooredQuotient(by: 1_000_000_000)
    let local = seconds + timeZone.offset(at: seconds)
    let day = local.flooredQuotient(by: 86_400)
    let minutes = UInt64(local - day * 86_400) / 60
    let date = CivilDate(daysSince1970: day)
    Digits.append(UInt64(max(0, date.year)), width: 4, to: &bytes)
    bytes.append(UInt8(ascii: "-"))
    Digits.append(UInt64(date.month), width: 2, to: &bytes)
    bytes.append(UInt8(ascii: "-"))
    Digits.append(UInt64(date.day), width: 2, to: &bytes)
    bytes.append(UInt8(ascii: " "))
    Digits.append(minutes / 60, width: 2, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    Digits.append(minutes % 60, width: 2, to: &bytes)
  }
}

/// A day in the Gregorian calendar.
package struct CivilDate: Equatable {
  package var year: Int64
  package var month: Int64
  package var day: Int64

  /// The date of a day counted from 1970-01-01.
  ///
  /// Years are counted here from March, so that the leap day is the last day of a year, and in
  /// eras of 400 years, all of which have the same number of days.
  package init(daysSince1970 days: Int64) {
    let daysInEra: Int64 = 146_097
    // 719,468 days lie between 0000-03-01 and 1970-01-01.
    let shifted = days + 719_468
    let era = shifted.flooredQuotient(by: daysInEra)
    let dayOfEra = shifted - era * daysInEra
    let leapDays = dayOfEra / 1_460 - dayOfEra / 36_524 + dayOfEra / 146_096
    let yearOfEra = (dayOfEra - leapDays) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    // From March on, the lengths of the months repeat every 5 months, that is every 153 days.
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }
}

extension Int64 {
  /// The quotient rounded down, also for numbers below zero.
  func flooredQuotient(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}

/// A span of time as people read it: `420 ms`, `12.3 s`, `1:05`, `2:03:04`.
package struct DurationText: ByteText {
  /// How short spans are shown.
  package enum Style: Sendable {
    /// Under a minute with a unit: `420 ms`, `12.3 s`.
    case measured
    /// Always minutes and seconds: `0:12`.
    case clock
  }

  /// The span in nanoseconds.
  package var nanoseconds: Int64

  /// How it is shown.
  package var style: Style

  /// The text of a span in nanoseconds.
  package init(nanoseconds: Int64, style: Style = .measured) {
    self.nanoseconds = nanoseconds
    self.style = style
  }

  /// The text of a span.
  package init(_ duration: Duration, style: Style = .measured) {
    let (seconds, attoseconds) = duration.components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let limit: Int64 = seconds < 0 ? .min : .max
    let (sum, sumOverflow) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
    self.init(nanoseconds: overflow || sumOverflow ? limit : sum, style: style)
  }

  /// Appends the text in UTF-8.
  package func append(to bytes: inout [UInt8]) {
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

/// A part of a whole as a bar of blocks, in eighths of a column: `███▌`.
package struct BarText: Sendable, Equatable {
  /// The part, from 0 to 1. What is outside is taken for the nearer end.
  package var part: Double

  /// The columns of the whole.
  package var width: Int

  /// The bar of a part.
  package init(_ part: Double, width: Int) {
    self.part = part
    self.width = width
  }

  /// The bar, without anything after its end. The smallest part that is not nothing is visible.
  package var string: String {
    guard part > 0, width > 0 else { return "" }
    let eighths = max(1, Int((min(part, 1) * Double(width) * 8).rounded()))
    return String(repeating: "█", count: eighths / 8) + Self.endings[eighths % 8]
  }

  /// The column for bars; `nil` where there is no terminal, or one on which they would take the room
  /// of names.
  package static func column(on terminal: Terminal) -> Column? {
    guard let width = terminal.width, width >= 50 else { return nil }
    return Column("", alignment: .leading)
  }

  private static let endings = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
}
