public import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

extension Directory {
  /// Makes the directory and those around it that are missing.
  ///
  /// A directory that exists, also by way of a symbolic link, is left as it is.
  /// - Parameter permissions: For the directories made, less the process's mask; by default they
  ///   are for the owner only, as the XDG specification asks.
  /// - Returns: The path of the directory.
  /// - Throws: ``DirectoryError/cannotCreate(_:_:)`` with the system's reason, and as ``paths()``.
  @discardableResult
  public func create(
    permissions: FilePermissions = .ownerReadWriteExecute
  ) throws(DirectoryError) -> FilePath {
    let path = try path
    try path.createDirectories(permissions)
    return path
  }
}

extension FilePath {
  fileprivate func createDirectories(_ permissions: FilePermissions) throws(DirectoryError) {
    // Outwards to what exists, then inwards again: no directory that exists needs write access.
    var missing: [FilePath] = []
    var outer = self
    while !outer.isEmpty, !outer.isDirectory {
      missing.append(outer)
      outer.removeLastComponent()
    }
    for directory in missing.reversed() {
      let failure = directory.withPlatformString { path in
        mkdir(path, mode_t(permissions.rawValue)) == 0 ? nil : Errno(rawValue: errno)
      }
      // Somebody else may have made it in the meantime.
      if let failure, failure != .fileExists || !directory.isDirectory {
        throw .cannotCreate(directory, failure)
      }
    }
  }

  /// Whether the path leads to a directory.
  private var isDirectory: Bool {
    (try? stat().type) == .directory
  }
}
