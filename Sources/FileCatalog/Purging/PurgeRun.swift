internal import FileCoordination
internal import FileSystem
internal import SystemPackage

/// Removes candidates one after the other, or only says so.
struct PurgeRun {
  private let candidates: PurgeCandidates
  private let extent: PurgeRequest.Extent
  private let rehearsal: DirectoryTable.Rehearsal
  private let coordinator: FileCoordinator
  private(set) var report = PurgeReport()
  /// How many entries of each directory are gone, by its index.
  private var gone: [Int: Int] = [:]
  /// How many names of a file are gone.
  private var goneNames: [PurgeCandidates.FileNumber: UInt32] = [:]
  private var freed: Int64 = 0
  private var rooms: [UInt64: Room] = [:]

  /// The room on a file system.
  private struct Room {
    /// What was free at the beginning.
    let available: Int64
    var freed: Int64 = 0
  }

  init(
    _ candidates: PurgeCandidates, _ extent: PurgeRequest.Extent,
    _ rehearsal: DirectoryTable.Rehearsal, _ coordinator: FileCoordinator
  ) {
    self.candidates = candidates
    self.extent = extent
    self.rehearsal = rehearsal
    self.coordinator = coordinator
    report.refusals = candidates.refusals
  }

  /// - Returns: what is gone.
  mutating func run() async -> [FilePath] {
    for candidate in candidates.all {
      guard let base = base(of: candidate.directory) else { continue }
      if Task.isCancelled {
        report.isInterrupted = true
        break
      }
      if await isEnough(on: base) { continue }
      if extent != .everything, !candidate.isWorthIt { continue }
      await remove(candidate, base)
    }
    await removeEmptyDirectories()
    return report.results.filter { $0.outcome == .removed }.map(\.item.path)
  }

  private func base(of directory: Int) -> PurgeBase? {
    candidates.bases[candidates.rows.directories[directory].base]
  }

  // MARK: - How much

  private mutating func isEnough(on base: PurgeBase) async -> Bool {
    switch extent {
    case .everything: return false
    case .freeing(let wanted): return freed >= wanted
    case .untilFree(let wanted):
      let now = rehearsal == .dryRun && rooms[base.status.device] != nil ? 0 : await available(base)
      let room = rooms[base.status.device] ?? Room(available: now)
      rooms[base.status.device] = room
      // A file system may take its time to give back what was freed.
      return now >= wanted || room.available.adding(room.freed) >= wanted
    }
  }

  /// Where the file system does not tell, nothing is removed on its account.
  private func available(_ base: PurgeBase) async -> Int64 {
    await Blocking.run { () throws(Never) in (try? base.file.availableBytes()) ?? .max }
  }

  // MARK: - Removing

  private mutating func remove(_ candidate: PurgeCandidates.Candidate, _ base: PurgeBase) async {
    let path = candidate.item.path
    let directory = candidates.rows.directories[candidate.directory].path
    var bytes: Int64 = 0
    do throws(PurgeResult.Reason) {
      switch candidate.expectation {
      case .none(let reason): throw reason
      case .file(let status):
        let number = PurgeCandidates.FileNumber(status)
        let names = goneNames[number] ?? 0
        try await remove(path, .item, base, directory) {
          (place, name) throws(PurgeResult.Reason) in
          let found = try base.status(of: name, in: place, at: path)
          guard found.isUnchanged(since: status, without: names) else { throw .changed }
        }
        if status.links > 1 { goneNames[number] = names + 1 }
        if names + 1 >= status.links { bytes = status.allocated }
      case .package(let status, let contents):
        try await remove(path, .item, base, directory) {
          (place, name) throws(PurgeResult.Reason) in
          let found = try base.status(of: name, in: place, at: path)
          guard found.isSame(as: status),
            try PackageContents(name, in: place, of: base, at: path) == contents
          else { throw .changed }
        }
        bytes = contents.freed
      }
    } catch {
      return note(candidate.item, .left(error), 0)
    }
    note(candidate.item, rehearsal == .dryRun ? .wouldBeRemoved : .removed, bytes)
    gone[candidate.directory, default: 0] += 1
    freed.add(clamped: bytes)
    rooms[base.status.device]?.freed.add(clamped: bytes)
  }

  private mutating func note(_ item: PurgeItem, _ outcome: PurgeResult.Outcome, _ freed: Int64) {
    report.results.append(PurgeResult(item: item, outcome: outcome, freed: freed))
  }

