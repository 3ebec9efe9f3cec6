internal import FileSystem
internal import SQLite
public import SystemPackage

/// Reads the history.
struct ChangeReader {
  private let db: Connection

  init(_ db: Connection) throws {
    self.db = db
  }

  /// Calls `body` with the changes between two points, in the order of the scans and their paths
  /// unless the filter has another.
  func forEach(
    since start: HistoryPoint, until end: HistoryPoint?, _ filter: ChangeFilter,
    _ body: (Change) throws -> Void
  ) throws {
    let first = try lastScan(before: start)
    try HistoryTable(db).requireKept(since: first)
    var scans = SQL("scan_id > ?", [.integer(first)])
    if let end { scans += SQL(" AND scan_id <= ?", [.integer(try lastScan(before: end))]) }
    try forEach(scans, filter, body)
  }

  /// The number of the last scan that was over at a point; 0 when there was none.
  func lastScan(before point: HistoryPoint) throws -> Int64 {
    switch point {
    case .scan(let scan):
      try HistoryTable(db).requireKnown(scan.rawValue)
      return scan.rawValue
    case .time(let time):
      return try db.integer("SELECT max(id) FROM _scan_log WHERE finished < ?", [time]) ?? 0
    }
  }

  /// Calls `body` with what a scan found. What a first scan found is all new.
  func forEach(
    ofScan scan: ScanID, _ filter: ChangeFilter, _ body: (Change) throws -> Void
  ) throws {
    try HistoryTable(db).requireKept(since: max(scan.rawValue, 1) - 1)
    let first = SQL(
      "SELECT root_id FROM _scan_log WHERE id = ? AND is_first = 1", [.integer(scan.rawValue)])
    if let root = try db.first(first, { $0.integer(0) }) {
      try forEachEntry(of: root, addedBy: scan, filter, body)
    } else {
      try forEach(SQL("scan_id = ?", [.integer(scan.rawValue)]), filter, body)
    }
  }

  /// The ids that a scan has found to be those of nothing, though nothing was removed.
  func withdrawnIDs(ofScan scan: ScanID) throws -> [EntryID] {
    let withdrawn = SQL(
      "SELECT entry_id FROM _change_log WHERE scan_id = ? AND kind = ? AND is_content ORDER BY id",
      [.integer(scan.rawValue), .integer(Change.Kind.removed.number)])
    var ids: [EntryID] = []
    try db.forEach(withdrawn) { ids.append(EntryID(rawValue: $0.integer(0))) }
    return ids
  }

  private func forEach(
    _ scans: SQL, _ filter: ChangeFilter, _ body: (Change) throws -> Void
  ) throws {
    var statement = SQL(
      """
      SELECT kind, exact_path, exact_old_path, entry_id, entry_kind, fields, size, old_size,
        scan_id,
        (SELECT s.finished / 1000000000 FROM _scan_log s WHERE s.id = scan_id) AS at
      FROM _change_log WHERE
      """ + " ")
    statement += scans
    let told = filter.directories == .leftOut ? "" : " OR kind = \(Change.Kind.modified.number)"
    statement += SQL(" AND (is_content = 0\(told))")
    if !filter.kinds.isEmpty {
      let numbers = filter.kinds.map { String($0.number) }.sorted().joined(separator: ", ")
      statement += SQL(" AND kind IN (\(numbers))")
    }
    if let directory = filter.directory {
      statement +=
        SQL(" AND (") + inside(directory, "exact_path") + SQL(" OR ")
        + inside(directory, "exact_old_path") + SQL(")")
    }
    statement += SQL(" ORDER BY ")
    if let order = filter.order { statement += SQL(order.sql + ", ") }
    statement += SQL(
      "scan_id, CAST(exact_path AS BLOB), id LIMIT ?",
      [.integer(filter.limit.map { Int64($0) } ?? -1)])
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
      SELECT \(Change.Kind.added.number), path, NULL, id, kind_id, NULL, size, NULL,
        first_seen_scan,
        (SELECT s.finished / 1000000000 FROM _scan_log s WHERE s.id = first_seen_scan)
      FROM _entry_rows WHERE root_id = ? AND first_seen_scan = ?
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
      scanID: ScanID(rawValue: row.integer(8)), at: row.optionalInteger(9),
      kind: Kind(number: row.integer(0)) ?? .modified, path: row.path(1),
      oldPath: row.optionalText(2).map { _ in row.path(2) },
      entryID: EntryID(rawValue: row.integer(3)),
      entryKind: EntryKind(rawValue: UInt8(truncatingIfNeeded: row.integer(4))) ?? .file,
      fields: row.text(5).split(separator: ",").compactMap { EntryColumn(rawValue: String($0)) },
      size: row.optionalInteger(6), oldSize: row.optionalInteger(7))
  }
}

