internal import FileSystem
internal import SQLite
public import SystemPackage

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
        try db.integer("SELECT max(id) FROM _scan_log WHERE finished < ?", [time]) ?? 0
      let horizon = try HistoryTable(db).horizon
      if before < horizon { try HistoryTable(db).requireKept(since: before) }
      try forEach(SQL("scan_id > ?", [.integer(before)]), filter, body)
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

  private func forEach(
    _ scans: SQL, _ filter: ChangeFilter, _ body: (Change) throws -> Void
  ) throws {
    var statement = SQL(
      """
      SELECT kind, path, old_path, entry_id, entry_kind, fields, size, old_size, scan_id,
        \(Self.time("_change_log.scan_id"))
      FROM _change_log WHERE
      """ + " ")
    statement += scans
    if let end = filter.until {
      let last: Int64
      switch end {
      case .scan(let scan): last = scan.rawValue
      case .time(let time):
        last = try db.integer("SELECT max(id) FROM _scan_log WHERE finished <= ?", [time]) ?? 0
      }
      statement += SQL(" AND scan_id <= ?", [.integer(last)])
    }
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
    if let limit = filter.limit { statement += SQL(" LIMIT ?", [.integer(Int64(limit))]) }
    try db.forEach(statement) { try body(Change($0)) }
  }

  /// When a scan ended.
  private static func time(_ scan: String) -> String {
    "(SELECT finished / 1000000000 FROM _scan_log WHERE _scan_log.id = \(scan))"
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
        first_seen_scan, \(Self.time("first_seen_scan"))
      FROM _entry_rows WHERE root_id = ? AND first_seen_scan = ?
      """, [.integer(root), .integer(scan.rawValue)])
    if let directory = filter.directory {
      statement += SQL(" AND ") + inside(directory, "path")
    }
    statement += SQL(" ORDER BY CAST(path AS BLOB)")
    if let limit = filter.limit { statement += SQL(" LIMIT ?", [.integer(Int64(limit))]) }
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
      size: row.optionalInteger(6), oldSize: row.optionalInteger(7),
      scanID: row.optionalInteger(8).map { ScanID(rawValue: $0) }, at: row.optionalInteger(9))
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
}

/// Which changes of a catalog's history are wanted.
public struct ChangeFilter: Sendable {
  /// What happened; all kinds where empty.
  public var kinds: Set<Change.Kind> = []
  /// Only entries in or below a directory, before or after the change; `nil` for all.
  public var directory: FilePath?
  /// What to do with directories of which only the content changed.
  public var directories = ContentChanges.leftOut
  /// The last scan, or the time until which scans ended; `nil` for no end.
  public var until: HistoryPoint?
  /// How many changes at most; `nil` for all.
  public var limit: Int?

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

  /// The two ends of a date.
  public enum Bound: Sendable {
    /// Where it begins.
    case beginning
    /// Where it ends.
    case end
  }

  /// Reads the number of a scan, or a date or an age as in queries: `42`, `2026-01-31`,
  /// `2026-01-31T12:30`, `yesterday`, `7d`.
  ///
  /// - Throws: ``/CatalogStore/CatalogError/Code/invalidArgument``.
  ///
  /// - Parameter bound: which end of a day, a month or a year is meant.
  public init(parsing text: String, as bound: Bound = .beginning) throws(CatalogError) {
    if let number = Int64(text), number >= 0 {
      self = .scan(ScanID(rawValue: number))
      return
    }
    let now = Clock.now
    // An age or a date as a bound, in the words of the query language.
    let terms =
      switch bound {
      case .beginning: ["modified:<\(text)", "modified:>=\(text)"]
      case .end: ["modified:>\(text)", "modified:<=\(text)"]
      }
    for term in terms {
      guard text.allSatisfy({ $0.isLetter || $0.isNumber || "-+:. ".contains($0) }),
        let query = try? Query(parsing: term), case .date(_, let range) = query.filter.condition
      else { continue }
      let resolved = range.resolved(now: now)
      switch bound == .beginning ? resolved.lower : resolved.upper {
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
