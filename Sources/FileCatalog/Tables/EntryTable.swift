internal import CatalogStore
internal import FileSystem
internal import SQLite
internal import SystemPackage

/// Reads tables of entries: the one way from a request to rows.
struct EntryTable {
  private let db: Connection
  /// From when ages count, in nanoseconds since 1970.
  private let now: Int64
  private let shortcuts: Shortcuts

  /// Whether what the catalog keeps beside its rows may be used: names in blocks, sums, bounds of pages.
  enum Shortcuts {
    case taken
    /// The rows are those of another state than the one that is kept.
    case avoided
  }

  init(_ db: Connection, now: Int64 = Clock.now, shortcuts: Shortcuts = .taken) throws {
    self.db = db
    self.now = now
    self.shortcuts = shortcuts
  }

  /// Calls `body` with each row; the columns are in the order of the request.
  func forEach(_ request: TableRequest, _ body: (Row) throws -> Void) throws {
    let columns = request.columns.map(\.viewColumn).joined(separator: ", ")
    try db.forEach(try statement(columns, request), body)
  }

  /// Calls `body` with the path of each row, in order.
  func forEachPath(
    _ request: TableRequest, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    if shortcuts == .taken, PathListing.suits(request), let listing = try PathListing(db) {
      return try listing.forEachPath(body)
    }
    var request = request
    request.columns = [.entry(.path)]
    try forEach(request) { try body($0.bytes(0)) }
  }

  /// The entries of a request, in its order, with the further values that it asks for.
  func entries(_ request: TableRequest) throws -> [Entry] {
    let entryReader = try EntryReader(db, values: request.valueKeys)
    var entries: [Entry] = []
    try db.forEach(try statement(entryReader.columns, request)) {
      entries.append(try entryReader.entry($0))
    }
    return entries
  }

  // MARK: - Behind a row

  /// Calls `body` with the rows of a request behind a place in its order, as many as it asks for.
  func forEach(
    _ request: TableRequest, behind place: TablePlace, _ body: (Row) throws -> Void
  ) throws {
    let columns = request.columns.map(\.viewColumn).joined(separator: ", ")
    var statement = SQL("SELECT \(columns) FROM _entry_rows WHERE ")
    statement += try condition(request) + SQL(" AND ") + Self.isBehind(place, request)
    statement += SQL(" ORDER BY \(try sorting(request))")
    if let limit = request.limit { statement += SQL(" LIMIT ?", [.integer(Int64(limit))]) }
    try db.forEach(statement, body)
  }

  /// How many rows of a request are at a place in its order or before it.
  func count(_ request: TableRequest, notBehind place: TablePlace) throws -> Int {
    var statement = SQL("SELECT count(*) FROM _entry_rows WHERE ")
    statement += try condition(request) + SQL(" AND ") + Self.isBehind(place, request)
    statement += SQL(" IS NOT TRUE")
    return try db.first(statement) { Int($0.integer(0)) } ?? 0
  }

  /// Where an entry stands in the order of a request.
  func place(of id: Int64, in request: TableRequest) throws -> TablePlace? {
    let values = request.order.comparisons().map(\.value)
    let row = SQL(
      "SELECT \(values.joined(separator: ", ")) FROM _entry_rows WHERE id = ?", [.integer(id)])
    return try db.first(row) { row in
      TablePlace(values: values.indices.map { TablePlace.Value(row, Int32($0)) })
    }
  }

  private static func isBehind(
    _ place: TablePlace, _ request: TableRequest
  ) throws(CatalogError) -> SQL {
    guard let condition = place.isBehind(in: request.order) else {
      throw CatalogError(.foreignCursor, "the cursor belongs to another table")
    }
    return SQL("(") + condition + SQL(")")
  }

  // MARK: - Statements

  private func statement(_ columns: String, _ request: TableRequest) throws -> SQL {
    var statement = SQL("SELECT \(columns) FROM _entry_rows WHERE ")
    var condition = try condition(request)
    var offset = request.offset
    if shortcuts == .taken, let bounds = try PageBounds(of: request, where: condition, db) {
      condition = bounds.condition
      offset -= bounds.skipped
    }
    statement += condition
    statement += SQL(" ORDER BY \(try sorting(request))")
    if request.limit != nil || request.offset > 0 {
      statement += SQL(
        " LIMIT ? OFFSET ?",
        [.integer(request.limit.map { Int64($0) } ?? -1), .integer(Int64(offset))])
    }
    return statement
  }