  /// Removes something that is in a directory of the base, if it is what it should be.
  private func remove(
    _ path: FilePath, _ removal: FileCoordinator.Removal, _ base: PurgeBase, _ directory: FilePath,
    verifying check:
      @escaping @Sendable (OpenFile, FilePath.Component) throws(PurgeResult.Reason) -> Void
  ) async throws(PurgeResult.Reason) {
    // What is there was looked at a moment ago.
    guard rehearsal == .no else { return }
    do throws(CoordinationError) {
      try await coordinator.remove(path, removal) { (place, name) throws(CoordinationError) in
        do throws(PurgeResult.Reason) {
          // The coordinator came by the path, which links may have been put into.
          let proven = try base.open(directory)
          do throws(Errno) {
            guard try proven.status().isSame(as: place.status()) else {
              throw .noSuchFileOrDirectory
            }
          } catch {
            throw PurgeResult.Reason(error, directory)
          }
          try check(place, name)
        } catch {
          throw error.asCoordinationError(path)
        }
      }
    } catch {
      throw PurgeResult.Reason(error)
    }
  }

  // MARK: - Directories

  /// Removes directories in which nothing is left, the deepest first, and never a role's own.
  private mutating func removeEmptyDirectories() async {
    let directories = candidates.rows.directories
    let order = directories.indices.sorted { left, right in
      let (left, right) = (directories[left].path, directories[right].path)
      if left.components.count != right.components.count {
        return left.components.count > right.components.count
      }
      return left.bytes.lexicographicallyPrecedes(right.bytes)
    }
    for index in order {
      let directory = directories[index]
      guard let parent = directory.parent, let base = base(of: index), let count = gone[index],
        count >= directory.children, let name = directory.path.lastComponent
      else { continue }
      if Task.isCancelled {
        report.isInterrupted = true
        return
      }
      let row = candidates.rows.bases[directory.base]
      let item = PurgeItem(
        path: directory.path, container: row.container.name, role: row.role, kind: .directory,
        size: 0, lastUsed: nil)
      do throws(PurgeResult.Reason) {
        let bytes = try await removeDirectory(
          directory, name, in: directories[parent].path, base, count)
        note(item, rehearsal == .dryRun ? .wouldBeRemoved : .removed, bytes)
        gone[parent, default: 0] += 1
      } catch {
        note(item, .left(error), 0)
      }
    }
  }

  /// - Parameter count: how many entries of it are gone, or would be.
  /// - Returns: the bytes on disk that it takes itself.
  private func removeDirectory(
    _ directory: PurgeRows.Directory, _ name: FilePath.Component, in parent: FilePath,
    _ base: PurgeBase, _ count: Int
  ) async throws(PurgeResult.Reason) -> Int64 {
    let path = directory.path
    let rehearsal = rehearsal
    let bytes = try await Blocking.run { () throws(PurgeResult.Reason) in
      let status = try base.status(of: name, in: base.open(parent), at: path)
      guard status.inode == directory.inode else { throw .changed }
      if rehearsal == .dryRun {
        let opened = try base.open(path)
        do throws(Errno) {
          if try opened.sortedNames().count > count { throw .directoryNotEmpty }
        } catch {
          throw error == .directoryNotEmpty ? .notEmpty : PurgeResult.Reason(error, path)
        }
      }
      return status.allocated
    }
    try await remove(path, .emptyDirectory, base, parent) {
      (place, name) throws(PurgeResult.Reason) in
      let found = try base.status(of: name, in: place, at: path)
      guard found.inode == directory.inode else { throw .changed }
    }
    return bytes
  }
}

extension FileStatus {
  /// Whether nobody has used or changed a file, of which some names were taken away here.
  fileprivate func isUnchanged(since status: FileStatus, without names: UInt32) -> Bool {
    isSame(as: status) && mode == status.mode && size == status.size
      && modified == status.modified && lastUsed == status.lastUsed
      && links + names == status.links && (names > 0 || changed == status.changed)
  }
}

extension PurgeResult.Reason {
  /// The same for whoever holds the item.
  fileprivate func asCoordinationError(_ path: FilePath) -> CoordinationError {
    switch self {
    case .failed(let error): error
    case .mount: CoordinationError(.unsupported, .delete, path, errno: .improperLink)
    default: CoordinationError(.changedMeanwhile, .delete, path)
    }
  }
}
