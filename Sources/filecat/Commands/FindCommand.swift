import ArgumentParser
import Console
import FileCatalog
import FileSystem
import SystemPackage

struct FindCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "find",
    abstract: "Find entries in the catalog.",
    discussion: """
      Terms are joined by AND; OR, NOT, a leading - and parentheses work. A word matches names that \
      contain it, with * ? […] it is a glob on the whole name.

        filecat find readme                    names that contain “readme”
        filecat find '*.swift' 'size:>10k'     Swift files above 10 KiB
        filecat find kind:image 'modified:<7d' images of the last week
        filecat find 'ext:log OR ext:tmp' 'NOT owner:root'
      """)

  @OptionGroup var catalog: CatalogOptions
  @OptionGroup var table: TableOptions
  @OptionGroup var output: OutputOptions

  @Option(
    name: .customLong("in"),
    help: ArgumentHelp("Look only below this directory.", valueName: "dir"),
    completion: .directory)
  var directory: String?

  @Flag(name: .shortAndLong, help: "Print only how many there are.")
  var count = false

  @Argument(parsing: .allUnrecognized, help: "What to find; nothing finds everything.")
  var query: [String] = []

  func validate() throws {
    // What begins with one dash is a negated term; with two it can only be a mistyped option.
    if let option = query.first(where: { $0.hasPrefix("--") && $0.count > 2 }) {
      throw ValidationError("Unknown option '\(option)'")
    }
  }

  func execute() async throws -> Outcome {
    let words = query.filter { $0 != "--" }
    let query = try Query(parsing: words.joined(separator: " "))
    let scope = directory.map { TableRequest.Scope.subtree(of: FilePath($0)) } ?? .everything
    let request = try table.request(
      query, in: scope, format: output.format(piped: .paths),
      columns: [.path, .size, .modified], order: SortOrder([SortOrder.Term(.path)]))
    let catalog = try catalog.open()
    defer { catalog.closeQuietly() }
    guard count else { return try EntryRows.print(request, from: catalog, output) }
    let number = try await catalog.count(of: query, in: scope)
    var sink = ByteSink.standardOutput
    try sink.write("\(number)\n")
    try sink.flush()
    return number == 0 ? .nothing : .done
  }
}
