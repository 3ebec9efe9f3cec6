#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

extension Query {
  /// The rules by which days and clock times become moments.
  ///
  /// ```swift
  /// let query = try Query(parsing: "modified:2026-01-01", timeZone: .utc)
  /// ```
  public struct TimeZone: Sendable {
    private let secondsAhead: @Sendable (Int64) -> Int64

    /// Makes a zone from its rules.
    ///
    /// - Parameter secondsFromUTC: returns by how many seconds clocks are ahead of UTC at a moment,
    ///   given in seconds since 1970-01-01T00:00:00Z.
    public init(secondsFromUTC: @escaping @Sendable (_ unixSeconds: Int64) -> Int64) {
      secondsAhead = secondsFromUTC
    }

    /// The zone of this process.
    public static let current = TimeZone { unixSeconds in
      var moment = time_t(unixSeconds)
      var local = tm()
      // There is no local time for years that do not fit an `Int32`.
      return localtime_r(&moment, &local) == nil ? 0 : Int64(local.tm_gmtoff)
    }

    /// Coordinated universal time.
    public static let utc = TimeZone { _ in 0 }

    /// Seconds by which clocks are ahead of UTC at a moment.
    func secondsFromUTC(unixSeconds: Int64) -> Int64 { secondsAhead(unixSeconds) }
  }
}

/// A date and a time of day in the Gregorian calendar, without a zone.
///
/// The arithmetic is done here because a calendar object costs microseconds, and because the
/// text of a query must not depend on the user's calendar.
struct CivilTime: Hashable {
  var year: Int64
  var month = 1
  var day = 1
  var hour = 0
  var minute = 0
  var second = 0

  init(year: Int64, month: Int = 1, day: Int = 1) {
    self.year = year
    self.month = month
    self.day = day
  }

  /// Midnight of a day counted from 1970-01-01.
  init(dayNumber: Int64) {
    // Counts from 1 March of year 0, so that the leap day is the last day of a year.
    let shifted = dayNumber + 719_468
    let era = shifted.flooredDivision(by: 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    self.init(
      year: era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month: Int(month),
      day: Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1))
  }

  /// The time at a moment, as clocks in UTC show it.
  init(unixSeconds: Int64) {
    let days = unixSeconds.flooredDivision(by: 86_400)
    let seconds = Int(unixSeconds - days * 86_400)
    self.init(dayNumber: days)
    hour = seconds / 3600
    minute = seconds / 60 % 60
    second = seconds % 60
  }

  /// The time at a moment, as clocks in a zone show it.
  init(localTo zone: Query.TimeZone, unixSeconds: Int64) {
    self.init(unixSeconds: unixSeconds + zone.secondsFromUTC(unixSeconds: unixSeconds))
  }

  /// Days since 1970-01-01.
  var dayNumber: Int64 {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = shiftedYear.flooredDivision(by: 400)
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = Int64((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1)
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// The moment if the clock shows UTC.
  var unixSeconds: Int64 {
    dayNumber * 86_400 + Int64(hour * 3600 + minute * 60 + second)
  }

  /// The moment if the clock shows the time of a zone: the earlier one of two, and the one after
  /// the gap for a time that the clock skipped.
  func unixSeconds(in zone: Query.TimeZone) -> Int64 {
    let local = unixSeconds
    let before = zone.secondsFromUTC(unixSeconds: local - 86_400)
    let after = zone.secondsFromUTC(unixSeconds: local + 86_400)
    for offset in [before, after]
    where zone.secondsFromUTC(unixSeconds: local - offset) == offset {
      return local - offset
    }
    return local - before
  }

  /// The number of days in the month.
  var daysInMonth: Int {
    switch month {
    case 2: isLeapYear ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private var isLeapYear: Bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  }
}

extension Int64 {
  /// The quotient rounded towards negative infinity.
  func flooredDivision(by divisor: Int64) -> Int64 {
    let quotient = self / divisor
    return self % divisor < 0 ? quotient - 1 : quotient
  }
}
