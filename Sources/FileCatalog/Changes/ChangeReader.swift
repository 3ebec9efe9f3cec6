internal import FileSystem
internal import SQLite
internal import SystemPackage

/// Reads the history.
struct ChangeReader {
  private let db: Connection

  init(_ db: Connection) throws {
    self.db = db
  }

  /// Calls `body` with the changes since a point, in the order of the scans and their paths.
  func forEach(
    since point: HistoryPoint, _ filter: ChangeFilter, _ body: (Change) throws -> Void
  ) throws {
    switch point {
    case .scan(let scan):
      try HistoryTable(db).requireKept(since: scan.rawValue)
      try forEach(SQL("scan_id > ?", [.integer(scan.rawValue)]), filter, body)
    case .time(let time):
      // The scans of before that time were over by then.
      let before =
        try db.integer("SELECT max(id) FROM scan_log WHERE finished < ?", [time]) ?? 0
      let horizon = try HistoryTable(db).horizon
      if before < horizon { try HistoryTable(db).requireKept(since: before) }
      try forEach(SQL("scan_id > ?", [.integer(before)]), filter, body)
    }
  }

  /// Calls `body` with what a scan found. What a first scan found is all new.
  func forEach(
    ofScan scan: ScanID, _ filter: ChangeFilter, _ body: (Change) throws -> Void
  ) throws {
    try HistoryTable(db).requireKept(since: scan.rawValue - 1)
    let first = SQL(
      "SELECT root_id FROM scan_log WHERE id = ? AND is_first = 1", [.integer(scan.rawValue)])
    if let root = try db.first(first, { $0.integer(0) }) {
      try forEachEntry(of: root, addedBy: scan, filter, body)
    } else {
      try forEach(SQL("scan_id = ?", [.integer(scan.rawValue)]), filter, body)
    }
  }

  private func forEach(
    _ scans: SQL, _ filter: ChangeFilter, _ body: (Change) throws -> Void
  ) throws {
    var statement = SQL(
      """
      SELECT kind, path, old_path, entry_id, entry_kind, fields, size, old_size
      FROM change_log WHERE
      """ + " ")
    statement += scans
    if filter.directories == .leftOut { statement += SQL(" AND is_content = 0") }
    if !filter.kinds.isEmpty {
      let numbers = filter.kinds.map { String($0.number) }.sorted().joined(separator: ", ")
      statement += SQL(" AND kind IN (\(numbers))")
    }
    if let directory = filter.directory {
      statement +=
        SQL(" AND (") + inside(directory, "path") + SQL(" OR ")
        + inside(directory, "old_path") + SQL(")")
    }
    statement += SQL(" ORDER BY scan_id, CAST(path AS BLOB), id")
    try db.forEach(statement) { try body(Change($0)) }
  }

  /// Whether a path is a directory's or below it.
  private func inside(_ directory: FilePath, _ column: String) -> SQL {
    let bytes = directory.bytes
    let slash = UInt8(ascii: "/")
    let prefix = bytes + (bytes.last == slash ? [] : [slash])
    return SQL(
      """
      (CAST(\(column) AS BLOB) = CAST(? AS BLOB)
        OR substr(CAST(\(column) AS BLOB), 1, \(prefix.count)) = CAST(? AS BLOB))
      """, [.name(bytes), .name(prefix)])
  }

  private func forEachEntry(
    of root: Int64, addedBy scan: ScanID, _ filter: ChangeFilter, _ body: (Change) throws -> Void
  ) throws {
    guard filter.kinds.isEmpty || filter.kinds.contains(.added) else { return }
    var statement = SQL(
      """
      SELECT \(Change.Kind.added.number), path, NULL, id, kind_id, NULL, size, NULL
      FROM entry_rows WHERE root_id = ? AND first_seen_scan = ?
      """, [.integer(root), .integer(scan.rawValue)])
    if let directory = filter.directory {
      statement += SQL(" AND ") + inside(directory, "path")
    }
    statement += SQL(" ORDER BY CAST(path AS BLOB)")
    try db.forEach(statement) { try body(Change($0)) }
  }
}

extension Change {
  fileprivate init(_ row: Row) {
    self.init(
      kind: Kind(number: row.integer(0)) ?? .modified, path: row.path(1),
      oldPath: row.optionalText(2).map { _ in row.path(2) },
      entryID: EntryID(rawValue: row.integer(3)),
      entryKind: EntryKind(rawValue: UInt8(truncatingIfNeeded: row.integer(4))) ?? .file,
      fields: row.text(5).split(separator: ",").compactMap { EntryColumn(rawValue: String($0)) },
      size: row.optionalInteger(6), oldSize: row.optionalInteger(7))
  }
}
