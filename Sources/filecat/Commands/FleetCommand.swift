import ArgumentParser
import Console
import FileCatalog
import SystemPackage

/// The group of commands about what many machines have published.
struct FleetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleet", _superCommandName: FileCat.name,
    abstract: "Ask about the catalogs that machines have published.",
    discussion: """
      A lake is where machines publish their catalogs with “filecat publish”: \(LakeArgument.forms).
      """,
    subcommands: [
      FleetStatusCommand.self, FleetReportCommand.self, FleetSQLCommand.self,
      FleetVerifyCommand.self, FleetCompactCommand.self, FleetExpireCommand.self,
      FleetDDLCommand.self,
    ])
}

/// Which lake a command works on.
struct LakeOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("A directory, or s3://BUCKET/PREFIX.", valueName: "lake"),
    completion: .directory, transform: LakeArgument.lake)
  var lake: Lake
}

struct FleetStatusCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "List the machines with their last publications.",
    discussion: """
      KNOWN is the last publication whose state is known: behind a gap nothing is. Exit status: 3 where \
      publications or their records are missing or cannot be read. Files that no publication names are \
      counted: machines that were stopped have left them, or are at work.
      """)

  @OptionGroup var lake: LakeOptions
  @OptionGroup var list: ListOptions
  @OptionGroup var output: OutputOptions

  private static let columns: [Column] = [
    .text("host"), .number("publication"), .number("known"), Column("published"),
    Column("oldest_scan", title: "OLDEST SCAN"), Column("newest_scan", title: "NEWEST SCAN"),
    .number("entries"), .number("allocated", title: "ON DISK"),
    .number("clock_skew", title: "SKEW"), .text("gaps"), .text("catalog").whereItFits,
  ]

  /// The numbers of publications that are missing.
  private static func cell(_ gap: ClosedRange<Int64>) -> Cell {
    gap.count == 1 ? .integer(gap.lowerBound) : .text("\(gap.lowerBound)-\(gap.upperBound)")
  }

  private static func cells(of member: FleetStatus.Member) -> [Cell] {
    let last = member.last
    func time(_ seconds: Int64?) -> Cell { seconds.map { Cell(.integer($0), .seconds) } ?? .null }
    return [
      .text(last.host), .integer(last.publication), member.known.map { .integer($0) } ?? .null,
      time(last.published), time(last.oldestScan), time(last.newestScan), .count(last.entries),
      .byteCount(last.allocated), .integer(last.clockSkew),
      .list(member.gaps.map { cell($0) }), .text("\(last.catalog)"),
    ]
  }

  func execute() async throws -> Outcome {
    let status = try FleetStatus(of: lake.lake)
    var rows = RowList(Self.columns)
    for member in status.members { rows.append(Self.cells(of: member)) }
    let faults = status.faults + status.members.flatMap(\.faults)
    for fault in faults { Message.print(fault) }
    if !status.leftovers.isEmpty {
      let files = CountText(status.leftovers.count, "file", "files")
      Message.print("\(files) of no publication, the first is \(status.leftovers[0].string)")
    }
    if status.members.isEmpty, faults.isEmpty {
      Message.print(
        "nothing has been published into \(lake.lake); try: filecat publish --to \(lake.lake)")
    }
    let outcome = try rows.print(list, output)
    let isWhole = faults.isEmpty && status.members.allSatisfy { $0.known == $0.last.publication }
    return isWhole ? outcome : .incomplete
  }
}

struct FleetVerifyCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Compare all published files with their records: sizes and hashes.",
    discussion: """
      Reads every file once. Exit status: 4 where one is not what was written.
      """)

  @OptionGroup var lake: LakeOptions
  @OptionGroup var output: OutputOptions

  func execute() async throws -> Outcome {
    let columns: [Column] = [
      .text("fault"), Column("problem", alignment: .leading, shortening: .atEnd),
    ]
    var printer = output.printer(columns, piped: .tsv)
    var problems = 0
    let files = try lake.lake.verify { problem in
      problems += 1
      try printer.print([.text(problem.fault.rawValue), .text(problem.description)])
    }
    guard problems > 0 || output.format != nil else {
      try StandardStream.output.print("\(CountText(files, "file", "files")) as published")
      return .done
    }
    try printer.finish()
    return problems == 0 ? .done : .failed
  }
}

struct FleetExpireCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "expire",
    abstract: "Remove what is not needed any longer to know the last states.",
    discussion: """
      Entries of publications that a full one has followed, and later the history of what changed, or a \
      day after “filecat fleet compact” has put it into other files; and files that machines have left \
      behind that were stopped. The last full publication of each machine and those after it stay. Exit \
      status: 3 where records cannot be read; of their machines nothing is removed.
      """)

  @OptionGroup var lake: LakeOptions

  @Option(
    help: ArgumentHelp("Keep entries for so many days after a full publication.", valueName: "n"))
  var keepDays = Lake.Retention().states

  @Option(help: ArgumentHelp("Keep history for so many days.", valueName: "n"))
  var keepHistory = Lake.Retention().history

  func validate() throws {
    for (name, number) in [("--keep-days", keepDays), ("--keep-history", keepHistory)] {
      if !(0...36_500 ~= number) { throw ValidationError("\(name) takes a number of days") }
    }
  }

  func execute() async throws -> Outcome {
    var retention = Lake.Retention()
    retention.states = keepDays
    retention.history = keepHistory
    let now = Clock.now / 1_000_000_000
    let expired = try lake.lake.expire(retention, now: now)
    let files = CountText(expired.files, "file", "files")
    try StandardStream.output.print(
      "\(files) removed, \(ByteCountText(expired.size, style: .human))")
    for fault in expired.faults { Message.print(fault) }
    return expired.faults.isEmpty ? .done : .incomplete
  }
}

struct FleetDDLCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "ddl",
    abstract: "Print the statements by which an engine reads the lake.",
    discussion: """
      They make views: publications, entries, directories, files, changes, growth_by_directory, and the \
      reports on usage, with the same columns as in a catalog and the host beside them.

        filecat fleet ddl --lake /lake --engine duckdb > fleet.sql
      """)

  /// An engine as it is typed.
  struct NamedEngine: ExpressibleByArgument {
    static let allValueStrings = FleetDialect.allCases.map(\.rawValue)

    let engine: FleetDialect

    init?(argument: String) {
      guard let engine = FleetDialect(rawValue: argument) else { return nil }
      self.engine = engine
    }
  }

  @OptionGroup var lake: LakeOptions

  @Option(help: "The engine: \(NamedEngine.allValueStrings.joined(separator: ", ")).")
  var engine: NamedEngine

  func execute() async throws -> Outcome {
    let views = try FleetViews(of: lake.lake, for: engine.engine)
    try StandardStream.output.write(document: Array(views.sql.utf8))
    return .done
  }
}
