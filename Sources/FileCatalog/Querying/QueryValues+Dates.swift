extension QueryValues {
  /// Reads ages (`<7d`, `1d..7d`) and dates (`2026-01`, `>=2026-01-01`, `today`, `a..b`).
  func dates(_ value: QueryWord) throws(QueryError) -> DateRange {
    let form = RangeForm(value)
    let range: DateRange
    switch form {
    case .single(let word):
      guard !word.isAge else {
        throw error(
          "an age needs a comparison", word.range,
          "<\(word.text) for younger or >\(word.text) for older")
      }
      let span = try dateSpan(word)
      range = .times(from: span.start, until: span.end)
    case .compared(let comparison, let word):
      range = try word.isAge ? ages(value) : times(comparison, dateSpan(word))
    case .between(let low, let high):
      if [low, high].contains(where: { $0?.word.isAge ?? false }) {
        range = try ages(value)
      } else {
        range = try times(low, high, value)
      }
    }
    guard !range.isEmpty else {
      throw error("nothing can be in this range", value.range, "the earlier date first")
    }
    return range
  }

  private func ages(_ value: QueryWord) throws(QueryError) -> DateRange {
    .ages(
      try range(value, QueryTermName.modified.expectedValue) { word throws(QueryError) in
        guard let age = word.age else {
          throw self.error("“\(word.text)” is not an age", word.range, Self.expectedAge)
        }
        return age
      })
  }

  private func times(
    _ comparison: RangeForm.Comparison, _ span: DateSpan
  ) -> DateRange {
    switch comparison {
    case .less: .times(from: nil, until: span.start)
    case .lessOrEqual: .times(from: nil, until: span.end)
    case .greater: .times(from: span.end, until: nil)
    case .greaterOrEqual: .times(from: span.start, until: nil)
    }
  }

  private func times(
    _ low: RangeForm.End?, _ high: RangeForm.End?, _ value: QueryWord
  ) throws(QueryError) -> DateRange {
    guard low != nil || high != nil else {
      throw error("the range has no ends", value.range, QueryTermName.modified.expectedValue)
    }
    var from: TimePoint?
    var until: TimePoint?
    if let low {
      let span = try dateSpan(low.word)
      from = low.isExcluded ? span.end : span.start
    }
    if let high {
      let span = try dateSpan(high.word)
      until = high.isExcluded ? span.start : span.end
    }
    return .times(from: from, until: until)
  }

  // MARK: - Single dates

  /// What a date covers: a whole year, month, day, minute or second.
  private struct DateSpan {
    var start: TimePoint
    var end: TimePoint
  }

  private static let expectedAge =
    "a whole number with s, m (minutes), h, d, w, mo (months) or y"

  private func dateSpan(_ word: QueryWord) throws(QueryError) -> DateSpan {
    if let day = word.relativeDay {
      return DateSpan(start: .day(day), end: .day(day + 1))
    }
    guard let date = WrittenDate(word.text) else {
      let isNumber = word.characters.first.map { ("0"..."9").contains($0.scalar) } ?? false
      throw error(
        "“\(word.text)” is not a date", word.range, QueryTermName.modified.expectedValue,
        suggestion: isNumber
          ? nil : Spelling.nearest(to: word.text, in: ["today", "yesterday", "tomorrow"]))
    }
    guard let (start, end) = date.nanoseconds(in: timeZone) else {
      throw error(
        "the date is out of range", word.range, "a date between 1677-09-22 and 2262-04-10")
    }
    return DateSpan(start: .instant(start), end: .instant(end))
  }
}

extension QueryWord {
  /// Whether the word is a number followed by letters, which only an age is.
  fileprivate var isAge: Bool {
    let unit = characters.drop { ("0"..."9").contains($0.scalar) }
    return unit.count < characters.count && !unit.isEmpty
      && unit.allSatisfy { $0.scalar.properties.isAlphabetic }
  }

  fileprivate var age: Age? {
    let digits = characters.prefix { ("0"..."9").contains($0.scalar) }.count
    guard let count = UInt32(part(0..<digits).text),
      let unit = Age.Unit(typed: part(digits..<characters.count).text)
    else { return nil }
    return Age(count, unit)
  }

  /// Days from today: `today`, `yesterday`, `tomorrow`, `today-7d`, `today+1d`.
  fileprivate var relativeDay: Int? {
    switch text.lowercased() {
    case "today": return 0
    case "yesterday": return -1
    case "tomorrow": return 1
    case let word where word.hasPrefix("today") && word.hasSuffix("d"):
      let offset = word.dropFirst("today".count).dropLast()
      // More days than nanoseconds in 64 bits can reach are no day.
      guard offset.first == "+" || offset.first == "-", let days = Int(offset),
        abs(days.clamped) <= TimePoint.dayLimit
      else { return nil }
      return days
    default: return nil
    }
  }
}

extension Int {
  /// The number, small enough for `abs`.
  fileprivate var clamped: Int { Swift.max(self, -Int.max) }
}

extension TimePoint {
  /// The largest distance from today that can be written.
  static let dayLimit = 1_000_000
}

extension Age.Unit {
  /// The unit for an abbreviation or a word as typed.
  fileprivate init?(typed text: String) {
    switch text.lowercased() {
    case "s", "sec", "second", "seconds": self = .second
    case "m", "min", "minute", "minutes": self = .minute
    case "h", "hour", "hours": self = .hour
    case "d", "day", "days": self = .day
    case "w", "week", "weeks": self = .week
    case "mo", "month", "months": self = .month
    case "y", "year", "years": self = .year
    default: return nil
    }
  }
}
