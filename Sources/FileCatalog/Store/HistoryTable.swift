internal import GRDB

/// The settings of the history, and where it begins.
struct HistoryTable {
  private let db: Database
  /// Old changes are dropped in steps, so that no scan takes long because of them.
  private static let step = 50_000

  init(_ db: Database) {
    self.db = db
  }

  private func setting(_ key: String) throws -> Int64? {
    try Int64.fetchOne(
      db, sql: "SELECT value FROM catalog_settings WHERE key = ?", arguments: [key])
  }

  private func set(_ key: String, _ value: Int64) throws {
    try db.execute(
      sql: "INSERT OR REPLACE INTO catalog_settings (key, value) VALUES (?, ?)",
      arguments: [key, value])
  }

  var retention: HistoryRetention {
    get throws {
      var retention = HistoryRetention()
      if let days = try setting("history_days") { retention.days = Int(days) }
      if let changes = try setting("history_changes") { retention.changes = Int(changes) }
      return retention
    }
  }

  func set(_ retention: HistoryRetention) throws {
    try set("history_days", Int64(retention.days))
    try set("history_changes", Int64(retention.changes))
  }

  /// The last scan of which changes were dropped; 0 while all are there.
  var horizon: Int64 {
    get throws { try setting("history_horizon") ?? 0 }
  }

  /// Refuses a point before the horizon.
  func requireKept(since scan: Int64) throws {
    let horizon = try horizon
    guard scan < horizon else { return }
    throw CatalogError(
      .historyDropped,
      "the changes since scan \(scan) are not kept any more: the history begins after scan "
        + "\(horizon); take the catalog as it is now, then ask for what changed since")
  }

  /// Drops what is older than the settings say, some of it at a time.
  ///
  /// - Returns: whether there may be more to drop.
  @discardableResult
  func prune(now: Int64) throws -> Bool {
    let retention = try retention
    let first = try Int64.fetchOne(db, sql: "SELECT min(id) FROM change_log")
    let last = try Int64.fetchOne(db, sql: "SELECT max(id) FROM change_log")
    let oldest = now - Int64(retention.days) * 86_400 * 1_000_000_000
    let oldScan =
      try Int64.fetchOne(
        db, sql: "SELECT max(id) FROM scan_log WHERE finished < ?", arguments: [oldest]) ?? 0
    var end: Int64 = 0
    if let first, let last {
      let oldEnd =
        try Int64.fetchOne(
          db, sql: "SELECT max(id) FROM change_log WHERE scan_id <= ?", arguments: [oldScan]) ?? 0
      end = min(max(oldEnd, last - Int64(retention.changes)), first + Int64(Self.step) - 1)
      if end >= first {
        let scan = try Int64.fetchOne(
          db, sql: "SELECT max(scan_id) FROM change_log WHERE id <= ?", arguments: [end])
        try set("history_horizon", max(try horizon, scan ?? 0))
        try db.execute(sql: "DELETE FROM change_log WHERE id <= ?", arguments: [end])
      }
    }
    let horizon = max(try self.horizon, oldScan)
    try db.execute(
      sql: """
        DELETE FROM growth_log WHERE (scan_id, folder_id) IN
          (SELECT scan_id, folder_id FROM growth_log WHERE scan_id <= ? LIMIT ?);
        """, arguments: [horizon, Self.step])
    let dropped = db.changesCount
    try db.execute(
      sql: """
        DELETE FROM scan_log WHERE id IN (
          SELECT id FROM scan_log WHERE id <= ? AND state <> 'running'
            AND NOT EXISTS (
              SELECT 1 FROM roots WHERE scan_log.id IN (last_scan_id, changed_scan_id))
          LIMIT 1000)
        """, arguments: [oldScan])
    if oldScan > (try self.horizon) { try set("history_horizon", oldScan) }
    return first.map { end == $0 + Int64(Self.step) - 1 } ?? false || dropped == Self.step
  }
}
