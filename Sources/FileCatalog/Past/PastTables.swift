internal import CatalogStore
internal import FileSystem
internal import SQLite
internal import SystemPackage

/// The tables of a catalog as they were after a scan, under their own names.
///
/// Where a temporary view has the name of a table, SQLite takes the view. So what reads entries, paths and
/// sums reads those of that time, by the same statements. Each view is what stands in the catalog, without what
/// has changed since, and with what `FormerEntries` found: a statement about one directory costs what it costs
/// today, and all else as much as there were changes.
struct PastTables {
  private let db: Connection
  private let former: FormerEntries
  private let roots: [Root]
  /// Where directories were that are elsewhere now, or gone.
  private var directories: [Int64: [UInt8]] = [:]

  /// A root that was in the catalog then.
  private struct Root {
    let id: Int64
    let path: [UInt8]

    /// Whether something is the root or in it.
    func contains(_ other: [UInt8]) -> Bool {
      guard other.starts(with: path) else { return false }
      return other.count == path.count || path.last == UInt8(ascii: "/")
        || other[path.count] == UInt8(ascii: "/")
    }

    /// Steps from the root.
    func depth(of other: [UInt8]) -> Int64 {
      Int64(other[path.count...].count { $0 == UInt8(ascii: "/") })
        + (path.last == UInt8(ascii: "/") && other.count > path.count ? 1 : 0)
    }
  }

  /// Calls `body` while the connection reads the state that a scan has written.
  ///
  /// - Throws: ``/CatalogStore/CatalogError/Code/stateNotKept`` where too little is kept of it, or nothing was
  ///   in the catalog then.
  static func withState<Result>(
    after scan: Int64, in db: Connection, _ body: () throws -> Result
  ) throws -> Result {
    let tables = try PastTables(after: scan, in: db)
    let isQueryOnly = try db.integer("PRAGMA query_only") == 1
    if isQueryOnly { try db.execute("PRAGMA query_only = OFF") }
    defer {
      for name in views { try? db.execute("DROP VIEW IF EXISTS temp.\(name)") }
      for name in stores { try? db.execute("DROP TABLE IF EXISTS temp.\(name)") }
      if isQueryOnly { try? db.execute("PRAGMA query_only = ON") }
    }
    try tables.write(after: scan)
    return try body()
  }

  private static let views = [
    "_entry_rows", "_entries", "_directory_paths", "directories", "_roots", "_extensions",
  ]
  private static let stores = [
    "_past_changed", "_past_entries", "_past_directories", "_past_growth", "_past_extensions",
  ]

  private init(after scan: Int64, in db: Connection) throws {
    self.db = db
    roots = try Self.roots(after: scan, in: db)
    former = try FormerEntries(after: scan, in: db)
    directories = try formerDirectories()
  }

  /// Refuses a state that the history does not go back to, or in which nothing was in the catalog.
  static func requireState(after scan: Int64, in db: Connection) throws {
    _ = try roots(after: scan, in: db)
  }

  /// The roots that were there.
  private static func roots(after scan: Int64, in db: Connection) throws -> [Root] {
    let horizon = try HistoryTable(db).horizon
    guard scan >= horizon else {
      throw CatalogError(
        .stateNotKept,
        "the state after scan \(scan) is not kept any more: the history begins after scan \(horizon)"
      )
    }
    var roots: [Root] = []
    let there = SQL(
      """
      SELECT r.id, r.exact_path FROM _roots r WHERE r.entry_id IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM _scan_log s WHERE s.root_id = r.id AND s.is_first AND s.id > ?
          AND s.state IN ('complete', 'partial'))
      """, [.integer(scan)])
    try db.forEach(there) { roots.append(Root(id: $0.integer(0), path: Array($0.bytes(1)))) }
    guard !roots.isEmpty else { throw nothingThen(scan, db) }
    return roots
  }

