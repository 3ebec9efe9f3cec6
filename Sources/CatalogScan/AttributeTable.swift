internal import CatalogStore
internal import FileSystem
package import SQLite

/// What is stored of the extended attributes of entries, for whoever sets them: readers know at once what a scan
/// would find.
package struct AttributeTable {
  private let db: Connection

  package init(_ db: Connection) {
    self.db = db
  }

  /// What is stored of an entry under a key; `nil` if there is nothing.
  package func stored(_ key: String, of entry: Int64) throws -> [UInt8]? {
    let value = SQL(
      "SELECT value FROM _entry_values WHERE entry_id = ? AND key = ?",
      [.integer(entry), .text(key)])
    return try db.first(value) { Array($0.bytes(0)) }
  }

  /// The entries that are further names of the same file.
  package func otherNames(of entry: Int64) throws -> [Int64] {
    let others = SQL(
      """
      SELECT o.id FROM _entries e JOIN _entries o ON o.volume_id = e.volume_id AND o.inode = e.inode
      WHERE e.id = ?1 AND o.id <> ?1 AND e.links > 1 AND o.links > 1 AND o.kind NOT IN (2, 3)
      """, [.integer(entry)])
    var ids: [Int64] = []
    try db.forEach(others) { ids.append($0.integer(0)) }
    return ids
  }

  /// Stores a value of an entry under a key; `nil` removes it.
  package func set(_ bytes: [UInt8]?, _ key: String, of entry: Int64) throws {
    if let bytes {
      try db.execute(
        """
        INSERT INTO _entry_values (entry_id, key, value) VALUES (?, ?, ?)
        ON CONFLICT (entry_id, key) DO UPDATE SET value = excluded.value
          WHERE _entry_values.value IS NOT excluded.value
        """, [entry, key, ResourceValue(attribute: bytes).binding])
    } else {
      try db.execute("DELETE FROM _entry_values WHERE entry_id = ? AND key = ?", [entry, key])
    }
    if db.changedRows > 0 { try Self.noteChange(in: db) }
  }

  /// Notes that other entries match queries now: what was read of them before is of another state.
  static func noteChange(in db: Connection) throws {
    try db.execute(
      """
      INSERT INTO _catalog_settings (key, value) VALUES ('tags', 1)
      ON CONFLICT (key) DO UPDATE SET value = value + 1
      """)
  }
}
