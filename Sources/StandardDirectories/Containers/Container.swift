public import SystemPackage

/// A directory tree in which every directory has a role: an application's sandbox, an app group, a
/// home.
///
/// ```swift
/// let container = Container(.appleSandbox, root: "/data/app")
/// try container.library.caches.appending("Images").path   // /data/app/Library/Caches/Images
/// ```
///
/// A container is a description. Neither making nor asking one touches the disk.
public struct Container: Hashable, Sendable {
  /// How its directories are arranged.
  public let style: Style
  /// The directory that holds it.
  public let root: FilePath
  /// What it is called by the system: a bundle identifier, a Flatpak ID, the name of a snap, the
  /// identifier of an app group. Homes have none.
  public let identifier: String?
  /// What is not as the style has it; an empty list says that there is no such directory.
  private var overrides: [Role: [FilePath]] = [:]
  /// The roles that it has beside the standard ones, by name.
  public private(set) var customRoles: [CustomRole] = []

  /// A container whose directories are where its style has them.
  public init(_ style: Style, root: FilePath, identifier: String? = nil) {
    self.style = style
    self.root = root
    self.identifier = identifier
  }

  /// The container with other directories for a role, of which the first is the one to use;
  /// relative paths begin at the root. An empty list says that it has no such directory.
  public func setting(_ role: Role, to paths: [FilePath]) -> Container {
    var container = self
    container.overrides[role] = paths.map { root.pushing($0) }
    return container
  }

  /// The container with roles beside the standard ones; one takes the place of another of its name.
  ///
  /// Only who asks for the role of a path needs this: a declared role says itself where it is.
  public func adding(_ roles: [CustomRole]) -> Container {
    var container = self
    let names = Set(roles.map(\.name))
    let all = customRoles.filter { !names.contains($0.name) } + roles
    container.customRoles = all.sorted { $0.name < $1.name }
    return container
  }

  /// All directories that answer for a role, the first of which is the one to use; never empty.
  ///
  /// - Parameter parameters: the values that the name of a declared role's directory takes.
  /// - Throws: ``DirectoryError/unavailable(_:_:)`` when the style has none, and
  ///   ``DirectoryError/missingParameter(_:)``, ``DirectoryError/unknownParameter(_:_:)``,
  ///   ``DirectoryError/refusedParameter(_:_:)``.
  public func paths(
    for role: Role, parameters: DirectoryPattern.Values = [:]
  ) throws(DirectoryError) -> [FilePath] {
    guard case .custom(let custom) = role else {
      if let unknown = parameters.keys.min() { throw .unknownParameter(unknown, role) }
      let paths = answers(for: role)
      if paths.isEmpty { throw .unavailable(role, style) }
      return paths
    }
    let known = custom.parameters
    if let unknown = parameters.keys.filter({ !known.contains($0) }).min() {
      throw .unknownParameter(unknown, role)
    }
    let (anchor, components) = custom.anchor
    var names: [FilePath.Component] = []
    for component in components { names.append(try component.name(parameters)) }
    let bases = anchor.map { answers(for: $0) } ?? [root]
    if bases.isEmpty { throw .unavailable(role, style) }
    return bases.map { $0.appending(names) }
  }

  /// What somebody wants to do with a path.
  public enum Access: Sendable, Hashable {
    /// Only look at it.
    case reading
    /// Make, change or delete it.
    case writing
  }

  /// The path of something in the directory of a role.
  ///
  /// - Parameters:
  ///   - relative: where it is in the directory; `nil` for the directory itself.
  ///   - parameters: the values that the name of a declared role's directory takes.
  ///   - access: what it is wanted for.
  /// - Throws: as ``paths(for:parameters:)``, ``DirectoryError/refusedPath(_:)`` for a
  ///   relative path that is absolute or does not stay inside, and ``DirectoryError/readOnly(_:)`` for writing where files
  ///   are only read.
  public func resolve(
    _ role: Role, _ relative: FilePath? = nil, parameters: DirectoryPattern.Values = [:],
    for access: Access = .reading
  ) throws(DirectoryError) -> FilePath {
    if access == .writing, role.policy.isReadOnly { throw .readOnly(role) }
    guard let path = try paths(for: role, parameters: parameters).first else {
      throw .unavailable(role, style)
    }
    guard let relative else { return path }
    return try path.appending(inside: relative)
  }

  /// The directories for a role; empty when there is none.
  func answers(for role: Role) -> [FilePath] {
    if case .custom = role { return (try? paths(for: role)) ?? [] }
    let own = overrides[role] ?? style.subpaths(of: role).map { root.pushing(FilePath($0)) }
    switch role {
    case .temporary where style.isHome && overrides[role] != []:
      return (own.isEmpty ? [Container.systemTemporary] : own) + fallbackTemporary
    case _ where overrides[role] != nil: return own
    case .offlineData:
      return answers(for: .applicationSupport).prefix(1).map { $0.appending("Offline Data") }
    case .temporary where style == .snap:
      // What the snap sees as /tmp.
      return identifier.flatMap { FilePath.Component("snap.\($0)") }.map {
        [FilePath("/tmp/snap-private-tmp").appending($0).appending("tmp")]
      } ?? []
    default: return own
    }
  }

