internal import CSQLite

/// A prepared statement.
///
/// ```swift
/// let insert = try db.prepare("INSERT INTO entries (id, name) VALUES (?, ?)")
/// insert.bind(17, at: 1)
/// insert.bindName(name, at: 2)
/// try insert.run()
/// ```
///
/// It belongs to its connection and is used where that is. Closing the connection finalises it;
/// then nothing can be bound any more, and running it throws ``SQLiteError/Code/closed``. SQLite
/// takes a missing statement for one without parameters and columns, so only running it has to look.
package final class Statement {
  /// `nil` when the connection has been closed.
  @exclusivity(unchecked)
  private(set) var handle: OpaquePointer?
  let connection: Connection
  /// Set where the connection keeps the statement for the next time.
  private let cachedText: String?
  /// The column in which the row that was stepped to is damaged; -1 for none.
  @exclusivity(unchecked)
  private var damagedColumn: Int32 = -1

  init(_ handle: OpaquePointer, on connection: Connection, cachedText: String? = nil) {
    self.handle = handle
    self.connection = connection
    self.cachedText = cachedText
    connection.adopt(self)
  }

  deinit {
    connection.disown(self)
    guard let handle else { return }
    guard let cachedText else {
      sqlite3_finalize(handle)
      return
    }
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
    connection.takeBack(handle, cachedText)
  }

  /// Ends the statement for good, as its connection closes.
  func finalize() {
    sqlite3_finalize(handle)
    handle = nil
  }

  // MARK: - Parameters, numbered from 1

  package func bind(_ value: Int64, at index: Int32) {
    sqlite3_bind_int64(handle, index, value)
  }

  package func bindNull(at index: Int32) {
    sqlite3_bind_null(handle, index)
  }

  package func bind(_ value: Int64?, at index: Int32) {
    if let value { bind(value, at: index) } else { bindNull(at: index) }
  }

  package func bindReal(_ value: Double, at index: Int32) {
    sqlite3_bind_double(handle, index, value)
  }

  package func bind(_ text: String, at index: Int32) {
    var text = text
    text.withUTF8 { bytes in
      _ = sqlite3_bind_text64(
        handle, index, bytes.chars, UInt64(bytes.count), csqlite_transient(),
        UInt8(SQLITE_UTF8))
    }
  }

  package func bind(_ text: String?, at index: Int32) {
    if let text { bind(text, at: index) } else { bindNull(at: index) }
  }

  package func bindBlob(_ bytes: [UInt8], at index: Int32) {
    bytes.withUnsafeBytes { bytes in
      _ = sqlite3_bind_blob64(
        handle, index, bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1), UInt64(bytes.count),
        csqlite_transient())
    }
  }

  /// Binds the bytes of a name or a path: as TEXT when they are UTF-8, else as a BLOB. They must live
  /// until the statement has run.
  package func bindName(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int32) {
    if UTF8Validity.isValid(bytes) {
      sqlite3_bind_text(handle, index, bytes.chars, Int32(truncatingIfNeeded: bytes.count), nil)
    } else {
      sqlite3_bind_blob(
        handle, index, bytes.baseAddress, Int32(truncatingIfNeeded: bytes.count), nil)
    }
  }

  /// Binds bytes to two parameters: as TEXT that shows them, and as they are where that is not the same.
  /// They must live until the statement has run.
  package func bindShown(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int32) {
    if UTF8Validity.isValid(bytes) {
      bindText(bytes, at: index)
      bindNull(at: index + 1)
    } else {
      bind(String(decoding: bytes, as: UTF8.self), at: index)
      bindBlob(bytes, at: index + 1)
    }
  }

  /// Binds bytes as TEXT, which are UTF-8. They must live until the statement has run.
  package func bindText(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int32) {
    sqlite3_bind_text(handle, index, bytes.chars, Int32(truncatingIfNeeded: bytes.count), nil)
  }

  /// Binds bytes as a BLOB. They must live until the statement has run.
  package func bindBlob(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int32) {
    sqlite3_bind_blob(
      handle, index, bytes.chars, Int32(truncatingIfNeeded: bytes.count), nil)
  }

  /// Hands an object to a function. SQLite keeps it alive as long as the parameter is bound.
  package func bind(object: any AnyObject & Sendable, at index: Int32) {
    let object = object as AnyObject
    sqlite3_bind_pointer(
      handle, index, Unmanaged.passRetained(object).toOpaque(), FunctionCall.pointerType
    ) { pointer in
      guard let pointer else { return }
      Unmanaged<AnyObject>.fromOpaque(pointer).release()
    }
  }

  package func bind(_ value: Binding, at index: Int32) {
    switch value {
    case .null: bindNull(at: index)
    case .integer(let value): bind(value, at: index)
    case .real(let value): bindReal(value, at: index)
    case .text(let value): bind(value, at: index)
    case .blob(let bytes): bindBlob(bytes, at: index)
    case .name(let bytes):
      if let text = String(validating: bytes, as: UTF8.self) {
        bind(text, at: index)
      } else {
        bindBlob(bytes, at: index)
      }
    case .object(let object): bind(object: object, at: index)
    }
  }

  /// Binds the first parameters.
  package func bind(_ values: [Binding]) {
    for (index, value) in zip(Int32(1)..., values) { bind(value, at: index) }
  }

  // MARK: - Running

  /// Runs a statement that returns no rows and makes it ready for the next time.
  package func run() throws(SQLiteError) {
    if connection.interrupter.isCancelled { throw cancelled }
    let code = sqlite3_step(handle)
    sqlite3_reset(handle)
    guard code == SQLITE_DONE || code == SQLITE_ROW else { throw error(code) }
  }

  /// Runs a statement with values for its parameters.
  package func run(_ values: [any Bindable]) throws(SQLiteError) {
    for (index, value) in zip(Int32(1)..., values) { bind(value.binding, at: index) }
    try run()
  }

  /// How many rows it has inserted, changed or deleted when it ran.
  package var changedRows: Int { connection.changedRows }

  /// Steps to the next row; `false` at the end.
  ///
  /// - Throws: ``SQLiteError/Code/corrupt`` when the row before held what its reader refused.
  package func step() throws(SQLiteError) -> Bool {
    if connection.interrupter.isCancelled { throw cancelled }
    try requireSoundRow()
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw error(code)
    }
  }

  /// Makes the statement begin anew with the next step. Its parameters stay bound.
  package func reset() {
    damagedColumn = -1
    sqlite3_reset(handle)
  }

  /// Notes that the row holds in a column what cannot be there.
  @inline(never)
  fileprivate func noteDamage(in column: Int32) {
    if damagedColumn < 0 { damagedColumn = column }
  }

  /// Tells of what the reader of the row has refused. The next step does so, too.
  package func requireSoundRow() throws(SQLiteError) {
    guard damagedColumn >= 0 else { return }
    let name = sqlite3_column_name(handle, damagedColumn).map { String(cString: $0) } ?? ""
    damagedColumn = -1
    throw SQLiteError(
      .corrupt, "a value of \(name) is none that can be there",
      sql: handle.flatMap { sqlite3_sql($0) }.map { String(cString: $0) })
  }

  private func error(_ code: Int32) -> SQLiteError {
    guard let handle else { return .closed() }
    return SQLiteError(connection.handle, code, sql: String(cString: sqlite3_sql(handle)))
  }

  private var cancelled: SQLiteError {
    handle == nil ? .closed() : SQLiteError(.interrupted, "interrupted")
  }

  // MARK: - What it is

  /// The row that was stepped to.
  package var row: Row { Row(self) }

  package var columnNames: [String] {
    (0..<sqlite3_column_count(handle)).map { index in
      sqlite3_column_name(handle, index).map { String(cString: $0) } ?? ""
    }
  }

  /// Whether the statement [changes nothing](https://www.sqlite.org/c3ref/stmt_readonly.html).
  package var isReadOnly: Bool { sqlite3_stmt_readonly(handle) != 0 }

  var parameterCount: Int { Int(sqlite3_bind_parameter_count(handle)) }
}

