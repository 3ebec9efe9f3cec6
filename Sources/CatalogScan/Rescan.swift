internal import CatalogStore
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
      FROM \(TotalsRow.table.name) WHERE id = ?
      """, [.integer(entryID)])
    guard
      let sums = try db.first(totals, { (Int($0.count(0)), $0.count(1), $0.count(2)) })
    else { return nil }
    self.record = record
    self.entryID = entryID
    (entries, size, allocated) = sums
  }
}

extension Scanner {
  /// Brings a known root up to date.
  func update(
    _ known: KnownRoot, by scan: Begun, started: Int64, in db: Connection
  ) throws -> ScanResult {
    if case .parts(let parts) = scope, parts.isEmpty {
      return ScanResult(
        rootEntryID: known.entryID, nextID: try EntryIDs.next(in: db), entries: known.entries,
        size: known.size, allocated: known.allocated, hasChanges: false, failures: [],
        met: MetOnTheWay())
    }
    // The threads of a whole walk read on while the known directories are loaded.
    let early: TreeWalker? = if case .whole = scope { try scan.plan.makeWalker() } else { nil }
    try early.map { try start($0) }
    // Whatever ends this, the threads must not be left waiting for a writer.
    defer { early?.cancel() }
    defer { control.attach(nil) }
    let identities = try RootCrossing.identities(
      of: known.record.id, within: request.movesWithin, in: db)
    let rows = try RootRows(
      of: known.record, settings: scan.settings, scanID: scan.id, places: scan.places,
      identities: identities, in: db)
    var update = try RootUpdate(rows, loss: request.loss)
    var report = ProgressReport(
      root: location.path, expected: known.entries, started: started, send: progress)
    if let early {
      try take(update.wholeRoot, early, into: &update, &report)
    } else if case .parts(let parts) = scope {
      try take(parts, of: scan, into: &update, &report)
    }
    repeat {
      while let next = update.nextUnread() { try take(next, of: scan, into: &update, &report) }
    } while try update.decide() || !scope.isWhole && update.findOtherNames()
      || scan.thoroughness == .quick && !scope.isWhole && update.findMoved()
    try update.requireSound()
    guard update.hasChanges else {
      return ScanResult(
        rootEntryID: known.entryID, nextID: rows.nextID, entries: known.entries,
        size: known.size, allocated: known.allocated, hasChanges: false, failures: update.failures,
        met: rows.met)
    }
    let total = try update.finish()
    let departed =
      identities == .noted
      ? try RootCrossing(rows, within: request.movesWithin, before: started).run() : 0
    var entries = total.files
    entries.add(clamped: total.directories)
    entries.add(clamped: 1)
    if scan.isWhole, try !isWanted(loss: scan, of: known, to: Int(entries), in: db) {
      try refuseLoss(from: known.entries, to: Int(entries), departed)
    }
    return ScanResult(
      rootEntryID: known.entryID, nextID: rows.nextID, entries: Int(entries),
      added: rows.log.added, removed: rows.log.removed, modified: rows.log.modified,
      moved: rows.log.moved, size: total.size, allocated: total.allocated,
      hasChanges: true, failures: update.failures, met: rows.met)
  }

  /// Walks through some parts of the root.
  private func take(
    _ parts: [ScanScope.Part], of scan: Begun, into update: inout RootUpdate,
    _ report: inout ProgressReport
  ) throws {
    // What lies deeper than that is no part: nothing of it is known.
    if scan.settings.depth == .shallow || scan.settings.maxDepth != nil {
      try take(update.wholeRoot, of: scan, into: &update, &report)
      return
    }
    let parts = try update.scope.widened(parts)
    for part in try update.scope.surroundings(of: parts) where update.isOpen(part) {
      var place = update.scope.current(part)
      while try !take(place, of: scan, into: &update, &report),
        let above = update.scope.surrounding(of: place)
      {
        place = above
      }
    }
    for part in update.scope.places(of: parts) {
      try take(part, of: scan, into: &update, &report)
    }
  }

  /// Walks through a part of the root.
  ///
  /// - Returns: whether it was there.
  @discardableResult
  private func take(
    _ part: WalkReading.Reread, of scan: Begun, into update: inout RootUpdate,
    _ report: inout ProgressReport
  ) throws -> Bool {
    do {
      let walker = try scan.plan.makeWalker(startingAt: part.components, depth: part.depth)
      // Another directory has come into its place since it was listed.
      guard update.isStart(walker.startStatus, of: part) else {
        if part.purpose == .comparison { throw ChangedWhileRead() }
        return false
      }
      try start(walker)
      defer { walker.cancel() }
      try take(part, walker, into: &update, &report)
      return true
    } catch let error as FileError {
      // The children that it had a moment ago are taken in already.
      if part.purpose == .comparison { throw ChangedWhileRead() }
      // One that is gone is missing in the directory that it was in.
      if error.errno.saysReplaced { return false }
      update.fail(
        FileError(error.operation, error.path.below(location.path), error.errno))
      return true
    }
  }

  private func take(
    _ part: WalkReading.Reread, _ walker: TreeWalker, into update: inout RootUpdate,
    _ report: inout ProgressReport
  ) throws {
    try update.take(part, walker) { entries, errors, batch in
      report.update(entries: entries, errors: errors, batch: batch)
    }
    if control.isCancelled { throw CancellationError() }
  }

  private func start(_ walker: TreeWalker) throws {
    control.attach(walker)
    try walker.start()
  }

  /// Whether entries are gone because they are left out now: by other settings, or by ignore files. Where
  /// nothing is left, that is not why.
  private func isWanted(
    loss scan: Begun, of known: KnownRoot, to count: Int, in db: Connection
  ) throws -> Bool {
    guard count > 1, count < known.entries else { return false }
    if scan.settings != known.record.settings { return true }
    let names = IgnoreNames.watched(scan.settings).map { Array("/\($0)".utf8) }
    var isFound = false
    try db.forEach(
      SQL(
        "SELECT exact_path FROM _change_log WHERE scan_id = ? AND kind <> ?",
        [.integer(scan.id), .integer(Change.Kind.removed.number)])
    ) { row in
      let path = Array(row.bytes(0))
      if names.contains(where: { path.suffix($0.count).elementsEqual($0) }) { isFound = true }
    }
    return isFound
  }

  /// A root that has lost more than half of its entries is more likely not mounted than emptied. What is known
  /// to have departed to another root is not lost.
  private func refuseLoss(from known: Int, to count: Int, _ departed: Int) throws {
    guard request.loss == .refused, known > 10, count < known - count - departed else { return }
    throw CatalogError(
      .tooManyRemoved, path: location.path, root: location.path,
      "\(location.path.string) has lost more than half of its entries (\(known) → \(count)): is it "
        + "mounted? Nothing was changed")
  }
}

extension FilePath {
  /// The path as walks give it: below the root.
  func below(_ root: FilePath) -> FilePath {
    var path = self
    return path.removePrefix(root) ? path : self
  }
}
