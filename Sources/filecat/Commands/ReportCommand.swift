import ArgumentParser
import Console
import FileCatalog
import FileSystem
import SystemPackage

struct ReportCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "report", _superCommandName: FileCat.name,
    abstract: "Show what occupies the disk: by directory, type, owner, age and more.",
    discussion: """
      Without NAME: the list of reports. Each but name_collisions is an SQL view of the same name, and views \
      of your own (filecat view) are reports as well. In usage reports, \
      allocated is what files take on disk, a file with several names once, and sparse files by what \
      they take. With --html: all of them as one page for a browser, which loads nothing, and needs a \
      script for its map alone.

        filecat report usage_by_type --in ~/Music
        filecat report growth_by_directory --since 2026-11-01
        filecat report --html usage.html
      """)

  /// The columns of the list of reports.
  static let listColumns: [Column] = [Column("name"), .prose("abstract", title: "TELLS")]

  /// How many rows a terminal gets when nobody said.
  private static let screenful = 50

  @OptionGroup var catalog: CatalogOptions
  @OptionGroup var output: OutputOptions

  @Option(
    name: .customLong("in"),
    help: ArgumentHelp("Tell only about this directory and what is below.", valueName: "dir"),
    completion: .directory)
  var directory: PathArgument?

  @Option(
    help: ArgumentHelp(
      "Print at most so many rows; on a terminal \(Self.screenful) unless told otherwise.",
      valueName: "n"))
  var limit: Int?

  // A descending key begins with a dash, and is a value all the same.
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Sort by columns of the report, each descending with a leading -.", valueName: "column,…"),
    completion: .reportColumns)
  var sort: String?

  @Option(
    help: ArgumentHelp("Growth since the end of this scan or day.", valueName: "scan|date"))
  var since: String?

  @Option(
    help: ArgumentHelp("Growth up to the end of this scan or day.", valueName: "scan|date"))
  var until: String?

  @Option(
    help: ArgumentHelp("Write a page for a browser; - is standard output.", valueName: "file"),
    completion: .file(extensions: ["html"]))
  var html: PathArgument?

  @Argument(help: "The report.", completion: .list(Report.all.map(\.name)))
  var name: String?

  func validate() throws {
    try limit?.validateAsLimit()
    if html != nil, name != nil || since != nil || until != nil || limit != nil || sort != nil {
      throw ValidationError("--html writes all reports; the only other option is --in DIR")
    }
    guard html == nil, name == nil else { return }
    if directory != nil || since != nil || until != nil {
      throw ValidationError("name a report; see them all with: filecat report")
    }
  }

  func execute() async throws -> Outcome {
    guard html != nil || name != nil else { return try listReports() }
    if let name, (try? Report(named: name)) == nil, let outcome = try await printOwnView(name) {
      return outcome
    }
    let report = try name.map { try Report(named: $0) }
    if let report, since != nil || until != nil, !report.isAboutTime {
      throw ValidationError("--since and --until go with growth_by_directory")
    }
    let request = try report.map {
      ReportRequest(
        $0, in: directory?.path, order: try order(of: $0),
        since: try since.map { try HistoryPoint(parsing: $0) },
        until: try until.map { try HistoryPoint(parsingEnd: $0) })
    }
    let catalog = try catalog.open()
    defer { catalog.closeQuietly() }
    guard let request else {
      return try await writePage(of: catalog)
    }
    let outcome = try await print(request, from: catalog)
    if request.report.name == "hard_links", let directory = request.directory,
      output.format(piped: .tsv) == .table
    {
      try ReportOutput.printSentence(
        on: try await catalog.freedSpace(deleting: directory), of: directory,
        sizes: output.bytes ? .exact : .human)
      return .done
    }
    return outcome
  }

  private func listReports() throws -> Outcome {
    var rows = RowList(Self.listColumns)
    for report in Report.all {
      rows.append([.text(report.name), .text(Advice.line(for: report))])
    }
    return try rows.print(sort: sort, limit: limit, output)
  }

  /// Prints all columns of a view of one's own.
  ///
  /// - Returns: `nil` if the catalog has none of that name.
  private func printOwnView(_ name: String) async throws -> Outcome? {
    let catalog = try catalog.open()
    defer { catalog.closeQuietly() }
    guard let view = try await catalog.ownViews().first(where: { $0.name == name }) else {
      return nil
    }
    guard directory == nil, sort == nil, since == nil, until == nil else {
      throw ValidationError(
        "\(name) is a view of your own: of the options, --limit alone goes with it; for others, "
          + "filecat sql selects from it")
    }
    var printer = output.printer([], piped: .tsv)
    var count = 0
    _ = try catalog.runSQL("SELECT * FROM \"\(view.name)\"", maximumRows: limit) { names in
      printer = output.printer(names.map(SQLCommand.column), piped: .tsv)
      try printer.begin()
    } row: { row in
      count += 1
      try printer.print(row.map { Cell($0) })
    }
    try printer.finish()
    return count == 0 ? .nothing : .done
  }

  private func order(of report: Report) throws -> ColumnOrder? {
    try sort.map { try ColumnOrder(parsing: $0, among: report.columns.map(\.name)) }
  }

  private func print(_ request: ReportRequest, from catalog: Catalog) async throws -> Outcome {
    var request = request
    request.limit = limit
    var isCut = false
    let count: Int
    if output.format(piped: .tsv) == .table {
      let shown = limit ?? (StandardStream.output.terminal.isTerminal ? Self.screenful : .max)
      request.limit = shown == .max ? nil : shown + 1
      var rows: [[ColumnValue]] = []
      try catalog.forEachRow(of: request) { rows.append($0) }
      isCut = limit == nil && rows.count > shown
      count = min(rows.count, shown)
      rows = Array(rows.prefix(shown))
      if let type = request.report.columns.firstIndex(where: { $0.name == "type" }) {
        let descriptions = try await catalog.descriptions(
          ofTypes: Set(rows.compactMap { $0[type].string }))
        for index in rows.indices {
          guard let name = rows[index][type].string.flatMap({ descriptions[$0] }) else { continue }
          rows[index][type] = .text(Array(name.utf8))
        }
      }
      try ReportOutput.printTable(request.report, rows, output)
    } else {
      count = try ReportOutput.printRows(request, from: catalog, output)
    }
    if isCut { Message.print("there are more rows; see them with: --limit N") }
    if count == 0, limit != 0 { try await explainNothing(in: request, of: catalog) }
    return count == 0 ? .nothing : .done
  }

  /// Says why a report has no rows.
  private func explainNothing(in request: ReportRequest, of catalog: Catalog) async throws {
    if try await catalog.roots().isEmpty { return Message.print(Advice.noRoots) }
    let place = directory.map { " in \($0.path.string)" } ?? ""
    let times = (since.map { " since \($0)" } ?? "") + (until.map { " until \($0)" } ?? "")
    Message.print(
      "\(RawArguments.shown(Advice.line(forEmpty: request.report.name) + place + times))")
  }

  private func writePage(of catalog: Catalog) async throws -> Outcome {
    guard let html else { return .nothing }
    let file = self.catalog.file.map(\.path.absolute)
    let page = try await catalog.reportPage(in: directory?.path) {
      Advice.command(for: $0, of: file)
    }
    do {
      try await PageFile(html.path).write(page)
      return .done
    } catch let error as CoordinationError where error.code == .notFlushed {
      Message.print(error)
      return .incomplete
    }
  }
}