  private static func nothingThen(_ scan: Int64, _ db: Connection) -> CatalogError {
    let first = try? db.first(
      "SELECT min(id) FROM _scan_log WHERE is_first AND state IN ('complete', 'partial')",
      { $0.optionalInteger(0) })
    let begin = (first ?? nil).map { "; the first scan that is kept is \($0)" } ?? ""
    return CatalogError(
      .stateNotKept, "nothing was in the catalog then, after scan \(scan)\(begin)")
  }

  private func root(of path: [UInt8]) -> Root? {
    roots.filter { $0.contains(path) }.max { $0.path.count < $1.path.count }
  }

  // MARK: - Directories

  /// The paths of directories that were elsewhere. Those that are in one which has moved and have not moved
  /// themselves have moved with it.
  private func formerDirectories() throws -> [Int64: [UInt8]] {
    let directory = Int64(EntryKind.directory.rawValue)
    var paths: [Int64: [UInt8]] = [:]
    var inside: [Int64: (parent: Int64, path: [UInt8])] = [:]
    for (id, entry) in former.entries {
      guard let entry, entry.kind == directory else { continue }
      let now = SQL("SELECT exact_path FROM _directory_paths WHERE id = ?", [.integer(id)])
      guard let current = try db.first(cached: now, { Array($0.bytes(0)) }) else {
        paths[id] = entry.path
        continue
      }
      guard current != entry.path else { continue }
      paths[id] = entry.path
      let found = FoundDirectory(id: id, path: FilePath(bytes: current), depth: 0)
      try db.forEach(
        SQL("SELECT id, parent_id, exact_path FROM _directory_paths WHERE ") + found.isAbove()
      ) { row in
        guard former.entries[row.integer(0)] == nil else { return }
        inside[row.integer(0)] = (row.integer(1), Array(row.bytes(2)))
      }
    }
    // Parents before children.
    for (id, place) in inside.sorted(by: { $0.value.path.count < $1.value.path.count }) {
      let above = paths[place.parent]
      guard let above, let slash = place.path.lastIndex(of: UInt8(ascii: "/")) else { continue }
      paths[id] = above + place.path[slash...]
    }
    return paths
  }

  // MARK: - Writing

  private func write(after scan: Int64) throws {
    try db.execute(
      """
      CREATE TEMP TABLE _past_changed (id INTEGER PRIMARY KEY);
      CREATE TEMP TABLE _past_entries (id INTEGER PRIMARY KEY, root_id INTEGER, root, parent_id INTEGER,
        directory, name, path, kind_id INTEGER, extension, extension_id INTEGER, size INTEGER,
        modified_ns INTEGER, depth INTEGER, display_name);
      CREATE INDEX temp._past_children ON _past_entries(parent_id, name);
      CREATE TEMP TABLE _past_directories (id INTEGER PRIMARY KEY, root_id INTEGER, path TEXT,
        path_bytes BLOB, exact_path, depth INTEGER);
      CREATE INDEX temp._past_paths ON _past_directories(path);
      CREATE TEMP TABLE _past_extensions (id INTEGER PRIMARY KEY, exact_name);
      CREATE TEMP TABLE _past_growth (id INTEGER PRIMARY KEY, files INTEGER, directories INTEGER,
        size INTEGER, allocated INTEGER, total_files INTEGER, total_directories INTEGER,
        total_size INTEGER, total_allocated INTEGER);
      """)
    try db.execute(
      """
      INSERT INTO temp._past_growth SELECT directory_id, sum(files), sum(directories), sum(size),
        sum(allocated), sum(total_files), sum(total_directories), sum(total_size),
        sum(total_allocated)
      FROM main._growth_log WHERE scan_id > ? GROUP BY directory_id
      """, [scan])
    try writeDirectories()
    try writeEntries()
    try createViews()
  }

