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

  /// All directories that answer for a role, the first of which is the one to use; never empty.
  ///
  /// - Throws: ``DirectoryError/unavailable(_:_:)`` when the style has none.
  public func paths(for role: Role) throws(DirectoryError) -> [FilePath] {
    let paths = answers(for: role)
    if paths.isEmpty { throw .unavailable(role, style) }
    return paths
  }

  /// The path of something in the directory of a role.
  ///
  /// - Throws: ``DirectoryError/unavailable(_:_:)``, and ``DirectoryError/refusedPath(_:)`` for a
  ///   relative path that is absolute or does not stay inside.
  public func resolve(
    _ role: Role, _ relative: FilePath? = nil
  ) throws(DirectoryError) -> FilePath {
    guard let path = try paths(for: role).first else { throw .unavailable(role, style) }
    guard let relative else { return path }
    return try path.appending(inside: relative)
  }

  /// The directories for a role; empty when there is none.
  func answers(for role: Role) -> [FilePath] {
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

  /// Whether and where the container has a directory for a role, by its style and not by the disk.
  public func availability(of role: Role) -> Availability {
    guard let path = answers(for: role).first else { return .unavailable }
    return relative(path).map(Availability.inside) ?? .outside(path)
  }

  /// An application among those that share a home.
  public struct Application: Hashable, Sendable {
    /// What people call it: `My App`.
    public var name: String
    /// What the system calls it: `com.example.myapp`.
    public var identifier: String

    /// An application of these names.
    public init(name: String, identifier: String) {
      self.name = name
      self.identifier = identifier
    }
  }

  /// The part of a home that belongs to one application.
  ///
  /// As programs do on macOS, its support files are in a directory called by its name, its caches
  /// in one called by its identifier. With XDG directories settings and state are in directories
  /// of its name as well. Other containers belong to one application anyway and are not changed.
  /// - Throws: ``DirectoryError/refusedName(_:)`` for names that no directory can have.
  public func narrowed(to application: Application) throws(DirectoryError) -> Container {
    guard style.isHome else { return self }
    var names: [Role: String] = [
      .applicationSupport: application.name, .caches: application.identifier,
    ]
    if style == .xdg {
      names[.preferences] = application.name
      names[.state] = application.name
    }
    var container = self
    for (role, name) in names {
      try DirectoryName.check(name)
      guard let component = FilePath.Component(name) else { throw .refusedName(name) }
      container = container.setting(role, to: answers(for: role).map { $0.appending(component) })
    }
    return container
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
      case .offlineData, .state, .resources: []
      }
    case .xdg:
      switch role {
      case .documents: ["Documents"]
      case .caches: [".cache"]
      case .applicationSupport: [".local/share"]
      case .preferences: [".config"]
      case .state: [".local/state"]
      case .library, .temporary, .offlineData, .resources: []
      }
    case .flatpak:
      switch role {
      case .caches: ["cache"]
      case .applicationSupport: ["data"]
      case .preferences: ["config"]
      case .state: [".local/state"]
      case .temporary: ["cache/tmp"]
      case .documents, .library, .offlineData, .resources: []
      }
    case .snap:
      switch role {
      case .documents: ["current/Documents"]
      case .caches: ["common/.cache", "current/.cache"]
      case .applicationSupport: ["current/.local/share", "common", "current"]
      case .preferences: ["current/.config"]
      case .state: ["current/.local/state"]
      case .library, .temporary, .offlineData, .resources: []
      }
    }
  }

  /// Whether the container is the home of a person, which programs share.
  public var isHome: Bool { self == .appleHome || self == .xdg }
}
