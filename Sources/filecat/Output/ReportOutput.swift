import Console
import FileCatalog
import FileSystem
import SystemPackage

/// Prints the rows of reports.
enum ReportOutput {
  /// What people have no use for, beside the other columns.
  private static let machineColumns: Set<String> = [
    "min_days", "max_days", "device", "id", "inode", "entries",
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

  /// Prints a table for people: a bar beside the number that matters, paths at the end.
  static func printTable(
    _ report: Report, _ rows: [[ColumnValue]], _ output: OutputOptions
  ) throws {
    let places = report.columns.indices.filter { isForPeople(report.columns[$0].name, in: report) }
    let ordered =
      places.filter { report.columns[$0].form != .path }
      + places.filter { report.columns[$0].form == .path }
    let measure = report.columns.firstIndex { $0.name == report.measure }
    let hasBars = Terminal(descriptor: 1).isTerminal
    let largest = measure.map { place in rows.map { magnitude($0[place]) }.max() ?? 0 } ?? 0
    var columns: [Column] = []
    for place in ordered {
      columns.append(Column(report.columns[place]))
      if place == measure, hasBars { columns.append(Column("", alignment: .leading)) }
    }
    var printer = output.printer(columns, piped: .tsv)
    for row in rows {
      var cells: [Cell] = []
      for place in ordered {
        cells.append(cell(row[place], report.columns[place].form))
        if place == measure, hasBars {
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
  private static func cell(_ value: ColumnValue, _ form: EntryColumn.Form) -> Cell {
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
      "deleting \(DisplayText(escaping: directory.bytes).string) frees \(text(deletion.freed)) of "
      + text(deletion.allocated)
    if deletion.kept > 0 {
      let files = deletion.keptFiles == 1 ? "a file" : "\(CountText(deletion.keptFiles)) files"
      sentence += "; \(text(deletion.kept)) stay, of \(files) with names elsewhere"
    }
    if deletion.unknown > 0 {
      sentence += "; \(text(deletion.unknown)) may stay, of linked files in packages"
    }
    var sink = ByteSink.standardOutput
    try sink.write(sentence + "\n")
    try sink.flush()
  }
}

extension Column {
  init(_ column: Report.Column) {
    switch column.form {
    case .path:
      self = .path(column.name)
    case .text: self = .text(column.name)
    case .identifier, .number, .bytes, .nanoseconds: self = .number(column.name)
    case .seconds, .truth, .mode: self.init(column.name)
    }
    switch column.name {
    case "allocated", "total_allocated": title = "ON DISK"
    case "total_size": title = "SIZE"
    case "total_files": title = "FILES"
    case "total_directories": title = "DIRECTORIES"
    default: break
    }
  }
}
