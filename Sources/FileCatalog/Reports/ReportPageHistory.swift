internal import Console

/// How much space everything took, scan by scan.
struct ReportPageHistory: Sendable {
  static let id = "history"
  static let title = "History"
  /// As many lines as anybody compares; those of what takes most.
  static let lineLimit = 8

  struct Point: Sendable {
    /// Seconds since 1970.
    var time: Int64
    var allocated: Int64
  }

  /// What a directory took at the end of each scan, with the times in ascending order.
  struct Line: Sendable {
    /// As many points as can be told apart.
    private static let pointLimit = 60

    var path: [UInt8]
    private(set) var points: [Point]
    /// How many scans there were.
    let scanCount: Int

    init(path: [UInt8], _ points: [Point]) {
      self.path = path
      scanCount = points.count
      self.points = points
      guard points.count > Self.pointLimit, let first = points.first, let last = points.last else {
        return
      }
      // The first, and the last of each span of time.
      let span = max(1, Double(last.time) - Double(first.time))
      func place(_ point: Point) -> Int {
        Int((Double(point.time) - Double(first.time)) / span * Double(Self.pointLimit - 2))
      }
      self.points = [first]
      for (point, next) in zip(points.dropFirst(), points.dropFirst(2).map(Optional.some) + [nil])
      where next.map({ place($0) != place(point) }) ?? true {
        self.points.append(point)
      }
    }
  }

  /// Those of which there are two scans or more.
  var lines: [Line]
  /// How many lines there are altogether.
  var lineCount: Int
  /// Why there are none, where there are none.
  var emptiness: String

  var isEmpty: Bool { lines.isEmpty }

  /// A chart for each line.
  var section: Markup {
    var section: Markup = """
      <section id=\(Self.id) aria-labelledby=\(Self.id)-title>
      <h2 id=\(Self.id)-title>\(Self.title)</h2>

      """
    if isEmpty {
      section += "<p class=empty>\(emptiness)</p>\n"
    } else {
      section += "<p class=about>Bytes on disk at the end of each scan.</p>\n<div class=charts>\n"
      for line in lines { section += ReportPageChart(line).figure }
      section += "</div>\n"
      if lineCount > lines.count {
        section += """
          <p class=cut>\(CountText(lines.count)) of \(CountText(lineCount)) roots: \
          those that take most.</p>

          """
      }
    }
    section += "</section>\n"
    return section
  }
}

/// One line over time. Places are told in percent, so that it has any width while its text keeps its
/// size.
struct ReportPageChart {
  private let line: ReportPageHistory.Line
  private let bytes: ByteAxis
  private let times: TimeAxis

  init(_ line: ReportPageHistory.Line) {
    self.line = line
    let values = line.points.map(\.allocated)
    bytes = ByteAxis(from: values.min() ?? 0, to: values.max() ?? 0)
    times = TimeAxis(
      from: line.points.first?.time ?? 0, to: line.points.last?.time ?? 0, zone: .current)
  }

  var figure: Markup {
    var figure: Markup = """
      <figure><figcaption><b>\(ReadableText(line.path))</b> \(summary)</figcaption>
      <div class=plot role=img aria-label="On disk: \(summary)">

      """
    for tick in bytes.ticks {
      let place = Self.percent(bytes.part(of: tick.value))
      figure += "<i class=y style=top:\(place)><span>\(tick.label)</span></i>\n"
    }
    let path = line.points.enumerated().map { index, point in
      let x = Int((times.part(of: point.time) * 1000).rounded())
      let y = Int((bytes.part(of: Double(point.allocated)) * 1000).rounded())
      return "\(index == 0 ? "M" : "L")\(x) \(y)"
    }
    figure += """
      <svg viewBox="0 0 1000 1000" preserveAspectRatio=none aria-hidden=true>\
      <path d="\(path.joined())"/></svg>

      """
    for point in line.points {
      figure += """
        <i class=dot style=left:\(Self.percent(times.part(of: point.time)));\
        top:\(Self.percent(bytes.part(of: Double(point.allocated)))) title="\
        \(DateText(nanoseconds: point.time &* 1_000_000_000)): \(ByteCountText(point.allocated)) \
        (\(ByteCountText(point.allocated, style: .exact)) bytes)"></i>

        """
    }
    for (index, tick) in times.ticks.enumerated() {
      let place = Self.percent(times.part(of: tick.time))
      // Where there is little room, every other label is enough.
      let spare: Markup = times.ticks.count > 3 && index % 2 == 1 ? "\"x spare\"" : "x"
      figure += "<i class=\(spare) style=left:\(place)><span>\(tick.label)"
      if let day = tick.day { figure += "<br>\(day)" }
      figure += "</span></i>\n"
    }
    figure += "</div>\n</figure>\n"
    return figure
  }

  /// `9.3G, 120M more than on 2026-11-01; 14 scans`
  private var summary: Markup {
    guard let first = line.points.first, let last = line.points.last else { return "" }
    let change = last.allocated - first.allocated
    var summary: Markup = "\(ByteCountText(last.allocated)), "
    switch change {
    case 0: summary += "as much as "
    case 1...: summary += "\(ByteCountText(change)) more than "
    default: summary += "\(ByteCountText(-change)) less than "
    }
    summary += "on \(ReportPageTable.day(first.time)); "
    summary += "\(CountText(line.scanCount, "scan", "scans"))"
    if line.scanCount > line.points.count {
      summary += ", of which \(CountText(line.points.count)) are drawn"
    }
    return summary
  }

  /// `12.3%`
  private static func percent(_ part: Double) -> String {
    "\((part * 1000).rounded() / 10)%"
  }
}

