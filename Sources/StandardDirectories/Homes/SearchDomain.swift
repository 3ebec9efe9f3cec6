public import SystemPackage

/// For whom a directory is: the user, or whom else the machine serves.
///
/// Raw values are stable names: they are typed.
public enum SearchDomain: String, CaseIterable, Sendable, Codable {
  /// For the user alone: in the home, and where the user's variables point.
  case user
  /// For everybody on this machine, as its administrator keeps it: `/usr/local`, `/etc`, `/opt`; on macOS `/Library`.
  case local
  /// What the operating system brings along: `/usr`, `/var`; on macOS `/System`.
  case system
  /// For everybody on the network: `/net`, `/afs`; on macOS `/Network`.
  case network

  /// A directory, and for whom it is.
  public struct Directory: Hashable, Sendable {
    /// Where it is, or would be.
    public let path: FilePath
    /// For whom it is.
    public let domain: SearchDomain
  }
}

extension HostEnvironment {
  /// The directories in which something of a role is looked for, the strongest first.
  ///
  /// With XDG directories the user's own comes first, then those of `XDG_DATA_DIRS` for application support and
  /// resources, of `XDG_CONFIG_DIRS` for preferences, in their order; each is of the domain in which it lies.
  /// What was installed is not looked for in the home. Nothing on the disk is looked at.
  ///
  /// - Parameters:
  ///   - parameters: the values that the name of a declared role's directory takes.
  ///   - style: ``Container/Style/xdg`` or ``Container/Style/appleHome``, which has nothing from variables.
  /// - Returns: none where the role is in no directory that is shared by a machine.
  /// - Throws: ``DirectoryError/unknownHome``, and for the parameters of a role as
  ///   ``Container/paths(for:parameters:)``.
  public func searchPath(
    for role: Role, parameters: DirectoryPattern.Values = [:],
    style: Container.Style = .homeOfThisSystem
  ) throws(DirectoryError) -> [SearchDomain.Directory] {
    let home = try Container(home: style, of: self)
    if case .custom(let custom) = role {
      guard let anchor = custom.anchor.role else { return [] }
      let own = try home.paths(for: role, parameters: parameters)
      guard let base = home.answers(for: anchor).first, var inner = own.first,
        inner.removePrefix(base)
      else { return [] }
      return try searchPath(for: anchor, style: style).map {
        SearchDomain.Directory(path: $0.path.pushing(inner), domain: $0.domain)
      }
    }
    if let unknown = parameters.keys.min() { throw .unknownParameter(unknown, role) }
    let own = home.answers(for: role)
    var paths = own
    switch style {
    case .appleHome: paths += Self.appleDirectories(role)
    default: paths += sharedDirectories(role)
    }
    var seen: Set<FilePath> = []
    return paths.filter { seen.insert($0).inserted }.map { path in
      let isOwn =
        path.starts(with: home.root) || own.contains(path) && path != Container.systemTemporary
      return SearchDomain.Directory(path: path, domain: isOwn ? .user : Self.domain(of: path))
    }
  }

  /// Those beyond the user's own, by the XDG specification and the Filesystem Hierarchy Standard.
  private func sharedDirectories(_ role: Role) -> [FilePath] {
    switch role {
    case .applicationSupport, .resources: dataSearchPath
    case .preferences: configSearchPath
    case .offlineData: dataSearchPath.map { $0.appending("Offline Data") }
    case .caches: ["/var/cache"]
    case .state: ["/var/lib"]
    case .temporary: [Container.systemTemporary, "/var/tmp"]
    case .documents, .library, .custom: []
    }
  }

  private static func appleDirectories(_ role: Role) -> [FilePath] {
    let bases: [FilePath] = ["/", "/Network", "/System"]
    switch role {
    case .temporary: return [Container.systemTemporary, "/var/tmp"]
    case .state, .resources, .custom, .documents: return []
    case .offlineData:
      return appleDirectories(.applicationSupport).map { $0.appending("Offline Data") }
    case .library, .caches, .applicationSupport, .preferences:
      return bases.flatMap { base in
        Container.Style.appleHome.subpaths(of: role).map { base.pushing(FilePath($0)) }
      }
    }
  }

  /// For whom a directory outside of the user's is, by where it lies.
  private static func domain(of path: FilePath) -> SearchDomain {
    let places: [(FilePath, SearchDomain)] = [
      ("/net", .network), ("/afs", .network), ("/Network", .network), ("/usr/local", .local),
      ("/etc", .local), ("/opt", .local), ("/srv", .local), ("/Library", .local),
    ]
    return places.first { path.starts(with: $0.0) }?.1 ?? .system
  }
}

extension Container.Style {
  /// How homes are arranged on the system for which this was built.
  public static var homeOfThisSystem: Container.Style {
    #if os(macOS)
      .appleHome
    #else
      .xdg
    #endif
  }
}