  static let systemTemporary = FilePath("/tmp")

  /// Where temporary files go when the system's directory is not there or not writable.
  private var fallbackTemporary: [FilePath] {
    answers(for: .caches).prefix(1).map { $0.appending("Temporary Files") }
  }

  /// A path relative to the root; `nil` for one that is not inside, empty for the root itself.
  public func relative(_ path: FilePath) -> FilePath? {
    var relative = path
    guard relative.removePrefix(root) else { return nil }
    return relative
  }
}

extension Container {
  /// Whether and where a container has a directory for a role.
  public enum Availability: Hashable, Sendable {
    /// Inside the container, at this path relative to its root.
    case inside(FilePath)
    /// Somewhere else: the system's temporary directory, or what the environment says.
    case outside(FilePath)
    /// Nowhere.
    case unavailable
  }

  /// How the path of a declared role's directory is written, with its parameters in braces; `nil` where the container
  /// has none.
  public func pattern(of role: CustomRole) -> String? {
    let (anchor, components) = role.anchor
    guard let base = anchor.map({ answers(for: $0).first }) ?? root else { return nil }
    return ([base.string] + components.map(\.text)).joined(separator: base == "/" ? "" : "/")
  }

  /// Whether and where the container has a directory for a role, by its style and not by the disk.
  public func availability(of role: Role) -> Availability {
    guard let path = answers(for: role).first else { return .unavailable }
    return relative(path).map(Availability.inside) ?? .outside(path)
  }

  /// The app groups of a machine by identifier.
  ///
  /// macOS knows them itself; elsewhere they are what the configuration says.
  public struct AppGroups: Hashable, Sendable {
    /// The root of each group's container.
    public var roots: [String: FilePath]

    /// The groups with these roots.
    public init(_ roots: [String: FilePath] = [:]) {
      self.roots = roots
    }

    /// The container of a group.
    ///
    /// - Throws: ``DirectoryError/unknownAppGroup(_:)`` for a group that is not configured.
    public func container(_ identifier: String) throws(DirectoryError) -> Container {
      guard let root = roots[identifier] else { throw .unknownAppGroup(identifier) }
      return Container(.appGroup, root: root, identifier: identifier)
    }
  }

  /// How the directories of a container are arranged.
  ///
  /// The raw values are stable names: they are stored and typed.
  public enum Style: String, CaseIterable, Sendable, Codable {
    /// The container of one application on Apple's systems, on a device, in a simulator, or the
    /// directory `Data` in `~/Library/Containers`.
    case appleSandbox = "apple-sandbox"
    /// A home directory on macOS.
    case appleHome = "apple-home"
    /// What several applications of one maker share on Apple's systems.
    case appGroup = "app-group"
    /// A home directory by the XDG Base Directory Specification.
    case xdg
    /// The directory of one Flatpak application, `~/.var/app/ID`.
    case flatpak
    /// The directory of one snap, `~/snap/NAME`, with one directory a revision.
    case snap

    /// The style of a name that a person typed.
    ///
    /// - Throws: ``DirectoryError/unknownStyle(_:)``.
    public init(named name: String) throws(DirectoryError) {
      guard let style = Style(rawValue: name) else { throw .unknownStyle(name) }
      self = style
    }
  }
}

extension Container.Style {
  /// Where the style has the directory of a role, relative to the root, the first being the one to
  /// use.
  ///
  /// Flatpak's are those of its sandbox (its `/var/tmp` is `cache/tmp`); a snap's are what its
  /// `HOME`, `SNAP_USER_DATA` and `SNAP_USER_COMMON` make of the XDG defaults.
  func subpaths(of role: Role) -> [String] {
    switch self {
    case .appleSandbox, .appleHome, .appGroup:
      switch role {
      case .documents: ["Documents"]
      case .library: ["Library"]
      case .caches: ["Library/Caches"]
      case .applicationSupport: ["Library/Application Support"]
      case .preferences: ["Library/Preferences"]
      case .temporary: self == .appleHome ? [] : ["tmp"]
      case .offlineData, .state, .resources, .custom: []
      }
    case .xdg:
      switch role {
      case .documents: ["Documents"]
      case .caches: [".cache"]
      case .applicationSupport: [".local/share"]
      case .preferences: [".config"]
      case .state: [".local/state"]
      case .library, .temporary, .offlineData, .resources, .custom: []
      }
    case .flatpak:
      switch role {
      case .caches: ["cache"]
      case .applicationSupport: ["data"]
      case .preferences: ["config"]
      case .state: [".local/state"]
      case .temporary: ["cache/tmp"]
      case .documents, .library, .offlineData, .resources, .custom: []
      }
    case .snap:
      switch role {
      case .documents: ["current/Documents"]
      case .caches: ["common/.cache", "current/.cache"]
      case .applicationSupport: ["current/.local/share", "common", "current"]
      case .preferences: ["current/.config"]
      case .state: ["current/.local/state"]
      case .library, .temporary, .offlineData, .resources, .custom: []
      }
    }
  }

  /// Whether the container is the home of a person, which programs share.
  public var isHome: Bool { self == .appleHome || self == .xdg }
}
