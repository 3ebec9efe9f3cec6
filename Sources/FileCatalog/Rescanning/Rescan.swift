internal import FileSystem
internal import SQLite
internal import SystemPackage

/// A root that has been scanned before.
struct KnownRoot {
  let record: RootRecord
  let entryID: Int64
  let entries: Int
  let size: Int64
  let allocated: Int64

  /// `nil` for a root whose first scan never came to its end.
  init?(_ record: RootRecord, in db: Connection) throws {
    guard let entryID = record.entryID else { return nil }
    let totals = SQL(
      """
      SELECT total_files + total_directories + 1, total_size, total_allocated
      FROM folder_totals WHERE id = ?
      """, [.integer(entryID)])
    guard
      let sums = try db.first(
        totals, { (Int($0.integer(0)), $0.integer(1), $0.integer(2)) })
    else { return nil }
    self.record = record
    self.entryID = entryID
    (entries, size, allocated) = sums
  }
}

extension Scanner {
  /// Brings a known root up to date.
  func update(
    _ known: KnownRoot, by scan: Begun, hints: MoveHints, started: Int64, in db: Connection
  ) throws -> ScanResult {
    // The threads of a whole walk read on while the known directories are loaded.
    let early: TreeWalker? = if case .whole = scope { try scan.plan.makeWalker() } else { nil }
    if let early { try start(early) }
    // Whatever ends this, the threads must not be left waiting for a writer.
    defer { early?.cancel() }
    let update = try RootUpdate(
      of: known.record, settings: scan.settings, loss: request.loss, scanID: scan.id,
      hints: hints, places: scan.places, in: db)
    var report = ProgressReport(
      root: location.path, expected: known.entries, started: started, send: progress)
    defer { control.attach(nil) }
    /// Walks through a part of the root. Returns whether it was there.
    @discardableResult
    func take(_ part: RootUpdate.Reread) throws -> Bool {
      do {
        let walker = try scan.plan.makeWalker(startingAt: part.components, depth: part.depth)
        try start(walker)
        defer { walker.cancel() }
        try take(part, walker)
        return true
      } catch let error as FileError {
        // The children that it had a moment ago are taken in already.
        if part.purpose == .comparison { throw ChangedWhileRead() }
        // One that is gone is missing in the directory that it was in.
        if [.noSuchFileOrDirectory, .notDirectory].contains(error.errno) { return false }
        update.failures.append(error.below(location.path))
        return true
      }
    }
    func take(_ part: RootUpdate.Reread, _ walker: TreeWalker) throws {
      try update.begin(part, walker)
      try update.take(walker, startingAt: part.slot) { batch in
        report.update(entries: update.entryCount, errors: update.failures.count, batch: batch)
      }
      if control.isCancelled { throw CancellationError() }
    }
    switch scope {
    case .whole:
      if let early { try take(update.wholeRoot, early) }
    case .parts(let parts):
      for part in try update.surroundings(of: parts) where update.isOpen(part.slot) {
        var place = part
        while try !take(place), let above = update.surrounding(of: place) { place = above }
      }
      for part in update.places(of: parts) { try take(part) }
    }
    repeat {
      while let next = update.unread.popLast() {
        if !update.isTakenIn(next) { try take(next) }
      }
    } while try !scope.isWhole && update.findOtherNames()
    guard update.hasChanges else {
      return ScanResult(
        rootEntryID: known.entryID, nextID: update.nextID, entries: known.entries,
        size: known.size, allocated: known.allocated, hasChanges: false, failures: update.failures,
        owners: update.owners, volumes: update.volumes)
    }
    try update.settle()
    let total = try update.updateTotals().total
    let entries = Int(total.files + total.directories) + 1
    if case .whole = scope { try refuseLoss(from: known.entries, to: entries) }
    return ScanResult(
      rootEntryID: known.entryID, nextID: update.nextID, entries: entries,
      added: update.log.added, removed: update.log.removed, modified: update.log.modified,
      moved: update.log.moved, size: total.size, allocated: total.allocated,
      hasChanges: true, failures: update.failures, owners: update.owners, volumes: update.volumes)
  }

  private func start(_ walker: TreeWalker) throws {
    control.attach(walker)
    try walker.start()
  }

  /// A root that has lost more than half of its entries is more likely not mounted than emptied.
  private func refuseLoss(from known: Int, to count: Int) throws {
    guard request.loss == .refused, known > 10, 2 * count < known else { return }
    throw CatalogError(
      .tooManyRemoved, path: location.path, root: location.path,
      "\(location.path.string) has lost more than half of its entries (\(known) → \(count)): is it "
        + "mounted? Nothing was changed")
  }
}

extension FileError {
  /// The failure with its path as walks give it: below the root.
  fileprivate func below(_ root: FilePath) -> FileError {
    var path = self.path
    return path.removePrefix(root) ? FileError(operation, path, errno) : self
  }
}
