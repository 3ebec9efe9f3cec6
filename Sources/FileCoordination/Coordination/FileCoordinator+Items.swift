internal import FileSystem
public import SystemPackage

extension FileCoordinator {
  /// What is at a path.
  public enum ItemPresence: Sendable, Hashable {
    /// Nothing.
    case missing
    /// A file, or anything else that is not a directory.
    case file
    /// A directory, which may be a package.
    case directory

    /// Whether there is something.
    public var exists: Bool { self != .missing }
    /// Whether it is a directory.
    public var isDirectory: Bool { self == .directory }
  }
}

extension FileCoordinator {
  /// What moving does with an item that has the new name already.
  public enum MoveConflict: Sendable, Hashable {
    /// Nothing is moved; the call throws `alreadyExists`.
    case refuse
    /// The item is replaced in one step: a file or link by a file or link, a directory by a directory.
    case replace
  }
}

extension FileCoordinator {
  /// What is at a path. Links are followed; one that leads nowhere is `missing`.
  ///
  /// Nobody is waited for: what a writer is about to make is still missing.
  ///
  /// - Throws: ``CoordinationError`` if that cannot be found out, never because nothing is there.
  public func presence(of path: FilePath) async throws(CoordinationError)
    -> FileCoordinator.ItemPresence
  {
    try await Blocking.run { () throws(CoordinationError) in
      if path.lastComponent == nil && !path.isEmpty { return .directory }
      let status: FileStatus?
      do throws(CoordinationError) {
        (_, status) = try Place.find(path, links: .followed, for: .status)
      } catch {
        if error.code == .notFound || error.code == .notADirectory { return .missing }
        throw error
      }
      guard let status else { return .missing }
      return EntryKind(mode: status.mode) == .directory ? .directory : .file
    }
  }

  /// Makes a directory and those on the way to it. One that exists is fine.
  ///
  /// - Throws: ``CoordinationError``, `alreadyExists` if something else has the name,
  ///   `notADirectory` if that is so on the way. Directories made by then stay.
  public func createDirectory(at path: FilePath) async throws(CoordinationError) {
    // From the last one that exists down, each with its parent held.
    for path in try await missingDirectories(to: path) {
      try await createOneDirectory(at: path)
    }
  }

  /// Renames an item, also to another directory or volume. A link is moved itself.
  ///
  /// Between volumes the item is copied with its attributes and times, then takes its new name in
  /// one step, and then the original is removed. After a crash in between both are there, whole, and so
  /// they are after `notFlushed`.
  ///
  /// - Throws: ``CoordinationError``; then both items are as they were before.
  public func move(
    _ path: FilePath, to newPath: FilePath, ifTaken conflict: FileCoordinator.MoveConflict = .refuse
  ) async throws(CoordinationError) {
    let requests = [
      AccessRequest(.removing, path, links: .kept), AccessRequest(.writing, newPath, links: .kept),
    ]
    let concern = writeConcern
    let (changes, access) = try await begin(.move, requests) {
      (locks) throws(CoordinationError) in
      try Relocation(locks, conflict, concern).run()
    }
    try await commit(changes, access, for: .move)
  }

  /// The directories to make, outermost first.
  private func missingDirectories(
    to path: FilePath
  ) async throws(CoordinationError) -> [FilePath] {
    guard path.lastComponent != nil || path.isAbsolute else {
      throw CoordinationError(.invalidName, .createDirectory, path)
    }
    var missing: [FilePath] = []
    var current = path
    while current.lastComponent != nil {
      switch try await presence(of: current, creating: path) {
      case .directory: return missing.reversed()
      case .file:
        throw CoordinationError(
          current == path ? .alreadyExists : .notADirectory, .createDirectory, current)
      case .missing: missing.append(current)
      }
      current.removeLastComponent()
    }
    return missing.reversed()
  }

  private func presence(
    of path: FilePath, creating whole: FilePath
  ) async throws(CoordinationError) -> FileCoordinator.ItemPresence {
    do throws(CoordinationError) {
      return try await presence(of: path)
    } catch {
      throw CoordinationError(error.code, .createDirectory, path, errno: error.errno)
    }
  }

  private func createOneDirectory(at path: FilePath) async throws(CoordinationError) {
    let concern = writeConcern
    let (changes, access) = try await begin(
      .createDirectory, [AccessRequest(.writing, path)]
    ) { (locks) throws(CoordinationError) -> [CoordinatedChange]? in
      let item = locks.items[0]
      if item.kind == .directory { return [] }
      guard item.status == nil else {
        throw CoordinationError(.alreadyExists, .createDirectory, path)
      }
      do throws(Errno) {
        try item.place.directory.makeDirectory(item.place.name)
      } catch {
        if error == .fileExists { return nil }
        throw CoordinationError(.createDirectory, path, error)
      }
      var change = CoordinatedChange(.created, item.place.realPath)
      change.unflushed = concern.flushNames(in: [item.place.directory])
      return [change]
    }
    try await commit(changes, access, for: .createDirectory)
  }
}
