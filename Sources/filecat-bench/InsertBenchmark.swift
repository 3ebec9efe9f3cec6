import Foundation
import GRDBSQLite

/// Seconds that SQLite takes to insert the rows of a catalog's largest table into an empty database,
/// with prepared statements in one transaction and the one index at the end: what loading through
/// SQL cannot beat.
@Sendable func measureInsert(_ catalog: String) async throws {
  let copy = catalog + "-insert-benchmark"
  defer {
    for ending in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: copy + ending)
    }
  }
  let source = try connect(catalog)
  defer { sqlite3_close(source) }
  let rows = try Rows(of: source)
  let time = try Duration.best(of: 3) {
    try? FileManager.default.removeItem(atPath: copy)
    let target = try connect(copy)
    defer { sqlite3_close(target) }
    try execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL", target)
    try execute(rows.definition, target)
    try execute("BEGIN", target)
    try rows.insert(into: target)
    try execute("CREATE UNIQUE INDEX i ON entries(parent_id, name)", target)
    try execute("COMMIT", target)
  }
  print("insert: \(milliseconds(time)) s for \(grouped(rows.count)) rows through SQL")
}

/// The rows of the table `entries`, in memory.
private struct Rows {
  private enum Value {
    case null
    case integer(Int64)
    case bytes([UInt8])
  }

  let definition: String
  private let width: Int32
  private var values: [Value] = []

  init(of connection: OpaquePointer) throws {
    let schema = try prepare(
      "SELECT sql FROM sqlite_master WHERE name = 'entries' AND type = 'table'", connection)
    defer { sqlite3_finalize(schema) }
    guard sqlite3_step(schema) == SQLITE_ROW, let text = sqlite3_column_text(schema, 0) else {
      throw BenchmarkError("this is no catalog")
    }
    definition = String(cString: text)
    let select = try prepare("SELECT * FROM entries ORDER BY id", connection)
    defer { sqlite3_finalize(select) }
    width = sqlite3_column_count(select)
    while sqlite3_step(select) == SQLITE_ROW {
      for column in 0..<width {
        switch sqlite3_column_type(select, column) {
        case SQLITE_NULL: values.append(.null)
        case SQLITE_INTEGER: values.append(.integer(sqlite3_column_int64(select, column)))
        default:
          let start = sqlite3_column_blob(select, column)
          let count = Int(sqlite3_column_bytes(select, column))
          values.append(.bytes(Array(UnsafeRawBufferPointer(start: start, count: count))))
        }
      }
    }
  }

  var count: Int { values.count / Int(width) }

  func insert(into connection: OpaquePointer) throws {
    let marks = Array(repeating: "?", count: Int(width)).joined(separator: ", ")
    let statement = try prepare("INSERT INTO entries VALUES (\(marks))", connection)
    defer { sqlite3_finalize(statement) }
    var column: Int32 = 0
    for value in values {
      column += 1
      switch value {
      case .null: sqlite3_bind_null(statement, column)
      case .integer(let number): sqlite3_bind_int64(statement, column, number)
      case .bytes(let bytes):
        bytes.withUnsafeBytes { bytes in
          _ = sqlite3_bind_text(
            statement, column, bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
            Int32(bytes.count), nil)
        }
      }
      guard column == width else { continue }
      column = 0
      guard sqlite3_step(statement) == SQLITE_DONE else {
        throw BenchmarkError(String(cString: sqlite3_errmsg(connection)))
      }
      sqlite3_reset(statement)
    }
  }
}

private func connect(_ path: String) throws -> OpaquePointer {
  var connection: OpaquePointer?
  guard sqlite3_open(path, &connection) == SQLITE_OK, let connection else {
    throw BenchmarkError("\(path) cannot be opened")
  }
  return connection
}

private func prepare(_ sql: String, _ connection: OpaquePointer) throws -> OpaquePointer {
  var statement: OpaquePointer?
  guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
    throw BenchmarkError(String(cString: sqlite3_errmsg(connection)))
  }
  return statement
}

private func execute(_ sql: String, _ connection: OpaquePointer) throws {
  guard sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK else {
    throw BenchmarkError(String(cString: sqlite3_errmsg(connection)))
  }
}
