import ArgumentParser
import Console
import FileCatalog
import FileSystem
import StandardDirectories
import SystemPackage

struct ContainersResolveCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "resolve",
    abstract: "Print the path of a role's directory, or of something in it.",
    discussion: """
      Nothing is looked at or made: the path need not exist. Without --container and --style it is \
      about your home.
      """)

  @OptionGroup var catalog: CatalogOptions
  @OptionGroup var output: OutputOptions

  @Option(help: ArgumentHelp("A registered container.", valueName: "container"))
  var container: String?

  @Option(help: ArgumentHelp("A registered app group.", valueName: "id"))
  var appGroup: String?

  @Option(help: "Any directory, arranged in this style; needs --root.")
  var style: String?

  @Option(help: ArgumentHelp("The directory that --style is about.", valueName: "dir"))
  var root: String?

  @Flag(help: "All directories that answer for the role, the one to use first.")
  var all = false

  @Argument(help: "The role: \(Role.allCases.map(\.rawValue).joined(separator: ", ")).")
  var role: String

  @Argument(help: "A path inside the directory.")
  var relative: String?

  func validate() throws {
    guard (style == nil) == (root == nil) else {
      throw ValidationError("--style and --root belong together")
    }
    guard [container, appGroup, style].compactMap({ $0 }).count <= 1 else {
      throw ValidationError("name one container: --container, --app-group, or --style with --root")
    }
    if all, relative != nil { throw ValidationError("--all takes no relative path") }
  }

  func execute() async throws -> Outcome {
    let role = try Role(named: role)
    let container = try await chosen()
    let paths = try all ? container.paths(for: role) : [container.resolve(role, relative)]
    var printer = output.printer([.path("path"), .text("role"), .text("style")], piped: .tsv)
    for path in paths {
      try printer.print([
        .text(bytes: path.bytes), .text(role.rawValue), .text(container.style.rawValue),
      ])
    }
    try printer.finish()
    return .done
  }

  private func chosen() async throws -> Container {
    if let style, let root {
      let base = FilePath(root)
      guard base.isAbsolute else {
        throw ValidationError("--root takes an absolute path: nothing is looked up on the disk")
      }
      return Container(try Container.Style(named: style), root: base.lexicallyNormalized())
    }
    guard container != nil || appGroup != nil else { return try Container.home() }
    let catalog = try catalog.openIfPresent()
    defer { catalog?.closeQuietly() }
    if let appGroup {
      let groups =
        try await catalog?.containers().map(\.container)
        .filter { $0.style == .appGroup } ?? []
      let roots = groups.compactMap { group in group.identifier.map { ($0, group.root) } }
      return try Container.AppGroups(Dictionary(roots, uniquingKeysWith: { first, _ in first }))
        .container(appGroup)
    }
    return try await ContainerChoice.container(
      container ?? ContainerChoice.home, in: catalog, options: self.catalog
    ).container
  }
}
