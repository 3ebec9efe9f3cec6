public import CatalogStore
internal import FileSystem
internal import SQLite
public import SystemPackage

/// A catalog as it was after a scan, or at a date: what was there, where, how large and from when.
///
/// ```swift
/// let state = try await catalog.state(at: HistoryPoint(parsing: "7d"))
/// for total in try await state.totals(below: "/home/me", depth: 1) {
///   print(total.path, total.totalSize)
/// }
/// ```
///
/// It is made from the history, as far back as that is kept: path, kind, size and time of modification of
/// entries, and the sums of directories. So its rows have ``columns``, are sorted by ``sortKeys``, and are asked
/// for with queries about these; anything else is refused with ``/CatalogStore/CatalogError/Code/notKept``. What
/// was in one root and went into another between two scans is, in the states between them, where it was before.
/// Each call goes through the changes since then once.
public struct PastState: Sendable {
  /// The last scan that had been written then.
  public let scan: ScanID
  /// When it had been written, in seconds since 1970; `nil` where the scan itself is not kept.
  public let at: Int64?
  private let catalog: Catalog

  init(_ scan: ScanID, at: Int64?, of catalog: Catalog) {
    self.scan = scan
    self.at = at
    self.catalog = catalog
  }

  /// What is known of an entry.
  public static let columns: [EntryColumn] = [
    .id, .rootID, .root, .parentID, .directory, .name, .path, .kind, .extension, .size, .modified,
    .modifiedNanoseconds, .depth, .isHidden, .isPackage, .displayName, .totalSize,
  ]

  /// What tables can be sorted by.
  public static let sortKeys: [SortOrder.Key] = [
    .name, .path, .size, .modified, .kind, .extension, .depth, .totalSize, .fullSize,
  ]

  // MARK: - Rows

  /// Calls `body` with each row of a table, in its order. Blocks the calling thread.
  public func forEachRow(
    of request: TableRequest, _ body: ([ColumnValue]) throws -> Void
  ) throws {
    try requireKept(request)
    let count = Int32(request.columns.count)
    try read { db in
      try Self.table(db).forEach(request) { row in
        try body((0..<count).map { row.value($0) })
      }
    }
  }

  /// `forEachRow(of:_:)` for the path alone, as the bytes it has. The memory is only lent.
  public func forEachPath(
    of request: TableRequest, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    var request = request
    request.columns = [.entry(.path)]
    try requireKept(request)
    try read { try Self.table($0).forEachPath(request, body) }
  }

  /// How many entries matched a query.
  public func count(
    of query: Query, in scope: TableRequest.Scope = .everything
  ) async throws -> Int {
    let request = TableRequest(query, in: scope)
    try requireKept(request)
    return try await readAside { try Self.table($0).count(request) }
  }

  /// Whether there was an entry at a path, and of which kind.
  public func kind(of path: FilePath) async throws -> EntryKind? {
    try await readAside { db in
      let id: Int64
      do {
        id = try PathLookup(db).entry(at: path)
      } catch let error as CatalogError where error.code == .notInCatalog {
        return nil
      }
      let kind = SQL("SELECT kind_id FROM _entry_rows WHERE id = ?", [.integer(id)])
      return try db.first(kind) { EntryKind(rawValue: UInt8(truncatingIfNeeded: $0.integer(0))) }
        ?? nil
    }
  }

  private static func table(_ db: Connection) throws -> EntryTable {
    try EntryTable(db, shortcuts: .avoided)
  }

  // MARK: - Sums

  /// The sums of a directory and of those below it, `depth` levels down; of all roots when `directory` is
  /// `nil`. Their ``DirectoryTotals/newestModified`` is not kept, and ``DirectoryTotals/state`` is that of today.
  public func totals(below directory: FilePath?, depth: Int) async throws -> [DirectoryTotals] {
    try await readAside { db in
      let reader = try TotalsReader(db)
      return try directory.map { try reader.totals(below: $0, depth: depth) }
        ?? reader.totalsOfRoots(depth: depth)
    }
  }

  // MARK: - Reading

  private func read(_ body: (Connection) throws -> Void) throws {
    try catalog.translatingReadErrors { db in
      try Self.withState(after: scan.rawValue, in: db) { try body(db) }
    }
  }

  private static func withState<Result>(
    after scan: Int64, in db: Connection, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try PastTables.withState(after: scan, in: db, body)
    } catch let error as CatalogError where error.code == .notInCatalog {
      let path = error.path?.string ?? ""
      throw CatalogError(.notInCatalog, "\(path) was not in the catalog then, after scan \(scan)")
    }
  }

  private func readAside<Result: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    let scan = scan.rawValue
    return try await catalog.read { db in
      try Self.withState(after: scan, in: db) { try body(db) }
    }
  }

  private func requireKept(_ request: TableRequest) throws(CatalogError) {
    for column in request.columns {
      if case .entry(let column) = column, Self.columns.contains(column) { continue }
      throw Self.notKept("the column \(column.name)", known: Self.columns.map(\.rawValue))
    }
    for key in request.order.terms.map(\.key) where !Self.sortKeys.contains(key) {
      throw Self.notKept("the sort key \(key.name)", known: Self.sortKeys.map(\.name))
    }
    if let term = request.query.filter.termNotKept {
      throw Self.notKept("\(term):", known: Filter.termsKept)
    }
  }

  private static func notKept(_ what: String, known: [String]) -> CatalogError {
    CatalogError(
      .notKept, known: known,
      "the history does not keep \(what); of an earlier state there is \(known.joined(separator: ", "))"
    )
  }
}

extension Filter {
  fileprivate static let termsKept = [
    "name", "path", "ext", "kind", "size", "modified", "depth", "hidden",
  ]

  /// The first term about something that the history does not keep; `nil` where there is none.
  fileprivate var termNotKept: String? {
    switch condition {
    case .everything, .text, .extensions, .date(.modified, _), .number(.size, _),
      .number(.depth, _), .flag(.hidden):
      nil
    case .all(let filters), .any(let filters): filters.lazy.compactMap(\.termNotKept).first
    case .not(let filter): filter.termNotKept
    case .kinds(let kinds): kinds.lazy.compactMap(\.termNotKept).first
    case .date(let field, _): field.rawValue
    case .number(let field, _): field.rawValue
    case .word(let field, _): field.rawValue
    case .mode: "mode"
    case .scale: "scale"
    case .flag(let flag): "\(flag)"
    case .value(let test): test.key.text
    }
  }
}

extension Filter.Kind {
  /// Words for types are about more than what an entry is to the file system.
  fileprivate var termNotKept: String? {
    switch test {
    case .structure: nil
    case .conformance(let identifiers): "is:\(identifiers.first ?? "")"
    }
  }
}

extension Catalog {
  /// The catalog as it was at a point of its history.
  ///
  /// - Throws: ``/CatalogStore/CatalogError/Code/stateNotKept`` when the history begins later,
  ///   ``/CatalogStore/CatalogError/Code/scanNotFound``.
  public func state(at point: HistoryPoint) async throws -> PastState {
    let (scan, at) = try await read { db in
      let scan = try ChangeReader(db).lastScan(before: point)
      // What can be asked at all is refused here and not at the first question.
      try PastTables.requireState(after: scan, in: db)
      let finished = SQL(
        "SELECT finished / 1000000000 FROM _scan_log WHERE id = ?", [.integer(scan)])
      return (scan, try db.first(finished) { $0.optionalInteger(0) } ?? nil)
    }
    return PastState(ScanID(rawValue: scan), at: at, of: self)
  }
}
