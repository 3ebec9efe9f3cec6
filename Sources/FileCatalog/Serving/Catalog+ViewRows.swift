package import Console
internal import SQLite
package import SystemPackage

/// Rows of a view as they are printed as JSON.
package struct ViewRows: Sendable {
  /// What each cell is.
  package let columns: [Column]
  /// A cell for each column.
  package let rows: [[Cell]]
}

extension Catalog {
  /// The roots, as the view `roots` has them, by path.
  package func rootRows() async throws -> ViewRows {
    try await rows(of: "roots", SQL("1 ORDER BY path"))
  }

  /// Scans, as the view `scans` has them, the newest first.
  ///
  /// - Parameter root: the number of the root; `nil` for all.
  package func scanRows(of root: Int64?, limit: Int) async throws -> ViewRows {
    let isOfRoot = root.map { SQL("root_id = ?", [.integer($0)]) } ?? SQL("1")
    return try await rows(
      of: "scans", isOfRoot + SQL(" ORDER BY id DESC LIMIT ?", [.integer(Int64(limit))]))
  }

  private func rows(of view: String, _ rest: SQL) async throws -> ViewRows {
    try await read { db in
      var columns: [SchemaView.Column] = []
      try db.forEach(SQL("SELECT name FROM pragma_table_info(?)", [.text(view)])) { row in
        columns.append(SchemaView.Column(row.text(0), of: view))
      }
      columns.removeAll { $0.name == "rowid" }
      let printed = PrintedRows(objectsOf: columns)
      let names = columns.map(\.name).joined(separator: ", ")
      var rows: [[Cell]] = []
      try db.forEach(SQL("SELECT \(names) FROM \(view) WHERE ") + rest) {
        rows.append(printed.cells($0))
      }
      return ViewRows(columns: printed.columns, rows: rows)
    }
  }

  /// What the last scan of its root could not do with the entry at a path.
  package func failures(at path: FilePath) async throws -> [ScanFailure] {
    try await read { db in
      let root = try RootTable.root(containing: path.absolute, in: db)
      guard let root else { return [] }
      var failures: [ScanFailure] = []
      let statement = SQL(
        """
        SELECT ifnull(path_bytes, path), operation, errno, message FROM _scan_failures
        WHERE scan_id = (SELECT last_scan_id FROM _roots WHERE id = ?)
          AND CAST(ifnull(path_bytes, path) AS BLOB) = CAST(? AS BLOB)
        ORDER BY id LIMIT 100
        """, [.integer(root.id), .name(path.bytes)])
      try db.forEach(statement) { row in
        failures.append(
          ScanFailure(
            path: row.path(0), operation: row.text(1),
            errno: Int32(truncatingIfNeeded: row.integer(2)), message: row.text(3)))
      }
      return failures
    }
  }

  /// The supertypes of a type, as the catalog has them.
  package func supertypes(of identifier: String) async throws -> [String] {
    try await read { db in
      var types: [String] = []
      let statement = SQL(
        "SELECT ancestor FROM type_conformance WHERE identifier = ?1 AND ancestor <> ?1 ORDER BY 1",
        [.text(identifier)])
      try db.forEach(statement) { types.append($0.text(0)) }
      return types
    }
  }
}
