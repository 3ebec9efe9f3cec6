internal import FileSystem
internal import SQLite
internal import SystemPackage

/// Keeps one root current: scans it, then again whatever changes in it.
struct RootFollower {
  let catalog: Catalog
  let location: RootLocation
  let request: ScanRequest
  let options: DirectoryWatcher.Options
  let report: @Sendable (CatalogEvent) -> Void

  /// How long to wait for somebody else who is writing.
  private static let patience = Duration.seconds(1)

  /// Returns when the task is cancelled.
  func run() async throws {
    // Watching begins before the scan, so that nothing goes by in between.
    let watcher = try await DirectoryWatcher.start(roots: [location.path], options: options)
    // What went wrong last: the same again is no news.
    var failure: String?
    var isCurrent = try await follow(.whole, request, telling: .everything, &failure)
    // The settings were given once; they stay with the root.
    var update = ScanRequest(jobs: request.jobs)
    update.movesWithin = request.movesWithin
    for await dirty in watcher {
      try Task.checkCancellation()
      if let loss = dirty.loss {
        try await note(loss)
        isCurrent = false
      } else {
        isCurrent = try await follow(
          scope(of: dirty), update, telling: isCurrent ? .findings : .everything, &failure)
      }
    }
    await watcher.stop()
  }

  private enum Telling {
    case everything
    /// Only a scan that has found something. What was written through a coordinator of this catalog is
    /// in it before anybody looks: there is nothing to tell of it.
    case findings
  }

  private func scope(of dirty: DirectoryWatcher.DirtyDirectories) -> ScanScope {
    let parts = dirty.directories.map { directory, extent in
      ScanScope.Part(
        directory, below: location.path, extent: extent == .deep ? .tree : .children)
    }
    let isWhole = parts.contains { $0.components.isEmpty && $0.extent == .tree }
    return isWhole ? .whole : .parts(parts)
  }

  /// - Returns: whether the catalog is current now.
  private func follow(
    _ scope: ScanScope, _ request: ScanRequest, telling: Telling, _ failure: inout String?
  ) async throws -> Bool {
    while true {
      do {
        let summary = try await catalog.scan(ScanTarget(location, scope), request) { _ in }
        let isTold = telling == .everything ? true : try await hasFindings(summary)
        if isTold { report(.scanned(summary)) }
        failure = nil
        return true
      } catch let error as CatalogError where error.code == .interrupted {
        throw error
      } catch let error as CatalogError where error.code == .busy {
        try await Task.sleep(for: Self.patience)
      } catch let error as CatalogError {
        if failure != error.description { report(.failed(root: location.path, error: error)) }
        failure = error.description
        return false
      }
    }
  }

  private func hasFindings(_ summary: ScanSummary) async throws -> Bool {
    let counted = summary.added + summary.removed + summary.modified + summary.moved
    if summary.state == .partial || counted > 0 { return true }
    // Directories of which only the content changed are not counted.
    return try await catalog.read { db in
      try db.integer(
        "SELECT EXISTS (SELECT 1 FROM _change_log WHERE scan_id = ?)", [summary.scanID.rawValue])
        == 1
    }
  }

  private func note(_ loss: DirectoryWatcher.DirtyDirectories.Loss) async throws {
    try await catalog.markOffline(location)
    report(.failed(root: location.path, error: error(of: loss)))
  }

  private func error(of loss: DirectoryWatcher.DirtyDirectories.Loss) -> CatalogError {
    do {
      try location.requireSamePlace()
    } catch {
      return error
    }
    let reason =
      switch loss {
      case .missing: "is not there any more"
      case .otherVolume: "is on another file system than before"
      }
    return CatalogError(
      .rootNotFound, path: location.path, root: location.path,
      "\(location.path.string) \(reason): it is marked as offline and its entries are kept")
  }
}
