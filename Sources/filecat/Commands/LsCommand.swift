import ArgumentParser
import Console
import FileCatalog
import FileSystem
import SystemPackage

struct LsCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "ls", _superCommandName: FileCat.name,
    abstract: "List a directory from the catalog.",
    discussion: "Without DIR: the current directory, or the roots when it is in none.")

  /// The columns where nobody has named others.
  static let columns: [EntryColumn] = [.name, .size, .modified, .type]

  @OptionGroup var catalog: CatalogOptions
  @OptionGroup var table: TableOptions
  @OptionGroup var output: OutputOptions

  @Argument(help: "The directory.", completion: .directory)
  var dir: PathArgument?

  func execute() async throws -> Outcome {
    let catalog = try catalog.open()
    defer { catalog.closeQuietly() }
    let request = try await request(in: catalog)
    let outcome = try EntryRows.print(request, from: catalog, table, output)
    // An empty directory was listed all the same.
    return outcome == .nothing ? .done : outcome
  }

  private func request(in catalog: Catalog) async throws -> TableRequest {
    let format = output.format(piped: .paths)
    let here = dir?.path ?? "."
    if dir == nil, try await catalog.entry(at: here) == nil {
      return try table.request(
        Query(.depth(.exactly(0))), in: .everything, format: format,
        columns: [.path, .size, .modified, .type], order: SortOrder([SortOrder.Term(.path)]))
    }
    return try table.request(
      Query(), in: .children(of: here), format: format,
      columns: Self.columns, set: Settings.current.columnsOfLs, order: SortOrder())
  }
}
