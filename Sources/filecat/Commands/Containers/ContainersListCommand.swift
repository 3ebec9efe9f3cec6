import ArgumentParser
import Console
import FileCatalog
import FileSystem
import StandardDirectories

struct ContainersListCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the registered containers and your home.",
    discussion: """
      Of your home it says whether the system's own answers are the same; “containers show home” has \
      them role by role.
      """)

  @OptionGroup var catalog: CatalogOptions
  @OptionGroup var output: OutputOptions

  func execute() async throws -> Outcome {
    let catalog = try catalog.openIfPresent()
    defer { catalog?.closeQuietly() }
    let registered = try await catalog?.containers() ?? []
    let home = try? Container.home().resolvingLinks()
    var rows = registered.map { item in
      ContainerRow(
        container: item.container, registered: item,
        answers: item.container.root == home?.root ? item.container.systemAnswers : nil)
    }
    if let home, !registered.contains(where: { $0.container.root == home.root }) {
      let row = ContainerRow(container: home, registered: nil, answers: home.systemAnswers)
      rows.insert(row, at: 0)
    }
    var printer = output.printer(ContainerRow.columns, piped: .tsv)
    for row in rows { try printer.print(row.cells) }
    try printer.finish()
    return rows.isEmpty ? .nothing : .done
  }
}
