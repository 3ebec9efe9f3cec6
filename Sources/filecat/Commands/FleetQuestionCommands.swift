import ArgumentParser
import Console
import FileCatalog
import FileSystem
import SystemPackage

/// Which engine answers, and which machines count.
struct FleetQuestionOptions: ParsableArguments {
  /// Machines whose last scan is longer ago are named beside an answer.
  private static let staleDays: Int64 = 7
  /// So many names stand in a line.
  private static let namesShown = 5

  @OptionGroup var lake: LakeOptions

  @Option(
    help: """
      The engine: \(NamedEngine.allValueStrings.joined(separator: ", ")). Auto takes the first that is \
      installed; Spark first from a billion entries on.
      """)
  var engine = NamedEngine.any

  @OptionGroup var spark: SparkOptions

  @Option(help: ArgumentHelp("Leave out a machine; may be repeated.", valueName: "name"))
  var skipHost: [String] = []

  @Option(
    help: ArgumentHelp("Leave out machines whose last scan is longer ago.", valueName: "days"))
  var maxAge: Int?

  func validate() throws {
    if let maxAge, !(0...36_500 ~= maxAge) {
      throw ValidationError("--max-age takes a number of days")
    }
  }

  /// Runs a question, and says of which machines and which time the answer is.
  ///
  /// - Parameters:
  ///   - names: takes the names of the columns.
  ///   - row: takes each row.
  func ask(
    _ statement: String, names: @escaping ([String]) throws -> Void,
    row: @escaping ([ColumnValue]) throws -> Void
  ) async throws -> FleetCoverage {
    let lake = lake.lake
    let now = Clock.now / 1_000_000_000
    var scope = FleetCoverage.Scope()
    scope.skippedHosts = skipHost
    scope.maximumAge = maxAge.map { Int64($0) * 86_400 }
    let coverage = try FleetCoverage(of: FleetStatus(of: lake), in: lake, scope, now: now)
    guard !coverage.counted.isEmpty else {
      tell(coverage, now: now)
      throw FleetError(.cannotRead, "\(lake)", "no machine has published what can be asked about")
    }
    let engine = try FleetEngine(engine.name, spark: spark.spark, rows: coverage.entries)
    let views = try FleetViews(of: lake, for: engine.dialect, about: coverage)
    try await answer(engine, statement, views, names, row)
    tell(coverage, now: now)
    return coverage
  }

  private func answer(
    _ engine: FleetEngine, _ statement: String, _ views: FleetViews,
    _ names: @escaping ([String]) throws -> Void, _ row: @escaping ([ColumnValue]) throws -> Void
  ) async throws {
    // The rows are printed by the thread that reads them, and by no other.
    nonisolated(unsafe) let (names, row) = (names, row)
    try await engine.runUnlessInterrupted { running, line in
      try engine.answer(
        statement, over: views, running: running,
        names: { found in
          line.clear()
          try names(found)
        }, row: row, progress: { line.show($0) })
    }
  }

  // MARK: - Of which machines and which time

