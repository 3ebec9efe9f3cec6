internal import SQLite

/// What the values of each column can be, and what becomes of rows that have others.
struct ColumnRules {
  private struct Column {
    let name: String
    let condition: String
  }

  private let columns: [(table: String, columns: [Column])]

  /// The rules for the tables that a catalog has.
  init(of db: Connection) throws {
    var columns: [String: [Column]] = [:]
    try db.forEach(
      """
      SELECT m.name, c.name, c.type, c."notnull", c.pk, m.sql LIKE '%WITHOUT ROWID' FROM sqlite_master m,
        pragma_table_info(m.name) c
      WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%'
      """
    ) { row in
      let (table, column) = (row.text(0), row.text(1))
      let isNumber = row.text(2) == "INTEGER"
      let isRowID = isNumber && row.integer(4) == 1 && row.integer(5) == 0
      var conditions: [String] = []
      if isNumber { conditions.append("typeof(\(column)) NOT IN ('integer', 'null')") }
      // SQLite takes `IS NULL` of such a column for false without a look.
      if row.integer(3) == 1 { conditions.append("typeof(\(column)) = 'null'") }
      if isNumber, let range = Self.range(of: column, in: table, isRowID: isRowID) {
        conditions.append("\(column) NOT BETWEEN \(range.lowerBound) AND \(range.upperBound)")
      }
      guard !conditions.isEmpty else { return }
      columns[table, default: []].append(
        Column(name: column, condition: conditions.joined(separator: " OR ")))
    }
    columns["_catalog_settings", default: []].append(
      Column(
        name: "value",
        condition: """
          CASE WHEN key = 'last_entry_id'
              THEN typeof(value) <> 'integer' OR value NOT BETWEEN 0 AND \(Row.highestID)
            WHEN key = 'history_horizon' THEN typeof(value) <> 'integer' OR value NOT BETWEEN 0 AND
              \(HistoryTable.lastScanSQL)
            WHEN key LIKE 'history\\_%' ESCAPE '\\' THEN typeof(value) <> 'integer' OR value < 0
            WHEN key IN ('type_registry', 'containers', 'tags') THEN typeof(value) <> 'integer'
            WHEN key IN ('uuid', 'view_names') THEN typeof(value) <> 'text' END
          """))
    self.columns = columns.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// The tables in which some columns count something or stand for something.
  private static let ranged = [
    EntryRow.table, DirectoryRow.table, TotalsRow.table, PackageRow.table, PackagedLinkRow.table,
  ].map(\.name)

  private static let ranges: [String: ClosedRange<Int64>] = {
    let words: ClosedRange<Int64> = 0...Int64(UInt32.max)
    var ranges: [String: ClosedRange<Int64>] = [
      "kind": 1...8, "traits": 0...Int64(UInt8.max), "volume_id": 0...Row.highestID, "state": 0...2,
      "depth": 0...Int64(Int32.max / 2),
    ]
    for name in ["mode", "uid", "gid", "links", "attributes"] { ranges[name] = words }
    for name in sums { ranges[name] = 0...Int64.max }
    return ranges
  }()

  private static let sums = [
    "size", "allocated", "files", "directories", "total_files", "total_directories", "total_size",
    "total_allocated",
  ]

  private static func range(
    of column: String, in table: String, isRowID: Bool
  ) -> ClosedRange<Int64>? {
    if isRowID {
      if table == "_uniform_types" { return TypeIDs.range }
      // Users and groups are numbered by the system, from 0 on.
      return column == "id" ? 1...Row.highestID : 0...Int64(UInt32.max)
    }
    return ranged.contains(table) ? ranges[column] : nil
  }

  // MARK: - Looking

  /// Looks for rows with values that cannot be there.
  func findings(
    _ look: (IntegrityRule) throws -> [IntegrityProblem]
  ) throws -> [IntegrityProblem] {
    try columns.flatMap { table, columns in
      let conditions = columns.map { "WHEN \($0.condition) THEN '\($0.name)'" }
      let any = columns.map { "(\($0.condition))" }.joined(separator: " OR ")
      let (root, remedies) = Self.remedy(for: table, rows: any)
      return try look(
        IntegrityRule(
          .value,
          """
          SELECT 'a value of ' || column || ' in \(table) is none that can be there', root
          FROM (SELECT CASE \(conditions.joined(separator: " ")) END AS column, \(root) AS root
            FROM \(table) AS t)
          WHERE column IS NOT NULL LIMIT ?
          """, remedy: remedies))
    }
  }

  /// The root that a row of a table is of, as SQL, and what makes up for one that is wrong.
  ///
  /// Of what a root has everything goes, since nobody knows what else is wrong; of the rest the row.
  private static func remedy(
    for table: String, rows: String
  ) -> (root: String, @Sendable (Int64?) -> Remedy) {
    let removal = Remedy.removeRows(table: table, condition: rows)
    let ofRoot: @Sendable (Int64?) -> Remedy = { $0.map { .dropEntries(root: $0) } ?? removal }
    let known = "IN (SELECT id FROM _roots)"
    switch table {
    case EntryRow.table.name:
      let root = "(SELECT d.root_id FROM _directory_paths d WHERE d.id = ifnull(t.parent_id, t.id))"
      return (root, ofRoot)
    case DirectoryRow.table.name:
      return ("CASE WHEN t.root_id \(known) THEN t.root_id END", ofRoot)
    case TotalsRow.table.name:
      return (
        "(SELECT d.root_id FROM _directory_paths d WHERE d.id = t.id AND d.root_id \(known))",
        ofRoot
      )
    case SymlinkRow.table.name, PackageRow.table.name, AssetRow.table.name, OddNameRow.table.name:
      return (IntegrityRule.root(ofEntry: "t.id"), ofRoot)
    case PackagedLinkRow.table.name:
      return (IntegrityRule.root(ofEntry: "t.package_id"), ofRoot)
    case "_entry_values", "_content_readings":
      return (IntegrityRule.root(ofEntry: "t.entry_id"), ofRoot)
    case "_roots":
      return (
        "t.id",
        {
          guard let root = $0 else { return removal }
          // No entry can be of a root with another number.
          return (1...Row.highestID).contains(root) ? .dropEntries(root: root) : .dropRoot(root)
        }
      )
    default:
      return ("NULL", { _ in removal })
    }
  }
}
