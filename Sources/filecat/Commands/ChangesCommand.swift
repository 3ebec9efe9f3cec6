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
    help: ArgumentHelp("Only up to the end of this scan, or of this day.", valueName: "scan|date"))
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

  @Option(
    help: ArgumentHelp(
      """
      Print what changed in each directory so many levels below the roots, or below the directory of \
      --in; without a value one level.
      """, valueName: "depth"))
  var summary: Int?

  // A descending key begins with a dash, and is a value all the same.
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      Sort keys, each descending with a leading -: \
      \(ChangeFilter.orderColumns.joined(separator: ", ")); with --summary, its columns.
      """, valueName: "key,…"),
    completion: .sortKeys(ChangeFilter.orderColumns))
  var sort: String?

  @Option(help: ArgumentHelp("Print at most so many rows.", valueName: "n"))
  var limit: Int?

  // Where they were once. What shows the history is not to drop it.
  @Option(help: .hidden)
  var keepDays: String?

  @Option(help: .hidden)
  var keepChanges: String?

  func validate() throws {
    try limit?.validateAsLimit()
    if let summary, summary < 0 { throw ValidationError("--summary takes a depth from 0 on") }
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
    let start = try since.map { try HistoryPoint(parsing: $0) }
    let end = try until.map { try HistoryPoint(parsingEnd: $0) }
    let catalog = try catalog.open()
    defer { catalog.closeQuietly() }
    let horizon = try await catalog.historyHorizon() ?? ScanID(rawValue: 0)
    let outcome: Outcome
    if let summary {
      let summaries = try await catalog.changeSummary(
        since: start ?? .scan(horizon), until: end, filter: filter, depth: summary)
      outcome = try print(summaries)
    } else {
      let changes = ChangePrinter(output)
      try catalog.forEachChange(since: start ?? .scan(horizon), until: end, filter: filter) {
        try changes.print($0)
      }
      try changes.finish()
      outcome = changes.count == 0 ? .nothing : .done
    }
    if outcome == .nothing, limit != 0 { try await explainNothing(in: catalog) }
    return outcome
  }

  private func print(_ summaries: [ChangeSummary]) throws -> Outcome {
    var rows = RowList([
      .path("path"), .number("added"), .number("removed"), .number("modified"), .number("moved"),
      .number("bytes"),
    ])
    for summary in summaries {
      rows.append([
        .text(bytes: summary.path.bytes), .count(Int64(summary.added)),
        .count(Int64(summary.removed)), .count(Int64(summary.modified)),
        .count(Int64(summary.moved)), .byteCount(summary.bytes),
      ])
    }
    return try rows.print(sort: sort, limit: limit, output)
  }

  /// Says why there is nothing to print.
  private func explainNothing(in catalog: Catalog) async throws {
    if try await catalog.roots().isEmpty { return Message.print(Advice.noRoots) }
    var what =
      kind.map { "nothing was \($0.split(separator: ",").joined(separator: " or "))" }
      ?? "nothing has changed"
    if let directory = directory?.path {
      what += " in \(directory.string)"
      if try await catalog.entry(at: directory) == nil { what += ", which is not in the catalog" }
    }
    if let since { what += " since \(since)" }
    if let until { what += " until \(until)" }
    Message.print("\(RawArguments.shown(what))")
  }

  private var filter: ChangeFilter {
    get throws {
      var filter = ChangeFilter()
      filter.directory = directory?.path
      filter.directories = includeDirectories ? .included : .leftOut
      if summary == nil {
        filter.limit = limit
        filter.order = try sort.map {
          try ColumnOrder(parsing: $0, among: ChangeFilter.orderColumns)
        }
      }
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
