internal import SQLite
internal import SystemPackage

extension Catalog {
  /// Runs one SQL statement that reads, over the views of the catalog.
  ///
  /// Whatever the statement says, nothing is changed and no other file is touched. Blocks the
  /// calling thread.
  ///
  /// - Parameters:
  ///   - timeout: seconds after which the statement is interrupted.
  ///   - maximumRows: rows after which reading stops.
  ///   - begin: gets the names of the columns, once.
  ///   - row: gets each row.
  /// - Returns: whether rows were left out because of `maximumRows`.
  /// - Throws: ``/CatalogStore/CatalogError`` with ``/CatalogStore/CatalogError/Code/invalidSQL``,
  ///   ``/CatalogStore/CatalogError/Code/notReadOnlySQL`` or ``/CatalogStore/CatalogError/Code/timedOut``.
  public func runSQL(
    _ sql: String, timeout: Double? = nil, maximumRows: Int? = nil,
    begin: ([String]) throws -> Void, row: ([ColumnValue]) throws -> Void
  ) throws -> Bool {
    // A catalog that nobody has used so far is made now.
    try translatingErrors { try store.prepareForReading() }
    var width: Int32 = 0
    do {
      let runner = try UntrustedSQL(
        path: path.string, CatalogStore.modeForReading(path),
        timeLimit: timeout.map { .seconds($0) })
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
    }
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
      let limit = timeout.map { seconds in
        seconds == seconds.rounded() && abs(seconds) < 1e9
          ? "\(Int(seconds)) s" : "\(seconds) s"
      }
      self.init(
        .timedOut,
        "the statement took longer than \(limit ?? "allowed")")
    case .invalid(let error):
      self.init(.invalidSQL, "SQL: \(error.message)\(Self.place(of: error))")
    }
  }

  /// Two more lines that show where SQLite stumbled, where it can tell.
  private static func place(of error: SQLiteError) -> String {
    guard let sql = error.sql, let offset = error.offset, offset <= sql.utf8.count else {
      return ""
    }
    let before = String(decoding: Array(sql.utf8.prefix(offset)), as: UTF8.self)
    let line = before.split(separator: "\n", omittingEmptySubsequences: false).last ?? ""
    let end = sql.utf8.dropFirst(offset).prefix { $0 != UInt8(ascii: "\n") }
    let rest = String(decoding: Array(end), as: UTF8.self)
    return "\n  \(line)\(rest)\n  \(String(repeating: " ", count: line.count))^"
  }
}