  /// How many rows a request has, without its limit and offset.
  func count(_ request: TableRequest) throws -> Int {
    if shortcuts == .taken, case .everything = request.scope,
      let count = try NameCandidates.count(request.query, in: db)
    {
      return count
    }
    let condition = try condition(request)
    let source = shortcuts == .taken ? EntrySource(for: request, condition) : .view
    return try source.count(where: condition, db)
  }

  /// Ranges of ids that can be counted at the same time; one or none where that is no gain.
  func parts(
    toCount request: TableRequest, of size: Int64, atMost most: Int
  ) throws -> [Range<Int64>] {
    guard case .everything = request.scope, !request.query.filter.isAboutNames,
      try EntrySource(for: request, condition(request)) == .stored,
      let (first, last) = try db.first(
        "SELECT (SELECT min(id) FROM _entries), (SELECT max(id) FROM _entries)",
        { ($0.integer(0), $0.integer(1)) }),
      // Ids of a damaged catalog may be any.
      first > 0, last >= first, last < .max / 2
    else { return [] }
    let count = max(1, min(Int64(most), (last - first) / size))
    let width = (last - first) / count + 1
    return (0..<count).map { first + $0 * width..<first + ($0 + 1) * width }
  }

  /// How many rows of a request have ids in a range.
  func count(_ request: TableRequest, ids: Range<Int64>) throws -> Int {
    let condition =
      SQL(
        "id >= ? AND id < ? AND (", [.integer(ids.lowerBound), .integer(ids.upperBound)])
      + (try condition(request)) + SQL(")")
    return try EntrySource(for: request, condition).count(where: condition, db)
  }

  /// The `ORDER BY` terms of a request.
  private func sorting(_ request: TableRequest) throws -> String {
    // Entries of one directory are in the order of their paths when they are in the order of their names,
    // which need not be put together.
    if case .children = request.scope {
      return request.order.sql(comparingPathsBy: "CAST(name AS BLOB)")
    }
    return try request.order.sql(
      comparingPathsBy: hasOddPaths() ? "CAST(path AS BLOB)" : "path")
  }

  /// Whether some path is no text. Where all are, they are in the order of their bytes as they stand, and
  /// one that is asked for is put together once.
  private func hasOddPaths() throws -> Bool {
    guard shortcuts == .taken else { return true }
    return try db.integer(
      """
      SELECT EXISTS (SELECT 1 FROM _odd_names)
        OR EXISTS (SELECT 1 FROM _roots WHERE path_bytes IS NOT NULL)
      """) != 0
  }

  /// The ids of the rows of a request, in no particular order.
  func ids(_ request: TableRequest) throws -> [Int64] {
    var ids: [Int64] = []
    try db.forEach(try selection(request)) { ids.append($0.id(0)) }
    return ids
  }

  /// Some of these ids, those that are found first.
  func someIDs(_ request: TableRequest, limit: Int) throws -> [Int64] {
    if shortcuts == .taken, case .everything = request.scope,
      let ids = try NameCandidates.first(
        limit, of: request.query, in: db, matching: { try matching($0, query(request)) })
    {
      return ids
    }
    var ids: [Int64] = []
    let some = try selection(request) + SQL(" LIMIT ?", [.integer(Int64(limit))])
    try db.forEach(some) { ids.append($0.id(0)) }
    return ids
  }

  /// Those of some entries that meet a condition.
  private func matching(_ ids: [Int64], _ condition: SQL) throws -> [Int64] {
    var left: [Int64] = []
    let statement =
      SQL("SELECT id FROM _entry_rows WHERE ") + .isID(in: ids) + SQL(" AND (") + condition
      + SQL(")")
    try db.forEach(statement) { left.append($0.id(0)) }
    return left
  }

  /// The statement that selects those ids.
  func selection(_ request: TableRequest) throws -> SQL {
    SQL("SELECT id FROM _entry_rows WHERE ") + (try condition(request))
  }

  /// The ids and versions of the rows of a request, in its order.
  func sortedRows(_ request: TableRequest) throws -> TableRows {
    if case .children(let path) = request.scope,
      let children = try ChildOrder(
        of: PathLookup(db).directory(at: path),
        where: request.query.filter == .all ? nil : query(request), request.order, db)
    {
      return children.rows
    }
    return try sortedRows(condition(request), sorting(request))
  }

  /// The same for entries that are known.
  func sortedRows(_ ids: [Int64], _ order: SortOrder) throws -> TableRows {
    try sortedRows(.isID(in: ids), order.sql())
  }