  private func tell(_ coverage: FleetCoverage, now: Int64) {
    for fault in coverage.faults { Message.print(fault) }
    for member in coverage.counted {
      if let gap = member.gaps.first {
        Message.print(
          """
          \(member.last.host): publication \(gap.lowerBound) is missing; its state is \
          that of publication \(member.known ?? 0)
          """)
      }
    }
    func hosts(_ absence: FleetCoverage.Absence) -> [String] {
      coverage.absent.filter { $0.absence == absence }.map(\.member.last.host)
    }
    tell("left out", hosts(.skipped))
    tell("left out, as their last scans are too long ago", hosts(.tooOld))
    tell("left out, as there is no full publication", hosts(.noState))
    tell(
      "not scanned for \(Self.staleDays) days",
      coverage.counted.filter { ($0.age(at: now) ?? .max) > Self.staleDays * 86_400 }
        .map(\.last.host))
    guard let scans = coverage.scans else { return }
    func time(_ seconds: Int64) -> DateText {
      // A record may say anything.
      let (nanoseconds, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
      return DateText(nanoseconds: isTooLarge ? .max : nanoseconds)
    }
    let machines = CountText(coverage.counted.count, "catalog", "catalogs")
    Message.print("\(machines), as of \(time(scans.lowerBound)) to \(time(scans.upperBound))")
  }

  private func tell(_ what: String, _ hosts: [String]) {
    guard !hosts.isEmpty else { return }
    let shown = hosts.prefix(Self.namesShown)
    let more = hosts.count - shown.count
    Message.print(
      "\(what): \(shown.joined(separator: ", "))\(more > 0 ? ", and \(more) more" : "")")
  }
}

struct FleetReportCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Show what occupies the disks of all machines.",
    discussion: """
      Each report has the columns that it has on one machine, after the host. An engine answers that is \
      installed here: DuckDB or ClickHouse on this machine, Spark also on a cluster. Exit status: 3 where \
      publications of a machine are missing or cannot be read. The reports:

      \(FleetReport.all.map(\.name).joined(separator: ", ")).

        filecat fleet report usage_by_owner --lake /lake
        filecat fleet report growth_by_owner --lake /lake --since 7d --engine spark
      """)

  @OptionGroup var question: FleetQuestionOptions
  @OptionGroup var output: OutputOptions

  @Option(help: ArgumentHelp("Print at most so many rows.", valueName: "n"))
  var limit: Int?

  @Option(help: ArgumentHelp("Growth since this day or age.", valueName: "date|age"))
  var since: String?

  @Option(help: ArgumentHelp("Growth up to the end of this day.", valueName: "date|age"))
  var until: String?

  @Argument(help: "The report.", completion: .list(FleetReport.all.map(\.name)))
  var name: String

  func validate() throws { try limit?.validateAsLimit() }

  func execute() async throws -> Outcome {
    let report = try FleetReport(named: name)
    guard report.isAboutTime || since == nil && until == nil else {
      throw ValidationError("--since and --until go with reports on growth")
    }
    var wanted = FleetReportRequest(report)
    wanted.limit = limit
    wanted.since = try since.map { try Self.seconds(HistoryPoint(parsing: $0), $0) }
    wanted.until = try until.map { try Self.seconds(HistoryPoint(parsingEnd: $0), $0) }
    let request = wanted
    var printer = output.printer(report.columns.map { Column($0) }, piped: .tsv)
    var count = 0
    let coverage = try await question.ask(request.statement) { _ in
    } row: { values in
      count += 1
      try printer.print(zip(values, report.columns).map { Cell($0, $1.form) })
    }
    try printer.finish()
    if count == 0, limit != 0 { explainNothing(in: report) }
    if coverage.isIncomplete { return .incomplete }
    return count == 0 ? .nothing : .done
  }

  /// Says why a report has no rows.
  private func explainNothing(in report: FleetReport) {
    let times = (since.map { " since \($0)" } ?? "") + (until.map { " until \($0)" } ?? "")
    Message.print("\(RawArguments.shown(Advice.line(forEmpty: report.name) + times))")
  }

  /// Scans have numbers of their own on each machine.
  private static func seconds(_ point: HistoryPoint, _ text: String) throws -> Int64 {
    guard case .time(let nanoseconds) = point else {
      throw ValidationError("\(text) is no date, and scans of machines are not the same")
    }
    return nanoseconds / 1_000_000_000
  }
}

struct FleetSQLCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "sql",
    abstract: "Ask by a statement of SQL, in the words of an engine.",
    discussion: """
      The statement is one question; what differs between engines is up to it. Without a statement, or \
      with -, it is read from standard input. “filecat fleet ddl” shows the views with their columns.

        filecat fleet sql --lake /lake 'SELECT host, count(*) FROM files GROUP BY host'
      """)

  @OptionGroup var question: FleetQuestionOptions
  @OptionGroup var output: OutputOptions

  @Argument(help: "The statement; - for standard input.")
  var statement: String?

  func execute() async throws -> Outcome {
    let statement =
      try self.statement.flatMap { $0 == "-" ? nil : $0 } ?? SQLCommand.statementFromInput()
    var printer = output.printer([], piped: .tsv)
    let coverage = try await question.ask(statement) { names in
      printer = output.printer(names.map { Column($0, shortening: .atEnd) }, piped: .tsv)
      try printer.begin()
    } row: { row in
      try printer.print(row.map { Cell($0) })
    }
    try printer.finish()
    return coverage.isIncomplete ? .incomplete : .done
  }
}
