import FileCatalog
import Foundation
import SystemPackage
import TestSupport
import Testing

/// Another process that writes to a catalog: the stock `sqlite3`, which does to the tables what a
/// rescan that found these changes would.
struct OtherWriter {
  let catalog: Catalog

  enum Edit {
    /// A further entry beside those of a directory, with the values of another.
    case add(String, like: String)
    case remove(String)
    /// Its content was changed at this time, in nanoseconds since 1970.
    case modify(String, at: Int)
    case rename(String, to: String)
  }

  /// Makes changes in one transaction, as one scan does.
  func write(_ edits: [Edit]) throws {
    try run(Self.scan + edits.map(statement).joined())
  }

  /// Makes each change in a transaction of its own.
  func writeOneByOne(_ edits: [Edit]) throws {
    for edit in edits { try write([edit]) }
  }

  /// Puts scans before all others, long ago, each with so many changes.
  func insertOldScans(_ count: Int, changesEach: Int) throws {
    try run(
      """
      UPDATE _scan_log SET id = id + \(count);
      UPDATE _roots SET last_scan_id = last_scan_id + \(count),
        changed_scan_id = changed_scan_id + \(count);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT \(count))
      INSERT INTO _scan_log (id, root_id, root, started, finished, state)
        SELECT i, root_id, root, i, i + 1, 'complete' FROM n, (SELECT * FROM _scan_log LIMIT 1);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT \(changesEach))
      INSERT INTO _change_log (scan_id, kind, entry_id, entry_kind, path, is_content, uid)
        SELECT id, 1, 1, 1, root, 0, 0 FROM _scan_log, n WHERE id <= \(count) ORDER BY id;

      """)
  }

  /// A scan that found something, whatever that is.
  private static let scan = """
    INSERT INTO _scan_log (root_id, root, started, finished, state)
      SELECT root_id, root, started + 1, finished + 1, 'complete'
      FROM _scan_log ORDER BY id DESC LIMIT 1;
    UPDATE _roots SET (last_scan_id, changed_scan_id) = (SELECT max(id), max(id) FROM _scan_log);

    """

  private func statement(_ edit: Edit) -> String {
    func quoted(_ text: String) -> String {
      "'" + text.replacingOccurrences(of: "'", with: "''") + "'"
    }
    let now = "last_changed_scan = (SELECT max(id) FROM _scan_log)"
    switch edit {
    case .add(let name, let template):
      return """
        CREATE TEMP TABLE fresh AS SELECT * FROM _entries WHERE name = \(quoted(template)) LIMIT 1;
        UPDATE fresh SET name = \(quoted(name)), \(now);
        UPDATE fresh SET id = (SELECT max(id) FROM _entries) + 1000 * last_changed_scan;
        INSERT INTO _entries SELECT * FROM fresh;
        DROP TABLE fresh;

        """
    case .remove(let name):
      return "DELETE FROM _entries WHERE name = \(quoted(name));\n"
    case .modify(let name, let time):
      return "UPDATE _entries SET modified = \(time), \(now) WHERE name = \(quoted(name));\n"
    case .rename(let name, let new):
      return "UPDATE _entries SET name = \(quoted(new)), \(now) WHERE name = \(quoted(name));\n"
    }
  }

  private func run(_ sql: String) throws {
    let outcome = try CommandRunner("sqlite3").run([
      "-bail", "-cmd", ".timeout 900000", catalog.path.string, "BEGIN IMMEDIATE;\n\(sql)COMMIT;",
    ])
    #expect(outcome.status == 0, "\(outcome.errors)")
  }
}