  private func writeDirectories() throws {
    let insert = try db.prepare("INSERT INTO temp._past_directories VALUES (?, ?, ?, ?, ?, ?)")
    for (id, path) in directories {
      guard let root = root(of: path) else { continue }
      let shown = FilePath(bytes: path)
      try insert.run([
        id, root.id, shown.shown, shown.oddBytes, Binding.name(path), root.depth(of: path),
      ])
    }
  }

  private func writeEntries() throws {
    let changed = try db.prepare("INSERT INTO temp._past_changed VALUES (?)")
    let insert = try db.prepare(
      "INSERT INTO temp._past_entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
    let numbers = Dictionary(directories.map { ($1, $0) }, uniquingKeysWith: { $1 })
    var extensions: [[UInt8]: Int64] = [:]
    for (id, entry) in former.entries {
      try changed.run([id])
      guard let entry, let root = root(of: entry.path) else { continue }
      let isRoot = entry.path == root.path
      let slash = entry.path.lastIndex(of: UInt8(ascii: "/")) ?? 0
      let name = isRoot ? try rootName(id) : Array(entry.path[(slash + 1)...])
      let directory = slash == 0 ? [UInt8(ascii: "/")] : Array(entry.path[..<slash])
      let parent = isRoot ? nil : try numbers[directory] ?? directoryID(at: directory)
      let ending = name.withUnsafeBytes { bytes -> [UInt8]? in
        let range = FilenameExtension.range(in: bytes)
        return range.isEmpty ? nil : Array(bytes[range])
      }
      let number = try ending.map { ending in
        if let known = extensions[ending] { return known }
        let known = try self.number(ofExtension: ending, after: extensions.count)
        extensions[ending] = known
        return known
      }
      let stem = ending.map { Array(name.dropLast($0.count + 1)) } ?? name
      try insert.run([
        id, root.id, Binding.name(root.path), parent.map { .integer($0) } ?? Binding.null,
        isRoot ? Binding.null : .name(directory), Binding.name(name),
        Binding.name(entry.path), entry.kind, ending.map { .name($0) } ?? Binding.null,
        number.map { .integer($0) } ?? Binding.null,
        entry.size.map { .integer($0) } ?? Binding.null,
        entry.modified.map { .integer($0) } ?? Binding.null, root.depth(of: entry.path),
        Binding.name(stem),
      ])
    }
  }

  /// The name of a root, which no scan changes.
  private func rootName(_ id: Int64) throws -> [UInt8] {
    let stored = SQL("SELECT name FROM main._entries WHERE id = ?", [.integer(id)])
    return try db.first(cached: stored) { Array($0.bytes(0)) } ?? []
  }

  /// A directory that was where it is now.
  private func directoryID(at path: [UInt8]) throws -> Int64? {
    let directory = FilePath(bytes: path)
    var found: Int64?
    try db.forEach(
      cached: SQL(
        "SELECT id FROM main._directory_paths WHERE path = ? AND exact_path = ?",
        [directory.shown, directory.binding])
    ) { row in
      // Another one may be there since.
      if directories[row.id(0)] == nil { found = row.id(0) }
    }
    return found
  }

  private func number(ofExtension ending: [UInt8], after count: Int) throws -> Int64 {
    let known = SQL("SELECT id FROM main._extensions WHERE exact_name = ?", [.name(ending)])
    if let number = try db.first(cached: known, { $0.integer(0) }) { return number }
    let number = -Int64(count) - 1
    try db.execute(
      "INSERT INTO temp._past_extensions VALUES (?, ?)", [number, Binding.name(ending)])
    return number
  }

  private func createViews() throws {
    let ids = roots.map { "\($0.id)" }.joined(separator: ", ")
    let isComplete = try db.integer("SELECT count(*) FROM main._roots") == Int64(roots.count)
    // Which root an entry is in has to be looked up; where all were there it does not matter.
    let isThere = isComplete ? "" : "AND root_id IN (\(ids))"
    let size = """
      CASE kind_id WHEN 2 THEN ifnull((SELECT t.total_size FROM main._directory_totals t WHERE t.id = r.id), 0)
        - ifnull((SELECT g.total_size FROM temp._past_growth g WHERE g.id = r.id), 0)
      WHEN 3 THEN size END
      """
    func rows(
      _ directory: String, _ path: String, _ depth: String, _ rootID: String, _ root: String
    )
      -> String
    {
      """
      SELECT r.id, \(rootID) AS root_id, \(root) AS root, parent_id, \(directory) AS directory, r.name,
        \(path) AS path, kind, kind_id, extension, extension_id, size, modified, modified_ns,
        \(depth) AS depth, is_hidden, kind_id = 3 AS is_package, display_name, \(size) AS total_size,
        name_bytes
      FROM main._entry_rows r
      """
    }
    let rootPath = "(SELECT q.exact_path FROM main._roots q WHERE q.id = p.root_id)"
    try db.execute(
      """
      CREATE TEMP VIEW _entry_rows AS
      \(rows("directory", "path", "depth", "root_id", "root"))
      WHERE r.id NOT IN (SELECT id FROM temp._past_changed)
        AND ifnull(parent_id, 0) NOT IN (SELECT id FROM temp._past_directories) \(isThere)
      UNION ALL
      \(rows(
        "p.exact_path", "rtrim(p.exact_path, '/') || '/' || r.name", "p.depth + 1", "p.root_id",
        rootPath))
        JOIN temp._past_directories p ON p.id = r.parent_id
      WHERE r.id NOT IN (SELECT id FROM temp._past_changed)
      UNION ALL
      SELECT id, root_id, root, parent_id, directory, name, path,
        (SELECT k.name FROM main._kinds k WHERE k.id = kind_id), kind_id, extension, extension_id,
        size, modified_ns / 1000000000 - (modified_ns % 1000000000 < 0), modified_ns, depth,
        substr(CAST(name AS BLOB), 1, 1) = x'2E', kind_id = 3, display_name, \(size),
        CASE typeof(name) WHEN 'blob' THEN name END
      FROM temp._past_entries r;

      CREATE TEMP VIEW _entries AS
      SELECT id, parent_id, name, kind FROM main._entries
      WHERE id NOT IN (SELECT id FROM temp._past_changed)
      UNION ALL
      SELECT id, parent_id, name, kind_id FROM temp._past_entries;

      CREATE TEMP VIEW _directory_paths AS
      SELECT id, root_id, path, path_bytes, exact_path, depth FROM main._directory_paths
      WHERE root_id IN (\(ids)) AND id NOT IN (SELECT id FROM temp._past_directories)
        AND id NOT IN (SELECT c.id FROM temp._past_changed c
          WHERE c.id NOT IN (SELECT e.id FROM temp._past_entries e))
      UNION ALL
      SELECT id, root_id, path, path_bytes, exact_path, depth FROM temp._past_directories;

      CREATE TEMP VIEW directories AS
      SELECT d.id, d.root_id, d.path, d.path_bytes, d.depth,
        \(Self.sums.map { "ifnull(t.\($0), 0) - ifnull(g.\($0), 0) AS \($0)" }.joined(separator: ", ")),
        NULL AS newest_modified,
        CASE ifnull(t.state, 0) WHEN 0 THEN 'complete' WHEN 1 THEN 'unreadable' ELSE 'unscanned' END
          AS state,
        t.error
      FROM _directory_paths d LEFT JOIN main._directory_totals t ON t.id = d.id
        LEFT JOIN temp._past_growth g ON g.id = d.id;

      CREATE TEMP VIEW _roots AS SELECT * FROM main._roots WHERE id IN (\(ids));

      CREATE TEMP VIEW _extensions AS SELECT id, exact_name FROM main._extensions
      UNION ALL SELECT id, exact_name FROM temp._past_extensions;
      """)
  }

  private static let sums = [
    "files", "directories", "size", "allocated", "total_files", "total_directories", "total_size",
    "total_allocated",
  ]
}
