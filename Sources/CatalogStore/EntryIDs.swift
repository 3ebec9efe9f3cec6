package import SQLite

/// The number of an entry. It stays the same as long as the catalog holds the entry.
public struct EntryID: RawRepresentable, Hashable, Sendable, Codable {
  /// The number itself.
  public let rawValue: Int64
  /// Wraps a number that was read from a catalog.
  public init(rawValue: Int64) { self.rawValue = rawValue }
}

/// The ids of entries: none is given twice, also when its entry is gone.
package enum EntryIDs {
  /// The lowest id that no entry ever had.
  package static func next(in db: Connection) throws -> Int64 {
    let highest: SQL = """
      SELECT max(
        ifnull((SELECT max(id) FROM _entries), 0),
        ifnull((SELECT value FROM _catalog_settings WHERE key = 'last_entry_id'), 0)) AS entry_id
      """
    return (try db.first(highest) { $0.integer(0, in: 0...Row.highestID) } ?? 0) + 1
  }

  package static func setNext(_ id: Int64, in db: Connection) throws {
    try db.execute(
      """
      INSERT INTO _catalog_settings (key, value) VALUES ('last_entry_id', ?)
      ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE value < excluded.value
      """, [id - 1])
  }
}

/// The numbers of types in a catalog.
package enum TypeIDs {
  /// Those that a type can have, with room for others to follow.
  package static let range: ClosedRange<Int64> = 1...Int64(Int32.max / 2)
}
