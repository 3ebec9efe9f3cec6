import ArgumentParser
import Console
import FileCatalog

struct SQLCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "sql", _superCommandName: FileCat.name,
    abstract: "Run an SQL statement that reads.",
    discussion: """
      The views are files, directories, types, type_conformance, type_tags, scans, scan_errors and \
      resource_values, and every report by its name (filecat report). Whatever the statement says, \
      nothing is changed.

        filecat sql 'SELECT owner, count(*), sum(size) FROM files GROUP BY owner'
      """)

  @OptionGroup var catalog: CatalogOptions
  @OptionGroup var output: OutputOptions

  @Option(help: ArgumentHelp("Stop the statement after so many seconds.", valueName: "seconds"))
  var timeout: Double?

  @Option(help: ArgumentHelp("Print at most so many rows.", valueName: "n"))
  var maxRows: Int?

  @Argument(help: "The statement.")
  var statement: String

  func validate() throws {
    if let timeout, !(timeout > 0 && timeout <= 1e9) {
      throw ValidationError("--timeout takes a number of seconds above 0")
    }
    if let maxRows, maxRows < 0 { throw ValidationError("--max-rows takes a number from 0 on") }
  }

  func execute() async throws -> Outcome {
    let catalog = try catalog.open()
    defer { catalog.closeQuietly() }
    var printer = output.printer([], piped: .tsv)
    let isCut = try catalog.runSQL(statement, timeout: timeout, maximumRows: maxRows) { names in
      printer = output.printer(names.map(Self.column), piped: .tsv)
      try printer.begin()
    } row: { row in
      try printer.print(row.map { Cell($0) })
    }
    try printer.finish()
    if isCut, let maxRows { Message.print("stopped after \(maxRows) rows; see --max-rows") }
    return .done
  }

  /// Any value may be in any column: only paths have a form of their own.
  private static func column(_ name: String) -> Column {
    guard let column = EntryColumn(rawValue: name), column.form == .path else {
      return Column(name, shortening: .atEnd)
    }
    return Column(column)
  }
}
