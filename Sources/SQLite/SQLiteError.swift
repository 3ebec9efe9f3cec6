internal import CSQLite

/// What SQLite reported.
package struct SQLiteError: Error, Sendable, CustomStringConvertible {
  /// What went wrong: a [primary result code](https://www.sqlite.org/rescode.html), or ``closed``.
  package struct Code: RawRepresentable, Sendable, Hashable {
    package let rawValue: Int32

    package init(rawValue: Int32) {
      self.rawValue = rawValue
    }

    package static let error = Code(rawValue: SQLITE_ERROR)
    package static let noPermission = Code(rawValue: SQLITE_PERM)
    package static let aborted = Code(rawValue: SQLITE_ABORT)
    package static let busy = Code(rawValue: SQLITE_BUSY)
    package static let locked = Code(rawValue: SQLITE_LOCKED)
    package static let outOfMemory = Code(rawValue: SQLITE_NOMEM)
    package static let readOnly = Code(rawValue: SQLITE_READONLY)
    package static let interrupted = Code(rawValue: SQLITE_INTERRUPT)
    package static let inputOutput = Code(rawValue: SQLITE_IOERR)
    package static let corrupt = Code(rawValue: SQLITE_CORRUPT)
    package static let full = Code(rawValue: SQLITE_FULL)
    package static let cannotOpen = Code(rawValue: SQLITE_CANTOPEN)
    package static let lockingProtocol = Code(rawValue: SQLITE_PROTOCOL)
    package static let tooBig = Code(rawValue: SQLITE_TOOBIG)
    package static let constraint = Code(rawValue: SQLITE_CONSTRAINT)
    package static let mismatch = Code(rawValue: SQLITE_MISMATCH)
    package static let misuse = Code(rawValue: SQLITE_MISUSE)
    package static let notAuthorized = Code(rawValue: SQLITE_AUTH)
    package static let notADatabase = Code(rawValue: SQLITE_NOTADB)
    /// The connection had been closed. Not one of SQLite's.
    package static let closed = Code(rawValue: -1)
  }

  package let code: Code
  /// The [extended result code](https://www.sqlite.org/rescode.html#extrc), which says more.
  package let extendedCode: Int32
  /// The words of SQLite.
  package let message: String
  /// The statement, if there was one.
  package let sql: String?
  /// Where in the statement SQLite stumbled, in bytes, where it can tell.
  package let offset: Int?
  /// The error of the system behind it; 0 where there is none.
  package let systemError: Int32
  /// The table, index or trigger that is wrong, where whoever read the schema found one.
  package let object: SchemaObject?

  init(_ code: Code, _ message: String, sql: String? = nil, object: SchemaObject? = nil) {
    self.object = object
    self.code = code
    extendedCode = code.rawValue
    self.message = message
    self.sql = sql
    offset = nil
    systemError = 0
  }

  /// The last error of a connection, which a call has just answered with `code`.
  init(_ connection: OpaquePointer?, _ code: Int32, sql: String? = nil) {
    object = nil
    extendedCode = code
    self.code = Code(rawValue: code & 0xff)
    self.sql = sql
    guard let connection else {
      message = String(cString: sqlite3_errstr(code))
      offset = nil
      systemError = 0
      return
    }
    let isLast = sqlite3_errcode(connection) & 0xff == code & 0xff
    message = String(cString: isLast ? sqlite3_errmsg(connection) : sqlite3_errstr(code))
    let place = sqlite3_error_offset(connection)
    offset = isLast && place >= 0 ? Int(place) : nil
    systemError = sqlite3_system_errno(connection)
  }

  /// What is in the file cannot be there, as whoever read it found out.
  package static func corrupt(_ message: String, _ object: SchemaObject? = nil) -> SQLiteError {
    SQLiteError(.corrupt, message, object: object)
  }

  /// Whether the index of a write-ahead log could not be made, for which a disk may have no room.
  package var isAboutLogIndex: Bool {
    // `SQLITE_IOERR_SHMOPEN`, `_SHMSIZE` and `_SHMMAP`, macros that Swift does not import.
    code == .inputOutput && [18, 19, 21].contains(extendedCode >> 8)
  }

  package static func closed(sql: String? = nil) -> SQLiteError {
    SQLiteError(.closed, "the connection is closed", sql: sql)
  }

  package var description: String {
    "SQLite \(extendedCode): \(message)" + (sql.map { ", in: \($0)" } ?? "")
  }
}

/// What stands in the schema of a file.
package struct SchemaObject: Sendable, Hashable {
  /// What is wrong with it.
  package enum Fault: Sendable, Hashable {
    /// It does not belong there.
    case foreign
    /// It is missing, or not as it has to be.
    case unfit
  }

  /// What SQLite calls it: `table`, `index` or `trigger`.
  package let kind: String
  package let name: String
  package let fault: Fault

  package init(_ kind: String, _ name: String, _ fault: Fault) {
    self.kind = kind
    self.name = name
    self.fault = fault
  }
}
