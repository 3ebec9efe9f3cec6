internal import FileSystem
internal import SQLite
public import StandardDirectories
public import SystemPackage

/// All that a catalog knows of one entry.
public struct EntryDetails: Sendable {
  /// The columns of the SQL view `files`.
  public let columns: [(column: EntryColumn, value: ColumnValue)]
  /// What more directories hold, named as in the view `directories`; empty for others. Their total
  /// sizes are among ``columns``.
  public let totals: [(name: String, value: ColumnValue)]
  /// What resource value providers stored, by key. `provider` has read the value in the content of the file;
  /// `nil` for what a scan has found on its way, and for what somebody has set.
  public let values: [(key: ValueKey, value: ResourceValue, provider: String?)]
  /// What its own marks on disk say of backups, as in ``Entry/backupMark``.
  public let backupMark: BackupMark?
  /// What the parameters in the directory of its role are there, by name; empty for standard roles, which have none.
  public let roleParameters: DirectoryPattern.Values

  /// The value of a column.
  public func value(of column: EntryColumn) -> ColumnValue? {
    columns.first { $0.column == column }?.value
  }
}

extension Catalog {
  /// All that is known of the entry at a path.
  ///
  /// - Throws: ``/CatalogStore/CatalogError/Code/notInCatalog``.
  public func details(of path: FilePath) async throws -> EntryDetails {
    try await read { db in
      let id = try PathLookup(db).entry(at: path)
      // Paths come with their bytes here.
      let shown = EntryColumn.allCases.filter { $0.form != .octets }
      let names = shown.map(\.rawValue).joined(separator: ", ")
      let columns = try db.first(
        SQL("SELECT \(names) FROM _entry_rows WHERE id = ?", [.integer(id)])
      ) { row in
        zip(shown, Int32(0)...).map { ($0, row.value($1)) }
      }
      var values: [(ValueKey, ResourceValue, String?)] = []
      let stored = SQL(
        """
        SELECT v.key, v.value, p.key
        FROM _entry_values v LEFT JOIN _content_providers p ON p.id = v.provider_id
        WHERE v.entry_id = ? ORDER BY v.key
        """, [.integer(id)])
      try db.forEach(stored) { row in
        guard let value = row.resourceValue(1) else { return }
        values.append((ValueKey(row.text(0)), value, row.optionalText(2)))
      }
      let entry = try EntryTable(db).entries([id]).first
      return EntryDetails(
        columns: columns ?? [], totals: try Self.totals(of: id, db), values: values,
        backupMark: entry?.backupMark,
        roleParameters: try entry.map { try Self.roleParameters(of: $0, db) } ?? [:])
    }
  }

  private static func roleParameters(
    of entry: Entry, _ db: Connection
  ) throws -> DirectoryPattern.Values {
    guard case .custom? = entry.role, let id = entry.containerID else { return [:] }
    let record = try ContainerTable(db).all().first { $0.id == id.rawValue }
    // Only a directory can be that of a role itself.
    let directory = entry.kind == .directory ? entry.path : entry.path.removingLastComponent()
    return record?.container.parameters(of: directory) ?? [:]
  }

  private static func totals(
    of id: Int64, _ db: Connection
  ) throws -> [(String, ColumnValue)] {
    let names = [
      "state", "error", "files", "directories", "total_directories", "newest_modified",
    ]
    let directory = SQL(
      "SELECT \(names.joined(separator: ", ")) FROM directories WHERE id = ?", [.integer(id)])
    let found = try db.first(directory) { row in
      zip(names, Int32(0)...).map { ($0, row.value($1)) }
    }
    return found?.filter { $0.1 != .null } ?? []
  }
}
