package import CatalogStore
package import FileSystem
internal import Logging
internal import SQLite
package import StandardDirectories
internal import SystemPackage

/// One scan of one root, from the walk to the commit.
///
/// Everything happens at once for others: they see the root as it was until the scan is complete,
/// and a scan that fails, is stopped or is killed leaves no trace but its line in `scans`.
package struct Scanner {
  let store: CatalogStore
  /// Waits for the layers of types, which are read meanwhile.
  let layers: @Sendable () -> TypeLayers
  /// Reads the roles that are declared.
  let roles: @Sendable () -> RoleSources.Declarations
  let providers: [any ResourceValueProvider]
  let contentProviders: [any ContentProvider]
  let makeSource: @Sendable () -> any DirectorySource
  private(set) var target: ScanTarget
  private(set) var request: ScanRequest
  let control: ScanControl
  let ownWrites: OwnWrites
  let progress: @Sendable (ScanProgress) -> Void

  package init(
    store: CatalogStore, layers: @escaping @Sendable () -> TypeLayers,
    roles: @escaping @Sendable () -> RoleSources.Declarations,
    providers: [any ResourceValueProvider], contentProviders: [any ContentProvider],
    makeSource: @escaping @Sendable () -> any DirectorySource, target: ScanTarget,
    request: ScanRequest, control: ScanControl, ownWrites: OwnWrites,
    progress: @escaping @Sendable (ScanProgress) -> Void
  ) {
    self.store = store
    self.layers = layers
    self.roles = roles
    self.providers = providers
    self.contentProviders = contentProviders
    self.makeSource = makeSource
    self.target = target
    self.request = request
    self.control = control
    self.ownWrites = ownWrites
    self.progress = progress
  }

  private static let logger = Logger(label: "FileCatalog.Scanner")

  var location: RootLocation { target.location }
  var scope: ScanScope { target.scope }

  /// Runs the scan on the calling thread, which it blocks.
  package func run() throws -> ScanSummary {
    let started = Clock.now
    var attempts = 0
    var scanner = self
    while true {
      do {
        return try scanner.attempt(started: started)
      } catch is ChangedWhileRead where attempts < 3 {
        attempts += 1
        // Parts that do not fit together do so with everything around them.
        scanner.request.thoroughness = .full
      } catch {
        let cause: any Error =
          control.isCancelled
          ? CancellationError() : error is ChangedWhileRead ? unstable : error
        let failure = CatalogError(cause, path: store.path)
        // Where somebody else is writing, nothing was begun and nothing can be noted.
        if failure.code != .busy { recordFailure(cause, started: started) }
        if [.tooManyRemoved, .differentVolume, .rootReplaced].contains(failure.code) {
          markOffline()
        }
        throw failure
      }
    }
  }

  private var unstable: CatalogError {
    let path = location.path
    return CatalogError(
      .changedWhileRead, path: path,
      "\(path.string) changes faster than it can be read; the catalog is as it was before")
  }

  private func attempt(started: Int64) throws -> ScanSummary {
    do {
      if let summary = try makeCatalog(started: started) { return summary }
      return try updateCatalog(started: started)
    } catch let error as SQLiteError where error.code == .constraint {
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

  /// What is not there as it was is probably not mounted.
  private func markOffline() {
    do {
      try store.pool.write { db in
        guard let root = try RootTable.all(in: db).root(at: location.path) else { return }
        try RootTable.setState(.offline, of: root.id, in: db)
      }
    } catch {
      Self.logger.debug("the root could not be marked as offline: \(error)")
    }
  }

  // MARK: - A catalog that exists

  /// Scans into the catalog, in one transaction.
  ///
  /// What is to be scanned was told by roots that others may have changed since. So it is decided again
  /// here, where nobody else writes.
  private func updateCatalog(started: Int64) throws -> ScanSummary {
    func settled(in db: Connection) throws -> Scanner {
      var scanner = self
      scanner.target = target.settled(among: try RootTable.all(in: db), request)
      return scanner
    }
    func update(_ db: Connection) throws -> ScanSummary {
      let scanner = try settled(in: db)
      guard
        case .written(let summary) = try scanner.updateRoot(
          appendingTo: nil, started: started, in: db)
      else { throw ChangedWhileRead() }
      return summary
    }
    return try store.pool.withWriter { db in
      // Only a root that is new, as it seems, is worth getting the file ready for pages.
      guard try !RootTable.all(in: db).contains(where: { $0.location.path == location.path }) else {
        return try db.transaction(.immediate) { try update(db) }
      }
      do {
        return try db.transaction { file in
          try settled(in: db).updateRoot(appendingTo: file, started: started, in: db)
        } completing: { root in
          try settled(in: db).complete(root, started: started, in: db)
        }
      } catch let error as PageLoaderError where !error.isOfSystem {
        // What statements can do all the same, or tell what is wrong with.
        Self.logger.debug("pages could not be appended: \(error)")
        return try db.transaction(.immediate) { try update(db) }
      }
    }
  }

  /// A scanner of what a quick scan has to read; itself for any other scan.
  private func narrowed(to scan: Begun, of known: KnownRoot, in db: Connection) throws -> Scanner {
    guard scan.thoroughness == .quick else { return self }
    let look = QuickLook(
      root: known.record, settings: scan.settings, jobs: request.jobs, control: control, db: db)
    var scanner = self
    scanner.target = ScanTarget(location, try look.scope(within: scope, scan.plan.makeWalker()))
    return scanner
  }

  /// A new root whose rows are pages behind the end of the catalog.
  private struct AppendedRoot {
    let scan: Begun
    let result: ScanResult
  }

  private func updateRoot(
    appendingTo file: LiveFile?, started: Int64, in db: Connection
  ) throws -> Loading<AppendedRoot, ScanSummary> {
    let scan = try begin(in: db, started: started)
    if let known = scan.known {
      let result = try narrowed(to: scan, of: known, in: db)
        .update(known, by: scan, started: started, in: db)
      return .written(try finish(scan, result, started: started, in: db))
    }
    let loading = try withWalk(scan) { walker -> Loading<AppendedRoot, ScanResult> in
      var arriving = Arriving(walker: walker)
      // Rows of roots that were dropped are still in the pages that would be kept.
      guard let file, !scan.hasAbsorbed, scan.settings.resourceValues.isEmpty, arriving.isLarge()
      else { return .written(try loadNewRoot(scan, arriving, started: started, in: db)) }
      let loaded = try loadPages(
        scan, arriving, started: started, volumes: VolumeNumbers(in: db),
        extensions: ExtensionNumbers(in: db), firstID: EntryIDs.next(in: db)
      ) { try PageLoader(file) }
      guard let graft = loaded.pages.graft, loaded.pages.duplicates.isEmpty else {
        throw ChangedWhileRead()
      }
      return .appended(graft, AppendedRoot(scan: scan, result: loaded.result))
    }
    switch loading {
    case .written(let result):
      return .written(try finish(scan, result, started: started, in: db))
    case .appended(let graft, let root): return .appended(graft, root)
    }
  }

  /// Records a root whose pages have become part of the catalog. All else is as it was when the scan
  /// began, so that beginning anew gives the same numbers.
  private func complete(
    _ root: AppendedRoot, started: Int64, in db: Connection
  ) throws -> ScanSummary {
    let again = try begin(in: db, started: started)
    guard again.id == root.scan.id, again.rootID == root.scan.rootID, again.known == nil else {
      throw ChangedWhileRead()
    }
    try NameIndex.noteGap(at: root.result.rootEntryID, in: db)
    return try finish(root.scan, root.result, started: started, in: db)
  }

  /// Fills a root that has no rows, with statements.
  private func loadNewRoot(
    _ scan: Begun, _ arriving: Arriving, started: Int64, in db: Connection
  ) throws -> ScanResult {
    let indexes = try DeferredIndexes(in: db)
    var loader = RootLoader(
      EntryInserter(
        try StatementRowWriter(on: db), scanID: scan.id, volumes: try VolumeNumbers(in: db),
        extensions: try ExtensionNumbers(in: db)),
      rootID: scan.rootID, rootPath: location.path, firstID: try EntryIDs.next(in: db),
      places: scan.places, beside: store.path)
    let loaded = try load(scan, arriving, with: &loader, started: started)
    let result = loaded.result(met: loader.met)
    try indexes.create(in: db)
    return result
  }

  // MARK: - A new catalog

  /// Scans into a new file and puts it where the catalog is to stand.
  ///
  /// - Returns: `nil` when there is a catalog already, or a scan that pages cannot be made for.
  private func makeCatalog(started: Int64) throws -> ScanSummary? {
    guard store.isMissing, request.settings(over: nil).resourceValues.isEmpty else {
      return nil
    }
    let file = try UnfinishedFile(for: store.path)
    try CatalogTemplate.write(to: file)
    let scan = try file.with { db in
      try Schema.update(db)
      return try db.transaction(.immediate) { try begin(in: db, started: started) }
    }
    let path = file.path
    let loaded = try withWalk(scan) { walker in
      try loadPages(
        scan, Arriving(walker: walker), started: started, volumes: VolumeNumbers(),
        extensions: ExtensionNumbers(), firstID: 1
      ) { try PageLoader(path: path) }
    }
    let summary = try file.with { db in
      try CatalogStore.followEntries(in: db)
      return try db.transaction(.immediate) {
        guard loaded.pages.duplicates.isEmpty else { throw ChangedWhileRead() }
        return try finish(scan, loaded.result, started: started, in: db)
      }
    }
    try file.set(.writeAhead)
    return try file.publish() ? summary : nil
  }

  // MARK: - What both have in common

  /// A scan that has begun.
  struct Begun {
    let id: Int64
    let rootID: Int64
    /// `nil` for a new root.
    let known: KnownRoot?
    /// Where the root was before, if it is at another path now.
    let movedFrom: FilePath?
    /// Whether roots that lay inside it were dropped.
    let hasAbsorbed: Bool
    /// Whether it is about the whole root.
    let isWhole: Bool
    let thoroughness: ScanRequest.Thoroughness
    let settings: ScanOptions
    let numbering: TypeNumbering
    let plan: WalkPlan
    let places: PlaceMap
    /// The directories whose places have to be found out at the end.
    let unplaced: PlaceSettlement.Extent

    /// What is known of the root when everything that was to be read could be.
    var stateOfSuccess: ScanState {
      let wasQuick = !isWhole && known?.record.isQuick ?? false
      return thoroughness == .quick || wasQuick ? .quick : .complete
    }
  }

  private func begin(in db: Connection, started: Int64) throws -> Begun {
    let move = try RootMove(recognizing: location, among: RootTable.all(in: db), in: db)
    try move?.perform(in: db)
    let roots = try RootTable.all(in: db)
    let hasAbsorbed = try absorbRoots(among: roots, in: db)
    let (rootID, settings, known) = try prepareRoot(among: roots, in: db)
    _ = try ContentReading.asked(settings, of: location.path, among: contentProviders)
    var containers = try ContainerTable(db)
    var unplaced = PlaceSettlement.Extent.open
    let declared = roles()
    // A part of what was meant could let something be deleted that a fault has in its keeping.
    if declared.faults.isEmpty, try containers.adopt(declared.registry) { unplaced = .everything }
    for container in request.containers where try containers.register(container) {
      unplaced = .everything
    }
    let numbering = try TypeTables(in: db).synchronize(with: layers())
    let plan = WalkPlan(
      location: location, settings: settings, catalog: store.path, numbering: numbering,
      providers: providers, jobs: request.jobs, makeSource: makeSource)
    let id = try ScanLog.start(rootID: rootID, path: location.path, at: started, in: db)
    // What other settings take in or leave out shows only where everything is read.
    let isQuick =
      request.thoroughness == .quick && !hasAbsorbed && known?.record.settings == settings
      && known?.record.listedFrom != nil
    return Begun(
      id: id, rootID: rootID, known: known, movedFrom: move?.root.location.path,
      hasAbsorbed: hasAbsorbed, isWhole: scope.isWhole,
      thoroughness: isQuick ? .quick : .full, settings: settings,
      numbering: numbering, plan: plan, places: try containers.map(), unplaced: unplaced)
  }

  /// Drops the roots that lie inside this one: they become part of it.
  ///
  /// - Returns: whether there were some.
  private func absorbRoots(among roots: [RootRecord], in db: Connection) throws -> Bool {
    let inner = roots.filter {
      location.path.contains($0.location.path) && location.path != $0.location.path
    }
    for root in inner { try RootTable.remove(root.id, in: db) }
    return !inner.isEmpty
  }

  /// The root's row, made or brought up to date, and what was known of it.
  private func prepareRoot(
    among roots: [RootRecord], in db: Connection
  ) throws -> (id: Int64, settings: ScanOptions, known: KnownRoot?) {
    if let root = roots.first(where: { $0.location.path == location.path }) {
      let isReplaced = request.excludes != nil || !request.removedExcludes.isEmpty
      let kept = isReplaced ? root.settings : try root.soundSettings()
      try request.requireKnownExcludes(in: kept, of: location.path)
      let settings = request.settings(over: kept)
      try RootTable.update(root.id, settings, in: db)
      return (root.id, settings, try KnownRoot(root, in: db))
    }
    try request.requireKnownExcludes(in: nil, of: location.path)
    let settings = request.settings(over: nil)
    return (try RootTable.insert(location, settings, in: db), settings, nil)
  }

  /// Walks the root while `body` takes what is found.
  private func withWalk<Result>(
    _ scan: Begun, _ body: (TreeWalker) throws -> Result
  ) throws -> Result {
    let walker = try scan.plan.makeWalker()
    control.attach(walker)
    defer { control.attach(nil) }
    try walker.start()
    // Whatever ends this, the threads must not be left waiting for a writer.
    defer { walker.cancel() }
    return try body(walker)
  }

  /// What a walk finds, some of which may have been taken from it.
  private struct Arriving {
    let walker: TreeWalker
    private(set) var first: [EntryBatch] = []

    init(walker: TreeWalker) { self.walker = walker }

    /// How many entries are worth putting the trees of the catalog together anew: for fewer, statements
    /// take less time.
    private static let manyEntries = 2000
    /// Of the batches that circulate the threads need some.
    private static let mostBatches = 16

    /// Whether there is as much that pages are worth while. Takes from the walk what is needed to tell.
    mutating func isLarge() -> Bool {
      var entries = 0
      while entries < Self.manyEntries, first.count < Self.mostBatches {
        guard let batch = walker.next() else { return false }
        first.append(batch)
        entries += batch.count
      }
      return true
    }
  }

  /// What a first scan has brought, as pages.
  private struct LoadedPages {
    let result: ScanResult
    let pages: PageRowWriter.Written
  }

  /// Fills a root that has no rows, with pages.
  private func loadPages(
    _ scan: Begun, _ arriving: Arriving, started: Int64, volumes: VolumeNumbers,
    extensions: ExtensionNumbers, firstID: Int64, _ open: () throws -> PageLoader
  ) throws -> LoadedPages {
    var loader = RootLoader(
      EntryInserter(
        try PageRowWriter(try open()), scanID: scan.id, volumes: volumes, extensions: extensions),
      rootID: scan.rootID, rootPath: location.path, firstID: firstID, places: scan.places,
      beside: store.path)
    let loaded = try load(scan, arriving, with: &loader, started: started)
    let result = loaded.result(met: loader.met)
    return LoadedPages(result: result, pages: try loader.takeWriter().finish())
  }

  /// The entries of a tree that all but certainly has names which only the system knows.
  private static let manyEntries = 1000

  /// Writes everything that the walker finds, and the sums.
  private func load<Writer: RowWriter & ~Copyable>(
    _ scan: Begun, _ arriving: Arriving, with loader: inout RootLoader<Writer>, started: Int64
  ) throws -> Loaded {
    let walker = arriving.walker
    var failures: [FileError] = []
    var report = ProgressReport(
      root: location.path, expected: nil, started: started, send: progress)
    let entryID = try loader.insertRoot(
      walker.startStatus, volume: walker.startVolume,
      typeID: scan.numbering.number(ofRoot: walker.startStatus))
    var isLarge = false
    var first = arriving.first[...]
    while let batch = first.popFirst() ?? walker.next() {
      try loader.insert(batch)
      failures += batch.failures
      report.update(entries: loader.entryCount, errors: failures.count, batch: batch)
      walker.recycle(batch)
      if !isLarge, loader.entryCount >= Self.manyEntries {
        isLarge = true
        // A new catalog remembers no answers of the system's layer, and most large trees ask it
        // something. Reading it takes longer than to scan a small one.
        if store.isMissing { scan.numbering.prefetchSystem() }
      }
    }
    if control.isCancelled { throw CancellationError() }
    try loader.finishTotals()
    return Loaded(
      rootEntryID: entryID, nextID: loader.nextID, entries: loader.entryCount,
      total: loader.total, failures: failures)
  }

  /// What a first scan has brought, but for what its entries have in common with others.
  private struct Loaded {
    let rootEntryID: Int64
    let nextID: Int64
    let entries: Int
    let total: DirectoryTally
    let failures: [FileError]

    func result(met: MetOnTheWay) -> ScanResult {
      ScanResult(
        rootEntryID: rootEntryID, nextID: nextID, entries: entries, added: entries,
        size: total.size, allocated: total.allocated, hasChanges: true, failures: failures,
        met: met)
    }
  }

  /// Writes what is known only at the end.
  private func finish(
    _ scan: Begun, _ result: ScanResult, started: Int64, in db: Connection
  ) throws -> ScanSummary {
    var met = result.met
    try met.write(to: db)
    try EntryIDs.setNext(result.nextID, in: db)
    var failures =
      try result.failures
      + scan.plan.storeRootValues(
        of: result.rootEntryID, before: scan.known?.record.settings, in: db)
    try TypeTables(in: db).insertAddedTypes(of: scan.numbering)
    try PlaceSettlement(scan.places, in: db).run(scan.unplaced)
    failures += try CacheTags(of: scan.rootID, at: location.path, in: db).update()
    failures += try ContentTyping(
      of: scan.rootID, at: location.path, scan.settings.typing, scan.numbering, in: db
    ).run(control)
    try ContentTable(db).forgetChanged(since: scan.id)
    if let before = scan.known?.record.settings.contentValues, before != scan.settings.contentValues
    {
      try ContentTable(db).forget(allBut: scan.settings.contentValues, of: scan.rootID)
    }
    try UsageSums.removeEmpty(in: db)
    try ScanLog.record(failures, ofScan: scan.id, root: location.path, in: db)
    let others = try ChangeAttribution(of: scan.id, request, ownWrites.all, in: db)
    let finished = Clock.now
    let summary = ScanSummary(
      root: location.path, scanID: ScanID(rawValue: scan.id),
      state: failures.isEmpty ? scan.stateOfSuccess : .partial, entries: result.entries,
      added: result.added - others.count(.added),
      removed: result.removed - others.count(.removed),
      modified: result.modified - others.count(.modified),
      moved: result.moved - others.count(.moved), errors: failures.count, size: result.size,
      allocated: result.allocated, isFirst: scan.known == nil,
      movedFrom: scan.movedFrom, seconds: Double(finished - started) / 1e9)
    try ScanLog.finish(summary, origin: request.origin, at: finished, in: db)
    let last = try others.split(scan.id, in: db)
    try db.execute(
      """
      UPDATE _roots SET entry_id = ?1, state = 'online', last_scan_id = ?2,
        changed_scan_id = CASE WHEN ?4 THEN ?2 ELSE changed_scan_id END,
        listed_from = CASE WHEN ?5 THEN ?6 ELSE listed_from END,
        quick_scan_id = CASE WHEN ?7 THEN ifnull(quick_scan_id, ?2)
          WHEN NOT ?5 THEN quick_scan_id END,
        volume_id = (SELECT volume_id FROM _entries WHERE id = ?1)
      WHERE id = ?3
      """,
      [
        result.rootEntryID, last, scan.rootID,
        result.hasChanges || scan.hasAbsorbed || scan.known?.record.settings != scan.settings,
        scan.isWhole, started, scan.thoroughness == .quick,
      ])
    try HistoryTable(db).prune(now: finished, sparing: scan.id)
    try NameIndex.fillGaps(in: db)
    return summary
  }
}

/// A directory in which names were changed while it was read may list an entry twice, or not as it did
/// a moment before. The scan is repeated.
struct ChangedWhileRead: Error {}

/// Tells about the progress of a scan a few times a second.
struct ProgressReport {
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

  init(in db: Connection) throws {
    guard try db.integer("SELECT EXISTS (SELECT 1 FROM _entries)") == 0 else { return }
    var names: [String] = []
    try db.forEach(
      """
      SELECT name, sql FROM sqlite_master
      WHERE type = 'index' AND tbl_name IN ('_entries', '_directory_paths') AND sql IS NOT NULL
      """
    ) { index in
      names.append(index.text(0))
      statements.append(index.text(1))
    }
    for name in names { try db.execute("DROP INDEX \(name)") }
  }

  func create(in db: Connection) throws {
    for statement in statements { try db.execute(statement) }
  }
}

/// What a scan has brought, before it is recorded.
struct ScanResult {
  let rootEntryID: Int64
  /// The first id that is still free.
  let nextID: Int64
  /// The entries of the root now, itself included.
  let entries: Int
  var added = 0
  var removed = 0
  var modified = 0
  var moved = 0
  let size: Int64
  let allocated: Int64
  /// Whether any row of an entry was written.
  let hasChanges: Bool
  let failures: [FileError]
  let met: MetOnTheWay
}