  private func sortedRows(
    _ condition: SQL, _ sorting: String
  ) throws -> TableRows {
    var ids: [Int64] = []
    var versions: [UInt32] = []
    let statement =
      SQL("SELECT id, last_changed_scan FROM _entry_rows WHERE ") + condition
      + SQL(" ORDER BY \(sorting)")
    try db.forEach(statement) { row in
      ids.append(row.id(0))
      versions.append(UInt32(truncatingIfNeeded: row.integer(1)))
    }
    return .list(ids: ids, versions: versions)
  }

  /// The entries with these ids, in this order; those that are gone are left out.
  ///
  /// - Parameter keys: the further values that they have.
  func entries(_ ids: [Int64], values keys: [ValueKey] = []) throws -> [Entry] {
    let entryReader = try EntryReader(db, values: keys)
    var entries: [Entry] = []
    entries.reserveCapacity(ids.count)
    try db.forEach(cached: "SELECT \(entryReader.columns) FROM _entry_rows WHERE id = ?", ids) {
      row in
      entries.append(try entryReader.entry(row))
    }
    return entries
  }

  /// Some columns of the entries with these ids, in this order; of those that are gone the id alone.
  func values(of columns: [TableColumn], _ ids: [Int64]) throws -> [[ColumnValue]] {
    let names = columns.map { ", \($0.viewColumn)" }.joined()
    var found: [Int64: [ColumnValue]] = [:]
    try db.forEach("SELECT id\(names) FROM _entry_rows WHERE id = ?", ids) { row in
      found[row.integer(0)] = columns.indices.map { row.value(Int32($0) + 1) }
    }
    return ids.map { id in
      found[id] ?? columns.map { $0 == .entry(.id) ? .integer(id) : .null }
    }
  }

  private func query(_ request: TableRequest) throws -> SQL {
    try QueryCompiler.compile(request.query, now: now)
  }

  private func condition(_ request: TableRequest) throws -> SQL {
    var query = try query(request)
    if shortcuts == .taken, let candidates = try candidates(request) {
      query = candidates + SQL(" AND ") + query
    }
    switch request.scope {
    case .everything:
      return query
    case .children(let path):
      let directory = try PathLookup(db).directory(at: path)
      return SQL("parent_id = ? AND ", [.integer(directory.id)]) + query
    case .subtree(let path):
      let directory = try PathLookup(db).directory(at: path)
      return Self.isInside(directory) + SQL(" AND ") + query
    case .entry(let path):
      return SQL("id = ? AND ", [.integer(try PathLookup(db).entry(at: path))]) + query
    case .subtrees(let paths, let levels):
      let lookup = try PathLookup(db)
      let places = try paths.map { path in
        let directory = try lookup.directory(at: path)
        let inside = Self.isInside(directory)
        guard let levels else { return inside }
        let depth = Query(.depth(levels.moved(by: directory.depth)))
        return try SQL("(") + inside + SQL(" AND ") + QueryCompiler.compile(depth, now: now)
          + SQL(")")
      }
      return (places.isEmpty ? SQL("0") : SQL.joined(places[...], by: "OR")) + SQL(" AND ") + query
    }
  }

  /// The condition that the name of an entry can be one of those that are wanted, where that is quicker
  /// than to look at all names in the scope.
  private func candidates(_ request: TableRequest) throws -> SQL? {
    let directories: [FilePath]
    switch request.scope {
    case .everything:
      return try NameCandidates.condition(for: request.query, insteadOf: nil, in: db)
    case .children, .entry: return nil
    case .subtree(let path): directories = [path]
    case .subtrees(let paths, _): directories = paths
    }
    let lookup = try PathLookup(db)
    var entries: Int64 = 0
    for path in directories {
      let directory = SQL(
        "SELECT total_files + total_directories FROM _directory_totals WHERE id = ?",
        [.integer(try lookup.directory(at: path).id)])
      entries.add(clamped: try db.first(cached: directory) { $0.integer(0) } ?? 0)
    }
    return try NameCandidates.condition(for: request.query, insteadOf: entries, in: db)
  }

  /// The condition that an entry is a directory or below it, as ranges of the paths of the
  /// directories.
  private static func isInside(_ directory: FoundDirectory) -> SQL {
    SQL(
      """
      (id = ? OR parent_id IN (SELECT f.id FROM _directory_paths f WHERE f.id = ?
        UNION ALL SELECT f.id FROM _directory_paths f WHERE
      """ + " ", [.integer(directory.id), .integer(directory.id)])
      + directory.isAbove("f.") + SQL("))")
  }
}