/// An axis of bytes, with round numbers of the largest unit.
struct ByteAxis {
  let ticks: [(value: Double, label: String)]
  private let lower: Double
  private let upper: Double

  init(from low: Int64, to high: Int64) {
    let exponent = max(0, (63 - max(1, high).leadingZeroBitCount) / 10)
    let unit = Double(Int64(1) << (exponent * 10))
    // A line that stays level is drawn as if it moved by a tenth.
    let least = Double(high) / (high > low ? 100_000 : 10)
    let span = max(Double(high) - Double(low), least, 1)
    // The step is 1, 2 or 5 times a power of ten, and there are at most four.
    var (factor, power, scale) = (1, 0, 1.0)
    func step() -> Double { Double(factor) * scale }
    while step() > span / 3 / unit, exponent > 0 || power > 0 {
      (power, scale, factor) = (power - 1, scale / 10, 1)
    }
    while step() < span / 3 / unit {
      switch factor {
      case 1: factor = 2
      case 2: factor = 5
      default: (power, scale, factor) = (power + 1, scale * 10, 1)
      }
    }
    let width = step() * unit
    var first = max(0, (Double(low) / width).rounded(.down))
    var last = (Double(high) / width).rounded(.up)
    if first == last { (first, last) = (max(0, first - 1), last + 1) }
    (lower, upper) = (first * width, last * width)
    let letter = ["", "K", "M", "G", "T", "P", "E"][exponent]
    ticks = (0...min(8, Int(last - first))).map { index in
      let number = (Int(first) + index) * factor
      return (
        (first + Double(index)) * width,
        number == 0 ? "0" : Self.decimal(number, power: power) + letter
      )
    }
  }

  /// Where a value is: 0 at the top, 1 at the bottom.
  func part(of value: Double) -> Double { (upper - value) / (upper - lower) }

  /// `number` times a power of ten.
  private static func decimal(_ number: Int, power: Int) -> String {
    if power >= 0 { return "\(number)" + String(repeating: "0", count: power) }
    let digits = "\(number)"
    let padded = String(repeating: "0", count: max(0, 1 - power - digits.count)) + digits
    return "\(padded.dropLast(-power)).\(padded.suffix(-power))"
  }
}

/// An axis of time, with marks where clocks and calendars have round numbers.
struct TimeAxis {
  struct Tick {
    /// Seconds since 1970.
    var time: Int64
    var label: String
    /// The day, where the label is a time of day.
    var day: String?
  }

  private enum Step {
    case seconds(Int64)
    case days(Int64)
    case months(Int64)

    static let all: [Step] =
      [60, 300, 900, 1800, 3600, 10_800, 21_600, 43_200].map(Step.seconds)
      + [1, 2, 7, 14].map(Step.days) + [1, 3, 6, 12, 24, 60, 120, 240, 600, 1200].map(Step.months)

    /// How long it is, about.
    var length: Int64 {
      switch self {
      case .seconds(let count): count
      case .days(let count): count * 86_400
      case .months(let count): count * 2_629_746
      }
    }
  }

  private(set) var ticks: [Tick] = []
  private let first: Int64
  private let last: Int64
  private let zone: Query.TimeZone

  init(from start: Int64, to end: Int64, zone: Query.TimeZone) {
    // At least two minutes, in which one of them is full.
    let limit: Int64 = 9_000_000_000
    var (start, end) = (min(max(start, -limit), limit), min(max(end, -limit), limit))
    if end - start < 120 { (start, end) = (start - 60, end + 60) }
    (first, last) = (start, end)
    self.zone = zone
    let step = Step.all.first { (end - start) / $0.length < 6 } ?? Step.months(12_000)
    var next = firstTime(of: step)
    while next.time <= last, ticks.count < 12 {
      // Where clocks are put forward, two times are the same.
      if next.time >= first, ticks.last.map({ $0.time < next.time }) ?? true {
        ticks.append(tick(at: next.time, step))
      }
      next = time(next.index + 1, of: step)
    }
  }

  /// Where a time is: 0 at the start, 1 at the end.
  func part(of time: Int64) -> Double {
    (Double(time) - Double(first)) / (Double(last) - Double(first))
  }

  /// The time that is `index` steps after the beginning of 1970 on local clocks.
  private func time(_ index: Int64, of step: Step) -> (index: Int64, time: Int64) {
    let civil: CivilTime
    switch step {
    case .seconds(let count): civil = CivilTime(unixSeconds: index * count)
    // Weeks begin on Mondays, and 1970 on a Thursday.
    case .days(let count): civil = CivilTime(dayNumber: index * count + (count % 7 == 0 ? 4 : 0))
    case .months(let count):
      let months = index * count
      let year = months.flooredDivision(by: 12)
      civil = CivilTime(year: 1970 + year, month: Int(months - year * 12) + 1)
    }
    return (index, civil.unixSeconds(in: zone))
  }

  /// The last time before the start.
  private func firstTime(of step: Step) -> (index: Int64, time: Int64) {
    let local = first + zone.secondsFromUTC(unixSeconds: first)
    var found = time(local.flooredDivision(by: step.length), of: step)
    while found.time > first { found = time(found.index - 1, of: step) }
    return found
  }

  private func tick(at time: Int64, _ step: Step) -> Tick {
    let text = "\(DateText(nanoseconds: time * 1_000_000_000))".split(separator: " ")
    let (day, clock) = (String(text.first ?? ""), String(text.last ?? ""))
    return switch step {
    case .seconds: Tick(time: time, label: clock, day: day)
    case .days: Tick(time: time, label: day)
    case .months(let count): Tick(time: time, label: String(day.dropLast(count % 12 == 0 ? 6 : 3)))
    }
  }
}
