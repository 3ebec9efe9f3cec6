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
  /// - Throws: ``/CatalogStore/CatalogError/Code/rootNotFound`` and ``/CatalogStore/CatalogError/Code/notADirectory``.
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
      environment.variables["HOME"] = root
    } else {
      environment = HostEnvironment(variables: ["HOME": root])
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
    return Role.standard.reduce(container.adding(customRoles)) { container, role in
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
    case .flatpak, .snap: root.lastComponent?.string
    case .appleSandbox, .appGroup:
      metadataPlaces(of: root).lazy.compactMap { try? ContainerMetadata.identifier(in: $0) }.first
    case .appleHome, .xdg: nil
    }
  }

  /// On macOS the property list is beside the directory Data that is the container.
  private static func metadataPlaces(of root: FilePath) -> [FilePath] {
    root.lastComponent?.string == "Data" ? [root, root.removingLastComponent()] : [root]
  }

  /// What is wrong with the property list that the container manager keeps of the container; `nil`
  /// if it can be read or is not there. The disk is looked at.
  public var metadataFailure: ContainerDiscovery.Report.Failure? {
    guard style == .appleSandbox || style == .appGroup else { return nil }
    for place in Self.metadataPlaces(of: root) {
      do throws(ContainerDiscovery.Report.Failure) {
        _ = try ContainerMetadata.identifier(in: place)
      } catch {
        return error
      }
    }
    return nil
  }
}

/// What a home's container and the operating system say of one role.
public struct SystemAnswer: Sendable, Hashable {
  /// The role.
  public let role: Role
  /// What the container says; `nil` where it has no directory of the role.
  public let own: FilePath?
  /// What the system says, in its order; there may be none, and on macOS several.
  public let system: [FilePath]
  /// Whether both name the same directory, or none, by whatever symbolic links.
  public let agrees: Bool

  init(role: Role, own: FilePath?, system: [FilePath]) {
    self.role = role
    self.own = own
    self.system = system
    agrees = own?.resolvedWhereItExists == system.first?.resolvedWhereItExists
  }
}

extension Container {
  /// The home of this process's user, as its environment describes it.
  ///
  /// - Throws: `DirectoryError` when nothing says where the home is.
  public static func home(
    of environment: HostEnvironment = .ofThisProcess()
  ) throws(DirectoryError) -> Container {
    try Container(home: .homeOfThisSystem, of: environment)
  }

  /// The answers of the system beside those of the container, for the roles that the system knows.
  ///
  /// They are about the home of this process's user and mean nothing for another container. To compare
  /// them, symbolic links are looked up on the disk.
  public var systemAnswers: [SystemAnswer] {
    [Role.documents, .library, .caches, .applicationSupport, .temporary].map { role in
      SystemAnswer(
        role: role, own: answers(role).first, system: SystemDirectories.paths(for: role))
    }
  }
}
