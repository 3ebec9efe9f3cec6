public import CatalogStore
internal import FileCoordination
internal import FileSystem
internal import StandardDirectories
internal import SystemPackage

extension Catalog {
  /// Removes what containers can do without: files of roles that the system may delete by itself, what was not
  /// used for the longest time first, then the directories that this leaves empty. A role's own directory stays.
  ///
  /// What is removed is what the catalog has, and only while the disk has the same: an entry that was
  /// replaced or changed since it was scanned is left, and so is one that is used or changed meanwhile, or that
  /// somebody holds by a coordinator. No link is followed. A role's directory is left as a whole where it is not
  /// the one that was scanned, lies outside of its container, or has another file system mounted in it. The
  /// catalog has it when the call returns, by one scan a root.
  ///
  /// When the task is cancelled, what was removed by then is in the report.
  ///
  /// - Parameters:
  ///   - rehearsal: whether only to say what would be removed.
  ///   - origin: marks the changes in the history.
  /// - Throws: ``/CatalogStore/CatalogError/Code/protectedRole`` for roles whose files are to be kept, and
  ///   ``/CatalogStore/CatalogError/Code/clockBehind`` where the clock does not tell how old anything is. Nothing
  ///   was removed then. A failure of one item is in its result.
  public func purge(
    _ request: PurgeRequest = PurgeRequest(), rehearsal: DirectoryTable.Rehearsal = .no,
    origin: ChangeOrigin = .unique()
  ) async throws -> PurgeReport {
    let protected = request.roles.filter { !$0.policy.isPurgeable }.map(\.name).sorted()
    if request.protection == .respected, !protected.isEmpty {
      throw CatalogError(
        .protectedRole, known: protected,
        "what has the role \(protected.joined(separator: " or ")) is to be kept; nothing was removed"
      )
    }
    let now = request.now ?? Clock.now
    let rows = try await read { try PurgeRows(request, in: $0) }
    let candidates = await Blocking.run { () throws(Never) in
      PurgeCandidates(rows, request, now: now)
    }
    guard candidates.newestStamp <= now.adding(PurgeCandidates.tolerance) else {
      let seconds = (candidates.newestStamp - now) / 1_000_000_000
      throw CatalogError(
        .clockBehind, path: path,
        "the clock is \(seconds) seconds behind what the catalog or the disk has; nothing was removed"
      )
    }
    let coordinator = FileCoordinator(
      writeConcern: .fast, timeout: .zero,
      deletionGuard: request.protection == .respected ? ProtectedPlaces(rows.containers) : nil)
    // Whichever scan sees it first, what is removed here has this origin.
    let claimed = candidates.all.map(\.item.path) + rows.directories.map(\.path)
    let ticket = rehearsal == .no ? ownWrites.claim(claimed, for: origin) : nil
    defer { withExtendedLifetime(ticket) {} }
    var run = PurgeRun(candidates, request.extent, rehearsal, coordinator)
    let gone = await run.run()
    var report = run.report
    guard !gone.isEmpty else { return report }
    // What is gone is gone, also where the task was cancelled.
    let following = Task { try await follow(gone.outermost, by: origin) }
    switch await following.result {
    case .success(let scans): report.scans = scans
    case .failure(let error): report.failure = CatalogError(error, path: path)
    }
    return report
  }
}

extension [FilePath] {
  /// Those that are in none of the others.
  fileprivate var outermost: [FilePath] {
    let all = Set(self)
    return filter { path in !path.ancestors.contains(where: all.contains) }
  }
}
