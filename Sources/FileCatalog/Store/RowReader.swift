internal import FileSystem
internal import GRDB
internal import SystemPackage

/// Reads rows on SQLite's own interface: names come out as the bytes they are, and a row costs half
/// of what it costs through a row type.
struct RowReader {
  private let db: Database
  private let connection: OpaquePointer

  init(_ db: Database) throws {
    guard let connection = db.sqliteConnection else { throw CancellationError() }
    self.db = db
    self.connection = connection
  }

  /// Calls `body` with each row of a statement.
  func forEach(_ fragment: SQLFragment, _ body: (RawRow) throws -> Void) throws {
    try forEach(of: RawStatement(fragment.sql, on: connection), fragment.parameters, body)
  }

  /// Calls `body` with each row of a statement that is kept: its text must be one of few.
  func forEach(keeping fragment: SQLFragment, _ body: (RawRow) throws -> Void) throws {
    try forEach(of: RawStatement(keeping: fragment.sql, on: db), fragment.parameters, body)
  }

  private func forEach(
    of statement: RawStatement, _ parameters: [SQLFragment.Parameter],
    _ body: (RawRow) throws -> Void
  ) throws {
    statement.bind(parameters)
    while try statement.step() {
      try body(RawRow(statement: statement))
    }
  }

  /// Calls `body` with the rows of a statement for each of some ids, one id after the other. The
  /// statement is kept, so its text must be one of few.
  func forEach(_ sql: String, _ ids: [Int64], _ body: (RawRow) throws -> Void) throws {
    let statement = try RawStatement(keeping: sql, on: db)
    for id in ids {
      statement.bind(id, at: 1)
      while try statement.step() { try body(RawRow(statement: statement)) }
      statement.reset()
    }
  }

  /// Calls `body` with the rows of a statement for each of some ranges of ids, one after the other.
  func forEach(
    _ sql: String, in ranges: [ClosedRange<Int64>], _ body: (RawRow) throws -> Void
  ) throws {
    let statement = try RawStatement(sql, on: connection)
    for range in ranges {
      statement.bind(range.lowerBound, at: 1)
      statement.bind(range.upperBound, at: 2)
      while try statement.step() { try body(RawRow(statement: statement)) }
      statement.reset()
    }
  }

  /// The first row's result, or `nil` without rows.
  func first<Result>(_ fragment: SQLFragment, _ body: (RawRow) throws -> Result) throws -> Result? {
    try first(of: RawStatement(fragment.sql, on: connection), fragment.parameters, body)
  }

  /// The first row's result of a statement that is kept: its text must be one of few.
  func first<Result>(
    keeping fragment: SQLFragment, _ body: (RawRow) throws -> Result
  ) throws -> Result? {
    try first(of: RawStatement(keeping: fragment.sql, on: db), fragment.parameters, body)
  }

  private func first<Result>(
    of statement: RawStatement, _ parameters: [SQLFragment.Parameter],
    _ body: (RawRow) throws -> Result
  ) throws -> Result? {
    statement.bind(parameters)
    return try statement.step() ? try body(RawRow(statement: statement)) : nil
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
