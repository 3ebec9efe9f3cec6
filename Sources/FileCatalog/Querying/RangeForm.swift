internal import TextMatching

// MARK: - Numbers and sizes

extension WrittenForm where Value == Filter.ValueRange<Int64> {
  static var numbers: WrittenForm {
    let expected = "a number such as 0, >1 or 1..3"
    return WrittenForm(expected: expected) { word throws(QueryError) in
      try word.range(expected) { item throws(QueryError) in
        guard item.isDigits, let number = Int64(item.text) else {
          throw item.error(
            .malformedValue, "“\(item.text)” is not a number", expected: expected)
        }
        return number
      }
    } write: {
      $0.queryValue(\.description)
    }
  }

  static var sizes: WrittenForm {
    let expected = "a size such as >10M, 1k..4k or 0"
    return WrittenForm(expected: expected) { word throws(QueryError) in
      try word.range(expected) { item throws(QueryError) in
        guard let bytes = ByteSize(item.text)?.bytes else {
          throw item.error(
            .malformedValue, "“\(item.text)” is not a size",
            expected:
              "a number of bytes, with K, M, G, T for powers of 1024 or KB, MB, GB, TB for 1000")
        }
        return bytes
      }
    } write: {
      $0.queryValue { ByteSize(bytes: $0).description }
    }
  }
}

// MARK: - Dates

extension WrittenForm where Value == Filter.DateRange {
  static var dates: WrittenForm {
    WrittenForm(expected: QueryWord.expectedDates) { word throws(QueryError) in
      try word.dates()
    } write: { range in
      switch range {
      case .ages(let range): range.queryValue(\.description)
      case .times(let from?, let until?): "\(from.queryValue)..<\(until.queryValue)"
      case .times(let from?, nil): ">=\(from.queryValue)"
      case .times(nil, let until?): "<\(until.queryValue)"
      case .times(nil, nil): ".."
      }
    }
  }
}

extension QueryWord {
  fileprivate static let expectedDates =
    "an age such as <7d or >1y, or a date such as 2026-01-31 or 2026-01-01..2026-02-01"

  private static let expectedAge = "a whole number with s, m (minutes), h, d, w, mo (months) or y"

  /// Reads ages (`<7d`, `1d..7d`) and dates (`2026-01`, `>=2026-01-01`, `today`, `a..b`).
  fileprivate func dates() throws(QueryError) -> Filter.DateRange {
    let range: Filter.DateRange
    switch RangeForm(self) {
    case .single(let word):
      guard !word.isAge else {
        throw word.error(
          .malformedValue, "an age needs a comparison",
          expected: "<\(word.text) for younger or >\(word.text) for older")
      }
      let span = try word.dateSpan()
      range = .times(from: span.start, until: span.end)
    case .compared(let comparison, let word):
      range = try word.isAge ? ages() : comparison.times(word.dateSpan())
    case .between(let low, let high):
      let isAge = [low, high].contains { $0?.word.isAge ?? false }
      range = try isAge ? ages() : times(low, high)
    }
    guard !range.isEmpty else {
      throw error(
        .emptyRange, "nothing can be in this range", expected: "the earlier date first")
    }
    return range
  }

  private func ages() throws(QueryError) -> Filter.DateRange {
    .ages(
      try range(Self.expectedDates) { word throws(QueryError) in
        guard let age = word.age else {
          throw word.error(
            .malformedValue, "“\(word.text)” is not an age", expected: Self.expectedAge)
        }
        return age
      })
  }

  private func times(
    _ low: RangeForm.End?, _ high: RangeForm.End?
  ) throws(QueryError) -> Filter.DateRange {
    guard low != nil || high != nil else {
      throw error(.missingValue, "the range has no ends", expected: Self.expectedDates)
    }
    var from: Filter.TimePoint?
    var until: Filter.TimePoint?
    if let low {
      let span = try low.word.dateSpan()
      from = low.isExcluded ? span.end : span.start
    }
    if let high {
      let span = try high.word.dateSpan()
      until = high.isExcluded ? span.start : span.end
    }
    return .times(from: from, until: until)
  }

