import ArgumentParser
import Console
import FileCatalog
import FileSystem
import SystemPackage

struct LsCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "ls", _superCommandName: FileCat.name,
    abstract: "List directories from the catalog.",
    discussion: """
      Of what is no directory, the entry itself is listed. Without PATH: the current directory, or the \
      roots when it is in none. On a terminal, the size of a directory is that of all that is in it \
      (total_size, which is a column and a sort key of its own).
      """)

  /// The columns where nobody has named others.
  static let columns: [EntryColumn] = [.name, .size, .modified, .type]

  private static let columnsOfPaths: [EntryColumn] = [.path, .size, .modified, .type]

  @OptionGroup var catalog: CatalogOptions
  @OptionGroup var table: TableOptions
  @OptionGroup var output: OutputOptions

  @Argument(help: "The directories, or other entries.", completion: .file())
  var paths: [PathArgument] = []

  func validate() throws {
    guard paths.count < 2 || table.after == nil && table.offset == 0 else {
      throw ValidationError("--after and --offset go with one PATH")
    }
  }

  func execute() async throws -> Outcome {
    let catalog = try catalog.open()
    defer { catalog.closeQuietly() }
    var requests: [TableRequest] = []
    var outcome = Outcome.done
    for path in paths.map(\.path) {
      do {
        requests.append(try await request(for: path, in: catalog))
      } catch let error as CatalogError where error.code == .notInCatalog && paths.count > 1 {
        // One that is not there does not keep the others from being listed.
        Message.print(error)
        outcome = .nothing
      }
    }
    if paths.isEmpty { requests = [try await requestForHere(in: catalog)] }
    // An empty directory was listed all the same.
    if let request = requests.first, requests.count == 1 {
      _ = try EntryRows.print(request, from: catalog, table, output)
    } else if !requests.isEmpty {
      _ = try EntryRows.print(requests, from: catalog, table, output)
    }
    return outcome
  }

  private func requestForHere(in catalog: Catalog) async throws -> TableRequest {
    guard try await catalog.entry(at: ".") == nil else {
      return try await request(for: ".", in: catalog)
    }
    return try table.request(
      Query(.depth(.exactly(0))), in: .everything, format: table.format(output),
      columns: Self.columnsOfPaths, order: SortOrder([SortOrder.Term(.path)]))
  }

  private func request(for path: FilePath, in catalog: Catalog) async throws -> TableRequest {
    var scope = TableRequest.Scope.children(of: path)
    do {
      _ = try await catalog.totals(of: path)
    } catch let error as CatalogError where error.code == .notADirectory {
      scope = .entry(at: path)
    }
    // A name alone does not tell in which of several directories it is.
    return try table.request(
      Query(), in: scope, format: table.format(output),
      columns: paths.count > 1 ? Self.columnsOfPaths : Self.columns,
      set: Settings.current.columnsOfLs, order: SortOrder())
  }
}