/// Prints the rows of reports.
enum ReportOutput {
  /// What people have no use for, beside the other columns.
  private static let machineColumns: Set<String> = [
    "min_days", "max_days", "device", "id", "inode", "entries", "description",
  ]
  private static let barWidth = 12

  /// Prints rows as they come, with all columns.
  static func printRows(
    _ request: ReportRequest, from catalog: Catalog, _ output: OutputOptions
  ) throws -> Int {
    let columns = request.report.columns
    var printer = output.printer(columns.map { Column($0) }, piped: .tsv)
    var count = 0
    try catalog.forEachRow(of: request) { values in
      count += 1
      try printer.print(zip(values, columns).map { Cell($0, $1.form) })
    }
    try printer.finish()
    return count
  }

  /// Prints a table for people: a bar beside the number that matters, paths at the end. Types are called
  /// what people call them.
  static func printTable(
    _ report: Report, _ rows: [[ColumnValue]], _ output: OutputOptions
  ) throws {
    let places = report.columns.indices.filter { isForPeople(report.columns[$0].name, in: report) }
    let ordered =
      places.filter { report.columns[$0].form != .path }
      + places.filter { report.columns[$0].form == .path }
    let measure = report.columns.firstIndex { $0.name == report.measure }
    let bar = BarText.column(on: StandardStream.output.terminal)
    let largest = measure.map { place in rows.map { magnitude($0[place]) }.max() ?? 0 } ?? 0
    var columns: [Column] = []
    for place in ordered {
      let column = Column(report.columns[place])
      let isNeeded =
        place == ordered.first || place == measure || report.columns[place].form == .path
      columns.append(isNeeded ? column : column.whereItFits)
      if place == measure, let bar { columns.append(bar) }
    }
    var printer = output.printer(columns, piped: .tsv)
    for row in rows {
      var cells: [Cell] = []
      for place in ordered {
        cells.append(cell(row[place], report.columns[place].form))
        if place == measure, bar != nil {
          let part = Double(magnitude(row[place])) / Double(max(largest, 1))
          cells.append(.text(BarText(part, width: barWidth).string))
        }
      }
      try printer.print(cells)
    }
    try printer.finish()
  }

  /// Of growth, people want to see where it is and not each level by itself.
  private static func isForPeople(_ name: String, in report: Report) -> Bool {
    if report.isAboutTime { return name == "path" || name.hasPrefix("total_") }
    return !machineColumns.contains(name)
  }

  /// Numbers of things are read in groups of digits.
  private static func cell(_ value: ColumnValue, _ form: ValueForm) -> Cell {
    guard form == .number, let number = value.integer else { return Cell(value, form) }
    return .count(number)
  }

  private static func magnitude(_ value: ColumnValue) -> UInt64 { (value.integer ?? 0).magnitude }

  /// Says what deleting a directory would free.
  static func printSentence(
    on deletion: FreedSpace, of directory: FilePath, sizes: SizeStyle
  ) throws {
    func text(_ bytes: Int64) -> String { "\(ByteCountText(bytes, style: sizes))" }
    var sentence =
      "deleting \(directory.string) frees \(text(deletion.freed)) of \(text(deletion.allocated))"
    if deletion.kept > 0 {
      let files = deletion.keptFiles == 1 ? "a file" : "\(CountText(deletion.keptFiles)) files"
      sentence += "; \(text(deletion.kept)) stay, of \(files) with names elsewhere"
    }
    if deletion.unknown > 0 {
      sentence += "; \(text(deletion.unknown)) may stay, of linked files in packages"
    }
    try StandardStream.output.print("\(sentence)")
  }
}

extension Column {
  init(_ column: Report.Column) {
    self.init(column.name, of: column.form)
    switch column.name {
    case "allocated", "total_allocated": title = "ON DISK"
    case "total_size": title = "SIZE"
    case "total_files": title = "FILES"
    case "total_directories": title = "DIRECTORIES"
    default: break
    }
  }
}
