import ArgumentParser
import Console
import FileCatalog
import StandardDirectories
import SystemPackage

struct ContainersResolveCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "resolve",
    abstract: "Print the path of a role's directory, or of something in it.",
    discussion: """
      Nothing is looked at or made: the path need not exist. Without --container and --style it is \
      about your home, and with --executable about the part of it that belongs to a program.

        filecat containers resolve caches --executable /usr/local/bin/notes
        filecat containers resolve user --parameter id=5 Avatars
        filecat containers resolve preferences --domain all
      """)

  @OptionGroup var catalog: CatalogOptions
  @OptionGroup var output: OutputOptions

  @Option(
    help: ArgumentHelp("A registered container.", valueName: "container"), completion: .containers)
  var container: PathArgument?

  @Option(help: ArgumentHelp("A registered app group.", valueName: "id"))
  var appGroup: String?

  @Option(help: "Any directory, arranged in this style; needs --root.")
  var style: String?

  @Option(help: ArgumentHelp("The directory that --style is about.", valueName: "dir"))
  var root: PathArgument?

  @Option(
    help: ArgumentHelp(
      "The program whose part of your home it is about; its resources are beside it.",
      valueName: "file"), completion: .file())
  var executable: PathArgument?

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "What a parameter in the directory of a declared role is. Repeatable.",
      valueName: "name=value"))
  var parameter: [String] = []

  @Option(
    help: """
      All directories in which something of the role is looked for, the strongest first: those of \
      one domain (\(SearchDomain.allCases.map(\.rawValue).joined(separator: ", "))), or all.
      """,
    completion: .list(SearchDomain.allCases.map(\.rawValue) + ["all"]))
  var domain: DomainChoice?

  @Flag(help: "All directories that answer for the role, the one to use first.")
  var all = false

  @Flag(help: "Refuse a role whose files are only read.")
  var forWriting = false

  @Argument(
    help: "The role: \(Role.standard.map(\.name).joined(separator: ", ")), or a declared one.",
    completion: .custom { _, _, _ in RoleChoice.names })
  var role: String

  @Argument(help: "A path inside the directory.")
  var relative: PathArgument?

  /// A domain, or all of them.
  enum DomainChoice: ExpressibleByArgument {
    case one(SearchDomain)
    case all

    init?(argument: String) {
      guard argument != "all" else {
        self = .all
        return
      }
      guard let domain = SearchDomain(rawValue: argument) else { return nil }
      self = .one(domain)
    }

    func contains(_ domain: SearchDomain) -> Bool {
      switch self {
      case .all: true
      case .one(let own): own == domain
      }
    }
  }

  func validate() throws {
    guard (style == nil) == (root == nil) else {
      throw ValidationError("--style and --root belong together")
    }
    let named = [container != nil, appGroup != nil, style != nil, executable != nil]
    guard named.count(where: { $0 }) <= 1 else {
      throw ValidationError(
        "name one container: --container, --app-group, --executable, or --style with --root")
    }
    if all, relative != nil { throw ValidationError("--all takes no relative path") }
    guard domain != nil else { return }
    if named.contains(true) { throw ValidationError("--domain is about your home and your system") }
    if all { throw ValidationError("--domain lists all directories anyway") }
  }

  func execute() async throws -> Outcome {
    let values = try parameters()
    let catalog = try catalog.openIfPresent()
    defer { catalog?.closeQuietly() }
    let role = try await RoleChoice.role(named: self.role, catalog)
    if forWriting, role.policy.isReadOnly { throw DirectoryError.readOnly(role) }
    if domain != nil { return try printDomains(role, values) }
    let container = try await chosen(catalog)
    let paths =
      try all
      ? container.paths(for: role, parameters: values)
      : [container.resolve(role, relative?.path, parameters: values)]
    var printer = output.printer([.path("path"), .text("role"), .text("style")], piped: .tsv)
    for path in paths {
      try printer.print([
        .text(bytes: path.bytes), .text(role.name), .text(container.style.rawValue),
      ])
    }
    try printer.finish()
    return .done
  }

  private func printDomains(_ role: Role, _ values: DirectoryPattern.Values) throws -> Outcome {
    let found = try HostEnvironment.ofThisProcess().searchPath(for: role, parameters: values)
      .filter { domain?.contains($0.domain) ?? true }
    var printer = output.printer([.path("path"), .text("role"), .text("domain")], piped: .tsv)
    for directory in found {
      let path = try relative.map { try directory.path.appending(inside: $0.path) }
      try printer.print([
        .text(bytes: (path ?? directory.path).bytes), .text(role.name),
        .text(directory.domain.rawValue),
      ])
    }
    try printer.finish()
    return found.isEmpty ? .nothing : .done
  }

  private func parameters() throws -> DirectoryPattern.Values {
    var values: DirectoryPattern.Values = [:]
    for item in parameter {
      guard let equals = item.firstIndex(of: "=") else {
        throw ValidationError("--parameter takes NAME=VALUE, as in: id=5")
      }
      let name = String(item[..<equals])
      let bytes = RawArguments.bytes(of: String(item[item.index(after: equals)...]))
      let path = FilePath(bytes: bytes)
      guard let value = path.lastComponent, path.components.count == 1, path.bytes == bytes else {
        throw DirectoryError.refusedParameter(name, String(decoding: bytes, as: UTF8.self))
      }
      guard values.updateValue(value, forKey: name) == nil else {
        throw ValidationError("--parameter \(name)= is there twice")
      }
    }
    return values
  }

  private func chosen(_ catalog: Catalog?) async throws -> Container {
    if let style, let base = root?.path {
      guard base.isAbsolute else {
        throw ValidationError("--root takes an absolute path: nothing is looked up on the disk")
      }
      return Container(try Container.Style(named: style), root: base.lexicallyNormalized())
    }
    if let executable {
      return try Container.home().narrowed(
        to: Container.Application(executable: executable.path.absolute))
    }
    guard container != nil || appGroup != nil else { return try Container.home() }
    if let appGroup {
      let groups =
        try await catalog?.containers().map(\.container)
        .filter { $0.style == .appGroup } ?? []
      let roots = groups.compactMap { group in group.identifier.map { ($0, group.root) } }
      return try Container.AppGroups(Dictionary(roots, uniquingKeysWith: { first, _ in first }))
        .container(appGroup)
    }
    return try await ContainerChoice.container(
      container?.path ?? ContainerChoice.home, in: catalog, options: self.catalog
    ).container
  }
}
