internal import CSQLite
internal import Dispatch
package import SystemPackage

/// Runs somebody's SQL on a connection that can do nothing but read.
///
/// Four locks, any of which would do: the file is opened read-only, `query_only` is set, an authorizer
/// refuses everything but reading, and SQLite's limits are lowered.
///
/// What a statement costs is bounded as far as SQLite lets it: it asks for the time between the steps of
/// its virtual machine, but not while one function of SQL runs, and before 3.41 not while it compiles.
package final class UntrustedSQL {
  private let connection: Connection
  private let guardian: Guardian
  private let rowByteLimit: Int
  private let valueByteLimit: Int
  /// What ends that for which SQLite does not ask: checking the integrity of a file.
  private let alarm: DispatchWorkItem?

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
    /// SQLite got no more memory. ``Memory/limit`` says whether that was set.
    case memoryLimit
    /// A value became longer than any may be, in a row that counts from 1.
    case longValue(row: Int, limit: Int)
    /// A row has more bytes than are allowed, the most of them in one column. Rows count from 1.
    case longRow(LongRow)
    /// SQLite does not understand the statement, or stumbled over a value.
    case invalid(SQLiteError)
  }

  /// A row that has more bytes than are allowed.
  package struct LongRow: Sendable {
    package let row: Int
    package let bytes: Int
    package let limit: Int
    /// The column with the longest value.
    package let column: String
    package let columnBytes: Int
  }

  /// How a statement ended that was not refused.
  package enum End: Sendable, Equatable {
    case complete
    /// There were more rows than were allowed.
    case rowLimit
  }

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - timeLimit: How long all statements together may take, from now on.
  ///   - rowByteLimit: How many bytes a row may have. A value on the way to one may have four times as
  ///     many.
  package init(
    path: FilePath, _ mode: Connection.Mode, timeLimit: Duration?, rowByteLimit: Int
  ) throws {
    self.rowByteLimit = rowByteLimit
    // The statements of the schema are values, too.
    valueByteLimit = min(max(rowByteLimit, 1 << 18), 1 << 28) * 4
    let deadline = timeLimit.map { ContinuousClock.now + $0 }
    let wait = min(timeLimit ?? .seconds(10), .seconds(10))
    let connection = try Connection(
      path: path, mode, busyTimeout: wait, limits: .untrusted(valueBytes: valueByteLimit))
    self.connection = connection
    alarm = timeLimit.map { limit in
      let alarm = DispatchWorkItem { [interrupter = connection.interrupter] in
        interrupter.interrupt()
      }
      DispatchQueue(label: "SQL of users").asyncAfter(
        deadline: .now() + (limit / .seconds(1)), execute: alarm)
      return alarm
    }
    let guardian = Guardian(deadline: deadline)
    self.guardian = guardian
    connection.interrupt(every: 200) { guardian.isOver }
    do throws(SQLiteError) {
      try connection.execute("PRAGMA query_only = ON")
      connection.configure(SQLITE_DBCONFIG_DEFENSIVE, isOn: true)
      connection.configure(SQLITE_DBCONFIG_TRUSTED_SCHEMA, isOn: false)
      // The schema must be known before anything is refused: reading it is allowed to nobody else.
      _ = try connection.integer("SELECT count(*) FROM sqlite_master")
      guardian.functions.formUnion(try Self.ownFunctions(of: connection))
    } catch {
      throw guardian.refusal(after: error) ?? error
    }
    connection.authorize { guardian.isAllowed($0, $1, $2) }
  }

  deinit { alarm?.cancel() }

  /// The functions that SQLite itself has. Those of extensions, and of the program around us, are
  /// nobody's business.
  private static func ownFunctions(of connection: Connection) throws(SQLiteError) -> [String] {
    let statement = try connection.prepare("SELECT name FROM pragma_function_list WHERE builtin")
    var names: [String] = []
    while try statement.step() { names.append(statement.row.text(0).lowercased()) }
    return names
  }

  /// Runs one statement.
  ///
  /// - Parameters:
  ///   - limit: How many rows are read.
  ///   - begin: Gets the names of the columns, before the first row.
  ///   - body: Gets each row.
  /// - Throws: ``Refusal``, ``SQLiteError`` for what is wrong with the file, `CancellationError` when the
  ///   calling task is cancelled, and what the closures throw.
  package func run(
    _ sql: String, limit: Int?, begin: ([String]) throws -> Void, row body: (Row) throws -> Void
  ) throws -> End {
    let statement = try prepare(sql)
    let names = statement.columnNames
    try begin(names)
    var count = 0
    while try step(statement, to: count + 1) {
      if let limit, count >= limit { return .rowLimit }
      count += 1
      try measure(statement.row, count, names)
      try body(statement.row)
    }
    return .complete
  }

  /// Makes sure that a row is short enough, and in memory.
  private func measure(_ row: Row, _ number: Int, _ names: [String]) throws {
    var bytes = 0
    for index in names.indices { bytes += row.byteCount(Int32(index)) }
    guard bytes <= rowByteLimit else {
      let counts = names.indices.map { row.byteCount(Int32($0)) }
      let longest = names.indices.max { counts[$0] < counts[$1] } ?? 0
      throw Refusal.longRow(
        LongRow(
          row: number, bytes: bytes, limit: rowByteLimit, column: names[longest],
          columnBytes: counts[longest]))
    }
    for index in names.indices.map(Int32.init)
    where row.byteCount(index) > 0 && row.bytes(index).isEmpty {
      throw Refusal.memoryLimit
    }
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
      if let refusal = guardian.refusal(after: error) { throw refusal }
      if let refused = guardian.refused {
        throw Refusal.notReading(name: refused.isEmpty ? nil : refused)
      }
      switch error.code {
      case .notAuthorized: throw Refusal.notReading(name: nil)
      case .error, .tooBig: throw Refusal.invalid(error)
      case .outOfMemory: throw Refusal.memoryLimit
      default: throw error
      }
    }
    guard let first else { throw Refusal.empty }
    guard !hasMore else { throw Refusal.severalStatements }
    guard first.isReadOnly else { throw Refusal.notReading(name: nil) }
    return first
  }

  private func step(_ statement: Statement, to row: Int) throws -> Bool {
    do throws(SQLiteError) {
      return try statement.step()
    } catch {
      if let refusal = guardian.refusal(after: error) { throw refusal }
      switch error.code {
      case .notAuthorized, .readOnly: throw Refusal.notReading(name: nil)
      case .error, .mismatch: throw Refusal.invalid(error)
      case .outOfMemory: throw Refusal.memoryLimit
      case .tooBig: throw Refusal.longValue(row: row, limit: valueByteLimit)
      default: throw error
      }
    }
  }

  /// Allows reading, and nothing that could reach another file or change a setting; and that only as
  /// long as there is time.
  private final class Guardian {
    /// What was refused last: SQLite reports some refusals as plain errors. Empty where it has no
    /// name.
    var refused: String?
    private let deadline: ContinuousClock.Instant?
    /// The functions that may be called. What reads the full-text index of a table is harmless, too.
    var functions: Set = ["bm25", "highlight", "matchinfo", "offsets", "snippet"]

    init(deadline: ContinuousClock.Instant?) {
      self.deadline = deadline
    }

    func isAllowed(_ action: Int32, _ first: String?, _ second: String?) -> Bool {
      // SQLite asks this all through the compiling of a statement.
      if isOver { return false }
      let isAllowed =
        switch action {
        case SQLITE_SELECT, SQLITE_READ, SQLITE_RECURSIVE: true
        case SQLITE_FUNCTION: isHarmless(second?.lowercased() ?? "")
        case SQLITE_PRAGMA:
          Self.describing.contains(first?.lowercased() ?? "")
            || Self.plain.contains(first?.lowercased() ?? "") && second == nil
        default: false
        }
      if !isAllowed { refused = (action == SQLITE_FUNCTION ? second : first) ?? "" }
      return isAllowed
    }

    /// Whether nobody waits for the result any more.
    var isOver: Bool { isLate || Task.isCancelled }

    private var isLate: Bool { deadline.map { ContinuousClock.now >= $0 } ?? false }

    /// What ended a statement, where that was not the statement itself.
    func refusal(after error: SQLiteError) -> (any Error)? {
      guard [.interrupted, .aborted, .notAuthorized, .error].contains(error.code) else {
        return nil
      }
      if Task.isCancelled { return CancellationError() }
      return isLate ? Refusal.timeLimit : nil
    }

    private func isHarmless(_ function: String) -> Bool {
      functions.contains(function) && !Self.effects.contains(function)
    }

    /// Functions of SQLite's own that do more than answer.
    private static let effects: Set = ["load_extension", "sqlite_log"]
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
