internal import GRDBSQLite

extension RawStatement {
  /// A column as it is stored.
  func value(at index: Int32) -> ColumnValue {
    switch sqlite3_column_type(handle, index) {
    case SQLITE_NULL: .null
    case SQLITE_INTEGER: .integer(integer(at: index))
    case SQLITE_FLOAT: .real(sqlite3_column_double(handle, index))
    default: .text(Array(bytes(at: index)))
    }
  }

  /// The names of the columns.
  var columnNames: [String] {
    (0..<sqlite3_column_count(handle)).map { index in
      sqlite3_column_name(handle, index).map { String(cString: $0) } ?? ""
    }
  }

  /// Whether the statement changes nothing (sqlite.org/c3ref/stmt_readonly.html).
  var isReadOnly: Bool { sqlite3_stmt_readonly(handle) != 0 }

  /// Whether the text that the statement was made from holds nothing but this statement.
  func hasNothingAfterIt(in sql: String) -> Bool {
    let own = sqlite3_sql(handle).map { String(cString: $0) } ?? ""
    let rest = sql.utf8.dropFirst(own.utf8.count)
    return rest.allSatisfy { " \n\r\t;".utf8.contains($0) }
  }
}
