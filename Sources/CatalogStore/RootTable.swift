internal import FileSystem
package import SQLite
package import SystemPackage

/// A root as the catalog knows it.
package struct RootRecord {
  package let id: Int64
  package let location: RootLocation
  package let settings: ScanOptions
  package let entryID: Int64?
  /// When the last scan of the whole root began, in nanoseconds since 1970: every directory was read
  /// since, or was found to be as it was read before. `nil` where that is not known.
  package let listedFrom: Int64?
  /// Whether a quick scan has gone by since everything was read.
  package let isQuick: Bool

  /// The settings, for whoever walks by them.
  ///
  /// - Throws: `SQLiteError` in a damaged catalog, for what is no glob and yet left out by.
  package func soundSettings() throws -> ScanOptions {
    do throws(CatalogError) {
      _ = try ExcludeRules(settings.excludes)
    } catch {
      throw SQLiteError.corrupt("what root \(location.path.string) leaves out: \(error)")
    }
    return settings
  }
}

/// The roots of a catalog: looking them up, adding and dropping them.
package enum RootTable {
  package static func all(in db: Connection) throws -> [RootRecord] {
    var roots: [RootRecord] = []
    let settings = try storedSettings(in: db)
    try db.forEach(
      """
      SELECT id, exact_path, given_path, entry_id, listed_from, quick_scan_id FROM _roots
      ORDER BY exact_path
      """
    ) { row in
      roots.append(
        RootRecord(
          id: row.id(0),
          location: RootLocation(given: row.path(2), path: row.path(1)),
          settings: settings[row.integer(0)] ?? ScanOptions(),
          entryID: row.isNull(3) ? nil : row.id(3),
          listedFrom: row.optionalInteger(4).map { max(0, $0) }, isQuick: !row.isNull(5)))
    }
    return roots
  }

  /// What the roots leave out, as it is stored.
  static func excludes(in db: Connection) throws -> [Int64: [String]] {
    try storedSettings(in: db).mapValues(\.excludes)
  }

  /// The settings of the roots: JSON, which SQLite takes apart into single values.
  private static func storedSettings(in db: Connection) throws -> [Int64: ScanOptions] {
    var settings: [Int64: ScanOptions] = [:]
    let values: SQL = """
      SELECT r.id, CASE v.path WHEN '$' THEN v.key ELSE substr(v.path, 3) END, v.atom
      FROM _roots r, json_tree(CASE WHEN json_valid(r.settings) THEN r.settings ELSE '{}' END) v
      WHERE v.atom IS NOT NULL ORDER BY r.id, v.id
      """
    try db.forEach(cached: values) { row in
      settings[row.integer(0), default: ScanOptions()].set(row.text(1), row.text(2))
    }
    return settings
  }

  /// The root that a path belongs to, by either of its spellings.
  package static func root(containing path: FilePath, in db: Connection) throws -> RootRecord? {
    let roots = try all(in: db)
    return roots.first { $0.location.path.contains(path) || $0.location.given.contains(path) }
  }

  package static func insert(_ location: RootLocation, _ settings: ScanOptions, in db: Connection)
    throws
    -> Int64
  {
    let row =
      SQL(
        "INSERT INTO _roots (path, path_bytes, given_path, settings) VALUES (?, ?, ?, ",
        [location.path.shown, location.path.oddBytes, location.given.binding]) + settings.sql
      + SQL(")")
    try db.execute(row.text, row.parameters)
    return db.lastInsertedRowID
  }

  package static func update(_ id: Int64, _ settings: ScanOptions, in db: Connection) throws {
    let update =
      SQL("UPDATE _roots SET settings = ") + settings.sql + SQL(" WHERE id = ?", [.integer(id)])
    try db.execute(update.text, update.parameters)
  }

  /// Takes over how a root is scanned as another catalog has it: JSON, of which what is none is left out.
  package static func setSettings(_ json: String, of id: Int64, in db: Connection) throws {
    try db.execute(
      """
      UPDATE _roots SET settings = json(?2)
      WHERE id = ?1 AND CASE WHEN json_valid(?2) THEN json_type(?2) = 'object' END
      """, [id, json])
  }

  /// Notes that a root has all of its entries, which a scan elsewhere has found. Nobody knows yet whether it
  /// can be reached from here.
  package static func complete(_ id: Int64, scan: Int64, in db: Connection) throws {
    try db.execute(
      """
      UPDATE _roots SET state = 'offline', last_scan_id = ?2, changed_scan_id = ?2,
        entry_id = (SELECT d.id FROM _directory_paths d
          WHERE d.path = _roots.path AND d.root_id = _roots.id AND d.parent_id IS NULL)
      WHERE id = ?1
      """, [id, scan])
    try db.execute(
      """
      UPDATE _roots SET volume_id = (SELECT volume_id FROM _entries e WHERE e.id = entry_id)
      WHERE id = ?
      """, [id])
  }

  /// Gives a root another path, and with it everything that is known by its path: directories and the
  /// history. The name of its own entry is left to the caller.
  package static func move(_ root: RootRecord, to location: RootLocation, in db: Connection) throws
  {
    let change = PathChange(from: root.location.path, to: location.path)
    let scans = "scan_id IN (SELECT id FROM _scan_log WHERE root_id = ?8)"
    try change.run(on: "_directory_paths", "path", where: "root_id = ?8", root.id, in: db)
    try change.run(on: "_growth_log", "path", where: "root_id = ?8", root.id, in: db)
    // What has moved may have come from this root into another, or the other way.
    let all = "scan_id IN (SELECT id FROM _scan_log WHERE root_id = ?8 OR moved > 0)"
    try change.run(on: "_change_log", "path", where: all, root.id, in: db)
    try change.run(on: "_change_log", "old_path", where: all, root.id, in: db)
    try change.run(on: "_scan_failures", "path", where: scans, root.id, in: db)
    try change.run(on: "_scan_log", "root", where: "root_id = ?8", root.id, in: db)
    try change.run(on: "_searched_directories", "path", in: db)
    try db.execute(
      "UPDATE _roots SET path = ?2, path_bytes = ?3, given_path = ?4 WHERE id = ?1",
      [root.id, location.path.shown, location.path.oddBytes, location.given.binding])
  }

  /// Forgets what a root leaves out.
  package static func removeExcludes(of id: Int64, in db: Connection) throws {
    try db.execute(
      "UPDATE _roots SET settings = json_remove(settings, '$.excludes') WHERE id = ?", [id])
  }

  package static func setState(_ state: RootState, of id: Int64, in db: Connection) throws {
    try db.execute("UPDATE _roots SET state = ? WHERE id = ?", [state.rawValue, id])
  }

  /// Removes every row that belongs to a root, but not the root itself.
  package static func removeEntries(of id: Int64, in db: Connection) throws {
    let others = try db.integer(
      "SELECT EXISTS (SELECT 1 FROM _directory_paths WHERE root_id <> ?)", [id])
    if others == 1 {
      try db.execute(
        """
        CREATE TEMP TABLE removed AS
          SELECT e.id FROM _entries e
          WHERE e.parent_id IN (SELECT f.id FROM _directory_paths f WHERE f.root_id = ?1)
            OR e.id = (SELECT r.entry_id FROM _roots r WHERE r.id = ?1);
        DELETE FROM _symlinks WHERE id IN (SELECT id FROM removed);
        DELETE FROM _packages WHERE id IN (SELECT id FROM removed);
        DELETE FROM _packaged_links WHERE package_id IN (SELECT id FROM removed);
        DELETE FROM _entry_values WHERE entry_id IN (SELECT id FROM removed);
        DELETE FROM _content_readings WHERE entry_id IN (SELECT id FROM removed);
        DELETE FROM _assets WHERE id IN (SELECT id FROM removed);
        DELETE FROM _odd_names WHERE id IN (SELECT id FROM removed);
        DELETE FROM _cache_tags WHERE id IN (SELECT id FROM removed);
        DELETE FROM _directory_totals WHERE id IN (SELECT id FROM removed);
        DELETE FROM _directory_paths WHERE id IN (SELECT id FROM removed);
        DELETE FROM _entries WHERE id IN (SELECT id FROM removed);
        DROP TABLE removed;
        """, [id])
    } else {
      try removeAllEntries(in: db)
    }
  }

  private static func removeAllEntries(in db: Connection) throws {
    // Without a condition and without triggers SQLite empties a table in one step.
    try UsageSums.removeAll(in: db)
    try NameIndex.removeAll(in: db)
    try db.execute(
      """
      DELETE FROM _symlinks; DELETE FROM _packages; DELETE FROM _packaged_links;
      DELETE FROM _entry_values; DELETE FROM _content_readings; DELETE FROM _assets; DELETE FROM _odd_names; DELETE FROM _cache_tags;
      DELETE FROM _directory_totals; DELETE FROM _directory_paths;
      DELETE FROM \(EntryRow.table.name);
      """)
    try CatalogStore.followEntries(in: db)
  }

  /// Makes a root whose entries are gone one that was never scanned, but for the record of its scans.
  package static func reset(_ id: Int64, in db: Connection) throws {
    try db.execute(
      """
      UPDATE _roots SET entry_id = NULL, volume_id = NULL, changed_scan_id = NULL,
        listed_from = NULL, quick_scan_id = NULL,
        last_scan_id = (SELECT max(s.id) FROM _scan_log s WHERE s.root_id = _roots.id),
        given_path = ifnull(given_path, exact_path),
        settings = CASE WHEN json_valid(settings) THEN settings ELSE '{}' END,
        state = CASE WHEN state IN ('online', 'offline') THEN state ELSE 'offline' END
      WHERE id = ?
      """, [id])
  }

  /// Removes all entries, and what only they refer to.
  package static func resetAll(in db: Connection) throws {
    try removeAllEntries(in: db)
    var roots: [Int64] = []
    try db.forEach("SELECT id FROM _roots") { roots.append($0.integer(0)) }
    for root in roots { try reset(root, in: db) }
    try db.execute("DELETE FROM _extensions; DELETE FROM _volumes")
  }

  /// Drops a root with everything that is known of it but the record of its scans.
  package static func remove(_ id: Int64, in db: Connection) throws {
    try removeEntries(of: id, in: db)
    try db.execute(
      """
      DELETE FROM _sniffed_types WHERE root_id = ?1;
      UPDATE _scan_log SET root_id = NULL WHERE root_id = ?1;
      DELETE FROM _roots WHERE id = ?1;
      """, [id])
  }
}

