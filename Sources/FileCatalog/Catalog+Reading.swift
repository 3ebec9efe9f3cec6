internal import FileSystem
internal import SQLite
public import SystemPackage

extension Catalog {
  /// The roots, by path.
  public func roots() async throws -> [Root] {
    try await read { db in
      let options = Dictionary(
        try RootTable.all(in: db).map { ($0.id, $0.settings) }, uniquingKeysWith: { $1 })
      var roots: [Root] = []
      try db.forEach(SQL(Self.rootsSQL)) { row in
        roots.append(Root(row, options: options[row.integer(0)] ?? ScanOptions()))
      }
      return roots
    }
  }

  private static let rootsSQL = """
    SELECT r.id, r.exact_path, r.given_path, r.state, r.last_scan_id, s.state, s.finished_at,
      ifnull(t.total_files + t.total_directories + 1, 0), ifnull(t.total_files, 0),
      ifnull(t.total_directories, 0), ifnull(t.total_size, 0), ifnull(t.total_allocated, 0)
    FROM _roots r
    LEFT JOIN scans s ON s.id = r.last_scan_id
    LEFT JOIN _directory_totals t ON t.id = r.entry_id
    ORDER BY r.exact_path
    """

  /// The entry at a path, or `nil`. Works without the file system: the path need not exist any more.
  ///
  /// - Parameter keys: the further values that it is to have.
  public func entry(at path: FilePath, values keys: [ValueKey] = []) async throws -> Entry? {
    try await read { db in
      do {
        let id = try PathLookup(db).entry(at: path)
        return try EntryTable(db).entries([id], values: keys).first
      } catch let error as CatalogError where error.code == .notInCatalog {
        return nil
      }
    }
  }

  /// What people call types, by identifier; those that have no name are left out.
  public func descriptions(ofTypes identifiers: Set<String>) async throws -> [String: String] {
    try await read { db in
      var descriptions: [String: String] = [:]
      for identifier in identifiers {
        let question = SQL(
          "SELECT description FROM _uniform_types WHERE identifier = ?", [.text(identifier)])
        if let found = try db.first(cached: question, { $0.optionalText(0) }) {
          descriptions[identifier] = found
        }
      }
      return descriptions
    }
  }

  /// The direct children of a directory.
  ///
  /// - Parameter keys: the further values that entries are to have, beside those that they are sorted by.
  public func children(
    of directory: FilePath, order: SortOrder = SortOrder(), values keys: [ValueKey] = [],
    limit: Int? = nil, offset: Int = 0
  ) async throws -> [Entry] {
    try await entries(
      matching: Query(), in: .children(of: directory), order: order, values: keys, limit: limit,
      offset: offset)
  }

  /// The entries that match a query.
  ///
  /// - Parameter keys: the further values that entries are to have, beside those that they are sorted by.
  /// - Returns: a page of `limit` entries from `offset` on; empty beyond the end.
  public func entries(
    matching query: Query, in scope: TableRequest.Scope = .everything,
    order: SortOrder = SortOrder([SortOrder.Term(.path)]), values keys: [ValueKey] = [],
    limit: Int? = nil, offset: Int = 0
  ) async throws -> [Entry] {
    let request = TableRequest(
      query, in: scope, order: order, values: keys, limit: limit, offset: offset)
    return try await read { try EntryTable($0).entries(request) }
  }

  /// How many entries match a query.
  public func count(
    of query: Query, in scope: TableRequest.Scope = .everything
  ) async throws -> Int {
    try await count(TableRequest(query, in: scope), idsAtOnce: 250_000)
  }

  /// How many entries a request has.
  ///
  /// - Parameters:
  ///   - part: how many ids are worth a connection of their own, where every entry has to be looked at.
  ///   - most: how many connections there may be.
  func count(
    _ request: TableRequest, idsAtOnce part: Int64, atMost most: Int = CatalogStore.mostAtOnce
  ) async throws -> Int {
    let now = Clock.now
    let (parts, count) = try await read { db in
      let table = try EntryTable(db, now: now)
      let parts = try table.parts(toCount: request, of: part, atMost: most)
      return (parts, parts.count > 1 ? nil : try table.count(request))
    }
    if let count { return count }
    let counts = try await readAtOnce(
      parts.map { part in
        { db in try EntryTable(db, now: now).count(request, ids: part) }
      })
    if let counts { return counts.reduce(0, +) }
    return try await read { try EntryTable($0, now: now).count(request) }
  }

