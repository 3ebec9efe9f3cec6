import ArgumentParser
import Console
import FileCatalog
import SystemPackage

struct HistoryCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "history", _superCommandName: FileCat.name,
    abstract: "Show how much history is kept, and say how much it shall be.",
    discussion: """
      Prints how many scans and changes there are, since when, and the limits. --keep-days and \
      --keep-changes set other limits. If some of the history would be dropped by that, it is said how \
      much, and nothing is done; with --yes the limits are set and it is dropped at once. What has \
      changed is printed by “filecat changes”.
      """)

  @OptionGroup var catalog: CatalogOptions
  @OptionGroup var output: OutputOptions

  @Option(
    help: ArgumentHelp("From now on, keep scans and changes for so many days.", valueName: "n"))
  var keepDays: Int?

  @Option(help: ArgumentHelp("From now on, keep so many changes at most.", valueName: "n"))
  var keepChanges: Int?

  @Flag(help: "Drop what is beyond the limits.")
  var yes = false

  private static let columns: [Column] = [
    .number("scans"), .number("changes"), .number("growth_rows", title: "GROWTH ROWS"),
    Column("since"), .number("keep_days", title: "DAYS KEPT"),
    .number("keep_changes", title: "CHANGES KEPT"),
  ]

  func validate() throws {
    for (name, number) in [("--keep-days", keepDays), ("--keep-changes", keepChanges)] {
      if let number, number < 0 { throw ValidationError("\(name) takes a number from 0 on") }
    }
    if yes, keepDays == nil, keepChanges == nil {
      throw ValidationError("--yes is about --keep-days and --keep-changes; name a limit")
    }
  }

  func execute() async throws -> Outcome {
    let catalog = try catalog.open()
    defer { catalog.closeQuietly() }
    var retention = try await catalog.historyRetention()
    if keepDays != nil || keepChanges != nil {
      if let keepDays { retention.days = keepDays }
      if let keepChanges { retention.changes = keepChanges }
      let loss = try await catalog.historyLoss(under: retention)
      guard loss.isEmpty || yes else {
        Message.print("\(Advice.line(forLossOf: loss, keepDays, keepChanges))")
        return .failed
      }
      try await catalog.setHistoryRetention(retention)
    }
    try print(try await catalog.historyExtent(), retention)
    return .done
  }

  private func print(_ extent: HistoryExtent, _ retention: HistoryRetention) throws {
    var printer = output.printer(Self.columns, piped: .tsv, objects: .lines)
    try printer.print([
      .count(Int64(extent.scans)), .count(Int64(extent.changes)), .count(Int64(extent.growth)),
      extent.since.map { Cell(.integer($0), .seconds) } ?? .null,
      .count(Int64(retention.days)), .count(Int64(retention.changes)),
    ])
    try printer.finish()
  }
}
