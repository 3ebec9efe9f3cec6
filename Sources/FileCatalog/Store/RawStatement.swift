internal import FileSystem
internal import GRDB
internal import GRDBSQLite

/// A prepared statement on SQLite's own interface, for the bulk writer and the bulk reader.
///
/// GRDB's statements cost twice as much a row and hand names out as `String`, which would lose
/// bytes that are not UTF-8.
final class RawStatement {
  let handle: OpaquePointer
  /// The statement that the handle is borrowed from; `nil` where it is this one's own.
  private let lender: Statement?

  init(_ sql: String, on connection: OpaquePointer) throws(SQLiteFailure) {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(
      connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement else { throw SQLiteFailure(connection, code) }
    handle = statement
    lender = nil
  }

  /// A statement that the connection keeps for the next time. For text that is always the same, as
  /// the connection never forgets it.
  convenience init(keeping sql: String, on db: Database) throws {
    let kept = try db.cachedStatement(sql: sql)
    // One that is running already is not to begin again.
    if sqlite3_stmt_busy(kept.sqliteStatement) != 0 {
      try self.init(sql, on: sqlite3_db_handle(kept.sqliteStatement))
    } else {
      self.init(borrowing: kept)
    }
  }

  private init(borrowing statement: Statement) {
    handle = statement.sqliteStatement
    lender = statement
  }

  deinit {
    guard lender != nil else {
      sqlite3_finalize(handle)
      return
    }
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
  }

  // MARK: Parameters, numbered from 1

  @inline(__always)
  func bind(_ value: Int64, at index: Int32) {
    sqlite3_bind_int64(handle, index, value)
  }

  @inline(__always)
  func bindNull(at index: Int32) {
    sqlite3_bind_null(handle, index)
  }

  @inline(__always)
  func bind(_ value: Int64?, at index: Int32) {
    if let value { bind(value, at: index) } else { bindNull(at: index) }
  }

  /// Binds nanoseconds, NULL for a time that is not known.
  @inline(__always)
  func bindTime(_ time: Int64, at index: Int32) {
    if time == FileStatus.unknownTime { bindNull(at: index) } else { bind(time, at: index) }
  }

  /// Binds bytes as TEXT when they are UTF-8, else as a BLOB. They must live until the next step.
  @inline(__always)
  func bindName(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int32) {
    let start = UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self)
    guard let start else {
      sqlite3_bind_text(handle, index, "", 0, nil)
      return
    }
    if UTF8Validity.isValid(bytes) {
      sqlite3_bind_text(handle, index, start, Int32(truncatingIfNeeded: bytes.count), nil)
    } else {
      sqlite3_bind_blob(handle, index, start, Int32(truncatingIfNeeded: bytes.count), nil)
    }
  }

  func bind(_ text: String, at index: Int32) {
    var text = text
    text.withUTF8 { bytes in
      _ = sqlite3_bind_text(
        handle, index,
        UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self),
        Int32(truncatingIfNeeded: bytes.count), RawStatement.transient)
    }
  }

  func bind(_ value: ResourceValue, at index: Int32) {
    switch value {
    case .integer(let value): bind(value, at: index)
    case .real(let value): sqlite3_bind_double(handle, index, value)
    case .text(let value): bind(value, at: index)
    case .bytes(let value):
      value.withUnsafeBytes { bytes in
        _ = sqlite3_bind_blob(
          handle, index, bytes.baseAddress, Int32(truncatingIfNeeded: bytes.count),
          RawStatement.transient)
      }
    }
  }

  /// Hands an object to an SQL function; SQLite keeps it alive as long as the parameter is bound.
  func bind(object: AnyObject, at index: Int32) {
    sqlite3_bind_pointer(
      handle, index, Unmanaged.passRetained(object).toOpaque(), SQLFunctions.pointerType
    ) { pointer in
      guard let pointer else { return }
      Unmanaged<AnyObject>.fromOpaque(pointer).release()
    }
  }

  /// `SQLITE_TRANSIENT`: SQLite makes its own copy. The macro is a cast that Swift cannot import.
  static var transient: sqlite3_destructor_type {
    unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  }

  // MARK: Running

  /// Runs a statement that returns no rows and makes it ready for the next one.
  @inline(__always)
  func run() throws(SQLiteFailure) {
    let code = sqlite3_step(handle)
    sqlite3_reset(handle)
    guard code == SQLITE_DONE else { throw SQLiteFailure(sqlite3_db_handle(handle), code) }
  }

  /// How many rows the last statement on the connection has changed.
  var changedRows: Int { Int(sqlite3_changes(sqlite3_db_handle(handle))) }

  /// Steps to the next row; `false` at the end.
  @inline(__always)
  func step() throws(SQLiteFailure) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw SQLiteFailure(sqlite3_db_handle(handle), code)
    }
  }

  func reset() {
    sqlite3_reset(handle)
  }

  // MARK: Columns, numbered from 0

  @inline(__always)
  func integer(at index: Int32) -> Int64 {
    sqlite3_column_int64(handle, index)
  }

  @inline(__always)
  func isNull(at index: Int32) -> Bool {
    sqlite3_column_type(handle, index) == SQLITE_NULL
  }

  /// The bytes of a TEXT or BLOB; valid until the next step.
  @inline(__always)
  func bytes(at index: Int32) -> UnsafeRawBufferPointer {
    // SQLite asks for the pointer first: `sqlite3_column_bytes` is then about this very form.
    let start = sqlite3_column_blob(handle, index)
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, index)))
  }
}

/// What SQLite reported.
struct SQLiteFailure: Error {
  /// The extended result code.
  let code: Int32
  let message: String

  init(_ connection: OpaquePointer?, _ code: Int32) {
    self.code = connection.map { sqlite3_extended_errcode($0) } ?? code
    message = connection.map { String(cString: sqlite3_errmsg($0)) } ?? "error \(code)"
  }

  var primaryCode: Int32 { code & 0xff }
}

enum UTF8Validity {
  /// Whether the bytes are well-formed UTF-8. Names are nearly always ASCII: eight bytes at a time.
  @inline(__always)
  static func isValid(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let raw = UnsafeRawBufferPointer(bytes)
    var i = 0
    while i + 8 <= raw.count {
      if raw.loadUnaligned(fromByteOffset: i, as: UInt64.self) & 0x8080_8080_8080_8080 != 0 {
        return isValidBeyondASCII(bytes)
      }
      i += 8
    }
    while i < raw.count {
      if raw[i] >= 0x80 { return isValidBeyondASCII(bytes) }
      i += 1
    }
    return true
  }

  @inline(never)
  private static func isValidBeyondASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    String(validating: bytes, as: UTF8.self) != nil
  }
}