extension ScanOptions {
  /// As the table `_roots` keeps it, a JSON object.
  fileprivate var sql: SQL {
    SQL(
      "json_object('boundary', ?, 'depth', ?, 'packages', ?, 'typing', ?, 'gitIgnore', ?, "
        + "'skippedFileSystems', ?, 'hidden', ?, 'maxDepth', ?, 'excludes', ",
      [
        boundary.rawValue, depth.rawValue, packages.rawValue, typing.rawValue, gitIgnore.rawValue,
        skippedFileSystems.description, hidden.rawValue,
      ].map { .text($0) } + [maxDepth.binding])
      + Self.array(excludes) + SQL(", 'resourceValues', ") + Self.array(resourceValues)
      + SQL(", 'contentValues', ") + Self.array(contentValues) + SQL(")")
  }

  private static func array(_ values: [String]) -> SQL {
    guard !values.isEmpty else { return "json_array()" }
    let rows = values.map { _ in "(?)" }.joined(separator: ", ")
    return SQL(
      "json((SELECT json_group_array(column1) FROM (VALUES \(rows))))", values.map { .text($0) })
  }

  /// Takes in one value as any version has kept it: what is not known is left out.
  fileprivate mutating func set(_ key: String, _ value: String) {
    switch key {
    case "boundary": boundary = Boundary(rawValue: value) ?? boundary
    case "depth": depth = Depth(rawValue: value) ?? depth
    case "maxDepth": maxDepth = Int(value)
    case "hidden": hidden = Hidden(rawValue: value) ?? hidden
    case "packages": packages = Packages(rawValue: value) ?? packages
    case "typing": typing = Typing(rawValue: value) ?? typing
    case "gitIgnore": gitIgnore = GitIgnore(rawValue: value) ?? gitIgnore
    case "skippedFileSystems": skippedFileSystems = FileSystemTypes(stored: value)
    case "excludes": excludes.append(value)
    case "resourceValues": resourceValues.append(value)
    case "contentValues": contentValues.append(value)
    default: break
    }
  }
}
