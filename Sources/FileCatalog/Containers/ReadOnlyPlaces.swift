internal import FileSystem
internal import StandardDirectories
internal import SystemPackage

/// The directories of containers whose files are only read, by the policies of their roles.
struct ReadOnlyPlaces {
  private let map: RoleMap
  private let directories: [FilePath]

  init(_ containers: [Container]) {
    let rules = containers.flatMap(\.rules).filter { $0.role?.policy.isReadOnly ?? false }
    map = RoleMap(rules.isEmpty ? [] : containers)
    directories = rules.compactMap(\.path)
  }

  /// The first of some paths that is in such a directory, or around one that is there. They are without
  /// symbolic links.
  func first(among paths: [FilePath]) -> FilePath? {
    if map.containers.isEmpty { return nil }
    return paths.first { path in
      map.place(of: path).role?.policy.isReadOnly ?? false
        || directories.contains { $0.starts(with: path) && (try? FileStatus(ofPath: $0)) != nil }
    }
  }
}

extension Catalog {
  /// Those of the registered containers.
  func readOnlyPlaces() throws -> ReadOnlyPlaces {
    // Asking a catalog that does not exist yet would make it.
    if store.isMissing { return ReadOnlyPlaces([]) }
    return try translatingErrors {
      try store.read { ReadOnlyPlaces(try ContainerTable($0).all().map(\.container)) }
    }
  }
}
