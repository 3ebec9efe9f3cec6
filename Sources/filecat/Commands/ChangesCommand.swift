import ArgumentParser
import Console
import FileCatalog
import SystemPackage

struct ChangesCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "changes", _superCommandName: FileCat.name,
    abstract: "What rescans found changed.",
    discussion: """
      + added, - removed, ~ modified, > moved, in the order of the scans. The first scan of a root \
      is where its history begins. How long changes are kept is a matter of “filecat history”. Exit \
      status 1: nothing has changed.
      """)

  @OptionGroup var catalog: CatalogOptions
  @OptionGroup var output: OutputOptions

  @Option(
    help: ArgumentHelp(
      "Only after this scan, or since this date: 42, 2026-01-31, yesterday, 7d.",
      valueName: "scan|date"))
  var since: String?

  @Option(
    help: ArgumentHelp(
      "Only up to this scan, or the end of this date, in the same words.", valueName: "scan|date"))
  var until: String?

  @Option(
    name: .customLong("in"), help: ArgumentHelp("Only in this directory.", valueName: "dir"),
    completion: .directory)
  var directory: PathArgument?

  @Option(
    help: ArgumentHelp(
      "Only added, removed, modified or moved entries; several with commas.", valueName: "kind"),
    completion: .names(Change.Kind.allCases.map(\.rawValue)))
  var kind: String?

  @Flag(help: "Also directories of which only the content changed.")
  var includeDirectories = false

  @Option(help: ArgumentHelp("Print at most so many.", valueName: "n"))
  var limit: Int?

  @Option(
    defaultAsFlag: 1,
    help: ArgumentHelp(
      """
      Print how many changes there were in each directory, and by how many bytes it grew; so many \
      levels below the roots.
      """, valueName: "depth"))
  var summary: Int?

  // Where they were once. What shows the history is not to drop it.
  @Option(help: .hidden)
  var keepDays: String?

  @Option(help: .hidden)
  var keepChanges: String?

  func validate() throws {
    if let limit, limit < 0 { throw ValidationError("--limit takes a number from 0 on") }
    if let summary, summary < 0 { throw ValidationError("--summary takes a number from 0 on") }
    let limits = [("--keep-days", keepDays), ("--keep-changes", keepChanges)]
    let given = limits.compactMap { name, value in value.map { "\(name) \($0)" } }
    guard given.isEmpty else {
      throw ValidationError(
        "changes only shows what has changed; write: filecat history \(given.joined(separator: " "))"
      )
    }
  }

  func execute() async throws -> Outcome {
    let filter = try filter
    let point = try since.map { try HistoryPoint(parsing: $0) }
    let catalog = try catalog.open()
    defer { catalog.closeQuietly() }
    let horizon = try await catalog.historyHorizon() ?? ScanID(rawValue: 0)
    let start = point ?? .scan(horizon)
    if let summary {
      return try await summarize(catalog, since: start, filter, depth: summary)
    }
    let changes = ChangePrinter(output)
    try catalog.forEachChange(since: start, filter: filter) { try changes.print($0) }
    try changes.finish()
    return changes.count == 0 ? .nothing : .done
  }

  private static let columns: [Column] = [
    .path("directory"), .number("added"), .number("removed"), .number("modified"),
    .number("moved"), .number("size"),
  ]

  private func summarize(
    _ catalog: Catalog, since start: HistoryPoint, _ filter: ChangeFilter, depth: Int
  ) async throws -> Outcome {
    var filter = filter
    filter.limit = nil
    var summary = ChangeSummary(below: try await catalog.roots().map(\.path), depth: depth)
    try catalog.forEachChange(since: start, filter: filter) { summary.add($0) }
    var printer = output.printer(Self.columns, piped: .tsv)
    for line in summary.lines.prefix(limit ?? .max) {
      try printer.print([
        .text(bytes: line.directory.bytes), .count(Int64(line.added)),
        .count(Int64(line.removed)), .count(Int64(line.modified)), .count(Int64(line.moved)),
        .byteCount(line.size),
      ])
    }
    try printer.finish()
    return summary.lines.isEmpty ? .nothing : .done
  }

  private var filter: ChangeFilter {
    get throws {
      var filter = ChangeFilter()
      filter.directory = directory?.path
      filter.directories = includeDirectories ? .included : .leftOut
      filter.until = try until.map { try HistoryPoint(parsing: $0, as: .end) }
      filter.limit = limit
      for word in kind?.split(separator: ",", omittingEmptySubsequences: false) ?? [] {
        guard let kind = Change.Kind(rawValue: word.lowercased()) else {
          let known = Change.Kind.allCases.map(\.rawValue).joined(separator: ", ")
          throw ValidationError("there is no kind of change “\(word)”; known: \(known)")
        }
        filter.kinds.insert(kind)
      }
      return filter
    }
  }
}
