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
      is where its history begins. Changes are kept for 400 days, five million at most; --keep-days \
      and --keep-changes set other limits. Exit status 1: nothing has changed.
      """)

  @OptionGroup var catalog: CatalogOptions
  @OptionGroup var output: OutputOptions

  @Option(
    help: ArgumentHelp(
      "Only after this scan, or since this date: 42, 2026-01-31, yesterday, 7d.",
      valueName: "scan|date"))
  var since: String?

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

  @Option(help: ArgumentHelp("From now on, keep changes for so many days.", valueName: "n"))
  var keepDays: Int?

  @Option(help: ArgumentHelp("From now on, keep so many changes at most.", valueName: "n"))
  var keepChanges: Int?

  func execute() async throws -> Outcome {
    let filter = try filter
    let point = try since.map { try HistoryPoint(parsing: $0) }
    let catalog = try catalog.open()
    defer { catalog.closeQuietly() }
    if keepDays != nil || keepChanges != nil {
      var retention = try await catalog.historyRetention()
      if let keepDays { retention.days = keepDays }
      if let keepChanges { retention.changes = keepChanges }
      try await catalog.setHistoryRetention(retention)
      return .done
    }
    let horizon = try await catalog.historyHorizon() ?? ScanID(rawValue: 0)
    let changes = ChangePrinter(output)
    try catalog.forEachChange(since: point ?? .scan(horizon), filter: filter) {
      try changes.print($0)
    }
    try changes.finish()
    return changes.count == 0 ? .nothing : .done
  }

  private var filter: ChangeFilter {
    get throws {
      var filter = ChangeFilter()
      filter.directory = directory?.path
      filter.directories = includeDirectories ? .included : .leftOut
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
