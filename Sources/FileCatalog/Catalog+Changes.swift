internal import FileSystem
internal import SQLite
internal import SystemPackage

extension Catalog {
  // MARK: - History

  /// What has changed since a scan or a time, in the order of the scans.
  ///
  /// The first scan of a root is where its history begins: what it found is no change.
  ///
  /// - Throws: ``/CatalogStore/CatalogError/Code/historyDropped`` when some of it is not kept any more: start
  ///   afresh then, from what the catalog holds now; and ``/CatalogStore/CatalogError/Code/scanNotFound``.
  public func changes(
    since point: HistoryPoint, until end: HistoryPoint? = nil,
    filter: ChangeFilter = ChangeFilter()
  ) async throws -> [Change] {
    try await read { db in
      var changes: [Change] = []
      try ChangeReader(db).forEach(since: point, until: end, filter.located(in: db)) {
        changes.append($0)
      }
      return changes
    }
  }

  /// ``changes(since:until:filter:)`` since a scan.
  public func changes(since scan: ScanID) async throws -> [Change] {
    try await changes(since: .scan(scan))
  }

  /// Calls `body` with each change between two points, without holding them in memory. Blocks the
  /// calling thread and sees one state of the catalog throughout.
  public func forEachChange(
    since point: HistoryPoint, until end: HistoryPoint? = nil,
    filter: ChangeFilter = ChangeFilter(), _ body: (Change) throws -> Void
  ) throws {
    try translatingReadErrors { db in
      try ChangeReader(db).forEach(since: point, until: end, filter.located(in: db), body)
    }
  }

  /// What changed in each directory between two points: a row a directory `depth` levels below the
  /// directory of the filter, or below the roots, with everything that is deeper.
  ///
  /// - Returns: the directories in which something changed, in the order of their paths.
  public func changeSummary(
    since point: HistoryPoint, until end: HistoryPoint? = nil,
    filter: ChangeFilter = ChangeFilter(), depth: Int
  ) async throws -> [ChangeSummary] {
    try await read { db in
      let filter = try filter.located(in: db)
      var summaries = try ChangeSummaries(below: filter.directory, depth: depth, in: db)
      try ChangeReader(db).forEach(since: point, until: end, filter) { summaries.add($0) }
      return summaries.sorted
    }
  }

  /// Calls `body` with everything that a scan changed; of a first scan, with everything it found.
  /// Blocks the calling thread.
  public func forEachChange(
    ofScan scan: ScanID, filter: ChangeFilter = ChangeFilter(), _ body: (Change) throws -> Void
  ) throws {
    try translatingReadErrors { db in
      try ChangeReader(db).forEach(ofScan: scan, filter.located(in: db), body)
    }
  }

  /// The same summaries with what the history counts by now: what one scan has lost, or found, a later one of
  /// another root may have found to have moved. Then it is a change of that scan alone.
  public func recounted(_ summaries: [ScanSummary]) async throws -> [ScanSummary] {
    // A catalog that is missing is not made for an answer that has nothing in it.
    guard !summaries.isEmpty else { return [] }
    let scans =
      SQL("SELECT id, added, removed, modified, moved FROM _scan_log WHERE ")
      + .isID(in: summaries.map(\.scanID.rawValue))
    return try await read { db in
      var current = Dictionary(summaries.map { ($0.scanID, $0) }, uniquingKeysWith: { $1 })
      try db.forEach(scans) { row in
        let id = ScanID(rawValue: row.integer(0))
        current[id]?.added = Int(row.count(1))
        current[id]?.removed = Int(row.count(2))
        current[id]?.modified = Int(row.count(3))
        current[id]?.moved = Int(row.count(4))
      }
      return summaries.map { current[$0.scanID] ?? $0 }
    }
  }

  // MARK: - Following

