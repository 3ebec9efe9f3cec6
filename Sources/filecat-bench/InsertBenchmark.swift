import SQLite
import SystemPackage

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Seconds that SQLite takes to insert the rows of a catalog's largest table into an empty database,
/// with prepared statements in one transaction and the one index at the end: what loading through
/// SQL cannot beat.
@Sendable func measureInsert(_ catalog: String) async throws {
  let copy = catalog + "-insert-benchmark"
  defer { for ending in ["", "-wal", "-shm"] { unlink(copy + ending) } }
  let rows = try Rows(of: Connection(path: FilePath(catalog), .readOnly))
  let time = try Duration.best(of: 3) {
    unlink(copy)
    let target = try Connection(path: FilePath(copy), .create)
    try target.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
    try target.execute(rows.definition)
    try target.transaction(.deferred) {
      try rows.insert(into: target)
      try target.execute("CREATE UNIQUE INDEX i ON _entries(parent_id, name)")
    }
    try target.close()
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

  init(of db: Connection) throws {
    let schema = SQL("SELECT sql FROM sqlite_master WHERE name = '_entries' AND type = 'table'")
    guard let text = try db.first(schema, { $0.text(0) }) else {
      throw BenchmarkError("this is no catalog")
    }
    definition = text
    let select = try db.prepare("SELECT * FROM _entries ORDER BY id")
    width = Int32(select.columnNames.count)
    while try select.step() {
      let row = select.row
      for column in 0..<width {
        switch row.storageClass(column) {
        case .null: values.append(.null)
        case .integer: values.append(.integer(row.integer(column)))
        case .real, .text, .blob: values.append(.bytes(Array(row.bytes(column))))
        }
      }
    }
  }

  var count: Int { values.count / Int(width) }

  func insert(into db: Connection) throws {
    let marks = Array(repeating: "?", count: Int(width)).joined(separator: ", ")
    let statement = try db.prepare("INSERT INTO _entries VALUES (\(marks))")
    var column: Int32 = 0
    for value in values {
      column += 1
      switch value {
      case .null: statement.bindNull(at: column)
      case .integer(let number): statement.bind(number, at: column)
      case .bytes(let bytes):
        // The bytes live in the array for as long as the statement needs them.
        bytes.withUnsafeBufferPointer { statement.bindName($0, at: column) }
      }
      guard column == width else { continue }
      column = 0
      try statement.run()
    }
  }
}
