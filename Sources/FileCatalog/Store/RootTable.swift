internal import FileSystem
internal import Foundation
internal import SQLite
internal import SystemPackage

/// A root as the catalog knows it.
struct RootRecord {
  let id: Int64
  let location: RootLocation
  let settings: ScanOptions
  let entryID: Int64?
}

/// The roots of a catalog: looking them up, adding and dropping them.
enum RootTable {
  static func all(in db: Connection) throws -> [RootRecord] {
    var roots: [RootRecord] = []
    let statement = SQL(
      "SELECT id, path, given_path, settings, entry_id FROM roots ORDER BY path")
    try db.forEach(statement) { row in
      let settings = try? JSONDecoder().decode(ScanOptions.self, from: Data(row.bytes(3)))
      roots.append(
        RootRecord(
          id: row.integer(0),
          location: RootLocation(given: row.path(2), path: row.path(1)),
          settings: settings ?? ScanOptions(), entryID: row.optionalInteger(4)))
    }
    return roots
  }

  /// The root that a path belongs to, by either of its spellings.
  static func root(containing path: FilePath, in db: Connection) throws -> RootRecord? {
    let roots = try all(in: db)
    return roots.first { $0.location.path.contains(path) || $0.location.given.contains(path) }
  }

  static func insert(_ location: RootLocation, _ settings: ScanOptions, in db: Connection) throws
    -> Int64
  {
    try db.execute(
      "INSERT INTO roots (path, given_path, settings) VALUES (?, ?, ?)",
      [location.path.binding, location.given.binding, settings.json])
    return db.lastInsertedRowID
  }

  static func update(_ id: Int64, _ settings: ScanOptions, in db: Connection) throws {
    try db.execute("UPDATE roots SET settings = ? WHERE id = ?", [settings.json, id])
  }

  static func setState(_ state: RootState, of id: Int64, in db: Connection) throws {
    try db.execute("UPDATE roots SET state = ? WHERE id = ?", [state.rawValue, id])
  }

  /// Removes every row that belongs to a root, but not the root itself.
  static func removeEntries(of id: Int64, in db: Connection) throws {
    let others = try db.integer("SELECT EXISTS (SELECT 1 FROM folders WHERE root_id <> ?)", [id])
    if others == 1 {
      try db.execute(
        """
        CREATE TEMP TABLE removed AS
          SELECT e.id FROM entries e
          WHERE e.parent_id IN (SELECT f.id FROM folders f WHERE f.root_id = ?1)
            OR e.id = (SELECT r.entry_id FROM roots r WHERE r.id = ?1);
        DELETE FROM symlinks WHERE id IN (SELECT id FROM removed);
        DELETE FROM packages WHERE id IN (SELECT id FROM removed);
        DELETE FROM packaged_links WHERE package_id IN (SELECT id FROM removed);
        DELETE FROM entry_values WHERE entry_id IN (SELECT id FROM removed);
        DELETE FROM assets WHERE id IN (SELECT id FROM removed);
        DELETE FROM cache_tags WHERE id IN (SELECT id FROM removed);
        DELETE FROM folder_totals WHERE id IN (SELECT id FROM removed);
        DELETE FROM folders WHERE id IN (SELECT id FROM removed);
        DELETE FROM entries WHERE id IN (SELECT id FROM removed);
        DROP TABLE removed;
        """, [id])
    } else {
      // Without a condition SQLite empties a table in one step.
      try db.execute(
        """
        DELETE FROM symlinks; DELETE FROM packages; DELETE FROM packaged_links;
        DELETE FROM entry_values; DELETE FROM assets; DELETE FROM cache_tags;
        DELETE FROM folder_totals; DELETE FROM folders; DELETE FROM entries;
        """)
    }
  }

  /// Drops a root with everything that is known of it but the record of its scans.
  static func remove(_ id: Int64, in db: Connection) throws {
    try removeEntries(of: id, in: db)
    try db.execute(
      """
      DELETE FROM sniffed_types WHERE root_id = ?1;
      UPDATE scan_log SET root_id = NULL WHERE root_id = ?1;
      DELETE FROM roots WHERE id = ?1;
      """, [id])
  }
}

extension ScanOptions {
  /// As the table `roots` keeps it.
  fileprivate var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }
}
