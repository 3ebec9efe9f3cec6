internal import FileSystem
internal import SQLite
internal import SystemPackage

/// The rows of an export: which columns they have, and how they are read.
struct ExportRows {
  let view: SchemaView
  /// Those of the view, without the number that only Datasette needs.
  let columns: [SchemaView.Column]
  /// Statements whose rows have the columns; of the view `files` only that of the roots, where entries are
  /// read in another way.
  private let statements: [SQL]
  private let entries: BulkEntries?
  /// How many rows there must be, where that can be told beforehand.
  private let count: SQL?
  private let db: Connection

  init(_ export: Catalog.Export, _ db: Connection) throws {
    self.db = db
    let view = try SchemaView(named: export.view)
    let columns = view.columns.filter { $0.name != "rowid" }
    self.view = view
    self.columns = columns
    if export.format != .ndjson, let any = columns.first(where: { $0.form == .any }) {
      throw CatalogError(
        .invalidArgument,
        "\(view.name).\(any.name) has values of any type, which only ndjson can tell apart")
    }
    let isWhole = export.query.filter == .all && export.directories.isEmpty
    guard view.name == "files" else {
      guard isWhole else {
        throw CatalogError(
          .invalidArgument, "only the view files can be narrowed to a query or a directory")
      }
      let names = columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
      statements = [SQL("SELECT \(names) FROM \(view.name)")]
      entries = nil
      count = nil
      return
    }
    let names = columns.map { "f.\($0.name)" }.joined(separator: ", ")
    var condition = SQL("")
    if !isWhole {
      let scope: TableRequest.Scope =
        export.directories.isEmpty ? .everything : .subtrees(of: export.directories, levels: nil)
      let selected = try EntryTable(db).selection(TableRequest(export.query, in: scope))
      condition = SQL(" AND e.id IN (") + selected + SQL(")")
    }
    // Both come out of an index in this order: nothing is sorted, however many there are.
    let roots =
      SQL(
        """
        SELECT \(names) FROM _entries e CROSS JOIN files f ON f.id = e.id
        WHERE e.parent_id IS NULL
        """) + condition + SQL(" ORDER BY f.path, f.id")
    let tables = "_directory_paths d CROSS JOIN _entries e ON e.parent_id = d.id"
    let others = SQL("WHERE 1") + condition + SQL(" ORDER BY d.path, d.id, e.name")
    let bulk = columns.compactMap { EntryColumn(rawValue: $0.name).map { BulkColumn($0) } }
    if export.format == .parquet, bulk.count == columns.count {
      statements = [roots]
      entries = BulkEntries(bulk, from: tables, others)
    } else {
      let below = SQL("SELECT \(names) FROM \(tables) CROSS JOIN files f ON f.id = e.id ")
      statements = [roots, below + others]
      entries = nil
    }
    count = isWhole ? SQL("SELECT count(*) FROM _entries") : nil
  }

  /// Calls `body` with each row, whose values may be any.
  ///
  /// - Throws: ``SQLiteError/Code/corrupt`` where `body` has refused a value, or a row is in no directory.
  func readAll(_ body: (Row) throws -> Void) throws {
    var found: Int64 = 0
    for statement in statements {
      try db.forEach(statement) { row in
        found += 1
        try body(row)
      }
    }
    try require(found)
  }

  /// What numbers stand for, by the places of columns.
  var lookUps: [Int: ValuesByNumber] {
    get throws { try entries?.lookUps(in: db) ?? [:] }
  }

  /// Appends all rows to a file that has the columns.
  ///
  /// - Parameter step: called with how many there are so far.
  /// - Throws: ``SQLiteError/Code/corrupt`` as ``readAll(_:)``.
  func append(to file: inout ParquetRows, _ step: (Int64) throws -> Void) throws {
    var found: Int64 = 0
    for statement in statements {
      try db.forEach(statement) { row in
        try file.append(row)
        found += 1
        try step(found)
      }
    }
    found += try entries?.append(to: &file, in: db, step) ?? 0
    try require(found)
  }

  /// Refuses another number of rows than there must be.
  private func require(_ found: Int64) throws {
    guard let count, let expected = try db.first(count, { $0.integer(0) }), expected != found else {
      return
    }
    throw SQLiteError.corrupt("\(expected - found) entries are in no directory")
  }
}

extension Row {
  /// Whether the values are those that columns of these forms can have. Where they are not, the next step
  /// of the statement throws.
  func requireSound(_ forms: [ValueForm]) -> Bool {
    for (index, form) in zip(Int32(0)..., forms) {
      let isSound =
        switch (form.storageClass, storageClass(index)) {
        case (_, .null), (.any, _), (.real, .real), (.blob, .blob): true
        case (.integer, .integer): form != .truth || 0...1 ~= integer(index)
        case (.real, .integer): Double(exactly: integer(index)) != nil
        case (.text, .text):
          bytes(index).withMemoryRebound(to: UInt8.self) { UTF8Validity.isValid($0) }
        default: false
        }
      guard isSound else {
        refuse(index)
        return false
      }
    }
    return true
  }
}

extension SchemaView.Column {
  /// The name of the column whose exact bytes this one has, as `path_bytes` has those of `path`.
  var shownColumn: String? {
    form == .octets && name.hasSuffix("_bytes") ? String(name.dropLast("_bytes".count)) : nil
  }
}
