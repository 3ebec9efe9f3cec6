import ArgumentParser
import Console
import FileCatalog
import FileSystem
import SystemPackage

struct DuCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "du", _superCommandName: FileCat.name,
    abstract: "Show the totals of directories, as the catalog has them.",
    discussion: """
      total_size is the bytes of the files, total_allocated what they take on disk, counted as du \
      counts: with the blocks of the directories, and a file with several names once. A table is a tree, \
      in which --sort puts in order what is in one directory. Without PATH: the current directory, or \
      all roots when it is in none.
      """,
    helpNames: .long)

  @OptionGroup var catalog: CatalogOptions
  @OptionGroup var output: OutputOptions

  @Option(
    name: [.customShort("d", allowingJoined: true), .long, .customLong("max-depth")],
    help: ArgumentHelp(
      "How many levels below PATH to show: one, or with --all as many as there are.",
      valueName: "n"))
  var depth: Int?

  @Flag(name: .shortAndLong, help: "Show PATH alone, as --depth 0 does.")
  var summarize = false

  @Flag(name: .shortAndLong, help: "Show files, too.")
  var all = false

  @Flag(
    name: [.customShort("h"), .customLong("human-readable")],
    help: "Accepted, as in du: sizes are rounded on a terminal in any case, and exact elsewhere.")
  var humanReadable = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Sort keys, each descending with a leading -: \(DuRow.sortKeys.joined(separator: ", ")).",
      valueName: "key,…"),
    completion: .sortKeys(DuRow.sortKeys))
  var sort = "-total_allocated"

  @Option(
    help: ArgumentHelp(
      "Print at most so many rows; of a tree, those that come first with all that they are in.",
      valueName: "n"))
  var limit: Int?

  @OptionGroup var past: PastOptions

  @Argument(help: "The directories.", completion: .directory)
  var paths: [PathArgument] = []

  func validate() throws {
    if let depth, depth < 0 { throw ValidationError("--depth takes a number from 0 on") }
    try limit?.validateAsLimit()
    if all, past.at != nil {
      throw ValidationError(
        "the history does not keep what single files take on disk: --all does not go with --at")
    }
    if humanReadable, output.bytes { throw ValidationError("-h and --bytes exclude each other") }
  }

  func execute() async throws -> Outcome {
    let order = try ColumnOrder(parsing: sort, among: DuRow.sortKeys)
    let catalog = try catalog.open()
    defer { catalog.closeQuietly() }
    let source = try await past.state(of: catalog).map { RowSource.past($0) } ?? .now(catalog)
    var (groups, outcome) = try await groups(in: catalog, source)
    for index in groups.indices {
      groups[index].sort { $0.path.bytes.lexicographicallyPrecedes($1.path.bytes) }
      order.sort(&groups[index], of: DuRow.columns) { $0.cells }
    }
    let format = output.format(piped: .tsv)
    if format == .table {
      try DuTree(groups, limit: limit).print(output)
    } else {
      // A few columns where a person may look on, all that there are for programs.
      let isComplete = format == .json || format == .ndjson
      let columns = isComplete ? DuRow.columns : DuRow.briefColumns
      var printer = output.printer(columns, piped: .tsv)
      for row in groups.joined().prefix(limit ?? .max) {
        try printer.print(isComplete ? row.cells : row.briefCells)
      }
      try printer.finish()
    }
    if groups.allSatisfy(\.isEmpty) || limit == 0 {
      if outcome == .done, limit != 0 { Message.print(Advice.noRoots) }
      outcome = .nothing
    }
    return outcome
  }

  /// What there is to show of each path.
  private func groups(
    in catalog: Catalog, _ source: RowSource
  ) async throws -> ([[DuRow]], Outcome) {
    var places: [FilePath?] = paths.map(\.path)
    if places.isEmpty { places = [try await source.kind(at: ".") == nil ? nil : "."] }
    var groups: [[DuRow]] = []
    var outcome = Outcome.done
    for place in places {
      do {
        groups.append(try await rows(of: place, in: catalog, source))
      } catch let error as CatalogError where error.code == .notInCatalog && places.count > 1 {
        // One that is not there does not keep the others from being shown.
        Message.print(error)
        outcome = .nothing
      }
    }
    return (groups, outcome)
  }

  private func rows(
    of place: FilePath?, in catalog: Catalog, _ source: RowSource
  ) async throws -> [DuRow] {
    let depth = summarize ? 0 : depth ?? (all ? .max : 1)
    let totals: [DirectoryTotals]
    do {
      totals = try await source.totals(below: place, depth: depth)
    } catch let error as CatalogError where error.code == .notADirectory && !source.isPast {
      // A file by itself is what it takes.
      guard let place, let entry = try await catalog.entry(at: place) else { throw error }
      return [DuRow(entry)]
    }
    var rows = totals.map { DuRow($0) }
    guard all, depth > 0, let top = totals.map(\.depth).min() else { return rows }
    let (deepest, isTooDeep) = top.addingReportingOverflow(depth)
    let files = Filter.all([
      .not(.kind(.directory)), .depth(.atMost(isTooDeep ? .max : Int64(deepest))),
    ])
    rows += try await catalog.entries(
      matching: Query(files), in: place.map { .subtree(of: $0) } ?? .everything
    ).map { DuRow($0) }
    return rows
  }
}
