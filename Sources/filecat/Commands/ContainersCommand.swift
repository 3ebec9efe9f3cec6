import ArgumentParser
import Console
import FileCatalog
import FileSystem
import StandardDirectories
import SystemPackage

/// The group of commands about containers.
struct ContainersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "containers", _superCommandName: FileCat.name,
    abstract: "Ask about containers: homes, sandboxes and the roles of their directories.",
    discussion: """
      A container is a directory tree in which directories have roles: documents, caches, settings \
      and so on. What a role promises of backups and of a full disk holds for all that is inside. \
      Containers are registered with “containers discover --register”, “containers add” or \
      “scan --container STYLE DIR”; afterwards queries know role:, container:, backup: and \
      purgeable:.
      """,
    subcommands: [
      ContainersListCommand.self, ContainersDiscoverCommand.self, ContainersAddCommand.self,
      ContainersForgetCommand.self, ContainersShowCommand.self, ContainersResolveCommand.self,
      ContainersRolesCommand.self,
      ContainersPolicyCommand.self, ContainersMarkCommand.self, ContainersUnmarkCommand.self,
      ContainersPurgeCommand.self,
    ])
}

struct ContainersListCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the registered containers and your home.",
    discussion: """
      Of your home it says whether the system's own answers are the same; “containers show home” has \
      them role by role.
      """)

  @OptionGroup var catalog: CatalogOptions
  @OptionGroup var list: ListOptions
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
    var listed = RowList(ContainerRow.columns)
    for row in rows { listed.append(row.cells) }
    return try listed.print(list, output)
  }
}

