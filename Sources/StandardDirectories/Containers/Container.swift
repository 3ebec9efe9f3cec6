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
  public let style: ContainerStyle
  /// The directory that holds it.
  public let root: FilePath
  /// What it is called by the system: a bundle identifier, a Flatpak ID, the name of a snap, the
  /// identifier of an app group. Homes have none.
  public let identifier: String?
  /// What is not as the style has it; an empty list says that there is no such directory.
  private var overrides: [Role: [FilePath]] = [:]

  /// A container whose directories are where its style has them.
  public init(_ style: ContainerStyle, root: FilePath, identifier: String? = nil) {
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
  public func resolve(_ role: Role, _ relative: String? = nil) throws(DirectoryError) -> FilePath {
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
