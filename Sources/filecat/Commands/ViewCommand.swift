import ArgumentParser
import Console
import FileCatalog

/// The group of commands about views of one's own.
struct ViewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "view", _superCommandName: FileCat.name,
    abstract: "Give SQL statements names: views of your own.",
    discussion: """
      A view is a statement with a name. Any program selects from it as from those that every catalog has \
      (filecat schema), and filecat report NAME prints it. It stays when the catalog gets a newer schema.

        filecat view add photos 'SELECT path, size FROM files WHERE type LIKE "%jpeg%"'
        filecat report photos

      What content providers read has views by its name (values_image). This one makes columns of extended \
      attributes:

        filecat view add projects "SELECT path, max(CASE key WHEN 'xattr:user.project' THEN value END) AS project
          FROM resource_values GROUP BY entry_id, path"
      """,
    subcommands: [ViewAddCommand.self, ViewRemoveCommand.self, ViewListCommand.self])
}

struct ViewAddCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add a view.")

  @OptionGroup var catalog: CatalogOptions

  @Argument(help: "Its name: letters, digits and underscores.")
  var name: String

  @Argument(help: "The statement, which reads; - for standard input.")
  var statement: String

  func execute() async throws -> Outcome {
    let statement = statement == "-" ? try SQLCommand.statementFromInput() : statement
    let catalog = try catalog.open()
    defer { catalog.closeQuietly() }
    do {
      try await catalog.addView(name, as: statement)
    } catch let error as CatalogError where error.code == .invalidSQL {
      throw StatementError(error, in: statement)
    }
    return .done
  }
}

struct ViewRemoveCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Take a view away.")

  @OptionGroup var catalog: CatalogOptions

  @Argument(help: "Its name.")
  var name: String

  func execute() async throws -> Outcome {
    let catalog = try catalog.open()
    defer { catalog.closeQuietly() }
    try await catalog.removeView(name)
    return .done
  }
}

struct ViewListCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the views that were added.")

  private static let columns: [Column] = [
    Column("name"), Column("statement", shortening: .atEnd),
  ]

  @OptionGroup var catalog: CatalogOptions
  @OptionGroup var list: ListOptions
  @OptionGroup var output: OutputOptions

  func execute() async throws -> Outcome {
    let catalog = try catalog.open()
    defer { catalog.closeQuietly() }
    var rows = RowList(Self.columns)
    for view in try await catalog.ownViews() {
      rows.append([.text(view.name), .text(view.statement)])
    }
    return try rows.print(list, output)
  }
}
