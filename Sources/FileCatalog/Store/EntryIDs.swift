internal import SQLite

/// The ids of entries: none is given twice, also when its entry is gone.
enum EntryIDs {
  /// The lowest id that no entry ever had.
  static func next(in db: Connection) throws -> Int64 {
    let used = try db.integer(
      """
      SELECT max(
        ifnull((SELECT max(id) FROM entries), 0),
        ifnull((SELECT value FROM catalog_settings WHERE key = 'last_entry_id'), 0))
      """)
    return (used ?? 0) + 1
  }

  static func setNext(_ id: Int64, in db: Connection) throws {
    try db.execute(
      """
      INSERT INTO catalog_settings (key, value) VALUES ('last_entry_id', ?)
      ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE value < excluded.value
      """, [id - 1])
  }
}
