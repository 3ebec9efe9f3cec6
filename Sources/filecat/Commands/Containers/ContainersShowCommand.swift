import ArgumentParser
import Console
import FileCatalog
import FileSystem
import StandardDirectories
import SystemPackage

struct ContainersShowCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show where a container has its directories and what their roles promise.")

  @OptionGroup var catalog: CatalogOptions
  @OptionGroup var output: OutputOptions

  @Argument(help: "The container: its name, identifier or path; “home” is yours.")
  var container: String

  private static let columns: [Column] = [
    .text("role"), .path("path"), .text("place"), Column("persists"), .text("backup_policy"),
    .text("purge"), .text("writer"), .number("files"), .number("size"), .number("allocated"),
    .path("system", title: "THE SYSTEM"),
  ]

  func execute() async throws -> Outcome {
    let catalog = try catalog.openIfPresent()
    defer { catalog?.closeQuietly() }
    let (container, registered) = try await ContainerChoice.container(
      self.container, in: catalog, options: self.catalog)
    let usage =
      if let registered { try await catalog?.usageByRole(of: registered.id) ?? [] } else {
        [RoleUsage]()
      }
    let isHome = container.root == (try? Container.home().resolvingLinks())?.root
    let answers = isHome ? container.systemAnswers : []
    var printer = output.printer(Self.columns, piped: .tsv)
    for role in Role.allCases {
      // A list of paths has none for a role without a directory.
      if printer.format == .paths, container.availability(of: role) == .unavailable { continue }
      let used = usage.first { $0.role == role }
      let system = answers.first { $0.role == role }?.system.first
      try printer.print(
        Self.cells(container, role) + [
          used.map { .count(Int64($0.files)) } ?? .null, used.map { .byteCount($0.size) } ?? .null,
          used.map { .byteCount($0.allocated) } ?? .null,
          system.map { .text(bytes: $0.bytes) } ?? .null,
        ])
    }
    try printer.finish()
    return .done
  }

  private static func cells(_ container: Container, _ role: Role) -> [Cell] {
    let (path, place): (Cell, Cell) =
      switch container.availability(of: role) {
      case .inside(let path):
        (.text(bytes: container.root.pushing(path).bytes), "inside")
      case .outside(let path): (.text(bytes: path.bytes), "outside")
      case .unavailable: (.null, "unavailable")
      }
    let policy = role.policy
    return [
      .text(role.rawValue), path, place, .boolean(policy.persists), .text(policy.backup.rawValue),
      .text(policy.purge.rawValue), .text(policy.writer.rawValue),
    ]
  }
}
