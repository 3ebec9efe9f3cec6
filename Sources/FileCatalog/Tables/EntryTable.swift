internal import FileSystem
internal import GRDB
internal import SystemPackage

/// Reads tables of entries: the one way from a request to rows.
struct EntryTable {
  private let db: Database
  private let reader: RowReader

  init(_ db: Database) throws {
    self.db = db
    reader = try RowReader(db)
  }

  /// Calls `body` with each row; the columns are in the order of the request.
  func forEach(_ request: TableRequest, _ body: (RawRow) throws -> Void) throws {
    var statement = SQLFragment(
      "SELECT \(request.columns.map(\.rawValue).joined(separator: ", ")) FROM entry_rows WHERE ")
    statement += try condition(request)
    statement += SQLFragment(" ORDER BY \(request.order.sql)")
    if request.limit != nil || request.offset > 0 {
      statement += SQLFragment(
        " LIMIT ? OFFSET ?",
        [.integer(request.limit.map { Int64($0) } ?? -1), .integer(Int64(request.offset))])
    }
    try reader.forEach(statement, body)
  }

  /// How many rows a request has, without its limit and offset.
  func count(_ request: TableRequest) throws -> Int {
    let statement =
      SQLFragment("SELECT count(*) FROM entry_rows WHERE ") + (try condition(request))
    return try reader.first(statement) { Int($0.integer(0)) } ?? 0
  }

  private func condition(_ request: TableRequest) throws -> SQLFragment {
    let query = try QueryCompiler.compile(request.query)
    switch request.scope {
    case .everything:
      return query
    case .children(let path):
      let directory = try PathLookup(db).directory(at: path)
      return SQLFragment("parent_id = ? AND ", [.integer(directory.id)]) + query
    case .subtree(let path):
      let directory = try PathLookup(db).directory(at: path)
      return Self.isInside(directory) + SQLFragment(" AND ") + query
    }
  }

  /// The condition that an entry is a directory or below it, as ranges of the paths of the
  /// directories.
  private static func isInside(_ directory: FoundDirectory) -> SQLFragment {
    let (lower, upper) = directory.descendantRange
    // Paths that are not UTF-8 are BLOBs, which sort apart from TEXT.
    return SQLFragment(
      """
      (id = ? OR parent_id IN (SELECT f.id FROM folders f WHERE f.id = ?
        UNION ALL SELECT f.id FROM folders f WHERE f.path >= ? AND f.path < ?
        UNION ALL SELECT f.id FROM folders f
          WHERE f.path >= CAST(? AS BLOB) AND f.path < CAST(? AS BLOB)))
      """,
      [
        .integer(directory.id), .integer(directory.id), .name(lower), .name(upper), .name(lower),
        .name(upper),
      ])
  }
}
