package import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Where a root is: as it was given, and with all symbolic links resolved once.
package struct RootLocation: Sendable, Hashable {
  /// The absolute path as somebody wrote it.
  package let given: FilePath
  /// The same place without symbolic links: the path that entries stand under.
  package let path: FilePath

  /// Finds a directory that is to be scanned.
  ///
  /// - Throws: ``CatalogError/Code/rootNotFound`` and ``CatalogError/Code/notADirectory``.
  package init(finding path: FilePath) throws(CatalogError) {
    given = path.absolute
    guard let resolved = given.resolved else {
      let reason = Errno(rawValue: errno)
      throw CatalogError(
        reason == .noSuchFileOrDirectory ? .rootNotFound : .unreadableRoot, path: path,
        reason == .noSuchFileOrDirectory
          ? "\(path.string): no such directory"
          : "\(path.string): \(reason)")
    }
    self.path = resolved
    var status = stat()
    guard resolved.withPlatformString({ stat($0, &status) }) == 0,
      status.st_mode & S_IFMT == S_IFDIR
    else {
      throw CatalogError(
        .notADirectory, path: path, root: path, "\(path.string) is not a directory")
    }
  }

  /// A root as the catalog remembers it.
  package init(given: FilePath, path: FilePath) {
    self.given = given
    self.path = path
  }

  /// Where a remembered path leads to by now, if that is another place.
  ///
  /// The path had no symbolic links when it was stored. Whoever puts one there must not decide what the
  /// catalog holds.
  package var otherPlace: FilePath? {
    guard let resolved = path.resolved, resolved != path else { return nil }
    return resolved
  }

  /// - Throws: ``CatalogError/Code/rootReplaced``.
  package func requireSamePlace() throws(CatalogError) {
    guard let otherPlace else { return }
    throw CatalogError(
      .rootReplaced, path: otherPlace, root: path,
      "\(path.string) leads to \(otherPlace.string) now, by a symbolic link that was not there: it is "
        + "marked as offline and its entries are kept")
  }
}

extension FilePath {
  /// The path from `/`, without `.` and `..`; symbolic links are not looked at.
  package var absolute: FilePath {
    let base = isAbsolute ? self : Self.current.pushing(self)
    return base.lexicallyNormalized()
  }

  /// The directory that this process is in; `/` when that is not there any more.
  private static var current: FilePath {
    guard let start = getcwd(nil, 0) else { return "/" }
    defer { free(start) }
    return FilePath(platformString: start)
  }

  /// Whether there is something at the path, links followed.
  package var isThere: Bool { allows(F_OK) }

  /// Whether this process may do something with what is at the path, links followed.
  package func allows(_ access: CInt) -> Bool {
    withPlatformString { faccessat(AT_FDCWD, $0, access, 0) } == 0
  }

  /// Makes a directory, with those on the way to it. Nothing is done where something is already.
  package func makeDirectories(mode: CInterop.Mode) throws(Errno) {
    guard withPlatformString({ mkdir($0, mode) }) != 0 else { return }
    switch Errno(rawValue: errno) {
    case .fileExists: return
    case .noSuchFileOrDirectory where removingLastComponent() != self:
      try removingLastComponent().makeDirectories(mode: mode)
      guard withPlatformString({ mkdir($0, mode) }) == 0 || errno == EEXIST else {
        throw Errno(rawValue: errno)
      }
    case let error: throw error
    }
  }

  /// The path with the symbolic links resolved in that beginning of it that leads somewhere.
  package var resolvedWhereItExists: FilePath {
    var start = self
    while start.resolved == nil, start.removeLastComponent() {}
    guard var result = start.resolved else { return self }
    result.append(components.dropFirst(start.components.count))
    return result
  }

  /// The path with all symbolic links resolved, or `nil` with `errno` set.
  package var resolved: FilePath? {
    guard let start = withPlatformString({ realpath($0, nil) }) else { return nil }
    defer { free(start) }
    return FilePath(platformString: start)
  }

  /// Whether `other` is this path or below it.
  package func contains(_ other: FilePath) -> Bool { other.starts(with: self) }
}

/// Whether a root can be reached.
public enum RootState: String, Sendable, Hashable, Codable {
  case online
  /// It was not there when it was last to be scanned. Its entries are kept.
  case offline
}