struct ContainersDiscoverCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "discover",
    abstract: "Find the containers on this machine, or in directories.",
    discussion: """
      Looks where Flatpak, snap, macOS, iOS simulators, devices and unpacked device backups keep \
      theirs, and for homes. Without DIR it searches your home and the homes of others.
      """)

  @OptionGroup var catalog: CatalogOptions
  @OptionGroup var output: OutputOptions

  @Flag(help: "Register what is found in the catalog.")
  var register = false

  @Argument(
    help: "A home, the data of a device, or an unpacked backup.", completion: .directory)
  var directories: [PathArgument] = []

  func execute() async throws -> Outcome {
    let paths = directories.map(\.path)
    let report =
      try paths.isEmpty ? ContainerSearch.machine() : ContainerSearch.directories(paths)
    let catalog = try register ? self.catalog.open(.create) : self.catalog.openIfPresent()
    defer { catalog?.closeQuietly() }
    if register { try await catalog?.register(report.containers) }
    let registered = try await catalog?.containers() ?? []
    var account = Account()
    let print = {
      var printer = output.printer(ContainerRow.columns.dropLast(), piped: .tsv)
      for container in report.containers {
        let known = registered.first { $0.container.root == container.root }
        let row = ContainerRow(container: container, registered: known, answers: nil)
        try printer.print(row.cells.dropLast())
      }
      try printer.finish()
    }
    if register { try account.say(print) } else { try print() }
    for failure in report.failures { Message.print(failure) }
    let outcome: Outcome =
      !report.failures.isEmpty ? .incomplete : report.containers.isEmpty ? .nothing : .done
    return account.outcome(outcome, of: "the containers were registered")
  }
}

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

  @Argument(
    help: "How it is arranged: \(Container.Style.names).",
    completion: .list(Container.Style.allCases.map(\.rawValue)))
  var style: String

  @Argument(help: "The directory.", completion: .directory)
  var root: PathArgument

  func execute() async throws -> Outcome {
    var container = try Container(at: root.path, style: Container.Style(named: style))
    if let failure = container.metadataFailure { Message.print(failure) }
    if let identifier {
      guard !identifier.isEmpty, !identifier.contains("/"), RawArguments.isText(identifier) else {
        throw ValidationError(
          "--identifier takes a text that is not empty and has no “/” in it")
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
    let path = FilePath(bytes: RawArguments.bytes(of: text))
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

  @Argument(help: "The container: its name, identifier or path.", completion: .containers)
  var container: PathArgument

  func execute() async throws -> Outcome {
    let catalog = try catalog.open()
    defer { catalog.closeQuietly() }
    try await catalog.unregister(try await catalog.container(named: container.path).id)
    return .done
  }
}

extension Container.Style {
  /// All names, for help.
  static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}

struct ContainersShowCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show where a container has its directories and what their roles promise.")

  @OptionGroup var catalog: CatalogOptions
  @OptionGroup var output: OutputOptions

  @Argument(
    help: "The container: its name, identifier or path; “home” is yours.", completion: .containers)
  var container: PathArgument

  private static let columns: [Column] = [
    .text("role"), .path("path"), .text("place"), Column("persists"), .text("backup_policy"),
    .text("purge"), .text("writer"), .number("files"), .number("size"), .number("allocated"),
    .path("system", title: "THE SYSTEM"),
  ]

  func execute() async throws -> Outcome {
    let catalog = try catalog.openIfPresent()
    defer { catalog?.closeQuietly() }
    let (container, registered) = try await ContainerChoice.container(
      self.container.path, in: catalog, options: self.catalog)
    let usage =
      if let registered { try await catalog?.usageByRole(of: registered.id) ?? [] } else {
        [RoleUsage]()
      }
    let isHome = container.root == (try? Container.home().resolvingLinks())?.root
    let answers = isHome ? container.systemAnswers : []
    var printer = output.printer(Self.columns, piped: .tsv)
    for role in Role.standard + container.customRoles.map(Role.custom) {
      // A list of paths has none for a role without a directory, or with as many as there are values.
      if printer.format == .paths, container.availability(of: role) == .unavailable { continue }
      let used = usage.first { $0.role?.name == role.name }
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
      case .unavailable: pattern(container, role)
      }
    let policy = role.policy
    return [
      .text(role.name), path, place, .boolean(policy.persists), .text(policy.backup.rawValue),
      .text(policy.purge.rawValue), .text(policy.writer.rawValue),
    ]
  }

  /// Where a role is whose directory has parameters.
  private static func pattern(_ container: Container, _ role: Role) -> (Cell, Cell) {
    guard case .custom(let custom) = role, let text = container.pattern(of: custom) else {
      return (.null, "unavailable")
    }
    return (.text(text), "pattern")
  }
}

/// Finds the container that a person means.
enum ContainerChoice {
  /// The word for the home of whoever runs the command, registered or not.
  static let home: FilePath = "home"

  /// A registered container, or the home, with the roles that are declared.
  static func container(
    _ name: FilePath, in catalog: Catalog?, options: CatalogOptions
  ) async throws -> (container: Container, registered: RegisteredContainer?) {
    if name == home {
      let container = try Container.home().resolvingLinks()
      let registered = try await catalog?.containers()
        .first { $0.container.root == container.root }
      return ((registered?.container ?? container).adding(RoleChoice.declared.roles), registered)
    }
    // Where there is no catalog, opening it says so.
    let catalog = try catalog ?? options.open()
    let registered = try await catalog.container(named: name)
    return (registered.container.adding(RoleChoice.declared.roles), registered)
  }
}

/// What is printed of a container in lists.
struct ContainerRow {
  static let columns: [Column] = [
    .text("container"), .text("style"), .path("path"), .text("identifier").whereItFits,
    Column("registered").whereItFits, .text("system", title: "THE SYSTEM").whereItFits,
  ]

  let container: Container
  let registered: RegisteredContainer?
  /// What the system says; `nil` for containers that it has no answers about.
  let answers: [SystemAnswer]?

  var cells: [Cell] {
    [
      .text(registered?.name ?? container.identifier ?? container.root.string),
      .text(container.style.rawValue), .text(bytes: container.root.bytes),
      container.identifier.map { .text($0) } ?? .null, .boolean(registered != nil),
      answers.map { .text(Self.comparison($0)) } ?? .null,
    ]
  }

  private static func comparison(_ answers: [SystemAnswer]) -> String {
    let different = answers.filter { !$0.agrees }.map(\.role.name)
    return different.isEmpty ? "agrees" : "differs: \(different.joined(separator: ", "))"
  }
}

extension CatalogOptions {
  /// The catalog, or `nil` where nobody has named one and there is none in the usual place.
  func openIfPresent() throws -> Catalog? {
    guard file == nil, (try? Self.usualPath(Settings.current.catalog).stat()) == nil else {
      return try open()
    }
    return nil
  }
}
