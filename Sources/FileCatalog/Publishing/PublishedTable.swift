internal import Fleet
internal import SQLite

/// A table as it is published: its columns, and how its rows are read.
struct PublishedTable {
  let table: FleetTable
  private let statements: [SQL]

  var columns: [(name: String, form: ValueForm)] { Self.columns(of: table) }

  /// The columns of a table, in the order of the rows.
  static func columns(of table: FleetTable) -> [(name: String, form: ValueForm)] {
    switch table {
    case .entries: entryColumns.map { ($0.name, $0.form) } + [("removed", .truth)]
    case .directories: directoryColumns.map { ($0.name, $0.form) } + [("removed", .truth)]
    case .repeated: [("entry_id", .identifier), ("allocated", .bytes)]
    case .changes:
      [
        ("id", .identifier), ("scan_id", .identifier), ("at", .seconds), ("kind", .text),
        ("entry_id", .identifier), ("entry_kind", .text), ("path", .text), ("old_path", .text),
        ("size", .bytes), ("old_size", .bytes), ("modified_ns", .nanoseconds), ("owner", .text),
        ("path_bytes", .octets), ("old_path_bytes", .octets),
      ]
    case .growth:
      [
        ("scan_id", .identifier), ("at", .seconds), ("directory_id", .identifier), ("path", .text),
        ("depth", .number), ("files", .number), ("directories", .number), ("size", .bytes),
        ("allocated", .bytes), ("total_files", .number), ("total_directories", .number),
        ("total_size", .bytes), ("total_allocated", .bytes), ("path_bytes", .octets),
      ]
    case .rollup: UsageRollup.columns
    }
  }

  /// - Parameter base: the scan after which changes count; `nil` for everything.
  init(_ table: FleetTable, since base: Int64?) {
    self.table = table
    let since = [Binding.integer(base ?? -1)]
    switch table {
    case .entries:
      let values = Self.entryColumns.map(\.value).joined(separator: ", ")
      statements =
        [
          SQL(
            """
            SELECT \(values), 0 FROM _entries e WHERE e.last_changed_scan > ? ORDER BY e.id
            """, since)
        ] + Self.removals(base, among: "_entries", nulls: Self.entryColumns.count - 1)
    case .directories:
      let values = Self.directoryColumns.map(\.value).joined(separator: ", ")
      let condition = base == nil ? "" : "WHERE d.id IN (\(Self.changedDirectories))"
      statements =
        [
          SQL(
            "SELECT \(values), 0 FROM _directory_paths d \(condition) ORDER BY d.id",
            base == nil ? [] : since)
        ] + Self.removals(base, among: "_directory_paths", nulls: Self.directoryColumns.count - 1)
    case .repeated:
      statements = [SQL("SELECT entry_id, allocated FROM _repeated_links ORDER BY entry_id")]
    case .changes:
      let names = Self.columns(of: table).map { $0.name == "owner" ? Self.owner : "c.\($0.name)" }
      statements = [
        SQL(
          "SELECT \(names.joined(separator: ", ")) FROM changes c WHERE c.scan_id > ? ORDER BY c.id",
          since)
      ]
    case .growth:
      let names = Self.columns(of: table).map(\.name).joined(separator: ", ")
      statements = [
        SQL(
          """
          SELECT \(names) FROM growth_by_directory WHERE scan_id > ?
          ORDER BY scan_id, directory_id
          """, since)
      ]
    case .rollup:
      // Its rows are not those of a statement.
      statements = []
    }
  }

  /// Calls `body` with each row, whose values may be any.
  func forEachRow(in db: Connection, _ body: (Row) throws -> Void) throws {
    for statement in statements { try db.forEach(statement, body) }
  }

  /// What the numbers stand for that rows have in place of texts: looked up in memory once, not for each row.
  func texts(in db: Connection) throws -> [String: TextsByNumber] {
    guard table == .entries || table == .rollup else { return [:] }
    let names = Set(columns.map(\.name))
    return try Self.numbered.filter { names.contains($0.key) }.mapValues {
      try TextsByNumber($0, in: db)
    }
  }

  private static let numbered: [String: SQL] = [
    "kind": "SELECT id, name FROM _kinds",
    "type": "SELECT id, identifier FROM _uniform_types",
    "type_description": "SELECT id, description FROM _uniform_types",
    "extension": "SELECT id, name FROM _extensions",
    "owner": "SELECT uid, name FROM _users",
    "group_name": "SELECT gid, name FROM _groups",
  ]

  /// What the file says of itself, beside which table of which catalog it has.
  func metadata(in db: Connection) throws -> [(key: String, value: String)] {
    table == .directories ? [(PublishedFacts.key, try PublishedFacts.json(in: db))] : []
  }

  /// How many changes were found after a scan.
  static func changedCount(since base: Int64, in db: Connection) throws -> Int64 {
    let count = SQL(
      "SELECT count(*) FROM _change_log WHERE scan_id > ?", [.integer(base)])
    return try db.first(count) { $0.integer(0) } ?? 0
  }

