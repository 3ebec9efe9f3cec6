internal import FileSystem
internal import GRDB
internal import GRDBSQLite
internal import Logging
internal import SystemPackage

/// One scan of one root, from the walk to the commit.
///
/// Everything happens at once for others: they see the root as it was until the scan is complete,
/// and a scan that fails, is stopped or is killed leaves no trace but its line in `scans`.
struct Scanner {
  let store: CatalogStore
  let layers: TypeLayers
  let providers: [any ResourceValueProvider]
  let location: RootLocation
  let request: ScanRequest
  let control: ScanControl
  let progress: @Sendable (ScanProgress) -> Void
  /// Where the walk gets directories from; `nil` for the file system.
  var makeSource: (@Sendable () -> any DirectorySource)?

  private static let logger = Logger(label: "FileCatalog.Scanner")

  /// Runs the scan on the calling thread, which it blocks.
  func run() throws -> ScanSummary {
    let started = Clock.now
    var attempts = 0
    while true {
      do {
        return try attempt(started: started)
      } catch is ChangedWhileRead where attempts < 3 {
        attempts += 1
      } catch {
        let failure = control.isCancelled ? CancellationError() : error
        recordFailure(failure, started: started)
        throw CatalogError(failure, path: store.path)
      }
    }
  }

  /// A directory in which names were changed while it was read may list an entry twice.
  private struct ChangedWhileRead: Error {}

  private func attempt(started: Int64) throws -> ScanSummary {
    do {
      if let summary = try makeCatalog(started: started) { return summary }
      return try updateCatalog(started: started)
    } catch let error as SQLiteFailure where error.primaryCode == SQLITE_CONSTRAINT {
      throw ChangedWhileRead()
    } catch DatabaseError.SQLITE_CONSTRAINT {
      throw ChangedWhileRead()
    }
  }

  /// Notes a scan that came to nothing. What went wrong matters more than a note that could not be
  /// written, so that is only logged.
  private func recordFailure(_ error: any Error, started: Int64) {
    let state: ScanState = error is CancellationError ? .interrupted : .failed
    guard !store.isMissing else { return }
    do {
      try store.pool.write { db in
        try ScanLog.recordFailure(
          state, of: location.path, started: started, finished: Clock.now, in: db)
      }
    } catch {
      Self.logger.debug("the scan could not be recorded as \(state.rawValue): \(error)")
    }
  }

  // MARK: - A catalog that exists

  /// Scans into the catalog, in one transaction.
  private func updateCatalog(started: Int64) throws -> ScanSummary {
    try store.pool.writeWithoutTransaction { db in
      var summary: ScanSummary?
      try db.inTransaction(.immediate) {
        guard let connection = db.sqliteConnection else { throw CancellationError() }
        let scan = try begin(in: db, started: started)
        if scan.known != nil { try RootTable.removeEntries(of: scan.rootID, in: db) }
        let indexes = try DeferredIndexes(in: db)
        let sink = try SQLRowSink(on: connection, scanID: scan.id, rootID: scan.rootID)
        let firstID = try Int64.fetchOne(db, sql: "SELECT ifnull(max(id), 0) + 1 FROM entries") ?? 1
        var writer = CatalogWriter(
          sink, rootPath: location.path, firstID: firstID, volumes: try VolumeNumbers(in: db))
        let result = try load(scan, with: &writer, started: started)
        try indexes.create(in: db)
        summary = try finish(scan, result, started: started, in: db)
        return .commit
      }
      guard let summary else { throw CancellationError() }
      return summary
    }
  }

  // MARK: - A new catalog

  /// Scans into a new file and puts it where the catalog is to stand.
  ///
  /// - Returns: `nil` when there is a catalog already, or a scan that pages cannot be made for.
  private func makeCatalog(started: Int64) throws -> ScanSummary? {
    guard store.isMissing, request.settings(over: ScanOptions()).resourceValues.isEmpty else {
      return nil
    }
    // A new catalog remembers no answers of the system's layer, and most trees ask it something.
    layers.prefetch()
    let file = try NewCatalogFile(for: store.path)
    let scan = try file.with { db in
      try CatalogStore.migrator.migrate(db)
      return try db.write { try begin(in: $0, started: started) }
    }
    let sink = try PageRowSink(path: file.path.string, scanID: scan.id, rootID: scan.rootID)
    var writer = CatalogWriter(
      sink, rootPath: location.path, firstID: 1, volumes: VolumeNumbers())
    let result = try load(scan, with: &writer, started: started)
    let leftovers = try writer.takeSink().finish()
    let summary = try file.with { db in
      try db.write { db in
        for index in leftovers.indexes { try db.execute(sql: "REINDEX \(index)") }
        guard leftovers.duplicates.isEmpty else { throw ChangedWhileRead() }
        return try finish(scan, result, started: started, in: db)
      }
    }
    try file.with { try $0.inDatabase { try $0.execute(sql: "PRAGMA journal_mode = WAL") } }
    return try file.publish() ? summary : nil
  }

