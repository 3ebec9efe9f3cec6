internal import FileSystem
public import StandardDirectories
public import SystemPackage

extension Container {
  /// The container that a directory of the disk is, given its style.
  ///
  /// Links on the way to it and to a home's directories are resolved, so that paths are those of the
  /// entries. Of a home, what its `user-dirs.dirs` says is read, and for the home of this process its
  /// variables count. An identifier is taken from the container manager's property list, or from the directory's name
  /// where that is the identifier by definition.
  ///
  /// - Throws: ``CatalogError/Code/rootNotFound`` and ``CatalogError/Code/notADirectory``.
  public init(
    at path: FilePath, style: Container.Style, environment: HostEnvironment = .ofThisProcess()
  ) throws {
    let root = try RootLocation(finding: path).path
    guard style.isHome else {
      self.init(style, root: root, identifier: Self.identifier(of: root, style))
      return
    }
    var environment = environment
    if (try? environment.home).flatMap(\.resolved) == root {
      environment.variables["HOME"] = root.string
    } else {
      environment = HostEnvironment(variables: ["HOME": root.string])
      environment.readUserDirectories()
    }
    try self.init(home: style, of: environment)
    self = resolvingLinks()
  }

  /// The container at the path that its entries have: without symbolic links on the way to it and to
  /// those of its directories that are outside; of a home, to any of its directories. What does not
  /// exist is taken as it is written.
  public func resolvingLinks() -> Container {
    let stored = StoredContainer(self)
    let container = StoredContainer(
      style: style, root: root.resolvedWhereItExists, identifier: identifier,
      directories: stored.directories
    ).container
    return Role.allCases.reduce(container) { container, role in
      let paths = container.ownAnswers(role)
      let resolved = paths.map { path in
        // Inside a snap the style itself goes through a link.
        style.isHome || container.relative(path) == nil ? path.resolvedWhereItExists : path
      }
      return resolved == paths ? container : container.setting(role, to: resolved)
    }
  }

  private static func identifier(of root: FilePath, _ style: Container.Style) -> String? {
    switch style {
    case .flatpak, .snap: return root.lastComponent?.string
    case .appleSandbox, .appGroup:
      // On macOS the property list is beside the folder Data that is the container.
      let places =
        root.lastComponent?.string == "Data" ? [root, root.removingLastComponent()] : [root]
      return places.lazy.compactMap { ContainerMetadata.identifier(in: $0) }.first
    case .appleHome, .xdg: return nil
    }
  }
}