  // MARK: - SQL

  private typealias PublishedColumn = (name: String, form: ValueForm, value: String)

  /// Nothing that follows from where an entry is: a directory that moves changes no row of what is in it.
  private static let entryColumns: [PublishedColumn] = [
    ("id", .identifier, "e.id"), ("parent_id", .identifier, "e.parent_id"),
    (
      "name", .text,
      """
      CASE typeof(e.name) WHEN 'text' THEN e.name
        ELSE (SELECT o.name FROM _odd_names o WHERE o.id = e.id) END
      """
    ),
    ("name_bytes", .octets, "CASE typeof(e.name) WHEN 'blob' THEN e.name END"),
    ("kind", .text, "e.kind"),
    ("type", .text, "e.type_id"),
    ("type_description", .text, "e.type_id"),
    ("extension", .text, "e.extension_id"),
    ("size", .bytes, "e.size"), ("allocated", .bytes, "e.allocated"),
    (
      "files", .number,
      """
      CASE e.kind WHEN 2 THEN 0 WHEN 3 THEN (SELECT p.files FROM _packages p WHERE p.id = e.id)
        ELSE 1 END
      """
    ),
    ("created_ns", .nanoseconds, "e.created"), ("modified_ns", .nanoseconds, "e.modified"),
    ("changed_ns", .nanoseconds, "e.changed"), ("accessed_ns", .nanoseconds, "e.accessed"),
    ("mode", .mode, "e.mode"), ("uid", .number, "e.uid"), ("gid", .number, "e.gid"),
    ("owner", .text, "e.uid"),
    ("group_name", .text, "e.gid"),
    ("inode", .identifier, "e.inode"), ("volume_id", .identifier, "e.volume_id"),
    ("links", .number, "e.links"), ("is_hidden", .truth, "e.name_shape & 1"),
    (
      "link_target", .text,
      "CASE e.kind WHEN 4 THEN (SELECT s.target FROM _symlinks s WHERE s.id = e.id) END"
    ),
    (
      "link_target_bytes", .octets,
      "CASE e.kind WHEN 4 THEN (SELECT s.target_bytes FROM _symlinks s WHERE s.id = e.id) END"
    ),
    ("flags", .number, "e.attributes"), ("is_package", .truth, "e.traits >> 2 & 1"),
    ("is_broken", .truth, "e.kind = 4 AND e.traits & 2"),
    // Of a package, the files in it that have several names: the volume, inode and bytes on disk of each.
    (
      "packaged_links", .text,
      """
      CASE e.kind WHEN 3 THEN (
        SELECT group_concat(l.volume_id || ' ' || l.inode || ' ' || l.allocated, ' ')
        FROM _packaged_links l WHERE l.package_id = e.id) END
      """
    ),
  ]

  private static let directoryColumns: [PublishedColumn] = [
    ("id", .identifier, "d.id"), ("parent_id", .identifier, "d.parent_id"),
    ("path", .text, "d.path"), ("path_bytes", .octets, "d.path_bytes"),
    ("depth", .number, "d.depth"),
    (
      "container", .text,
      """
      (SELECT c.name FROM _places p JOIN _known_containers c ON c.id = p.container_id
        WHERE p.id = d.place_id)
      """
    ),
    (
      "role", .text,
      "(SELECT r.name FROM _places p JOIN _role_policies r ON r.id = p.role_id WHERE p.id = d.place_id)"
    ),
  ]

  private static let owner = """
    (SELECT u.name FROM _change_log l JOIN _users u ON u.uid = l.uid WHERE l.id = c.id)
    """

  /// Directories that are new or have moved, with all that are below them: their paths are others.
  private static let changedDirectories = """
    WITH RECURSIVE changed(id) AS (
      SELECT entry_id FROM _change_log
        WHERE scan_id > ?1 AND kind IN (1, 4) AND entry_kind = 2
      UNION SELECT e.id FROM changed c JOIN _entries e ON e.parent_id = c.id AND e.kind = 2)
    SELECT id FROM changed
    """

  /// What is not there any more: its id, and no values.
  private static func removals(_ base: Int64?, among table: String, nulls: Int) -> [SQL] {
    guard let base else { return [] }
    let values = Array(repeating: "NULL", count: nulls).joined(separator: ", ")
    let kinds = table == "_directory_paths" ? "AND c.entry_kind = 2" : ""
    return [
      SQL(
        """
        SELECT DISTINCT c.entry_id, \(values), 1 FROM _change_log c
        WHERE c.scan_id > ? AND c.kind = 2 \(kinds)
          AND NOT EXISTS (SELECT 1 FROM \(table) t WHERE t.id = c.entry_id) ORDER BY c.entry_id
        """, [.integer(base)])
    ]
  }
}
