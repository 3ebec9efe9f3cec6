internal import SQLite

/// Finds the entries that an observer need not hear of, because only it has changed them.
struct OwnChanges {
  /// Whose changes are left out.
  let origin: ChangeOrigin
  /// The scan up to which own changes have been left out for good.
  let adopted: Int64
  /// The scan up to which the observer was told the changes of others.
  let told: Int64
  /// The last scan to look at.
  let last: Int64

  /// The entries that were changed by the origin and by nobody else.
  ///
  /// What is inside a directory that was moved counts as moved: its path is another one.
  func entries(in db: Connection) throws -> Set<Int64> {
    let parameters =
      [adopted, told, last].map { Binding.integer($0) } + [
        .text(origin.rawValue)
      ]
    var entries: Set<Int64> = []
    guard try db.first(SQL(Self.any, parameters), { $0.integer(0) }) != nil else {
      return []
    }
    try db.forEach(SQL(Self.statement, parameters)) { entries.insert($0.integer(0)) }
    return entries
  }

  private static let changes = "_change_log c JOIN _scan_log s ON s.id = c.scan_id"

  private static let any = """
    SELECT 1 FROM _scan_log WHERE id > ?1 AND id <= ?3 AND origin = ?4 LIMIT 1
    """

  /// 4 and 2: a moved directory.
  private static let statement = """
    WITH RECURSIVE
      own(id, is_moved) AS MATERIALIZED (
        SELECT c.entry_id, c.kind = 4 AND c.entry_kind = 2 FROM \(changes)
        WHERE c.scan_id > ?1 AND c.scan_id <= ?3 AND s.origin = ?4),
      others(id, is_moved) AS MATERIALIZED (
        SELECT c.entry_id, c.kind = 4 AND c.entry_kind = 2 FROM \(changes)
        WHERE c.scan_id > ?2 AND c.scan_id <= ?3 AND s.origin IS NOT ?4),
      inside_own(id) AS (
        SELECT id FROM own WHERE is_moved
        UNION SELECT e.id FROM inside_own i JOIN _entries e ON e.parent_id = i.id),
      inside_others(id) AS (
        SELECT id FROM others WHERE is_moved
        UNION SELECT e.id FROM inside_others i JOIN _entries e ON e.parent_id = i.id)
    SELECT id FROM own UNION SELECT id FROM inside_own
    EXCEPT SELECT id FROM others EXCEPT SELECT id FROM inside_others
    """
}
