package import SQLite

/// How long a catalog keeps what has changed.
public struct HistoryRetention: Sendable, Hashable {
  /// Changes found longer ago are dropped.
  public var days: Int
  /// Of more changes than this, the oldest are dropped.
  public var changes: Int

  /// 400 days and five million changes: somewhat more than a year, and about half a gigabyte.
  public init(days: Int = 400, changes: Int = 5_000_000) {
    self.days = days
    self.changes = changes
  }
}

/// How much of a history there is.
public struct HistoryExtent: Sendable, Hashable {
  /// Scans, with how they ended.
  public var scans = 0
  /// Changes that scans found.
  public var changes = 0
  /// Rows that tell by how much directories have grown.
  public var growth = 0
  /// When its first scan ended, in seconds since 1970; `nil` while there is none.
  public var since: Int64?

  /// Whether there is nothing.
  public var isEmpty: Bool { scans == 0 && changes == 0 && growth == 0 }
}

/// The settings of the history, and where it begins.
package struct HistoryTable {
  private let db: Connection
  /// Old changes are dropped in steps, so that no scan takes long because of them.
  private static let step = 50_000
  private static let scanStep = 1_000

  package init(_ db: Connection) {
    self.db = db
  }

  private func setting(_ key: String) throws -> Int64? {
    try db.first(SQL("SELECT value FROM _catalog_settings WHERE key = ?", [.text(key)])) {
      $0.count(0)
    }
  }

  private func set(_ key: String, _ value: Int64) throws {
    try db.execute(
      "INSERT OR REPLACE INTO _catalog_settings (key, value) VALUES (?, ?)", [key, value])
  }

  package var retention: HistoryRetention {
    get throws {
      var retention = HistoryRetention()
      if let days = try setting("history_days") { retention.days = Int(days) }
      if let changes = try setting("history_changes") { retention.changes = Int(changes) }
      return retention
    }
  }

  package func set(_ retention: HistoryRetention) throws {
    try set("history_days", Int64(retention.days))
    try set("history_changes", Int64(retention.changes))
  }

  /// The last scan of which changes were dropped; 0 while all are there.
  package var horizon: Int64 {
    get throws {
      let horizon = try setting("history_horizon") ?? 0
      guard try horizon == 0 || horizon <= lastScan else {
        throw SQLiteError.corrupt("the history begins after scan \(horizon), which is yet to come")
      }
      return horizon
    }
  }

  /// The number of the last scan; 0 before the first.
  package var lastScan: Int64 {
    get throws { try db.integer("SELECT \(Self.lastScanSQL)") ?? 0 }
  }

  /// The number of the last scan: scans whose rows were dropped count, and so do those that were kept.
  static let lastScanSQL = """
    max(ifnull((SELECT max(seq) FROM sqlite_sequence WHERE name = '_scan_log'), 0),
      ifnull((SELECT max(id) FROM _scan_log), 0))
    """

  /// What is kept.
  package var extent: HistoryExtent {
    get throws {
      let horizon = try horizon
      let statement = SQL(
        """
        SELECT (SELECT count(*) FROM _scan_log), (SELECT count(*) FROM _change_log),
          (SELECT count(*) FROM _growth_log),
          (SELECT min(finished) / 1000000000 FROM _scan_log WHERE id > ?)
        """, [.integer(horizon)])
      return try db.first(statement) {
        HistoryExtent(
          scans: Int($0.count(0)), changes: Int($0.count(1)), growth: Int($0.count(2)),
          since: $0.optionalInteger(3))
      } ?? HistoryExtent()
    }
  }

  /// What goes when the history is kept for less long.
  package func loss(under retention: HistoryRetention, now: Int64) throws -> HistoryExtent {
    let oldest = Self.oldest(retention, now)
    let oldScan = try db.integer("SELECT max(id) FROM _scan_log WHERE finished < ?", [oldest]) ?? 0
    let changes = SQL(
      """
      SELECT count(*), max(scan_id) FROM _change_log
      WHERE scan_id <= ? OR id <= (SELECT max(id) FROM _change_log) - ?
      """, [.integer(oldScan), .integer(Int64(retention.changes))])
    var lost = HistoryExtent()
    var last = oldScan
    try db.forEach(changes) { row in
      lost.changes = Int(row.count(0))
      last = max(last, row.optionalInteger(1) ?? 0)
    }
    lost.growth = Int(
      try db.integer("SELECT count(*) FROM _growth_log WHERE scan_id <= ?", [last]) ?? 0)
    lost.scans = Int(
      try db.integer(
        """
        SELECT count(*) FROM _scan_log s WHERE finished < ? AND state <> 'running'
          AND NOT EXISTS (SELECT 1 FROM _roots WHERE s.id IN (last_scan_id, changed_scan_id))
        """, [oldest]) ?? 0)
    lost.since = try extent.since
    return lost
  }

  /// The time before which nothing is kept.
  private static func oldest(_ retention: HistoryRetention, _ now: Int64) -> Int64 {
    let (age, isEndless) = Int64(retention.days).multipliedReportingOverflow(
      by: 86_400 * 1_000_000_000)
    return isEndless ? 0 : max(0, now - age)
  }

  /// Refuses a point before the horizon.
  package func requireKept(since scan: Int64) throws {
    let horizon = try horizon
    guard scan < horizon else { return }
    throw CatalogError(
      .historyDropped,
      "the changes since scan \(scan) are not kept any more: the history begins after scan "
        + "\(horizon)")
  }

  /// Refuses the number of a scan that there has not been.
  package func requireKnown(_ scan: Int64) throws {
    let last = try lastScan
    guard scan > last else { return }
    throw CatalogError(
      .scanNotFound,
      last == 0
        ? "there is no scan \(scan): nothing has been scanned yet"
        : "there is no scan \(scan); the last one is \(last)")
  }

  /// Drops what is older than the settings say, some of it at a time. What it costs depends on how much
  /// there is to drop, not on how much is kept.
  ///
  /// - Parameter scan: one that has just found its changes: they stay, and those of later ones, so that
  ///   whoever asked for the scan can be told.
  /// - Returns: whether there may be more to drop.
  @discardableResult
  package func prune(now: Int64, sparing scan: Int64? = nil) throws -> Bool {
    let retention = try retention
    let oldest = Self.oldest(retention, now)
    let oldScan =
      try db.integer("SELECT max(id) FROM \(Self.firstScans) WHERE finished < ?", [oldest])
      ?? 0
    let droppedChanges = try dropChanges(
      through: oldScan, keeping: Int64(retention.changes), sparing: scan)
    let horizon = max(try self.horizon, oldScan)
    try db.execute(
      """
      DELETE FROM _growth_log WHERE (scan_id, directory_id) IN
        (SELECT scan_id, directory_id FROM _growth_log WHERE scan_id <= ? LIMIT ?)
      """, [horizon, Self.step])
    let droppedGrowth = db.changedRows
    if oldScan > (try self.horizon) { try set("history_horizon", oldScan) }
    let droppedScans = try dropScans(before: oldest)
    return droppedChanges == Self.step || droppedGrowth == Self.step
      || droppedScans == Self.scanStep
  }

  /// The scans with the lowest ids: enough for one step, whatever scans each root needs kept.
  private static let firstScans = """
    (SELECT id, state, finished FROM _scan_log ORDER BY id
     LIMIT \(scanStep) + (SELECT 2 * count(*) FROM _roots))
    """

  /// - Returns: how many changes were dropped.
  private func dropChanges(
    through oldScan: Int64, keeping kept: Int64, sparing scan: Int64?
  ) throws -> Int {
    // Each by itself is found at its end of the table.
    let ends: SQL = """
      SELECT min, (SELECT max(id) FROM _change_log)
      FROM (SELECT min(id) AS min FROM _change_log) WHERE min IS NOT NULL
      """
    guard let (first, last) = try db.first(ends, { ($0.id(0), $0.id(1)) }) else { return 0 }
    // `max(id)` would look for it from the end of the table.
    let oldEnd =
      try db.integer(
        """
        SELECT id FROM _change_log WHERE scan_id <= ? ORDER BY scan_id DESC, id DESC LIMIT 1
        """, [oldScan]) ?? 0
    let spared = try scan.flatMap { scan in
      try db.integer(
        "SELECT id FROM _change_log WHERE scan_id >= ? ORDER BY scan_id, id LIMIT 1", [scan])
    }
    let end = min(
      max(oldEnd, last - kept), first + Int64(Self.step) - 1, spared.map { $0 - 1 } ?? .max)
    guard end >= first else { return 0 }
    let lastDropped = try db.integer("SELECT max(+scan_id) FROM _change_log WHERE id <= ?", [end])
    try set("history_horizon", max(try horizon, lastDropped ?? 0))
    try db.execute("DELETE FROM _change_log WHERE id <= ?", [end])
    return Int(end - first + 1)
  }

  /// - Returns: how many scans were dropped.
  private func dropScans(before time: Int64) throws -> Int {
    try db.execute(
      """
      DELETE FROM _scan_log WHERE id IN (
        SELECT id FROM \(Self.firstScans) AS scan WHERE finished < ? AND state <> 'running'
          AND NOT EXISTS (SELECT 1 FROM _roots WHERE scan.id IN (last_scan_id, changed_scan_id))
        LIMIT ?)
      """, [time, Self.scanStep])
    return db.changedRows
  }
}
