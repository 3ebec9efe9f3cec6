internal import SQLite
internal import SystemPackage

extension Catalog {
  /// Runs one SQL statement that reads, over the views of the catalog.
  ///
  /// Whatever the statement says, nothing is changed and no other file is touched. Blocks the
  /// calling thread. Cancelling the task that calls it ends the statement.
  ///
  /// The time and the cancellation are asked for between the steps of the statement. They cannot end one
  /// call of an SQL function, which may take long with long values, and before SQLite 3.41 not the
  /// preparing of the statement, which takes very long for one that was written to do so. A program that
  /// runs the SQL of strangers does that in a process of its own, which it can end, and limits the memory
  /// there with ``limitMemoryOfSQLite(to:)``. The command `filecat sql` is one.
  ///
  /// - Parameters:
  ///   - timeout: seconds after which the statement is interrupted.
  ///   - maximumRows: rows after which reading stops.
  ///   - maximumRowBytes: how many bytes the text and the blobs of a row may have together, by default
  ///     4 MB. A value on the way to one may have four times as many, and 1 MB in any case.
  ///   - begin: gets the names of the columns, once.
  ///   - row: gets each row.
  /// - Returns: whether rows were left out because of `maximumRows`.
  /// - Throws: ``/CatalogStore/CatalogError`` with ``/CatalogStore/CatalogError/Code/invalidSQL``,
  ///   ``/CatalogStore/CatalogError/Code/notReadOnlySQL``, ``/CatalogStore/CatalogError/Code/timedOut``,
  ///   ``/CatalogStore/CatalogError/Code/rowTooLong``, ``/CatalogStore/CatalogError/Code/outOfMemory``
  ///   or ``/CatalogStore/CatalogError/Code/interrupted``.
  public func runSQL(
    _ sql: String, timeout: Double? = nil, maximumRows: Int? = nil,
    maximumRowBytes: Int = 4 << 20, begin: ([String]) throws -> Void,
    row: ([ColumnValue]) throws -> Void
  ) throws -> Bool {
    // A catalog that nobody has used so far is made now.
    try translatingErrors { try store.prepareForReading() }
    var width: Int32 = 0
    do {
      let runner = try OpeningToRead(path).open(usually: .readOnly) {
        try UntrustedSQL(
          path: path, $0, timeLimit: timeout.map { .seconds($0) },
          rowByteLimit: maximumRowBytes)
      }
      let end = try runner.run(sql, limit: maximumRows) { names in
        width = Int32(names.count)
        try begin(names)
      } row: { found in
        try row((0..<width).map { found.value($0) })
      }
      return end == .rowLimit
    } catch let refusal as UntrustedSQL.Refusal {
      throw CatalogError(refusal, timeout: timeout)
    } catch let error as SQLiteError {
      throw CatalogError(error, path: path)
    } catch is CancellationError {
      throw CatalogError(CancellationError(), path: path)
    }
  }

  /// Limits the memory that SQLite takes in this process, whoever uses it: all catalogs, and all other
  /// databases that the program or its libraries have open. What needs more fails, with
  /// ``/CatalogStore/CatalogError/Code/outOfMemory`` where it is ours.
  ///
  /// SQLite knows no limit for one statement, and no part of this library sets this one. To be called
  /// before the first catalog is opened: some systems' SQLite does not count its memory otherwise.
  public static func limitMemoryOfSQLite(to byteCount: Int) {
    Memory.limit(to: byteCount)
  }
}

extension CatalogError {
  fileprivate init(_ refusal: UntrustedSQL.Refusal, timeout: Double?) {
    switch refusal {
    case .empty:
      self.init(.invalidSQL, "there is no SQL statement; try: SELECT * FROM files")
    case .severalStatements:
      self.init(.invalidSQL, "one SQL statement at a time, nothing after the `;`")
    case .notReading(let name):
      self.init(
        .notReadOnlySQL,
        "only reading is allowed here\(name.map { ", not \($0)" } ?? "")")
    case .timeLimit:
      self.init(timedOutAfter: timeout ?? 0)
    case .memoryLimit:
      self.init(
        .outOfMemory,
        "the statement needs more memory than SQLite gets"
          + (Memory.limit.map { ": \($0) bytes" } ?? ""))
    case .longValue(let row, let limit):
      self.init(.rowTooLong, "row \(row): a value has more than \(limit) bytes")
    case .longRow(let long):
      self.init(
        .rowTooLong,
        "row \(long.row) has \(long.bytes) bytes, \(long.columnBytes) of them in the column "
          + "“\(long.column)”; allowed are \(long.limit)")
    case .invalid(let error):
      self.init(.invalidSQL, offset: error.offset, "SQL: \(error.message)")
    }
  }

  /// A statement took longer than so many seconds.
  package init(timedOutAfter seconds: Double) {
    let isWhole = seconds == seconds.rounded() && abs(seconds) < 1e9
    self.init(
      .timedOut,
      "the statement took longer than \(isWhole ? "\(Int(seconds))" : "\(seconds)") s")
  }
}
