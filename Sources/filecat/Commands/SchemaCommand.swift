import ArgumentParser
import Console
import FileCatalog

struct SchemaCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "schema", _superCommandName: FileCat.name,
    abstract: "Show what the SQL views of a catalog mean.",
    discussion: """
      Without a name, every view with what its rows are; with one, its columns: how values are \
      stored, their unit and what they say. No catalog is needed.

        filecat schema
        filecat schema files
      """)

  @OptionGroup var output: OutputOptions

  @Argument(help: "The view to show.", completion: .views)
  var view: String?

  func execute() async throws -> Outcome {
    guard let name = view else { return try list(try SchemaView.all()) }
    let view = try SchemaView(named: name)
    var printer = output.printer(
      [
        Column("view").whereItFits, Column("column"), Column("type"), Column("unit").whereItFits,
        .prose("meaning"),
      ], piped: .tsv)
    for column in view.columns {
      let form = column.form
      try printer.print(
        [view.name, column.name, form.storage, form.unit, column.meaning].map { .text($0) })
    }
    try printer.finish()
    return .done
  }

  private func list(_ views: [SchemaView]) throws -> Outcome {
    var printer = output.printer(
      [
        Column("view"), .number("columns"), .prose("meaning"),
      ], piped: .tsv)
    for view in views {
      try printer.print(
        [.text(view.name), .integer(Int64(view.columns.count)), .text(view.summary)])
    }
    try printer.finish()
    return .done
  }
}
