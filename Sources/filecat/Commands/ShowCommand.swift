import ArgumentParser
import Console
import FileCatalog
import FileSystem
import SystemPackage

struct ShowCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "show", _superCommandName: FileCat.name,
    abstract: "Show all that is known of one entry.")

  @OptionGroup var catalog: CatalogOptions
  @OptionGroup var output: OutputOptions

  @Argument(help: "The entry.", completion: .file())
  var path: PathArgument

  func execute() async throws -> Outcome {
    let catalog = try catalog.open()
    defer { catalog.closeQuietly() }
    let details = try await catalog.details(of: path.path)
    let format = output.format(piped: .tsv)
    if format == .table || format == .paths {
      try printLines(details, format)
    } else {
      try printRow(details)
    }
    return .done
  }

  /// One line a value, for people.
  private func printLines(_ details: EntryDetails, _ format: RowFormat) throws {
    if format == .paths {
      var printer = output.printer([.path("path")], piped: .paths)
      try printer.print([details.value(of: .path).map { Cell($0) } ?? .null])
      return try printer.finish()
    }
    // Who has read a value stands beside it.
    let hasProviders = details.values.contains { $0.provider != nil }
    var printer = output.printer(
      [Column("property"), Column("value", alignment: .leading)]
        + (hasProviders ? [Column("provider")] : []), piped: .table)
    for line in details.printedLines {
      let cells = [.text(line.name), line.cell]
      try printer.print(hasProviders ? cells + [line.provider.map { .text($0) } ?? .null] : cells)
    }
    try printer.finish()
  }

  /// One object, for programs.
  private func printRow(_ details: EntryDetails) throws {
    var columns =
      details.columns.map { Column($0.column) } + details.totals.map { Column($0.name) }
      + [.text("backup_mark")] + details.printedParameters.map { Column($0.name) }
    let mark = details.backupMark.map { Cell.text(BackupMarkText.word(for: $0)) } ?? .null
    var cells =
      details.columns.map { Cell($0.value, $0.column.form) } + details.totals.map { Cell($0.value) }
      + [mark] + details.printedParameters.map(\.value)
    for (key, value, provider) in details.values {
      columns.append(.value(key.text))
      cells.append(Cell(value))
      guard let provider else { continue }
      columns.append(.text("\(key.text)_provider"))
      cells.append(.text(provider))
    }
    var printer = output.printer(columns, piped: .tsv, objects: .lines)
    try printer.print(cells)
    try printer.finish()
  }
}
