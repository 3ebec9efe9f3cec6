internal import FileSystem
internal import Foundation
internal import GRDBSQLite
internal import Synchronization
internal import SystemPackage

/// Runs somebody's SQL on a connection that can do nothing but read.
///
/// Four locks, any of which would do: the file is opened read-only, `query_only` is set, an
/// authorizer refuses everything but reading, and SQLite's limits are lowered. It has a connection
/// of its own because GRDB keeps the authorizer of its connections for itself.
final class ReadOnlySQL {
  private let connection: OpaquePointer
  private let path: FilePath
  private let deadline: Deadline
  private let guardian = Guardian()

  init(path: FilePath, timeout: Double?) throws(CatalogError) {
    self.path = path
    deadline = Deadline(seconds: timeout)
    var connection: OpaquePointer?
    let flags =
      SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_URI
    let code = sqlite3_open_v2(CatalogStore.name(forReading: path), &connection, flags, nil)
    guard let connection else {
      throw CatalogError(sqliteCode: code, message: "out of memory", path: path)
    }
    self.connection = connection
    guard code == SQLITE_OK else {
      let failure = SQLiteFailure(connection, code)
      throw CatalogError(sqliteCode: failure.code, message: failure.message, path: path)
    }
    sqlite3_busy_timeout(connection, 10_000)
    sqlite3_exec(connection, "PRAGMA query_only = ON; PRAGMA trusted_schema = OFF", nil, nil, nil)
    // The schema must be known before anything is refused: reading it is allowed to nobody else.
    sqlite3_exec(connection, "SELECT count(*) FROM sqlite_master", nil, nil, nil)
    sqlite3_limit(connection, SQLITE_LIMIT_ATTACHED, 0)
    // One value that fills the memory could not be interrupted.
    sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, 100_000_000)
    sqlite3_set_authorizer(
      connection, Self.authorize, Unmanaged.passUnretained(guardian).toOpaque())
    sqlite3_progress_handler(
      connection, 1000,
      { context in
        guard let context else { return 0 }
        return Unmanaged<Deadline>.fromOpaque(context).takeUnretainedValue().isOver ? 1 : 0
      }, Unmanaged.passUnretained(deadline).toOpaque())
  }

  deinit {
    sqlite3_close_v2(connection)
  }

  /// Runs one statement. `begin` is called with the names of the columns before the first row.
  ///
  /// - Returns: whether rows were left out because of `limit`.
  func run(
    _ sql: String, limit: Int?, begin: ([String]) throws -> Void,
    row body: ([ColumnValue]) throws -> Void
  ) throws -> Bool {
    let statement = try prepare(sql)
    let names = statement.columnNames
    try begin(names)
    var count = 0
    while try step(statement) {
      if let limit, count >= limit { return true }
      count += 1
      try body((0..<Int32(names.count)).map { statement.value(at: $0) })
    }
    return false
  }

  private func prepare(_ sql: String) throws(CatalogError) -> RawStatement {
    let trimmed = sql.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !trimmed.isEmpty else {
      throw Self.emptyStatement
    }
    let statement: RawStatement
    do throws(SQLiteFailure) {
      statement = try RawStatement(trimmed, on: connection)
    } catch {
      if let refused = guardian.refused { throw Self.refusal(of: refused) }
      if error.primaryCode == SQLITE_AUTH { throw Self.refusal() }
      if error.code == SQLITE_OK { throw Self.emptyStatement }
      if error.primaryCode == SQLITE_ERROR || error.primaryCode == SQLITE_TOOBIG {
        throw CatalogError(.invalidSQL, "SQL: \(error.message)\(place(in: trimmed))")
      }
      throw CatalogError(sqliteCode: error.code, message: error.message, path: path)
    }
    guard statement.hasNothingAfterIt(in: trimmed) else {
      throw CatalogError(.invalidSQL, "one SQL statement at a time, nothing after the `;`")
    }
    guard statement.isReadOnly else {
      throw Self.refusal()
    }
    return statement
  }

  private static var emptyStatement: CatalogError {
    CatalogError(.invalidSQL, "there is no SQL statement; try: SELECT * FROM files")
  }

  private static func refusal(of name: String = "") -> CatalogError {
    CatalogError(
      .notReadOnlySQL, "only reading is allowed here\(name.isEmpty ? "" : ", not \(name)")")
  }

  /// Two more lines that show where SQLite stumbled, where it can tell.
  private func place(in sql: String) -> String {
    let offset = Int(sqlite3_error_offset(connection))
    guard offset >= 0, offset <= sql.utf8.count else { return "" }
    let before = String(decoding: Array(sql.utf8.prefix(offset)), as: UTF8.self)
    let line = before.split(separator: "\n", omittingEmptySubsequences: false).last ?? ""
    let end = sql.utf8.dropFirst(offset).prefix { $0 != UInt8(ascii: "\n") }
    let rest = String(decoding: Array(end), as: UTF8.self)
    return "\n  \(line)\(rest)\n  \(String(repeating: " ", count: line.count))^"
  }

  private func step(_ statement: RawStatement) throws -> Bool {
    do throws(SQLiteFailure) {
      return try statement.step()
    } catch {
      if error.primaryCode == SQLITE_INTERRUPT {
        throw CatalogError(
          .timedOut, "the statement took longer than \(deadline.description)")
      }
      if error.primaryCode == SQLITE_AUTH || error.primaryCode == SQLITE_READONLY {
        throw Self.refusal()
      }
      if error.primaryCode == SQLITE_ERROR || error.primaryCode == SQLITE_MISMATCH {
        throw CatalogError(.invalidSQL, "SQL: \(error.message)")
      }
      throw CatalogError(sqliteCode: error.code, message: error.message, path: path)
    }
  }

  /// Allows reading, and nothing that could reach another file or change a setting.
  private static let authorize:
    @convention(c) (
      UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?, UnsafePointer<CChar>?,
      UnsafePointer<CChar>?, UnsafePointer<CChar>?
    ) -> Int32 = { context, action, first, second, _, _ in
      let isAllowed = isReading(
        action, first.map { String(cString: $0) }, second.map { String(cString: $0) })
      if !isAllowed, let context {
        Unmanaged<Guardian>.fromOpaque(context).takeUnretainedValue().refused =
          (action == SQLITE_FUNCTION ? second : first).map { String(cString: $0) } ?? ""
      }
      return isAllowed ? SQLITE_OK : SQLITE_DENY
    }

  /// Remembers what was refused: SQLite reports some refusals as plain errors.
  private final class Guardian {
    /// The table, pragma, function or file; empty where there is no name.
    var refused: String?
  }

  private static func isReading(_ action: Int32, _ first: String?, _ second: String?) -> Bool {
    switch action {
    case SQLITE_SELECT, SQLITE_READ, SQLITE_RECURSIVE:
      return true
    case SQLITE_FUNCTION:
      return !["load_extension", "fts3_tokenizer", "writefile", "edit"]
        .contains(second?.lowercased() ?? "")
    case SQLITE_PRAGMA:
      return isReadingPragma(first?.lowercased() ?? "", hasArgument: second != nil)
    default:
      return false
    }
  }

  private static func isReadingPragma(_ name: String, hasArgument: Bool) -> Bool {
    let describing: Set<String> = [
      "table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo",
      "foreign_key_list", "integrity_check", "quick_check", "foreign_key_check",
    ]
    let plain: Set<String> = [
      "user_version", "application_id", "page_count", "page_size", "freelist_count", "encoding",
      "journal_mode", "schema_version", "data_version", "database_list", "collation_list",
      "function_list", "compile_options", "query_only",
    ]
    return describing.contains(name) || (plain.contains(name) && !hasArgument)
  }

  /// When a statement has to stop.
  private final class Deadline: Sendable, CustomStringConvertible {
    private let seconds: Double?
    private let end: ContinuousClock.Instant?

    init(seconds: Double?) {
      self.seconds = seconds
      end = seconds.map { ContinuousClock.now.advanced(by: .seconds($0)) }
    }

    var isOver: Bool { end.map { ContinuousClock.now >= $0 } ?? false }

    var description: String {
      guard let seconds else { return "allowed" }
      return seconds == seconds.rounded() && abs(seconds) < 1e9
        ? "\(Int(seconds)) s" : "\(seconds) s"
    }
  }
}

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
  /// - Throws: ``CatalogError`` with ``CatalogError/Code/invalidSQL``,
  ///   ``CatalogError/Code/notReadOnlySQL`` or ``CatalogError/Code/timedOut``.
  public func runSQL(
    _ sql: String, timeout: Double? = nil, maximumRows: Int? = nil,
    begin: ([String]) throws -> Void, row: ([ColumnValue]) throws -> Void
  ) throws -> Bool {
    // A catalog that nobody has used so far is made now.
    try translatingErrors { try store.prepareForReading() }
    return try ReadOnlySQL(path: path, timeout: timeout)
      .run(sql, limit: maximumRows, begin: begin, row: row)
  }
}
