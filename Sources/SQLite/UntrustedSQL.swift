internal import CSQLite

/// Runs somebody's SQL on a connection that can do nothing but read.
///
/// Four locks, any of which would do: the file is opened read-only, `query_only` is set, an authorizer
/// refuses everything but reading, and SQLite's limits are lowered.
package final class UntrustedSQL {
  private let connection: Connection
  private let guardian = Guardian()
  private let deadline: ContinuousClock.Instant?

  /// What a statement was refused or ended for.
  package enum Refusal: Error, Sendable {
    /// There is no statement in the text.
    case empty
    /// There is more than one statement in the text.
    case severalStatements
    /// The statement does not only read.
    ///
    /// - Parameter name: The table, pragma, function or file that it may not use, where it has a name.
    case notReading(name: String?)
    /// The time was over before the statement was.
    case timeLimit
    /// SQLite does not understand the statement, or stumbled over a value.
    case invalid(SQLiteError)
  }

  /// How a statement ended that was not refused.
  package enum End: Sendable, Equatable {
    case complete
    /// There were more rows than were allowed.
    case rowLimit
  }

  /// Opens a file.
  ///
  /// - Parameter timeLimit: How long all statements together may take, from now on.
  package init(path: String, _ mode: Connection.Mode, timeLimit: Duration?) throws {
    connection = try Connection(path: path, mode)
    let deadline = timeLimit.map { ContinuousClock.now + $0 }
    self.deadline = deadline
    try connection.execute("PRAGMA query_only = ON")
    connection.configure(SQLITE_DBCONFIG_DEFENSIVE, isOn: true)
    connection.configure(SQLITE_DBCONFIG_TRUSTED_SCHEMA, isOn: false)
    // The schema must be known before anything is refused: reading it is allowed to nobody else.
    _ = try connection.integer("SELECT count(*) FROM sqlite_master")
    connection.limit(SQLITE_LIMIT_ATTACHED, to: 0)
    // One value that fills the memory could not be interrupted.
    connection.limit(SQLITE_LIMIT_LENGTH, to: 100_000_000)
    connection.authorize { [guardian] in guardian.isAllowed($0, $1, $2) }
    if let deadline {
      connection.interrupt(every: 1000) { ContinuousClock.now >= deadline }
    }
  }

  /// Runs one statement.
  ///
  /// - Parameters:
  ///   - limit: How many rows are read.
  ///   - begin: Gets the names of the columns, before the first row.
  ///   - body: Gets each row.
  /// - Throws: ``Refusal``, ``SQLiteError`` for what is wrong with the file, and what the closures
  ///   throw.
  package func run(
    _ sql: String, limit: Int?, begin: ([String]) throws -> Void, row body: (Row) throws -> Void
  ) throws -> End {
    let statement = try prepare(sql)
    try begin(statement.columnNames)
    var count = 0
    while try step(statement) {
      if let limit, count >= limit { return .rowLimit }
      count += 1
      try body(statement.row)
    }
    return .complete
  }

  private func prepare(_ sql: String) throws -> Statement {
    guardian.refused = nil
    let first: Statement?
    let hasMore: Bool
    do throws(SQLiteError) {
      let text = Array(sql.utf8CString)
      let (handle, length) = try connection.compile(text, sql: sql)
      first = handle.map { Statement($0, on: connection) }
      // Nothing but spaces and comments.
      hasMore = !text[length...].allSatisfy { " \n\r\t;\0".utf8.contains(UInt8(bitPattern: $0)) }
    } catch {
      if let refused = guardian.refused {
        throw Refusal.notReading(name: refused.isEmpty ? nil : refused)
      }
      switch error.code {
      case .notAuthorized: throw Refusal.notReading(name: nil)
      case .error, .tooBig: throw Refusal.invalid(error)
      case .interrupted: throw Refusal.timeLimit
      default: throw error
      }
    }
    guard let first else { throw Refusal.empty }
    guard !hasMore else { throw Refusal.severalStatements }
    guard first.isReadOnly else { throw Refusal.notReading(name: nil) }
    return first
  }

  private func step(_ statement: Statement) throws -> Bool {
    do throws(SQLiteError) {
      return try statement.step()
    } catch {
      switch error.code {
      case .interrupted: throw Refusal.timeLimit
      case .notAuthorized, .readOnly: throw Refusal.notReading(name: nil)
      case .error, .mismatch: throw Refusal.invalid(error)
      default: throw error
      }
    }
  }

  /// Allows reading, and nothing that could reach another file or change a setting.
  private final class Guardian {
    /// What was refused last: SQLite reports some refusals as plain errors. Empty where it has no
    /// name.
    var refused: String?

    func isAllowed(_ action: Int32, _ first: String?, _ second: String?) -> Bool {
      let isAllowed =
        switch action {
        case SQLITE_SELECT, SQLITE_READ, SQLITE_RECURSIVE: true
        case SQLITE_FUNCTION: !Self.functions.contains(second?.lowercased() ?? "")
        case SQLITE_PRAGMA:
          Self.describing.contains(first?.lowercased() ?? "")
            || Self.plain.contains(first?.lowercased() ?? "") && second == nil
        default: false
        }
      if !isAllowed { refused = (action == SQLITE_FUNCTION ? second : first) ?? "" }
      return isAllowed
    }

    private static let functions: Set = [
      "load_extension", "fts3_tokenizer", "writefile", "edit",
    ]
    /// Pragmas that only tell, whatever their argument.
    private static let describing: Set = [
      "table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo",
      "foreign_key_list", "integrity_check", "quick_check", "foreign_key_check",
    ]
    /// Pragmas that tell something when they have no argument.
    private static let plain: Set = [
      "user_version", "application_id", "page_count", "page_size", "freelist_count", "encoding",
      "journal_mode", "schema_version", "data_version", "database_list", "collation_list",
      "function_list", "compile_options", "query_only",
    ]
  }
}