  /// The start and the end of what a date covers.
  private func dateSpan() throws(QueryError) -> DateSpan {
    if let day = relativeDay { return DateSpan(start: .day(day), end: .day(day + 1)) }
    guard let date = WrittenDate(text) else {
      let isNumber = characters.first.map { ("0"..."9").contains($0.scalar) } ?? false
      throw error(
        .malformedValue, "“\(text)” is not a date", expected: Self.expectedDates,
        suggestion: isNumber
          ? nil : Spelling.nearest(to: text, in: ["today", "yesterday", "tomorrow"]))
    }
    guard let (start, end) = date.nanoseconds(in: source.timeZone) else {
      throw error(
        .malformedValue, "the date is out of range",
        expected: "a date between 1677-09-22 and 2262-04-10")
    }
    return DateSpan(start: .instant(start), end: .instant(end))
  }

  /// Whether the word is a number followed by letters, which only an age is.
  fileprivate var isAge: Bool {
    let unit = characters.drop { ("0"..."9").contains($0.scalar) }
    return unit.count < characters.count && !unit.isEmpty
      && unit.allSatisfy { $0.scalar.properties.isAlphabetic }
  }

  private var age: Filter.Age? {
    Filter.Age(parsing: text)
  }

  /// Days from today: `today`, `yesterday`, `tomorrow`, `today-7d`, `today+1d`.
  private var relativeDay: Int? {
    switch text.lowercased() {
    case "today": return 0
    case "yesterday": return -1
    case "tomorrow": return 1
    case let word where word.hasPrefix("today") && word.hasSuffix("d"):
      let offset = word.dropFirst("today".count).dropLast()
      // More days than nanoseconds in 64 bits can reach are no day.
      guard offset.first == "+" || offset.first == "-", let days = Int(offset),
        abs(days.clamped) <= Filter.TimePoint.dayLimit
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

/// What a date covers: a whole year, month, day, minute or second.
private struct DateSpan {
  var start: Filter.TimePoint
  var end: Filter.TimePoint
}

extension RangeForm.Comparison {
  fileprivate func times(_ span: DateSpan) -> Filter.DateRange {
    switch self {
    case .less: .times(from: nil, until: span.start)
    case .lessOrEqual: .times(from: nil, until: span.end)
    case .greater: .times(from: span.end, until: nil)
    case .greaterOrEqual: .times(from: span.start, until: nil)
    }
  }
}

extension Filter.TimePoint {
  fileprivate var queryValue: String {
    switch self {
    case .instant(let nanoseconds): WrittenDate.text(ofNanoseconds: nanoseconds)
    case .day(0): "today"
    case .day(let offset): offset < 0 ? "today\(offset)d" : "today+\(offset)d"
    }
  }
}

extension Filter.Age {
  /// An age as queries write it: `90s`, `12h`, `7d`, `1y`; `nil` for anything else.
  public init?(parsing text: String) {
    let digits = text.prefix { ("0"..."9").contains($0) }
    guard let count = UInt32(digits), let unit = Unit(typed: String(text.dropFirst(digits.count)))
    else { return nil }
    self.init(count, unit)
  }
}

extension Filter.Age.Unit {
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

// MARK: - Ranges

extension QueryWord {
  /// Reads `a`, `>a`, `>=a`, `<a`, `<=a`, `a..`, `..b` and `a..b`, where `a` may have a `>` and
  /// `b` a `<` that excludes it.
  func range<Value>(
    _ expected: String, _ read: (QueryWord) throws(QueryError) -> Value
  ) throws(QueryError) -> Filter.ValueRange<Value> {
    let range: Filter.ValueRange<Value>
    switch RangeForm(self) {
    case .single(let item): range = .exactly(try read(item))
    case .compared(let comparison, let item):
      let bound = try read(item)
      range =
        switch comparison {
        case .less: .lessThan(bound)
        case .lessOrEqual: .atMost(bound)
        case .greater: .moreThan(bound)
        case .greaterOrEqual: .atLeast(bound)
        }
    case .between(let low, let high):
      var result = Filter.ValueRange<Value>()
      if let low {
        let bound = try read(low.word)
        result.lower = low.isExcluded ? .exclusive(bound) : .inclusive(bound)
      }
      if let high {
        let bound = try read(high.word)
        result.upper = high.isExcluded ? .exclusive(bound) : .inclusive(bound)
      }
      guard low != nil || high != nil else {
        throw error(.missingValue, "the range has no ends", expected: expected)
      }
      range = result
    }
    guard !range.isEmpty else {
      throw error(
        .emptyRange, "nothing can be in this range", expected: "the smaller value first")
    }
    return range
  }
}

/// The shape of a value that may be a range, not yet read as numbers or dates.
private enum RangeForm {
  enum Comparison {
    case less, lessOrEqual, greater, greaterOrEqual
  }

  struct End {
    var word: QueryWord
    var isExcluded: Bool
  }

  case single(QueryWord)
  case compared(Comparison, QueryWord)
  case between(End?, End?)

  init(_ value: QueryWord) {
    if let (low, high) = value.splitAtDots() {
      func end(_ word: QueryWord, excludedBy mark: Unicode.Scalar) -> End? {
        if word.characters.isEmpty { return nil }
        let isExcluded = word.characters.first?.scalar == mark
        return End(word: word.dropping(isExcluded ? 1 : 0), isExcluded: isExcluded)
      }
      self = .between(end(low, excludedBy: ">"), end(high, excludedBy: "<"))
      return
    }
    let second = value.characters.dropFirst().first?.scalar
    switch (value.characters.first?.scalar, second) {
    case ("<", "="): self = .compared(.lessOrEqual, value.dropping(2))
    case ("<", _): self = .compared(.less, value.dropping(1))
    case (">", "="): self = .compared(.greaterOrEqual, value.dropping(2))
    case (">", _): self = .compared(.greater, value.dropping(1))
    default: self = .single(value)
    }
  }
}

extension Filter.ValueRange {
  /// The range as the query language has it; `..` for one without ends.
  func queryValue(_ write: (Value) -> String) -> String {
    switch (lower, upper) {
    case (.unbounded, .unbounded): ".."
    case (.unbounded, .exclusive(let high)): "<" + write(high)
    case (.unbounded, .inclusive(let high)): "<=" + write(high)
    case (.exclusive(let low), .unbounded): ">" + write(low)
    case (.inclusive(let low), .unbounded): ">=" + write(low)
    case (.inclusive(let low), .inclusive(let high))
    where low == high && Value.self != Filter.Age.self && Value.self != Filter.Number.self:
      write(low)
    case (.inclusive(let low), .inclusive(let high)): write(low) + ".." + write(high)
    case (.inclusive(let low), .exclusive(let high)): write(low) + "..<" + write(high)
    case (.exclusive(let low), .inclusive(let high)): ">" + write(low) + ".." + write(high)
    case (.exclusive(let low), .exclusive(let high)): ">" + write(low) + "..<" + write(high)
    }
  }
}

/// A number of bytes as it is written in a query.
package struct ByteSize: Sendable {
  package var bytes: Int64

  package init(bytes: Int64) {
    self.bytes = bytes
  }

  /// Reads `10`, `1.5M`, `4KiB`, `4ki`, `20 kB` without the space. A fraction of a byte is rounded.
  ///
  /// Returns `nil` for anything else and for what does not fit 63 bits.
  package init?(_ text: String) {
    let digits = text.prefix { $0.isASCII && $0.isNumber || $0 == "." }
    guard let unit = Self.units[text.dropFirst(digits.count).lowercased()] else { return nil }
    let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty }),
      let whole = Int64(parts[0])
    else { return nil }
    let (product, overflow) = whole.multipliedReportingOverflow(by: unit)
    guard !overflow else { return nil }
    var fraction: Int64 = 0
    if parts.count == 2 {
      guard let value = Double("0." + parts[1]) else { return nil }
      fraction = Int64((value * Double(unit)).rounded())
    }
    let (sum, sumOverflow) = product.addingReportingOverflow(fraction)
    guard !sumOverflow else { return nil }
    bytes = sum
  }

  private static let units: [String: Int64] = {
    var units: [String: Int64] = ["": 1, "b": 1]
    for (power, letter) in ["k", "m", "g", "t", "p", "e"].enumerated() {
      let binary: Int64 = 1 << (10 * (power + 1))
      units[letter] = binary
      units[letter + "i"] = binary
      units[letter + "ib"] = binary
      units[letter + "b"] = (0...power).reduce(1) { product, _ in product * 1000 }
    }
    return units
  }()
}

extension ByteSize: CustomStringConvertible {
  /// The exact number in the largest binary unit that gives a whole one: `10M`, `1000`.
  package var description: String {
    var count = bytes
    var unit = ""
    for letter in ["K", "M", "G", "T"] where count != 0 && count % 1024 == 0 {
      count /= 1024
      unit = letter
    }
    return "\(count)\(unit)"
  }
}