  /// The stored sums of a directory.
  ///
  /// - Throws: ``/CatalogStore/CatalogError/Code/notInCatalog`` and ``/CatalogStore/CatalogError/Code/notADirectory``.
  public func totals(of directory: FilePath) async throws -> DirectoryTotals {
    let totals = try await totals(below: directory, depth: 0)
    guard let total = totals.first else {
      throw CatalogError(
        .notADirectory, path: directory, "\(directory.string) is not a directory in the catalog")
    }
    return total
  }

  /// The stored sums of a directory and of those below it, `depth` levels down; of all roots when
  /// `directory` is `nil`. Nothing is added up and nothing read from the disk.
  public func totals(below directory: FilePath?, depth: Int) async throws -> [DirectoryTotals] {
    try await read { db in
      let reader = try TotalsReader(db)
      return try directory.map { try reader.totals(below: $0, depth: depth) }
        ?? reader.totalsOfRoots(depth: depth)
    }
  }

  /// Calls `body` with each row of a table, without holding the rows in memory: the values of the columns, of
  /// further values bytes as text. Blocks the calling thread and sees one state of the catalog throughout.
  public func forEachRow(
    of request: TableRequest, _ body: ([ColumnValue]) throws -> Void
  ) throws {
    let count = Int32(request.columns.count)
    try translatingReadErrors { db in
      try EntryTable(db).forEach(request) { row in
        try body((0..<count).map { row.value($0) })
      }
    }
  }

  /// `forEachRow(of:_:)` for the path alone, as the bytes it has. The memory is only lent.
  public func forEachPath(
    of request: TableRequest, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    try translatingReadErrors { try EntryTable($0).forEachPath(request, body) }
  }

  /// Errors of the catalog become ``/CatalogStore/CatalogError``; those of the caller's closure pass unchanged.
  func translatingReadErrors(_ body: (Connection) throws -> Void) throws {
    do {
      try store.read(body)
    } catch {
      switch error {
      case is SQLiteError: throw CatalogError(error, path: store.path)
      default: throw error
      }
    }
  }
}

extension Root {
  fileprivate init(_ row: Row, options: ScanOptions) {
    id = row.id(0)
    path = row.path(1)
    givenPath = row.path(2)
    state = RootState(rawValue: row.text(3)) ?? .offline
    self.options = options
    lastScan = row.optionalInteger(4).map { ScanID(rawValue: $0) }
    lastScanState = row.optionalText(5).flatMap { ScanState(rawValue: $0) }
    lastScanAt = row.optionalInteger(6)
    entries = Int(row.count(7))
    files = Int(row.count(8))
    directories = Int(row.count(9))
    size = row.count(10)
    allocated = row.count(11)
  }
}

extension Catalog {
  /// What a scan could not read, in the order in which it was met.
  public func failures(ofScan scan: ScanID, limit: Int? = nil) async throws -> [ScanFailure] {
    try await read { db in
      var failures: [ScanFailure] = []
      try db.forEach(
        SQL(
          """
          SELECT ifnull(path_bytes, path), operation, errno, message FROM _scan_failures WHERE scan_id = ?
          ORDER BY id LIMIT ?
          """, [.integer(scan.rawValue), .integer(limit.map { Int64($0) } ?? -1)])
      ) { row in
        failures.append(
          ScanFailure(
            path: row.path(0), operation: row.text(1),
            errno: Int32(truncatingIfNeeded: row.integer(2)), message: row.text(3)))
      }
      return failures
    }
  }
}

/// A directory tree that a catalog holds.
public struct Root: Sendable, Hashable, Identifiable {
  /// The number of the root.
  public let id: Int64
  /// Without symbolic links; entries stand under this path.
  public let path: FilePath
  /// As it was given.
  public let givenPath: FilePath
  /// Whether it was there when it was last to be scanned.
  public let state: RootState
  /// How it is scanned.
  public let options: ScanOptions
  /// The last scan that was written, and when it ended in seconds since 1970.
  public let lastScan: ScanID?
  /// How the last scan that was written ended.
  public let lastScanState: ScanState?
  /// When the last scan that was written ended, in seconds since 1970.
  public let lastScanAt: Int64?
  /// All entries, the root among them.
  public let entries: Int
  /// Entries that are not directories.
  public let files: Int
  /// Directories below the root.
  public let directories: Int
  /// Bytes of everything that is not a directory.
  public let size: Int64
  /// Bytes on disk, counted as `du` counts.
  public let allocated: Int64
}
