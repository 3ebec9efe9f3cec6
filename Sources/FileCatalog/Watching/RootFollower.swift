internal import FileSystem
internal import SystemPackage

/// Keeps one root current: scans it, then again whatever changes in it.
struct RootFollower {
  let catalog: Catalog
  let location: RootLocation
  let request: ScanRequest
  let options: WatchOptions
  let report: @Sendable (CatalogEvent) -> Void

  /// How long to wait for somebody else who is writing.
  private static let patience = Duration.seconds(1)

  /// Returns when the task is cancelled.
  func run() async throws {
    // Watching begins before the scan, so that nothing goes by in between.
    let watcher = try await DirectoryWatcher.start(roots: [location.path], options: options)
    try await scan(.whole, request)
    // The settings were given once; they stay with the root.
    let update = ScanRequest(jobs: request.jobs)
    for await dirty in watcher {
      try Task.checkCancellation()
      if let loss = dirty.loss {
        try await note(loss)
      } else {
        try await scan(scope(of: dirty), update)
      }
    }
    await watcher.stop()
  }

  private func scope(of dirty: DirtyDirectories) -> ScanScope {
    let parts = dirty.directories.map { directory, extent in
      ScanScope.Part(
        directory, below: location.path, extent: extent == .deep ? .tree : .children)
    }
    let isWhole = parts.contains { $0.components.isEmpty && $0.extent == .tree }
    return isWhole ? .whole : .parts(parts)
  }

  private func scan(_ scope: ScanScope, _ request: ScanRequest) async throws {
    while true {
      do {
        let target = ScanTarget(location, scope)
        return report(.scanned(try await catalog.scan(target, request) { _ in }))
      } catch let error as CatalogError where error.code == .interrupted {
        throw error
      } catch let error as CatalogError where error.code == .busy {
        try await Task.sleep(for: Self.patience)
      } catch let error as CatalogError {
        return report(.failed(root: location.path, error: error))
      }
    }
  }

  private func note(_ loss: DirtyDirectories.Loss) async throws {
    try await catalog.markOffline(location)
    let reason =
      switch loss {
      case .missing: "is not there any more"
      case .otherVolume: "is on another file system than before"
      }
    report(
      .failed(
        root: location.path,
        error: CatalogError(
          .rootNotFound, path: location.path,
          "\(location.path.string) \(reason): it is marked as offline and its entries are kept")))
  }
}
