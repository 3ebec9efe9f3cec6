package import FileSystem
public import SystemPackage

/// Says what a ``FileCoordinator`` may delete.
public protocol DeletionGuard: Sendable {
  /// Whether an item may be deleted, or moved to the trash, with everything in it.
  ///
  /// Called while the item is held, on a thread that may block.
  ///
  /// - Parameter item: absolute and without symbolic links.
  func permitsDeletion(of item: FilePath) -> Bool
}

/// What deleting does with an item.
public enum Deletion: Sendable, Hashable {
  /// It goes to the trash, from where people can bring it back.
  case toTrash
  /// It is gone.
  case permanent
}

extension Deletion {
  /// What deleting several items does when one cannot be deleted.
  public enum FailurePolicy: Sendable, Hashable {
    /// The items after it are left alone.
    case stop
    /// The items after it are deleted.
    case goOn
  }
}

extension Deletion {
  /// What has become of one of several items that were to be deleted.
  public struct Result: Sendable, Hashable {
    /// What has become of an item.
    public enum Outcome: Sendable, Hashable {
      /// It is gone.
      case deleted
      /// It lies in the trash.
      case trashed(Trash.Item)
      /// It, or what is left of it, is where it was; after `notFlushed` it is gone all the same.
      case failed(CoordinationError)
      /// It is where it was, because another one before it failed.
      case notTried
    }

    /// The item, as it was named.
    public let path: FilePath
    /// What has become of it.
    public let outcome: Outcome
  }
}

extension FileCoordinator {
  /// Deletes an item, a directory with everything in it. A link is deleted itself.
  ///
  /// A directory is gone at once and as a whole. If something in it cannot be removed, it has its name
  /// again with what is left; so it is with a volume that is mounted inside, which is never touched.
  ///
  /// - Returns: the item in the trash; `nil` if it was deleted for good.
  /// - Throws: ``CoordinationError``, `notFound` if there is nothing to delete, `noTrash` if its
  ///   volume has no trash for this user, `protected` where the coordinator's ``DeletionGuard`` has it so.
  @discardableResult
  public func delete(
    _ path: FilePath, _ deletion: Deletion = .toTrash
  ) async throws(CoordinationError) -> Trash.Item? {
    guard deletion == .toTrash else {
      try await remove(path, .item) { _, _ in }
      return nil
    }
    let concern = writeConcern
    let trash = trash
    let ((item, change), access) = try await takeAway(path, for: .trash) {
      (place, announcements) throws(CoordinationError) in
      let path = place.realPath
      let (item, unflushed) = try place.moveToTrash(trash, concern, announcements)
      var change = CoordinatedChange(.removed, path, trashedItem: item)
      change.unflushed = unflushed
      return (item, change)
    }
    try await commit([change], access, for: .trash)
    return item
  }

  /// What is deleted for good.
  package enum Removal: Sendable {
    /// Whatever it is, a directory with everything in it.
    case item
    /// A directory, if there is nothing in it.
    case emptyDirectory
  }

  /// Deletes an item for good, if it is what it was taken for.
  ///
  /// - Parameter check: called while the item is held, on a thread that may block, with the open directory that
  ///   it is in and its name there. Where it throws, nothing is deleted.
  package func remove(
    _ path: FilePath, _ removal: Removal,
    verifying check:
      @escaping @Sendable (OpenFile, FilePath.Component) throws(CoordinationError) -> Void
  ) async throws(CoordinationError) {
    let concern = writeConcern
    let (change, access) = try await takeAway(path, for: .delete) {
      (place, _) throws(CoordinationError) in
      let path = place.realPath
      try check(place.directory, place.name)
      try place.remove(removal)
      var change = CoordinatedChange(.removed, path)
      change.unflushed = concern.flushNames(in: [place.directory])
      return change
    }
    try await commit([change], access, for: .delete)
  }

  /// Holds an item that is to lose its name, unless that is forbidden.
  private func takeAway<Result: Sendable>(
    _ path: FilePath, for operation: CoordinationError.Operation,
    _ body: @escaping @Sendable (Place, Announcements) throws(CoordinationError) -> Result
  ) async throws(CoordinationError) -> (Result, HeldAccess) {
    let deletionGuard = deletionGuard
    return try await begin(operation, [AccessRequest(.removing, path, links: .kept)]) {
      (locks, announcements) throws(CoordinationError) -> Result? in
      let place = locks.items[0].place
      if let deletionGuard, !deletionGuard.permitsDeletion(of: place.realPath) {
        throw CoordinationError(.protected, operation, path)
      }
      return try body(place, announcements)
    }
  }

  /// Deletes items one after the other.
  ///
  /// - Returns: a result for each item, in the order of the paths. Without paths, none.
  public func delete(
    _ paths: [FilePath], _ deletion: Deletion = .toTrash,
    onFailure policy: Deletion.FailurePolicy = .stop
  ) async -> [Deletion.Result] {
    var results: [Deletion.Result] = []
    var stopped = false
    for path in paths {
      let outcome: Deletion.Result.Outcome
      if stopped {
        outcome = .notTried
      } else {
        do throws(CoordinationError) {
          outcome = try await delete(path, deletion).map { .trashed($0) } ?? .deleted
        } catch {
          outcome = .failed(error)
          stopped = policy == .stop || error.code == .cancelled
        }
      }
      results.append(Deletion.Result(path: path, outcome: outcome))
    }
    return results
  }
}

extension Place {
  fileprivate func moveToTrash(
    _ trash: Trash, _ concern: WriteConcern, _ announcements: Announcements
  ) throws(CoordinationError) -> (Trash.Item, unflushed: Errno?) {
    let item: (Trash.Item, unflushed: Errno?)?
    do throws(Errno) {
      item = try TrashDirectory.find(for: self, trash: trash)?
        .take(self, concern: concern) { announcements.announce($0) }
    } catch {
      // Parts of one volume that are mounted apart look like one, but nothing moves between them.
      let code = error == .improperLink ? .noTrash : CoordinationError.Code(error)
      throw CoordinationError(code, .trash, path, errno: error)
    }
    guard let item else { throw CoordinationError(.noTrash, .trash, path) }
    return item
  }

  fileprivate func remove(
    _ removal: FileCoordinator.Removal
  ) throws(CoordinationError) {
    try reporting(.delete, path) { () throws(Errno) in
      if removal == .emptyDirectory {
        try directory.removeDirectory(name)
      } else if EntryKind(mode: try directory.status(of: name)?.mode ?? 0) == .directory {
        try ScratchName.removeWhole(name, in: directory)
      } else {
        try directory.remove(name)
      }
    }
  }
}