/// A row of a running statement, with columns numbered from 0. It is gone with the next step.
///
/// What is in a file may be anything. A value that cannot be where it is counts as the least that can, and
/// the next step throws: whoever reads rows need not look at each value, and nothing comes of a wrong
/// one. Where there is no next step, ``Statement/requireSoundRow()`` tells.
package struct Row {
  // Not retained: there is no row without its statement.
  private let owner: Unmanaged<Statement>
  private let statement: OpaquePointer?

  init(_ statement: Statement) {
    owner = .passUnretained(statement)
    self.statement = statement.handle
  }

  /// How a value is stored.
  package enum StorageClass: UInt8 {
    case null
    case integer
    case real
    case text
    case blob
  }

  package func storageClass(_ index: Int32) -> StorageClass {
    switch sqlite3_column_type(statement, index) {
    case SQLITE_NULL: .null
    case SQLITE_INTEGER: .integer
    case SQLITE_FLOAT: .real
    case SQLITE_TEXT: .text
    default: .blob
    }
  }

  /// A value as it is stored. TEXT and BLOBs are lent until the next step.
  enum StoredValue {
    case null
    case integer(Int64)
    case real(Double)
    case text(UnsafeRawBufferPointer)
    case blob(UnsafeRawBufferPointer)
  }

  /// Returns a value, asked for once.
  @inline(__always)
  func stored(_ index: Int32) -> StoredValue {
    // What belongs to a statement needs a lock before it is looked at, where several threads use the
    // connection. None of ours is (`SQLITE_OPEN_NOMUTEX`).
    let value = sqlite3_column_value(statement, index)
    switch sqlite3_value_type(value) {
    case SQLITE_NULL: return .null
    case SQLITE_INTEGER: return .integer(sqlite3_value_int64(value))
    case SQLITE_FLOAT: return .real(sqlite3_value_double(value))
    case let type:
      let start = sqlite3_value_blob(value)
      let bytes = UnsafeRawBufferPointer(
        start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
      return type == SQLITE_TEXT ? .text(bytes) : .blob(bytes)
    }
  }

  /// Says that a value cannot be where it is.
  package func refuse(_ index: Int32) {
    owner._withUnsafeGuaranteedRef { $0.noteDamage(in: index) }
  }

  /// An integer; 0 for NULL. Anything else is refused.
  package func integer(_ index: Int32) -> Int64 {
    switch sqlite3_column_type(statement, index) {
    case SQLITE_INTEGER: return sqlite3_column_int64(statement, index)
    case SQLITE_NULL: return 0
    default:
      refuse(index)
      return 0
    }
  }

  /// An integer; `nil` for NULL. Anything else is refused.
  package func optionalInteger(_ index: Int32) -> Int64? {
    isNull(index) ? nil : integer(index)
  }

  /// An integer in a range, whose least number stands for NULL. Anything else is refused.
  package func integer(_ index: Int32, in range: ClosedRange<Int64>) -> Int64 {
    if isNull(index) { return range.lowerBound }
    let value = integer(index)
    if range.contains(value) { return value }
    refuse(index)
    return range.lowerBound
  }

  /// A number of bytes or of things: 0 or more, and 0 for NULL. Anything else is refused.
  package func count(_ index: Int32) -> Int64 { integer(index, in: 0...Int64.max) }

  /// A number that a table has given a row: 1 or more, and so that others can follow. Anything else is
  /// refused.
  package func id(_ index: Int32) -> Int64 {
    let value = integer(index)
    if (1...Self.highestID).contains(value) { return value }
    refuse(index)
    return 1
  }

  /// More rows than this no table ever had.
  package static let highestID: Int64 = 1 << 62

  package func real(_ index: Int32) -> Double {
    sqlite3_column_double(statement, index)
  }

  package func isNull(_ index: Int32) -> Bool {
    sqlite3_column_type(statement, index) == SQLITE_NULL
  }

  /// The bytes of a TEXT or BLOB, which are lent until the next step.
  package func bytes(_ index: Int32) -> UnsafeRawBufferPointer {
    // SQLite asks for the pointer first: `sqlite3_column_bytes` is then about this very form.
    // There is none without memory for it either, as the next step then tells.
    guard let start = sqlite3_column_blob(statement, index) else {
      return UnsafeRawBufferPointer(start: nil, count: 0)
    }
    return UnsafeRawBufferPointer(
      start: start, count: Int(sqlite3_column_bytes(statement, index)))
  }

  /// How many bytes a TEXT or BLOB has, which need not be in memory so far; 0 for other values.
  func byteCount(_ index: Int32) -> Int {
    switch storageClass(index) {
    case .null, .integer, .real: 0
    case .text, .blob: Int(sqlite3_column_bytes(statement, index))
    }
  }

  package func text(_ index: Int32) -> String {
    String(decoding: bytes(index), as: UTF8.self)
  }

  package func optionalText(_ index: Int32) -> String? {
    isNull(index) ? nil : text(index)
  }
}

extension Connection {
  // MARK: - Rows

  /// Calls `body` with each row.
  package func forEach(_ sql: SQL, _ body: (Row) throws -> Void) throws {
    try forEach(of: prepare(sql.text), sql.parameters, body)
  }

  /// Calls `body` with each row of a statement that is kept: its text must be one of few.
  package func forEach(cached sql: SQL, _ body: (Row) throws -> Void) throws {
    try forEach(of: cached(sql.text), sql.parameters, body)
  }

  private func forEach(
    of statement: Statement, _ parameters: [Binding], _ body: (Row) throws -> Void
  ) throws {
    statement.bind(parameters)
    defer { statement.reset() }
    while try statement.step() { try body(statement.row) }
  }

  /// Calls `body` with the rows of a statement for each of some ids, one id after the other. The
  /// statement is kept, so its text must be one of few.
  package func forEach(cached sql: String, _ ids: [Int64], _ body: (Row) throws -> Void) throws {
    try forEach(of: cached(sql), ids, body)
  }

  /// Calls `body` with the rows of a statement for each of some ids, one id after the other.
  package func forEach(_ sql: String, _ ids: [Int64], _ body: (Row) throws -> Void) throws {
    try forEach(of: prepare(sql), ids, body)
  }

  private func forEach(
    of statement: Statement, _ ids: [Int64], _ body: (Row) throws -> Void
  ) throws {
    defer { statement.reset() }
    for id in ids {
      statement.bind(id, at: 1)
      while try statement.step() { try body(statement.row) }
      statement.reset()
    }
  }

  /// Calls `body` with the rows of a statement for each of some ranges of ids, one after the other.
  package func forEach(
    _ sql: String, in ranges: [ClosedRange<Int64>], _ body: (Row) throws -> Void
  ) throws {
    let statement = try prepare(sql)
    defer { statement.reset() }
    for range in ranges {
      statement.bind(range.lowerBound, at: 1)
      statement.bind(range.upperBound, at: 2)
      while try statement.step() { try body(statement.row) }
      statement.reset()
    }
  }

  /// What `body` makes of the first row; `nil` without rows.
  package func first<Result>(_ sql: SQL, _ body: (Row) throws -> Result) throws -> Result? {
    try first(of: prepare(sql.text), sql.parameters, body)
  }

  /// What `body` makes of the first row of a statement that is kept: its text must be one of few.
  package func first<Result>(
    cached sql: SQL, _ body: (Row) throws -> Result
  ) throws -> Result? {
    try first(of: cached(sql.text), sql.parameters, body)
  }

  private func first<Result>(
    of statement: Statement, _ parameters: [Binding], _ body: (Row) throws -> Result
  ) throws -> Result? {
    statement.bind(parameters)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    let result = try body(statement.row)
    try statement.requireSoundRow()
    return result
  }

  /// The integer in the first column of the first row; `nil` where there is none.
  package func integer(
    _ sql: String, _ values: [any Bindable] = []
  ) throws(SQLiteError) -> Int64? {
    let statement = try prepare(sql)
    statement.bind(values.map(\.binding))
    guard try statement.step() else { return nil }
    let value = statement.row.optionalInteger(0)
    try statement.requireSoundRow()
    return value
  }

  /// Runs SQL, which may be several statements. Each takes as many of the values as it has
  /// parameters, from the first on.
  package func execute(_ sql: String, _ values: [any Bindable] = []) throws(SQLiteError) {
    let bindings = values.map(\.binding)
    try forEachStatement(of: sql) { statement throws(SQLiteError) in
      for (index, value) in zip(1...Int32(max(1, statement.parameterCount)), bindings) {
        statement.bind(value, at: index)
      }
      while try statement.step() {}
    }
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// The bytes for C. Never null, which SQLite would take for NULL.
  fileprivate var chars: UnsafePointer<CChar> {
    (baseAddress.map { UnsafeRawPointer($0) } ?? UnsafeRawPointer(bitPattern: 1).unsafelyUnwrapped)
      .assumingMemoryBound(to: CChar.self)
  }
}
