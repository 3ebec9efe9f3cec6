package import FileSystem
package import SQLite
package import SystemPackage

/// The record of scans: what was scanned when, how it ended and what could not be read.
package enum ScanLog {
  package static func start(
    rootID: Int64, path: FilePath, at time: Int64, in db: Connection
  ) throws -> Int64 {
    try requireFreeNumbers(in: db)
    try db.execute(
      "INSERT INTO _scan_log (root_id, root, root_bytes, started, state) VALUES (?, ?, ?, ?, ?)",
      [rootID, path.shown, path.oddBytes, time, ScanState.running.rawValue])
    return db.lastInsertedRowID
  }

  /// Refuses a catalog in which scans and changes could not be numbered on. SQLite would say that the
  /// disk is full.
  private static func requireFreeNumbers(in db: Connection) throws {
    let highest: SQL = """
      SELECT max(
        ifnull((SELECT max(seq) FROM sqlite_sequence), 0),
        ifnull((SELECT max(id) FROM _scan_log), 0),
        ifnull((SELECT max(id) FROM _change_log), 0)) AS scan_id
      """
    _ = try db.first(highest) { $0.integer(0, in: 0...Row.highestID) }
  }

  package static func finish(
    _ summary: ScanSummary, origin: ChangeOrigin?, at time: Int64, in db: Connection
  ) throws {
    try db.execute(
      """
      UPDATE _scan_log SET finished = ?, state = ?, entries = ?, added = ?, removed = ?,
        modified = ?, moved = ?, errors = ?, is_first = ?,
        origin = ?
      WHERE id = ?
      """,
      [
        time, summary.state.rawValue, summary.entries, summary.added, summary.removed,
        summary.modified, summary.moved, summary.errors, summary.isFirst, origin?.rawValue,
        summary.scanID.rawValue,
      ])
  }

  /// Adds a scan for those changes of another that belong to somebody else.
  package static func add(
    _ found: [Change.Kind: Int], by origin: ChangeOrigin?, of scan: Int64, in db: Connection
  ) throws -> Int64 {
    let counts: [any Bindable] = [Change.Kind.added, .removed, .modified, .moved].map {
      found[$0] ?? 0
    }
    try db.execute(
      """
      INSERT INTO _scan_log (root_id, root, root_bytes, started, finished, state, entries, added,
        removed, modified, moved, origin)
      SELECT root_id, root, root_bytes, started, finished, state, entries, ?, ?, ?, ?, ?
      FROM _scan_log WHERE id = ?
      """, counts + [origin?.rawValue, scan])
    return db.lastInsertedRowID
  }

  /// Records a scan that changed nothing.
  package static func recordFailure(
    _ state: ScanState, of path: FilePath, started: Int64, finished: Int64, in db: Connection
  ) throws {
    try db.execute(
      """
      INSERT INTO _scan_log (root_id, root, root_bytes, started, finished, state)
      VALUES ((SELECT id FROM _roots WHERE exact_path = ?1), ?2, ?3, ?4, ?5, ?6)
      """,
      [
        path.binding, path.shown, path.oddBytes, started, finished, state.rawValue,
      ])
  }

  package static func record(
    _ failures: [FileError], ofScan scanID: Int64, root: FilePath, in db: Connection
  ) throws {
    let statement = try db.cached(
      """
      INSERT INTO _scan_failures (scan_id, path, path_bytes, operation, errno, message)
      VALUES (?, ?, ?, ?, ?, ?)
      """)
    for failure in failures {
      let path = root.pushing(failure.path)
      try statement.run([
        scanID, path.shown, path.oddBytes, failure.operation.rawValue,
        Int(failure.errno.rawValue), failure.errno.description,
      ])
    }
  }

  /// Records one failure more, in words of its own.
  ///
  /// - Parameter failure: with the whole path.
  package static func record(
    _ failure: FileError, saying message: String, ofScan scanID: Int64, in db: Connection
  ) throws {
    try db.cached(
      """
      INSERT INTO _scan_failures (scan_id, path, path_bytes, operation, errno, message)
      VALUES (?, ?, ?, ?, ?, ?)
      """
    ).run([
      scanID, failure.path.shown, failure.path.oddBytes, failure.operation.rawValue,
      Int(failure.errno.rawValue), message,
    ])
  }

  /// Counts what went wrong after the scan itself.
  package static func addErrors(_ count: Int, toScan scanID: Int64, in db: Connection) throws {
    guard count > 0 else { return }
    try db.execute("UPDATE _scan_log SET errors = errors + ? WHERE id = ?", [count, scanID])
  }
}