/// Everything that one scan changed.
public struct ChangeSet: Sendable {
  /// The scan. Ask for the changes since it to go on from here.
  public let scan: ScanID
  /// The root that was scanned.
  public let root: FilePath
  /// When the scan was written, in seconds since 1970.
  public let at: Int64
  /// Who made the changes, where that is known.
  public let origin: ChangeOrigin?
  /// What it found, by path.
  public let changes: [Change]
  /// Ids that entries had which an earlier scan had taken for new: they turned out to have come from another
  /// root, are among the ``changes``, or below such a directory, and have the ids that they had there.
  public let withdrawnIDs: [EntryID]
}

/// Which changes of a catalog's history are wanted.
public struct ChangeFilter: Sendable {
  /// What happened; all kinds where empty.
  public var kinds: Set<Change.Kind> = []
  /// Only entries in or below a directory, before or after the change; `nil` for all.
  public var directory: FilePath?
  /// What to do with directories of which only the content changed.
  public var directories = ContentChanges.leftOut
  /// The order of the changes by ``orderColumns``; `nil` for that of the scans.
  public var order: ColumnOrder?
  /// At most so many changes; `nil` for all.
  public var limit: Int?

  /// What changes can be ordered by.
  public static let orderColumns = ["scan_id", "kind", "path", "old_path", "size", "old_size"]

  /// What to do with directories of which only the content changed.
  public enum ContentChanges: Sendable {
    case leftOut
    case included
  }

  /// All changes but those of directories whose content alone changed.
  public init() {}
}

/// A point in the history of a catalog: after a scan, or a time.
public enum HistoryPoint: Sendable, Hashable {
  /// When the scan had been written: what it found belongs to what was before.
  case scan(ScanID)
  /// Nanoseconds since 1970-01-01 UTC.
  case time(Int64)

  /// Reads the number of a scan, or a date or an age as in queries: `42`, `2026-01-31`,
  /// `2026-01-31T12:30`, `yesterday`, `7d`.
  ///
  /// - Throws: ``/CatalogStore/CatalogError/Code/invalidArgument``.
  public init(parsing text: String) throws(CatalogError) {
    if let number = Int64(text), number >= 0 {
      self = .scan(ScanID(rawValue: number))
      return
    }
    let now = Clock.now
    // An age or a date as a lower bound, in the words of the query language.
    for term in ["modified:<\(text)", "modified:>=\(text)"] {
      guard text.allSatisfy({ $0.isLetter || $0.isNumber || "-+:. ".contains($0) }),
        let query = try? Query(parsing: term), case .date(_, let range) = query.filter.condition
      else { continue }
      switch range.resolved(now: now).lower {
      case .inclusive(let start), .exclusive(let start):
        self = .time(start)
        return
      case .unbounded: continue
      }
    }
    throw CatalogError(
      .invalidArgument,
      "“\(text)” is neither the number of a scan nor a date; expected one such as 42, 2026-01-31, "
        + "yesterday or 7d")
  }
}
