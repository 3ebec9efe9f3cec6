internal import FileSystem
internal import GRDB
internal import GRDBSQLite
internal import Logging
internal import SystemPackage

/// One scan of one root, from the walk to the commit.
///
/// Everything happens in one transaction: other readers see the root as it was until the scan is
/// complete, and a scan that fails, is stopped or is killed leaves no trace but its line in `scans`.
struct Scanner {
  let store: CatalogStore
  let types: TypeSources
  let providers: [any ResourceValueProvider]
  let location: RootLocation
  let request: ScanRequest
  let control: ScanControl
  let progress: @Sendable (ScanProgress) -> Void

  private static let logger = Logger(label: "FileCatalog.Scanner")

  /// Runs the scan on the calling thread, which it blocks.
  func run() throws -> ScanSummary {
    let started = Clock.now
    do {
      return try store.pool.writeWithoutTransaction { db in
        var summary: ScanSummary?
        try db.inTransaction(.immediate) {
          summary = try scan(in: db, started: started)
          return .commit
        }
        guard let summary else { throw CancellationError() }
        return summary
      }
    } catch {
      let failure = control.isCancelled ? CancellationError() : error
      recordFailure(failure, started: started)
      throw CatalogError(failure, path: store.path)
    }
  }

  /// Notes a scan that came to nothing. What went wrong matters more than a note that could not be
  /// written, so that is only logged.
  private func recordFailure(_ error: any Error, started: Int64) {
    let state: ScanState = error is CancellationError ? .interrupted : .failed
    do {
      try store.pool.write { db in
        try ScanLog.recordFailure(
          state, of: location.path, started: started, finished: Clock.now, in: db)
      }
    } catch {
      Self.logger.debug("the scan could not be recorded as \(state.rawValue): \(error)")
    }
  }

  // MARK: - Inside the transaction

  private func scan(in db: Database, started: Int64) throws -> ScanSummary {
    guard let connection = db.sqliteConnection else { throw CancellationError() }
    let (rootID, settings, known) = try prepareRoot(in: db)
    let types = try TypeTables(in: db, connection: connection)
    let numbering = try types.synchronize(with: TypeLayers(self.types))
    let walker = try WalkPlan(
      location: location, settings: settings, catalog: store.path, numbering: numbering,
      providers: providers, jobs: request.jobs
    ).makeWalker()
    control.attach(walker)
    defer { control.attach(nil) }

    let scanID = try ScanLog.start(
      rootID: rootID, path: location.path, at: started, in: db)
    if known != nil { try RootTable.removeEntries(of: rootID, in: db) }
    let indexes = try DeferredIndexes(in: db)
    var writer = try CatalogWriter(
      on: connection, scanID: scanID, rootID: rootID, rootPath: location.path)
    let rootType = numbering.number(ofRoot: walker.rootStatus)
    let entryID = try writer.writeRoot(
      walker.rootStatus, volume: walker.rootVolume, typeID: rootType)
    let errors = try load(
      walker, with: &writer, scanID: scanID, expected: known, started: started, in: db)
    try refuseLoss(from: known, to: writer.entryCount)
    try writer.finish()
    try types.insertAddedTypes(of: numbering)
    try indexes.create(in: db)
    try ContentTyping(of: rootID, settings.typing, numbering, in: db).run(control)
    try db.execute(
      sql: """
        UPDATE roots SET entry_id = ?, state = 'online', last_scan_id = ?,
          volume_id = (SELECT volume_id FROM entries WHERE id = ?)
        WHERE id = ?
        """, arguments: [entryID, scanID, entryID, rootID])

    let finished = Clock.now
    let total = writer.totals.folders[0].total
    let summary = ScanSummary(
      root: location.path, scanID: ScanID(rawValue: scanID),
      state: errors == 0 ? .complete : .partial, entries: writer.entryCount,
      added: known == nil ? writer.entryCount : 0, removed: 0, modified: 0, moved: 0,
      errors: errors, size: total.size, allocated: total.allocated,
      seconds: Double(finished - started) / 1e9)
    try ScanLog.finish(summary, at: finished, in: db)
    return summary
  }

