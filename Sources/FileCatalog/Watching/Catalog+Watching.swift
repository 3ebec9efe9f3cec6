public import FileSystem
public import SystemPackage

extension Catalog {
  /// Keeps roots current: scans them, and then again whatever changes in them.
  ///
  /// Changes are seen through the kernel where it tells of them, otherwise by looking again from time
  /// to time. What changed while nobody watched is found by the first scan. The sequence does not end
  /// by itself; cancel the task that reads it.
  ///
  /// - Parameters:
  ///   - roots: directories; none means all known roots. New ones are added.
  ///   - request: the settings of new roots, as for ``scan(_:request:progress:)``.
  ///   - options: how changes are noticed. What the scan leaves out need not be repeated here.
  /// - Throws: while iterating, what keeps a root from being watched at all.
  public func watch(
    _ roots: [FilePath] = [], request: ScanRequest = ScanRequest(),
    options: DirectoryWatcher.Options = DirectoryWatcher.Options()
  ) -> AsyncThrowingStream<CatalogEvent, any Error> {
    AsyncThrowingStream { continuation in
      // Where there is no thread for it, a task that is on its own waits for ever.
      do throws(ThreadError) {
        try WorkerThread.start(named: "catalog watch") {}
      } catch {
        return continuation.finish(throwing: CatalogError(error, path: path))
      }
      let task = Task {
        do {
          let followers = try self.followers(of: roots, request, options) {
            continuation.yield($0)
          }
          try await withThrowingTaskGroup { group in
            for follower in followers { group.addTask { try await follower.run() } }
            try await group.waitForAll()
          }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  private func followers(
    of paths: [FilePath], _ request: ScanRequest, _ options: DirectoryWatcher.Options,
    report: @escaping @Sendable (CatalogEvent) -> Void
  ) throws -> [RootFollower] {
    let known = try knownRoots()
    let (targets, failure) = try targets(of: paths, among: known, request)
    if let failure { throw failure }
    return try targets.map { target in
      let root = known.first { $0.location.path == target.location.path }
      let stored = try translatingErrors { try root?.soundSettings() }
      let settings = request.settings(over: stored)
      return RootFollower(
        catalog: self, location: target.location, request: request,
        options: try options.fitting(settings, of: target.location.path, catalog: path),
        report: report)
    }
  }
}

extension DirectoryWatcher.Options {
  /// The options for a root with these settings: what scans do not look at need not be watched.
  fileprivate func fitting(
    _ settings: ScanOptions, of root: FilePath, catalog: FilePath
  ) throws -> DirectoryWatcher.Options {
    var options = self
    options.linkedRoots = .missing
    options.boundary = settings.boundary == .oneFileSystem ? .oneFileSystem : .crossDevices
    options.skippedFileSystems = settings.skippedFileSystems
    // Where one of them cannot be read, the scan says so.
    options.ignoreFiles = try? IgnoreFiles(of: root, settings)
    let place = catalog.absolute
    let file = (place.removingLastComponent().resolved ?? place.removingLastComponent())
      .pushing(FilePath(bytes: place.lastComponent?.bytes ?? []))
    for suffix in ["", "-wal", "-shm", "-journal"] {
      options.ignoredPaths.insert(file.with(ending: suffix))
    }
    guard let exclusion = try ExcludeRules(settings.excludes).exclusion else { return options }
    let given = isExcluded
    options.isExcluded = { directory in
      if given?(directory) == true { return true }
      var below = directory
      guard below.removePrefix(root), let name = below.lastComponent else { return false }
      return below.removingLastComponent().bytes.withUnsafeBufferPointer { parent in
        name.bytes.withUnsafeBufferPointer { exclusion(parent, $0) }
      }
    }
    return options
  }
}

/// What happens while a catalog is kept current.
public enum CatalogEvent: Sendable {
  /// A scan of a root, or of what changed in it, has been written. After the first one of a root, only
  /// scans that found something are told.
  case scanned(ScanSummary)
  /// A root could not be scanned. It is tried again with its next change.
  case failed(root: FilePath, error: CatalogError)
}
