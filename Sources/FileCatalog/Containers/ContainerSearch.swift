internal import FileSystem
public import StandardDirectories
public import SystemPackage

/// Searches the disks of this machine for containers.
public enum ContainerSearch {
  /// The containers in these directories, each a home, the data of a device, or an unpacked backup.
  ///
  /// - Throws: ``/CatalogStore/CatalogError/Code/rootNotFound`` and ``/CatalogStore/CatalogError/Code/notADirectory``.
  public static func directories(_ paths: [FilePath]) throws -> ContainerDiscovery.Report {
    let environment = HostEnvironment.ofThisProcess().withResolvedHome
    return joined(
      try paths.map { path in
        let base = try RootLocation(finding: path).path
        return ContainerDiscovery().search(base, environment: environment)
      })
  }

  /// The containers in the home of this process's user, and the homes of others.
  ///
  /// - Throws: `DirectoryError` when nothing says where the home is.
  public static func machine() throws -> ContainerDiscovery.Report {
    let environment = HostEnvironment.ofThisProcess().withResolvedHome
    let home = try environment.home
    let discovery = ContainerDiscovery()
    #if os(macOS)
      let homes: FilePath = "/Users"
    #else
      let homes: FilePath = "/home"
    #endif
    return joined([
      discovery.search(home, environment: environment), discovery.homes(in: homes),
    ])
  }

  /// Nothing is named twice.
  private static func joined(_ reports: [ContainerDiscovery.Report]) -> ContainerDiscovery.Report {
    var seen: Set<FilePath> = []
    return ContainerDiscovery.Report(
      containers: reports.flatMap(\.containers).map { $0.resolvingLinks() }
        .filter { seen.insert($0.root).inserted },
      failures: reports.flatMap(\.failures))
  }
}

extension HostEnvironment {
  /// With the home at the path that its entries have.
  fileprivate var withResolvedHome: HostEnvironment {
    guard let home = (try? home)?.resolved else { return self }
    var environment = self
    environment.variables["HOME"] = home
    return environment
  }
}