  /// The root's row, made or brought up to date, and how many entries it had.
  private func prepareRoot(
    in db: Database
  ) throws -> (id: Int64, settings: ScanOptions, known: Int?) {
    let roots = try RootTable.all(in: db)
    if let root = roots.first(where: { $0.location.path == location.path }) {
      let settings = request.settings(over: root.settings)
      try RootTable.update(root.id, settings, in: db)
      let known = try Int.fetchOne(
        db,
        sql: """
          SELECT total_files + total_directories + 1 FROM folder_totals t
          JOIN roots r ON r.entry_id = t.id WHERE r.id = ?
          """, arguments: [root.id])
      return (root.id, settings, known ?? 0)
    }
    // A root that lies inside the new one becomes part of it.
    for root in roots where location.path.contains(root.location.path) {
      try RootTable.remove(root.id, in: db)
    }
    let settings = request.settings(over: ScanOptions())
    return (try RootTable.insert(location, settings, in: db), settings, nil)
  }

  /// Writes everything that the walker finds. Returns how much could not be read.
  private func load(
    _ walker: TreeWalker, with writer: inout CatalogWriter, scanID: Int64, expected: Int?,
    started: Int64, in db: Database
  ) throws -> Int {
    var errors = 0
    var report = ProgressReport(
      root: location.path, expected: expected, started: started, send: progress)
    walker.start()
    while let batch = walker.next() {
      try writer.write(batch)
      if !batch.failures.isEmpty {
        errors += batch.failures.count
        try ScanLog.record(batch.failures, ofScan: scanID, root: location.path, in: db)
      }
      report.update(entries: writer.entryCount, errors: errors, batch: batch)
      walker.recycle(batch)
    }
    if control.isCancelled { throw CancellationError() }
    return errors
  }

  /// A root that has lost more than half of its entries is more likely not mounted than emptied.
  private func refuseLoss(from known: Int?, to count: Int) throws {
    guard request.loss == .refused, let known, known > 10, count < known / 2 else { return }
    throw CatalogError(
      .tooManyRemoved, path: location.path,
      "\(location.path.string) has lost more than half of its entries (\(known) → \(count)): is it "
        + "mounted? Nothing was changed; accept the loss with --allow-empty")
  }
}

/// Tells about the progress of a scan a few times a second.
private struct ProgressReport {
  private static let interval: Int64 = 100_000_000

  let root: FilePath
  let expected: Int?
  let started: Int64
  let send: @Sendable (ScanProgress) -> Void
  private var next: Int64 = 0

  init(
    root: FilePath, expected: Int?, started: Int64,
    send: @escaping @Sendable (ScanProgress) -> Void
  ) {
    self.root = root
    self.expected = expected
    self.started = started
    self.send = send
  }

  mutating func update(entries: Int, errors: Int, batch: EntryBatch) {
    let now = Clock.now
    guard now >= next, let section = batch.sections.last else { return }
    next = now + Self.interval
    send(
      ScanProgress(
        root: root, entries: entries, errors: errors, seconds: Double(now - started) / 1e9,
        directory: root.pushing(FilePath(bytes: batch.path(of: section))),
        expectedEntries: expected))
  }
}

/// The indexes of the large tables, taken away while an empty catalog is loaded: building an index
/// from sorted rows costs half of keeping it up row by row.
private struct DeferredIndexes {
  private var statements: [String] = []

  init(in db: Database) throws {
    guard try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM entries)") == false else {
      return
    }
    let indexes = try Row.fetchAll(
      db,
      sql: """
        SELECT name, sql FROM sqlite_master
        WHERE type = 'index' AND tbl_name IN ('entries', 'folders') AND sql IS NOT NULL
        """)
    for index in indexes {
      try db.execute(sql: "DROP INDEX \(index["name"] as String)")
      statements.append(index["sql"])
    }
  }

  func create(in db: Database) throws {
    for statement in statements { try db.execute(sql: statement) }
  }
}
