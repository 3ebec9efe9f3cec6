internal import FileSystem
internal import GRDB
internal import SystemPackage

/// Reads rows on SQLite's own interface: names come out as the bytes they are, and a row costs half
/// of what it costs through a row type.
struct RowReader {
  private let connection: OpaquePointer
  private let prepared = PreparedStatements()

  init(_ db: Database) throws {
    guard let connection = db.sqliteConnection else { throw CancellationError() }
    self.connection = connection
  }

  /// Calls `body` with each row of a statement.
  func forEach(_ fragment: SQLFragment, _ body: (RawRow) throws -> Void) throws {
    let statement = try prepared.take(fragment.sql, on: connection)
    statement.bind(fragment.parameters)
    while try statement.step() {
      try body(RawRow(statement: statement))
    }
    prepared.giveBack(statement, fragment.sql)
  }

  /// Calls `body` with the rows of a statement for each of some ids, one id after the other.
  func forEach(_ sql: String, _ ids: [Int64], _ body: (RawRow) throws -> Void) throws {
    let statement = try RawStatement(sql, on: connection)
    for id in ids {
      statement.bind(id, at: 1)
      while try statement.step() { try body(RawRow(statement: statement)) }
      statement.reset()
    }
  }

  /// The first row's result, or `nil` without rows.
  func first<Result>(_ fragment: SQLFragment, _ body: (RawRow) throws -> Result) throws -> Result? {
    let statement = try prepared.take(fragment.sql, on: connection)
    statement.bind(fragment.parameters)
    let result = try statement.step() ? try body(RawRow(statement: statement)) : nil
    prepared.giveBack(statement, fragment.sql)
    return result
  }
}

/// The statements of a reader that are not running: preparing one costs more than a few rows. A
/// statement that failed is not among them.
private final class PreparedStatements {
  private var idle: [String: RawStatement] = [:]

  func take(_ sql: String, on connection: OpaquePointer) throws -> RawStatement {
    try idle.removeValue(forKey: sql) ?? RawStatement(sql, on: connection)
  }

  func giveBack(_ statement: RawStatement, _ sql: String) {
    statement.reset()
    idle[sql] = statement
  }
}

/// A row of a running statement. It is gone with the next step.
struct RawRow {
  let statement: RawStatement

  func integer(_ index: Int32) -> Int64 { statement.integer(at: index) }

  func optionalInteger(_ index: Int32) -> Int64? {
    statement.isNull(at: index) ? nil : statement.integer(at: index)
  }

  func bytes(_ index: Int32) -> UnsafeRawBufferPointer { statement.bytes(at: index) }

  func text(_ index: Int32) -> String { String(decoding: bytes(index), as: UTF8.self) }

  func optionalText(_ index: Int32) -> String? {
    statement.isNull(at: index) ? nil : text(index)
  }

  func path(_ index: Int32) -> FilePath { FilePath(bytes: bytes(index)) }

  func value(_ index: Int32) -> ColumnValue { statement.value(at: index) }
}
