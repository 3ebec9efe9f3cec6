internal import CatalogStore
internal import Fleet
internal import SQLite

/// A table as it is published: its columns, and how its rows are read.
struct PublishedTable {
  let table: FleetTable
  /// How entries are read, where the table has some.
  private var entries: BulkEntries?
  /// Statements whose rows have the columns; of entries those of what is gone.
  private let statements: [SQL]

  var columns: [(name: String, form: ValueForm)] { Self.columns(of: table) }

  /// The columns of a table, in the order of the rows.
  static func columns(of table: FleetTable) -> [(name: String, form: ValueForm)] {
    switch table {
    case .entries: entryColumns.map { ($0.name, $0.form) }
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
      entries = BulkEntries(
        Self.entryColumns.map(\.column), from: "_entries e",
        SQL("WHERE e.last_changed_scan > ? ORDER BY e.id", since))
      statements = Self.removals(base, among: "_entries", nulls: Self.entryColumns.count - 2)
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

  /// What the numbers stand for that rows have in place of texts, by the places of columns: looked up in memory
  /// once, not for each row.
  func lookUps(in db: Connection) throws -> [Int: ValuesByNumber] {
    table == .rollup
      ? try UsageRollup.lookUps(in: db) : try entries?.lookUps(in: db) ?? [:]
  }

  /// Appends all rows to a file that has the columns.
  ///
  /// - Parameter step: called with how many there are so far.
  /// - Returns: how many there are.
  func append(
    to file: inout ParquetRows, in db: Connection, _ step: (Int64) throws -> Void
  ) throws -> Int64 {
    if table == .rollup { return try UsageRollup(db).write(to: &file, step: step) }
    var count = try entries?.append(to: &file, in: db, step) ?? 0
    for statement in statements {
      try db.forEach(statement) { row in
        try file.append(row)
        count += 1
        try step(count)
      }
    }
    return count
  }

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

  /// Nothing that follows from where an entry is: a directory that moves changes no row of what is in it.
  private static let entryColumns: [(name: String, form: ValueForm, column: BulkColumn)] = [
    asInFiles(.id), asInFiles(.parentID), asInFiles(.name), asInFiles(.nameBytes),
    asInFiles(.kind), asInFiles(.type), asInFiles(.typeDescription), asInFiles(.extension),
    asInFiles(.size), asInFiles(.allocated),
    (
      "files", .number,
      BulkColumn(BulkColumn.Source("e.kind <> 2"), [(.package, BulkColumn.Source("k.files"))])
    ),
    asInFiles(.createdNanoseconds), asInFiles(.modifiedNanoseconds),
    asInFiles(.changedNanoseconds), asInFiles(.accessedNanoseconds), asInFiles(.mode),
    asInFiles(.uid), asInFiles(.gid), asInFiles(.owner), asInFiles(.groupName),
    asInFiles(.inode), ("volume_id", .identifier, BulkColumn("e.volume_id")),
    asInFiles(.links), asInFiles(.isHidden), asInFiles(.linkTarget),
    ("link_target_bytes", .octets, BulkColumn(only: (.symlink, "s.target_bytes"))),
    asInFiles(.flags), asInFiles(.isPackage), asInFiles(.isBroken),
    // Of a package, the files in it that have several names: the volume, inode and bytes on disk of each.
    (
      "packaged_links", .text,
      BulkColumn(
        only: (
          .package,
          """
          (SELECT group_concat(l.volume_id || ' ' || l.inode || ' ' || l.allocated, ' ')
            FROM _packaged_links l WHERE l.package_id = e.id)
          """
        ))
    ),
    ("removed", .truth, BulkColumn(.constant(0))),
  ]

  private static func asInFiles(_ column: EntryColumn) -> (String, ValueForm, BulkColumn) {
    (column.rawValue, column.form, BulkColumn(column))
  }

  private typealias PublishedColumn = (name: String, form: ValueForm, value: String)

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
