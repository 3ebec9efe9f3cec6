extension Filter {
  /// A range of times, as absolute dates or as ages.
  ///
  /// Ages and days counted from today are kept as they were written, so that a saved search for
  /// the last seven days means the seven days before it is run.
  public enum DateRange: Hashable, Sendable {
    /// How long ago: the lower end is the youngest age, the upper end the oldest. A time in the
    /// future counts as younger than any age.
    case ages(ValueRange<Age>)
    /// From a time, included, until another one, excluded; `nil` is open.
    case times(from: TimePoint?, until: TimePoint?)

    /// Returns the range of times less than this age ago.
    public static func youngerThan(_ age: Age) -> DateRange { .ages(.lessThan(age)) }

    /// Returns the range of times more than this age ago.
    public static func olderThan(_ age: Age) -> DateRange { .ages(.moreThan(age)) }

    /// The day on which the query is run.
    public static let today = DateRange.times(from: .day(0), until: .day(1))

    /// The day before the one on which the query is run.
    public static let yesterday = DateRange.times(from: .day(-1), until: .day(0))
  }

  /// A moment that bounds a ``DateRange``.
  public enum TimePoint: Hashable, Sendable {
    /// Nanoseconds since 1970-01-01T00:00:00Z.
    case instant(Int64)
    /// The start of the day this number of days after the one on which the query is run.
    case day(Int)
  }

  /// A span of time as it was written, such as "7 days".
  public struct Age: Hashable, Sendable {
    /// A unit of age. All have fixed lengths.
    public enum Unit: String, CaseIterable, Hashable, Sendable {
      /// One second.
      case second = "s"
      /// 60 seconds.
      case minute = "m"
      /// 60 minutes.
      case hour = "h"
      /// 24 hours.
      case day = "d"
      /// 7 days.
      case week = "w"
      /// 30 days.
      case month = "mo"
      /// 365 days.
      case year = "y"

      /// The length in seconds.
      public var seconds: Int64 {
        switch self {
        case .second: 1
        case .minute: 60
        case .hour: 3600
        case .day: 86400
        case .week: 7 * 86400
        case .month: 30 * 86400
        case .year: 365 * 86400
        }
      }
    }

    /// The number of units.
    public var count: UInt32
    /// The unit.
    public var unit: Unit

    /// Makes an age.
    public init(_ count: UInt32, _ unit: Unit) {
      self.count = count
      self.unit = unit
    }

    /// The length in seconds.
    public var seconds: Int64 { Int64(count) * unit.seconds }

    /// The length in nanoseconds, at most `Int64.max`.
    public var nanoseconds: Int64 { saturatingNanoseconds(seconds: seconds) }

    /// Returns an age in hours of 3600 seconds.
    public static func hours(_ count: UInt32) -> Age { Age(count, .hour) }

    /// Returns an age in days of 24 hours.
    public static func days(_ count: UInt32) -> Age { Age(count, .day) }

    /// Returns an age in weeks of 7 days.
    public static func weeks(_ count: UInt32) -> Age { Age(count, .week) }

    /// Returns an age in months of 30 days.
    public static func months(_ count: UInt32) -> Age { Age(count, .month) }

    /// Returns an age in years of 365 days.
    public static func years(_ count: UInt32) -> Age { Age(count, .year) }
  }
}

extension Filter.Age: Comparable {
  /// Orders by length, and ages of one length by unit.
  public static func < (left: Self, right: Self) -> Bool {
    (left.seconds, left.unit.seconds) < (right.seconds, right.unit.seconds)
  }
}

extension Filter.Age: CustomStringConvertible {
  /// The age as in a query: `7d`.
  public var description: String { "\(count)\(unit.rawValue)" }
}

extension Filter.DateRange {
  /// Whether the range is open on both sides.
  package var isUnbounded: Bool {
    switch self {
    case .ages(let range): range.isUnbounded
    case .times(let from, let until): from == nil && until == nil
    }
  }

  /// Whether the ends are the wrong way round, so that no time can be inside whenever the query
  /// is run.
  package var isEmpty: Bool {
    switch self {
    case .ages(let range): range.isEmpty
    case .times(.instant(let from), .instant(let until)): from >= until
    case .times(.day(let from), .day(let until)): from >= until
    case .times: false
    }
  }

  /// The range in nanoseconds since 1970-01-01T00:00:00Z.
  ///
  /// - Parameters:
  ///   - now: the time from which ages and days count, in the same nanoseconds.
  ///   - timeZone: decides when a day starts.
  /// - Returns: a range whose ends lie at the limits of `Int64` where they would be beyond.
  package func resolved(now: Int64, timeZone: Query.TimeZone = .current) -> Filter.ValueRange<Int64>
  {
    switch self {
    case .ages(let ages):
      // The older end of the ages is the lower end of the times.
      return Filter.ValueRange(
        lower: ages.upper.map { now.subtractingSaturating($0.nanoseconds) },
        upper: ages.lower.map { now.subtractingSaturating($0.nanoseconds) })
    case .times(let from, let until):
      let lower = from?.resolved(now: now, timeZone: timeZone)
      let upper = until?.resolved(now: now, timeZone: timeZone)
      return Filter.ValueRange(
        lower: lower.map { .inclusive($0) } ?? .unbounded,
        upper: upper.map { .exclusive($0) } ?? .unbounded)
    }
  }
}

extension Filter.TimePoint {
  fileprivate func resolved(now: Int64, timeZone: Query.TimeZone) -> Int64 {
    switch self {
    case .instant(let nanoseconds): return nanoseconds
    case .day(let offset):
      let today = CivilTime(localTo: timeZone, unixSeconds: now.flooredDivision(by: 1_000_000_000))
      let days = today.dayNumber + Int64(max(-Self.dayLimit, min(Self.dayLimit, offset)))
      return saturatingNanoseconds(
        seconds: CivilTime(dayNumber: days).unixSeconds(in: timeZone))
    }
  }
}

extension Filter.DateRange {
  /// The same range with days no further away than can be written.
  var simplified: Self {
    guard case .times(let from, let until) = self else { return self }
    return .times(from: from?.simplified, until: until?.simplified)
  }
}

extension Filter.TimePoint {
  /// The largest distance from today that can be written: far more days than the nanoseconds of
  /// 64 bits reach.
  static let dayLimit = 1_000_000

  fileprivate var simplified: Self {
    guard case .day(let offset) = self else { return self }
    return .day(max(-Self.dayLimit, min(Self.dayLimit, offset)))
  }
}

extension Filter.ValueRange.Bound {
  fileprivate func map<Other>(_ transform: (Value) -> Other) -> Filter.ValueRange<Other>.Bound {
    switch self {
    case .unbounded: .unbounded
    case .inclusive(let value): .inclusive(transform(value))
    case .exclusive(let value): .exclusive(transform(value))
    }
  }
}

extension Int64 {
  fileprivate func subtractingSaturating(_ other: Int64) -> Int64 {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other > 0 ? .min : .max) : difference
  }
}

/// Seconds as nanoseconds, at the limits of `Int64` where they would be beyond.
func saturatingNanoseconds(seconds: Int64) -> Int64 {
  let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
  return overflow ? (seconds < 0 ? .min : .max) : product
}
