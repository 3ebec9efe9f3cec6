internal import Console
internal import FileSystem
public import Fleet
internal import SQLite
internal import SystemPackage

extension Catalog {
  /// What is to be published.
  public struct Publication: Sendable {
    /// How much.
    public enum Extent: Sendable {
      /// What has changed since the last publication, where that can be told and is little.
      case asNeeded
      /// Everything.
      case full
    }

    /// How much is published.
    public var extent = Extent.asNeeded
    /// What the machine is called.
    public var host: String
    /// What writes the files, as they say.
    public var creator = "FileCatalog"

    /// A publication by a machine.
    public init(by host: String) { self.host = host }
  }

  /// What has become of a publication.
  public enum PublicationOutcome: Sendable, Hashable {
    /// It is there for everybody.
    case published(CommitRecord)
    /// The lake has this state of the catalog already.
    case upToDate(CommitRecord)
  }

  /// Publishes the catalog into a lake, where engines that read Parquet find it beside those of other
  /// machines.
  ///
  /// The first publication has everything; those that follow have what has changed since. Now and then,
  /// and wherever changes cannot be told, a full one follows. All tables are of one moment, and nobody sees
  /// any of them before all are there. A catalog gets its number with its first publication.
  ///
  /// - Throws: ``/Fleet/FleetError``, and ``/CatalogStore/CatalogError`` where the catalog cannot be read, or
  ///   not be given its number.
  /// - Complexity: Reads all entries once. Takes a few dozen megabytes of memory, however many there are.
  public func publish(_ publication: Publication, to lake: Lake) async throws -> PublicationOutcome
  {
    let catalog = try await uuid()
    return try await readingInBulk(named: "catalog publish") { reading in
      try Publisher(publication: publication, catalog: catalog, lake: lake, reading: reading).run()
    }
  }

  /// The number of the catalog, which it gets when it is first asked for.
  private func uuid() async throws -> CatalogUUID {
    if let known = try await read({ try CatalogUUID(in: $0) }) { return known }
    return try await write { db in
      try db.execute(
        "INSERT OR IGNORE INTO _catalog_settings (key, value) VALUES ('uuid', ?)",
        [CatalogUUID.random().description])
      guard let known = try CatalogUUID(in: db) else {
        throw SQLiteError.corrupt("the catalog's number is none")
      }
      return known
    }
  }
}

extension CatalogUUID {
  /// The number of a catalog that has one.
  fileprivate init?(in db: Connection) throws {
    let stored: SQL = "SELECT value FROM _catalog_settings WHERE key = 'uuid'"
    guard let text = try db.first(stored, { $0.text(0) }) else { return nil }
    self.init(text)
  }
}

/// Writes one publication.
private struct Publisher {
  /// A full publication follows so many with changes.
  private static let deltas = 6
  /// Where a larger part has changed than one in so many, everything is published.
  private static let share: Int64 = 5

  let publication: Catalog.Publication
  let catalog: CatalogUUID
  let lake: Lake
  let reading: BulkReading

  func run() throws -> Catalog.PublicationOutcome {
    let writer = try LakeWriter(lake, for: catalog)
    return try reading.read { try run(writer, $0) }
  }

  private func run(
    _ writer: borrowing LakeWriter, _ db: Connection
  ) throws -> Catalog.PublicationOutcome {
    let state = try PublishedState(in: db)
    let numbers = try lake.publications(of: catalog)
    let history = try history(numbers)
    if let last = history.last {
      try requireDescent(from: last, state, db)
      if publication.extent == .asNeeded, last.scan == state.scan, last.state == state.state {
        return .upToDate(last)
      }
    }
    let number = (numbers.last ?? 0) + 1
    guard number <= Lake.highestPublication else {
      throw FleetError(
        .cannotWrite, lake(Lake.directory(ofCommits: catalog)), "there is no number left")
    }
    let base = try base(after: history, state, db)
    if base == nil {
      try writer.putEmptyCompaction { table, file in
        let output = OutputFile(descriptor: file.rawValue)
        try ParquetRows(
          CompactedHistory.columns(of: table), creator: publication.creator,
          metadata: [("filecat.table", table.rawValue)], to: output
        ).finish()
      }
    }
    let files = try FleetTable.allCases.map { table in
      // Changes are told once, also where everything else is told anew.
      let since = base ?? (table.isState ? nil : history.last?.scan)
      let published = PublishedTable(table, since: since)
      return try writer.write(table, catalog, number) { file in
        try write(published, to: OutputFile(descriptor: file.rawValue), db)
      }
    }
    let now = Clock.now
    let record = CommitRecord(
      catalog: catalog, publication: number, host: publication.host,
      kind: base == nil ? .full : .delta, scan: state.scan, scanStarted: state.scanStarted,
      oldestScan: state.oldestScan, newestScan: state.newestScan, published: now / 1_000_000_000,
      clockSkew: writer.clockSkew(now: now), schema: state.schema, entries: state.entries,
      allocated: state.allocated, state: state.state, basis: state.basis, files: files)
    guard try writer.commit(record) else {
      throw FleetError(
        .diverged, lake(Lake.place(ofCommit: number, catalog)),
        "somebody else has published the catalog meanwhile")
    }
    return .published(record)
  }

