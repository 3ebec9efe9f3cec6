import ArgumentParser
import Console
import FileCatalog
import FileSystem
import StandardDirectories
import SystemPackage

struct ContainersAddCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Register a directory as a container.")

  @OptionGroup var catalog: CatalogOptions

  @Option(help: ArgumentHelp("What the system calls it.", valueName: "id"))
  var identifier: String?

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      """
      Where it has the directory of a role, if not where the style has it. Repeatable; of several \
      for one role the first is the one to use.
      """,
      valueName: "role=path"))
  var directory: [String] = []

  @Argument(help: "How it is arranged: \(Container.Style.names).")
  var style: String

  @Argument(help: "The directory.", completion: .directory)
  var root: String

  func execute() async throws -> Outcome {
    var container = try Container(at: FilePath(root), style: Container.Style(named: style))
    if let identifier {
      guard !identifier.isEmpty, !identifier.contains("/") else {
        throw ValidationError("--identifier takes a name that is not empty and has no “/” in it")
      }
      container = Container(container.style, root: container.root, identifier: identifier)
    }
    var places: [Role: [FilePath]] = [:]
    for item in directory {
      guard let equals = item.firstIndex(of: "=") else {
        throw ValidationError("--directory takes ROLE=PATH, as in: resources=Contents/Resources")
      }
      let role = try Role(named: String(item[..<equals]))
      let path = try Self.place(String(item[item.index(after: equals)...]))
      places[role, default: []].append(path)
    }
    for (role, paths) in places { container = container.setting(role, to: paths) }
    container = container.resolvingLinks()
    let catalog = try catalog.open(.create)
    defer { catalog.closeQuietly() }
    try await catalog.register([container])
    return .done
  }

  /// A path with a name in each place: what is empty, `.` or `..` leads where no role can be.
  private static func place(_ text: String) throws -> FilePath {
    let path = FilePath(text)
    let names = path.components.map(\.string)
    for name in names.isEmpty ? [text] : names { try DirectoryName.check(name) }
    return path
  }
}

struct ContainersForgetCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Drop a container; its entries stay and have no role any more.")

  @OptionGroup var catalog: CatalogOptions

  @Argument(help: "The container: its name, identifier or path.")
  var container: String

  func execute() async throws -> Outcome {
    let catalog = try catalog.open()
    defer { catalog.closeQuietly() }
    try await catalog.unregister(try await catalog.container(named: container).id)
    return .done
  }
}

extension Container.Style {
  /// All names, for help.
  static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