  /// The changes of every scan after `scan`, and then of each further one as it is written, by this
  /// process or by another.
  ///
  /// The sequence does not end by itself. It looks at the catalog a few times a second.
  ///
  /// - Parameter origin: whose changes to leave out: those that one makes oneself.
  /// - Throws: while iterating, ``/CatalogStore/CatalogError/Code/historyDropped`` when changes that were not
  ///   handed over are not kept any more.
  public func changeSets(
    since scan: ScanID, leavingOut origin: ChangeOrigin? = nil
  ) -> AsyncThrowingStream<ChangeSet, any Error> {
    AsyncThrowingStream { continuation in
      let task = Task {
        var last = scan
        do {
          while !Task.isCancelled {
            for set in try await self.committedChangeSets(since: last) {
              last = set.scan
              if origin == nil || set.origin != origin { continuation.yield(set) }
            }
            try await Task.sleep(for: .milliseconds(200))
          }
          continuation.finish()
        } catch is CancellationError {
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  private func committedChangeSets(since scan: ScanID) async throws -> [ChangeSet] {
    try await read { db in
      try HistoryTable(db).requireKept(since: scan.rawValue)
      var sets: [ChangeSet] = []
      let statement = SQL(
        """
        SELECT id, ifnull(root_bytes, root), finished / 1000000000, origin FROM _scan_log
        WHERE id > ? AND added + removed + modified + moved > 0
          AND state IN ('complete', 'quick', 'partial') AND NOT is_first
        ORDER BY id
        """, [.integer(scan.rawValue)])
      let reader = try ChangeReader(db)
      try db.forEach(statement) { row in
        let id = ScanID(rawValue: row.integer(0))
        var changes: [Change] = []
        try reader.forEach(ofScan: id, ChangeFilter()) { changes.append($0) }
        sets.append(
          ChangeSet(
            scan: id, root: row.path(1), at: row.integer(2),
            origin: row.optionalText(3).map { ChangeOrigin(rawValue: $0) }, changes: changes,
            withdrawnIDs: try reader.withdrawnIDs(ofScan: id)))
      }
      return sets
    }
  }

  // MARK: - Retention

  /// How long the history is kept.
  public func historyRetention() async throws -> HistoryRetention {
    try await read { try HistoryTable($0).retention }
  }

  /// How much history there is.
  public func historyExtent() async throws -> HistoryExtent {
    try await read { try HistoryTable($0).extent }
  }

  /// What ``setHistoryRetention(_:)`` would drop.
  ///
  /// - Throws: ``/CatalogStore/CatalogError/Code/invalidArgument`` for numbers below zero.
  public func historyLoss(under retention: HistoryRetention) async throws -> HistoryExtent {
    try requireValid(retention)
    return try await read { try HistoryTable($0).loss(under: retention, now: Clock.now) }
  }

  private func requireValid(_ retention: HistoryRetention) throws(CatalogError) {
    guard retention.days >= 0, retention.changes >= 0 else {
      throw CatalogError(.invalidArgument, path: path, "days and changes are numbers from 0 on")
    }
  }

  /// Changes how long the history is kept, and drops what is older.
  ///
  /// - Throws: ``/CatalogStore/CatalogError/Code/invalidArgument`` for numbers below zero.
  public func setHistoryRetention(_ retention: HistoryRetention) async throws {
    try requireValid(retention)
    try await write { try HistoryTable($0).set(retention) }
    while try await write({ try HistoryTable($0).prune(now: Clock.now) }) {}
  }

  /// The last scan whose changes are not all kept any more; `nil` while the history is whole.
  public func historyHorizon() async throws -> ScanID? {
    try await read { db in
      let horizon = try HistoryTable(db).horizon
      return horizon == 0 ? nil : ScanID(rawValue: horizon)
    }
  }
}

extension ChangeFilter {
  /// The filter with its directory by the path that the catalog knows it by. One that is not in the
  /// catalog any more is looked for as it is written.
  fileprivate func located(in db: Connection) throws -> ChangeFilter {
    guard let directory else { return self }
    var filter = self
    do {
      filter.directory = try PathLookup(db).directory(at: directory).path
    } catch let error as CatalogError where error.code == .notInCatalog {
      filter.directory = directory.absolute
    } catch let error as CatalogError where error.code == .notADirectory {
      filter.directory = directory.absolute
    }
    return filter
  }
}