  /// The records from the last full publication on. What is published in full needs none, but for the
  /// changes that are told already: then those that are none are passed over.
  private func history(_ numbers: [Int64]) throws -> [CommitRecord] {
    let reader = try CommitReader(lake)
    var records: [CommitRecord] = []
    for number in numbers.reversed() {
      do {
        records.append(try reader.record(number, of: catalog))
      } catch let error as FleetError
        where error.code == .invalidRecord && publication.extent == .full
      {
        continue
      }
      if records.last?.kind == .full { break }
    }
    return records.reversed()
  }

  /// Refuses a catalog that is not a later state of what was published last.
  private func requireDescent(
    from last: CommitRecord, _ state: PublishedState, _ db: Connection
  ) throws {
    let started = SQL("SELECT started FROM _scan_log WHERE id = ?", [.integer(last.scan)])
    let known = try db.first(started) { $0.integer(0) }
    let isEarlier = state.scan < last.scan
    // Of scans that are long ago nobody knows when they began.
    guard isEarlier || known != nil && last.scanStarted != 0 && known != last.scanStarted else {
      return
    }
    throw FleetError(
      .diverged, lake(Lake.place(ofCommit: last.publication, catalog)),
      isEarlier
        ? "\(last.host) has published scan \(last.scan) of the catalog, which has come to scan "
          + "\(state.scan) on \(publication.host)"
        : "\(last.host) has published another scan \(last.scan) of the catalog than "
          + "\(publication.host) has")
  }

  /// The scan since which changes are published; `nil` where everything is.
  private func base(
    after history: [CommitRecord], _ state: PublishedState, _ db: Connection
  ) throws -> Int64? {
    guard publication.extent == .asNeeded, let first = history.first, let last = history.last,
      first.kind == .full, history.count <= Self.deltas, last.basis == state.basis,
      last.publication - first.publication == Int64(history.count) - 1,
      last.schema == state.schema, try HistoryTable(db).horizon <= last.scan,
      try PublishedTable.changedCount(since: last.scan, in: db) <= state.entries / Self.share
    else { return nil }
    return last.scan
  }

  /// - Returns: how many rows there are.
  private func write(
    _ table: PublishedTable, to output: OutputFile, _ db: Connection
  ) throws -> Int64 {
    var file = try ParquetRows(
      table.columns, lookUps: try table.lookUps(in: db), creator: publication.creator,
      metadata: [("filecat.table", table.table.rawValue), ("filecat.catalog", "\(catalog)")]
        + table.metadata(in: db), to: output)
    do {
      let count = try table.append(to: &file, in: db) { try reading.requireGoingOn(after: $0) }
      try file.finish()
      return count
    } catch OutputError.failed(let code) {
      throw FleetError(.cannotWrite, lake, "\(Errno(rawValue: code))")
    }
  }
}

/// The state of a catalog that is published.
private struct PublishedState {
  let scan: Int64
  let scanStarted: Int64
  let oldestScan: Int64?
  let newestScan: Int64?
  let schema: Int64
  let entries: Int64
  let allocated: Int64
  /// Differs wherever entries may.
  let state: String
  /// Differs wherever values of entries may that have not changed themselves: their roots, the types, the
  /// containers, and what owners are called.
  let basis: String

  init(in db: Connection) throws {
    scan = try HistoryTable(db).lastScan
    scanStarted = try db.integer("SELECT started FROM _scan_log WHERE id = ?", [scan]) ?? 0
    let times = try db.first("SELECT min(last_scan_at), max(last_scan_at) FROM roots") {
      ($0.optionalInteger(0), $0.optionalInteger(1))
    }
    (oldestScan, newestScan) = times ?? (nil, nil)
    schema = try db.integer("PRAGMA user_version") ?? 0
    entries = try db.integer("SELECT ifnull(sum(entries), 0) FROM _usage_places") ?? 0
    allocated =
      try db.integer(
        """
        SELECT ifnull(sum(t.total_allocated), 0) FROM _roots r
        JOIN _directory_totals t ON t.id = r.entry_id
        """) ?? 0
    state = Self.hash([try CatalogState(in: db).description])
    var parts: [String] = []
    let basis: SQL = """
      SELECT 'root ' || id || ' ' || hex(exact_path) FROM _roots
      UNION ALL SELECT key || ' ' || value FROM _catalog_settings
        WHERE key IN ('type_registry', 'containers')
      UNION ALL SELECT 'user ' || uid || ' ' || name FROM _users
      UNION ALL SELECT 'group ' || gid || ' ' || name FROM _groups
      ORDER BY 1
      """
    try db.forEach(basis) { parts.append($0.text(0)) }
    self.basis = Self.hash(parts)
  }

  private static func hash(_ parts: [String]) -> String {
    var hash = BLAKE2b(length: 16)
    for part in parts { Array((part + "\0").utf8).withUnsafeBytes { hash.update($0) } }
    return hash.finish().hexadecimal
  }
}
