/// Where the clock is that dates are shown by.
public enum DisplayTimeZone: Sendable, Equatable {
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
public struct DateText: ByteText {
  /// Nanoseconds since 1970-01-01 00:00 UTC.
  public var nanoseconds: Int64

  /// The time zone in which it is shown.
  public var timeZone: DisplayTimeZone

  /// The text of a moment.
  public init(nanoseconds: Int64, timeZone: DisplayTimeZone = .local) {
    self.nanoseconds = nanoseconds
    self.timeZone = timeZone
  }

  /// Appends the text in UTF-8.
  public func append(to bytes: inout [UInt8]) {
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
struct CivilDate: Equatable {
  var year: Int64
  var month: Int64
  var day: Int64

  /// The date of a day counted from 1970-01-01.
  ///
  /// Years are counted here from March, so that the leap day is the last day of a year, and in
  /// eras of 400 years, all of which have the same number of days.
  init(daysSince1970 days: Int64) {
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