  // MARK: - What both have in common

  /// A scan that has begun.
  private struct Begun {
    let id: Int64
    let rootID: Int64
    /// How many entries the root had; `nil` for a new one.
    let known: Int?
    let settings: ScanOptions
    let numbering: TypeNumbering
    let walker: TreeWalker
  }

  /// What a walk has brought.
  private struct Loaded {
    let rootEntryID: Int64
    let entries: Int
    let total: DirectoryTally
    let failures: [FileError]
    let owners: OwnerNames
    let volumes: VolumeNumbers
  }

  private func begin(in db: Database, started: Int64) throws -> Begun {
    guard let connection = db.sqliteConnection else { throw CancellationError() }
    let (rootID, settings, known) = try prepareRoot(in: db)
    let numbering = try TypeTables(in: db, connection: connection)
      .synchronize(with: layers)
    let walker = try WalkPlan(
      location: location, settings: settings, catalog: store.path, numbering: numbering,
      providers: providers, jobs: request.jobs, makeSource: makeSource
    ).makeWalker()
    let id = try ScanLog.start(rootID: rootID, path: location.path, at: started, in: db)
    return Begun(
      id: id, rootID: rootID, known: known, settings: settings, numbering: numbering,
      walker: walker)
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

  /// Writes everything that the walker finds, and the sums.
  private func load<Sink: RowSink & ~Copyable>(
    _ scan: Begun, with writer: inout CatalogWriter<Sink>, started: Int64
  ) throws -> Loaded {
    let walker = scan.walker
    control.attach(walker)
    defer { control.attach(nil) }
    var failures: [FileError] = []
    var report = ProgressReport(
      root: location.path, expected: scan.known, started: started, send: progress)
    let entryID = try writer.writeRoot(
      walker.rootStatus, volume: walker.rootVolume,
      typeID: scan.numbering.number(ofRoot: walker.rootStatus))
    walker.start()
    // Whatever ends this, the threads must not be left waiting for a writer.
    defer { walker.cancel() }
    while let batch = walker.next() {
      try writer.write(batch)
      failures += batch.failures
      report.update(entries: writer.entryCount, errors: failures.count, batch: batch)
      walker.recycle(batch)
    }
    if control.isCancelled { throw CancellationError() }
    try refuseLoss(from: scan.known, to: writer.entryCount)
    try writer.finishTotals()
    return Loaded(
      rootEntryID: entryID, entries: writer.entryCount, total: writer.totals.folders[0].total,
      failures: failures, owners: writer.owners, volumes: writer.volumes)
  }

  /// Writes what is known only at the end.
  private func finish(
    _ scan: Begun, _ result: Loaded, started: Int64, in db: Database
  ) throws -> ScanSummary {
    guard let connection = db.sqliteConnection else { throw CancellationError() }
    try result.owners.write(to: db)
    try result.volumes.write(to: db)
    try ScanLog.record(result.failures, ofScan: scan.id, root: location.path, in: db)
    try TypeTables(in: db, connection: connection).insertAddedTypes(of: scan.numbering)
    try ContentTyping(of: scan.rootID, scan.settings.typing, scan.numbering, in: db).run(control)
    try db.execute(
      sql: """
        UPDATE roots SET entry_id = :entry, state = 'online', last_scan_id = :scan,
          volume_id = (SELECT volume_id FROM entries WHERE id = :entry)
        WHERE id = :root
        """, arguments: ["entry": result.rootEntryID, "scan": scan.id, "root": scan.rootID])
    let finished = Clock.now
    let summary = ScanSummary(
      root: location.path, scanID: ScanID(rawValue: scan.id),
      state: result.failures.isEmpty ? .complete : .partial, entries: result.entries,
      added: scan.known == nil ? result.entries : 0, removed: 0, modified: 0, moved: 0,
      errors: result.failures.count, size: result.total.size, allocated: result.total.allocated,
      seconds: Double(finished - started) / 1e9)
    try ScanLog.finish(summary, at: finished, in: db)
    return summary
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
    var names: [String] = []
    let indexes = SQLFragment(
      """
      SELECT name, sql FROM sqlite_master
      WHERE type = 'index' AND tbl_name IN ('entries', 'folders') AND sql IS NOT NULL
      """)
    try RowReader(db).forEach(indexes) { index in
      names.append(index.text(0))
      statements.append(index.text(1))
    }
    for name in names { try db.execute(sql: "DROP INDEX \(name)") }
  }

  func create(in db: Database) throws {
    for statement in statements { try db.execute(sql: statement) }
  }
}
