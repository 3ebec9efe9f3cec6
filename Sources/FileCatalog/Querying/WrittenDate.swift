/// A date of ISO 8601 as written in a query, from a year alone to nanoseconds with a zone.
struct WrittenDate {
  private enum Precision {
    case year, month, day, minute, second
    /// A fraction of a second; the span is one unit of its last digit.
    case fraction(unit: Int64)
  }

  private enum Zone {
    case local
    case offset(seconds: Int64)
  }

  private var time: CivilTime
  private var fraction: Int64 = 0
  private var precision = Precision.year
  private var zone = Zone.local

  /// Reads `2026`, `2026-01`, `2026-01-31`, `2026-01-31T12:30`, with seconds, a fraction of up
  /// to nine digits, and `Z` or `+02:00`. Returns `nil` for anything else.
  init?(_ text: String) {
    var input = Substring(text)
    guard let year = input.takeNumber(digits: 4) else { return nil }
    time = CivilTime(year: Int64(year))
    if input.isEmpty { return }

    guard input.take("-"), let month = input.takeNumber(digits: 2), (1...12).contains(month)
    else { return nil }
    time.month = month
    precision = .month
    if input.isEmpty { return }

    guard input.take("-"), let day = input.takeNumber(digits: 2),
      (1...time.daysInMonth).contains(day)
    else { return nil }
    time.day = day
    precision = .day
    if input.isEmpty { return }

    guard input.take("T") || input.take("t") || input.take(" "), readClock(&input),
      readZone(&input), input.isEmpty
    else { return nil }
  }

  private mutating func readClock(_ input: inout Substring) -> Bool {
    guard let hour = input.takeNumber(digits: 2), hour < 24, input.take(":"),
      let minute = input.takeNumber(digits: 2), minute < 60
    else { return false }
    time.hour = hour
    time.minute = minute
    precision = .minute
    guard input.take(":") else { return true }

    guard let second = input.takeNumber(digits: 2), second < 60 else { return false }
    time.second = second
    precision = .second
    guard input.take(".") else { return true }

    let digits = input.prefix { $0.isASCII && $0.isNumber }
    guard (1...9).contains(digits.count), let number = Int64(digits) else { return false }
    let unit = (digits.count..<9).reduce(Int64(1)) { product, _ in product * 10 }
    fraction = number * unit
    precision = .fraction(unit: unit)
    input.removeFirst(digits.count)
    return true
  }

  private mutating func readZone(_ input: inout Substring) -> Bool {
    if input.isEmpty { return true }
    if input.take("Z") || input.take("z") {
      zone = .offset(seconds: 0)
      return true
    }
    let isWest = input.take("-")
    guard isWest || input.take("+"), let hours = input.takeNumber(digits: 2), hours < 24 else {
      return false
    }
    _ = input.take(":")
    guard let minutes = input.takeNumber(digits: 2), minutes < 60 else { return false }
    let seconds = Int64(hours * 3600 + minutes * 60)
    zone = .offset(seconds: isWest ? -seconds : seconds)
    return true
  }

  /// The first nanosecond that the date covers and the first one after it, or `nil` if one of
  /// them does not fit 64 bits.
  func nanoseconds(in localZone: Query.TimeZone) -> (start: Int64, end: Int64)? {
    var next = time
    var length: Int64 = 0
    switch precision {
    case .year: next = CivilTime(year: time.year + 1)
    case .month:
      next =
        time.month == 12
        ? CivilTime(year: time.year + 1) : CivilTime(year: time.year, month: time.month + 1)
    case .day: next = CivilTime(dayNumber: time.dayNumber + 1)
    case .minute: length = 60 * 1_000_000_000
    case .second: length = 1_000_000_000
    case .fraction(let unit): length = unit
    }
    guard let start = nanoseconds(of: time, in: localZone),
      let nextStart = nanoseconds(of: next, in: localZone)
    else { return nil }
    let (end, overflow) = nextStart.addingReportingOverflow(length)
    return overflow ? (start, .max) : (start, end)
  }

  private func nanoseconds(of time: CivilTime, in localZone: Query.TimeZone) -> Int64? {
    let seconds =
      switch zone {
      case .local: time.unixSeconds(in: localZone)
      case .offset(let offset): time.unixSeconds - offset
      }
    // In two steps: near the lower limit the whole seconds alone do not fit.
    let (whole, overflow) = (seconds + 1).multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflow else {
      let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
      let (sum, sumOverflow) = product.addingReportingOverflow(fraction)
      return overflow || sumOverflow ? nil : sum
    }
    let (sum, sumOverflow) = whole.addingReportingOverflow(fraction - 1_000_000_000)
    return sumOverflow ? nil : sum
  }

  /// The moment as text with a zone, down to the nanosecond where there are any.
  static func text(ofNanoseconds nanoseconds: Int64) -> String {
    let seconds = nanoseconds.flooredDivision(by: 1_000_000_000)
    // The product may lie below the smallest number; the remainder never does.
    let fraction = nanoseconds &- seconds &* 1_000_000_000
    let time = CivilTime(unixSeconds: seconds)
    let day = "\(padded(time.year, 4))-\(padded(time.month))-\(padded(time.day))"
    let clock = "\(padded(time.hour)):\(padded(time.minute)):\(padded(time.second))"
    return "\(day)T\(clock)\(fraction == 0 ? "" : "." + padded(fraction, 9))Z"
  }

  private static func padded(_ number: some BinaryInteger, _ width: Int = 2) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}

extension Substring {
  fileprivate mutating func take(_ character: Character) -> Bool {
    guard first == character else { return false }
    removeFirst()
    return true
  }

  /// Takes exactly so many ASCII digits.
  fileprivate mutating func takeNumber(digits count: Int) -> Int? {
    let digits = prefix(count)
    guard digits.utf8.count == count, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    removeFirst(count)
    return Int(digits)
  }
}
