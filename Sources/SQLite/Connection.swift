internal import CSQLite
internal import FileSystem
internal import Synchronization
package import SystemPackage

/// A connection to a database file, for one thread at a time.
///
/// ```swift
/// let db = try Connection(path: "catalog.sqlite", .readOnly)
/// try db.forEach(SQL("SELECT id, name FROM entries WHERE parent_id = ?", [.integer(7)])) { row in
///   print(row.integer(0), row.text(1))
/// }
/// ```
package final class Connection {
  /// What a connection may do.
  package enum Mode: Sendable {
    /// Reading. A write-ahead log is made use of, and made if the directory allows it.
    case readOnly
    case readWrite
    /// Reading and writing; the file is made if it is missing.
    case create
    /// Reading a file that [nobody changes](https://www.sqlite.org/uri.html#uriimmutable): without
    /// locks, and without files beside it.
    case immutable
    /// Reading and writing while nobody else does: the index of the write-ahead log, which is a file
    /// otherwise, is [kept in memory](https://www.sqlite.org/wal.html#noshm).
    case alone
    /// Reading a file on a volume that nobody can write to, with the write-ahead log that was left
    /// beside it: without locks, its index in memory.
    case sealed

    fileprivate var flags: Int32 {
      switch self {
      case .readOnly, .sealed: SQLITE_OPEN_READONLY
      case .readWrite, .alone: SQLITE_OPEN_READWRITE
      case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      case .immutable: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      }
    }
  }

  private typealias Authorizing = (_ action: Int32, _ first: String?, _ second: String?) -> Bool

  /// `nil` when the connection has been closed.
  private(set) var handle: OpaquePointer?
  /// Ends what is running, from any thread.
  package let interrupter: Interrupter
  private let waiting: BusyWaiting
  /// Kept statements that nobody uses at the moment, by their texts.
  private var cache: [String: OpaquePointer] = [:]
  /// All statements that somebody has. They take themselves out before they are gone.
  private var statements: [ObjectIdentifier: Unmanaged<Statement>] = [:]
  /// What the callbacks of ``authorize(_:)`` and ``interrupt(every:when:)`` are called with.
  private var authorizer: Callback<Authorizing>?
  private var interruptCondition: Callback<() -> Bool>?
  /// How many transactions are inside of each other; see ``transaction(_:_:)``.
  var transactionDepth = 0

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - path: Always that of a file: what begins with `file:` or `:` is one in the current directory.
  ///   - busyTimeout: How long to wait for locks of other connections.
  ///   - limits: How much values and statements may ask for.
  package convenience init(
    path: FilePath, _ mode: Mode, busyTimeout: Duration = .seconds(10), limits: Limits = .catalog
  ) throws(SQLiteError) {
    // SQLite would take some names for addresses, and has names of its own.
    let path = path.isAbsolute ? path.bytes : Array("./".utf8) + path.bytes
    try self.init(
      name: mode == .immutable ? Self.immutableURI(of: path) : path, mode.flags,
      // The file system of SQLite's that has no locks.
      fileSystem: mode == .sealed ? "unix-none" : nil, busyTimeout: busyTimeout, limits: limits)
    if mode == .alone || mode == .sealed { try execute("PRAGMA locking_mode = EXCLUSIVE") }
  }

  /// A database in memory, which is gone with its connection.
  package static func inMemory() throws(SQLiteError) -> Connection {
    try Connection(
      name: Array(":memory:".utf8), SQLITE_OPEN_READWRITE, fileSystem: nil, busyTimeout: .zero,
      limits: .catalog)
  }

  private init(
    name: [UInt8], _ flags: Int32, fileSystem: String?, busyTimeout: Duration, limits: Limits
  ) throws(SQLiteError) {
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(
      name.map { CChar(bitPattern: $0) } + [0], &opened,
      flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, fileSystem)
    guard code == SQLITE_OK, let opened else {
      let error = SQLiteError(opened, code)
      sqlite3_close(opened)
      throw error
    }
    limits.apply(to: opened)
    handle = opened
    interrupter = Interrupter(opened)
    waiting = BusyWaiting(limit: busyTimeout, interrupter)
    sqlite3_busy_handler(
      opened,
      { context, count in
        guard let context else { return 0 }
        return Unmanaged<BusyWaiting>.fromOpaque(context).takeUnretainedValue().wait(count)
      }, Unmanaged.passUnretained(waiting).toOpaque())
  }

  deinit {
    // Statements keep their connection, so none is left but those in the cache.
    try? close()
  }

  /// Finalises all statements and closes the file. Closing a second time does nothing.
  package func close() throws(SQLiteError) {
    guard let handle else { return }
    interrupter.detach()
    for statement in statements.values { statement.takeUnretainedValue().finalize() }
    statements = [:]
    for statement in cache.values { sqlite3_finalize(statement) }
    cache = [:]
    self.handle = nil
    let code = sqlite3_close(handle)
    guard code == SQLITE_OK else {
      let error = SQLiteError(handle, code)
      sqlite3_close_v2(handle)
      throw error
    }
  }

  /// The file; `nil` for a database in memory.
  package var path: FilePath? {
    guard let name = handle.flatMap({ sqlite3_db_filename($0, "main") }), name[0] != 0 else {
      return nil
    }
    return FilePath(platformString: name)
  }

  private var opened: OpaquePointer {
    get throws(SQLiteError) {
      guard let handle else { throw .closed() }
      return handle
    }
  }

  private static func immutableURI(of path: [UInt8]) -> [UInt8] {
    let unreserved = Set("/-._~".utf8)
    let encoded = path.map { byte in
      let isPlain =
        unreserved.contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte & 0xdf)
      let hexadecimal = String(byte, radix: 16, uppercase: true)
      return isPlain
        ? String(UnicodeScalar(byte)) : (byte < 16 ? "%0" : "%") + hexadecimal
    }
    let host = path.first == UInt8(ascii: "/") ? "//" : ""
    return Array("file:\(host)\(encoded.joined())?immutable=1".utf8)
  }

  // MARK: - Statements

  /// Prepares one statement, which lives as long as somebody has it.
  package func prepare(_ sql: String) throws(SQLiteError) -> Statement {
    guard let statement = try compile(Array(sql.utf8CString), sql: sql).statement else {
      throw SQLiteError(.misuse, "there is no statement", sql: sql)
    }
    return Statement(statement, on: self)
  }

  /// A statement that the connection keeps for the next time, ready to run. For texts of which there
  /// are few, as the connection never forgets one.
  package func cached(_ sql: String) throws(SQLiteError) -> Statement {
    if let statement = cache.removeValue(forKey: sql) {
      return Statement(statement, on: self, cachedText: sql)
    }
    // There is none, or it is running already: then this one is a second.
    guard let statement = try compile(Array(sql.utf8CString), sql: sql).statement else {
      throw SQLiteError(.misuse, "there is no statement", sql: sql)
    }
    return Statement(statement, on: self, cachedText: sql)
  }

  func adopt(_ statement: Statement) {
    statements[ObjectIdentifier(statement)] = .passUnretained(statement)
  }

  func disown(_ statement: Statement) {
    statements[ObjectIdentifier(statement)] = nil
  }

  /// Keeps a statement that is reset.
  func takeBack(_ statement: OpaquePointer, _ sql: String) {
    sqlite3_finalize(cache.updateValue(statement, forKey: sql))
  }

  /// How many statements SQLite has of this connection.
  package var statementCount: Int {
    guard let handle else { return 0 }
    var count = 0
    var statement = sqlite3_next_stmt(handle, nil)
    while statement != nil {
      count += 1
      statement = sqlite3_next_stmt(handle, statement)
    }
    return count
  }

  /// Prepares and calls `body` with each statement of a text, one after the other.
  func forEachStatement(
    of sql: String, _ body: (Statement) throws(SQLiteError) -> Void
  ) throws(SQLiteError) {
    var text = Array(sql.utf8CString)
    while true {
      let (statement, length) = try compile(text, sql: sql)
      guard let statement else { return }
      try body(Statement(statement, on: self))
      text.removeFirst(length)
    }
  }

  /// Prepares the first statement of a text, which ends with a zero.
  ///
  /// - Returns: The statement, `nil` where there is none but spaces and comments, and how many bytes
  ///   of the text it took.
  func compile(
    _ text: [CChar], sql: String
  ) throws(SQLiteError) -> (statement: OpaquePointer?, length: Int) {
    let connection = try opened
    var statement: OpaquePointer?
    var length = text.count - 1
    let code = text.withUnsafeBufferPointer { text in
      var rest: UnsafePointer<CChar>?
      let code = sqlite3_prepare_v3(
        connection, text.baseAddress, Int32(clamping: text.count),
        UInt32(SQLITE_PREPARE_PERSISTENT), &statement, &rest)
      if let rest, let start = text.baseAddress { length = rest - start }
      return code
    }
    guard code == SQLITE_OK else { throw SQLiteError(connection, code, sql: sql) }
    return (statement, length)
  }

  // MARK: - Copying

  /// Copies the whole database, as a reader sees it now, into that of another connection.
  ///
  /// Others may write meanwhile: the copy is of one moment. Both hold their locks until it is done.
  ///
  /// - Parameter isCancelled: asked every few megabytes.
  /// - Throws: ``SQLiteError``, and `CancellationError` where `isCancelled` says so.
  package func copy(to other: Connection, unless isCancelled: () -> Bool) throws {
    try transaction(.deferred) {
      // Until something is read there is no moment that it is read at.
      _ = try integer("SELECT count(*) FROM sqlite_master")
      let destination = try other.opened
      guard let copying = sqlite3_backup_init(destination, "main", try opened, "main") else {
        throw SQLiteError(destination, sqlite3_errcode(destination))
      }
      var code = SQLITE_OK
      while code == SQLITE_OK {
        guard !isCancelled() else {
          sqlite3_backup_finish(copying)
          throw CancellationError()
        }
        code = sqlite3_backup_step(copying, 4096)
      }
      let end = sqlite3_backup_finish(copying)
      guard code == SQLITE_DONE, end == SQLITE_OK else {
        throw SQLiteError(destination, code == SQLITE_DONE ? end : code)
      }
    }
  }

  // MARK: - What happened

  /// The rowid of the row that was inserted last.
  package var lastInsertedRowID: Int64 { handle.map { sqlite3_last_insert_rowid($0) } ?? 0 }

  /// How many rows the last statement has inserted, changed or deleted.
  package var changedRows: Int { handle.map { Int(sqlite3_changes64($0)) } ?? 0 }

  /// A number that differs from the one before when
  /// [another connection has committed](https://www.sqlite.org/pragma.html#pragma_data_version).
  package func dataVersion() throws(SQLiteError) -> Int64 {
    let statement = try cached("PRAGMA data_version")
    return try statement.step() ? statement.row.integer(0) : 0
  }

  // MARK: - Transactions

  var isInTransaction: Bool { handle.map { sqlite3_get_autocommit($0) == 0 } ?? false }

  /// Runs a statement that begins or ends a transaction, cancelled or not.
  func control(_ sql: String) throws(SQLiteError) {
    let code = sqlite3_exec(try opened, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw SQLiteError(handle, code, sql: sql) }
  }

  // MARK: - Guarding

  /// Takes the file for one that anybody may have made: what is in it runs nothing and opens nothing.
  ///
  /// Triggers do not fire, no extension is loaded, and views call nothing that has effects. Pages are
  /// looked at more closely, and no statement writes to the schema but by defining something.
  package func distrustFile() throws(SQLiteError) {
    configure(SQLITE_DBCONFIG_DEFENSIVE, isOn: true)
    configure(SQLITE_DBCONFIG_TRUSTED_SCHEMA, isOn: false)
    configure(SQLITE_DBCONFIG_ENABLE_TRIGGER, isOn: false)
    configure(SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, isOn: false)
    try execute("PRAGMA cell_size_check = ON")
  }

  /// Turns one of SQLite's [options](https://www.sqlite.org/c3ref/c_dbconfig_defensive.html) on or off.
  func configure(_ option: Int32, isOn: Bool) {
    guard let handle else { return }
    _ = csqlite_db_config(handle, option, isOn ? 1 : 0)
  }

  /// Calls `body` while statements may write to the schema.
  func withWritableSchema<Result>(_ body: () throws -> Result) throws -> Result {
    let isDefensive =
      handle.map { csqlite_is_configured($0, SQLITE_DBCONFIG_DEFENSIVE) != 0 } ?? false
    configure(SQLITE_DBCONFIG_DEFENSIVE, isOn: false)
    defer {
      // That the schema is read anew is what makes the changes count.
      try? control("PRAGMA writable_schema = RESET")
      configure(SQLITE_DBCONFIG_DEFENSIVE, isOn: isDefensive)
    }
    try control("PRAGMA writable_schema = ON")
    return try body()
  }

  /// Asks before anything that a statement does whether an
  /// [action](https://www.sqlite.org/c3ref/c_alter_table.html) on something is allowed.
  func authorize(
    _ isAllowed: @escaping (_ action: Int32, _ first: String?, _ second: String?) -> Bool
  ) {
    guard let handle else { return }
    let authorizer = Callback<Authorizing>(isAllowed)
    self.authorizer = authorizer
    sqlite3_set_authorizer(
      handle,
      { context, action, first, second, _, _ in
        guard let context else { return SQLITE_DENY }
        let isAllowed = Unmanaged<Callback<Authorizing>>
          .fromOpaque(context).takeUnretainedValue().function(
            action, first.map { String(cString: $0) }, second.map { String(cString: $0) })
        return isAllowed ? SQLITE_OK : SQLITE_DENY
      }, Unmanaged.passUnretained(authorizer).toOpaque())
  }

  /// Interrupts statements when `condition` says so; it is asked every so many steps of SQLite's
  /// virtual machine.
  func interrupt(every steps: Int32, when condition: @escaping () -> Bool) {
    guard let handle else { return }
    let callback = Callback(condition)
    interruptCondition = callback
    sqlite3_progress_handler(
      handle, steps,
      { context in
        guard let context else { return 0 }
        return Unmanaged<Callback<() -> Bool>>.fromOpaque(context).takeUnretainedValue().function()
          ? 1 : 0
      }, Unmanaged.passUnretained(callback).toOpaque())
  }

  // MARK: - The file

  /// The first bytes of a file, fewer where it is shorter.
  ///
  /// They are read through SQLite's own file: closing any other descriptor of the file would
  /// [take the locks away](https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_)
  /// from all connections that this process has to it. Reading them takes no lock and makes no file.
  package static func beginning(
    ofFileAt path: FilePath, count: Int
  ) throws(SQLiteError) -> [UInt8] {
    let connection = try Connection(path: path, .readOnly)
    var bytes = [UInt8](repeating: 0, count: count)
    let handle = try connection.opened
    let code = bytes.withUnsafeMutableBytes {
      csqlite_read_beginning(handle, $0.baseAddress, Int32(count))
    }
    // `SQLITE_IOERR_SHORT_READ`, a macro that Swift does not import.
    guard code == SQLITE_OK || code == SQLITE_IOERR | 2 << 8 else {
      throw SQLiteError(handle, code)
    }
    return bytes
  }
}

/// A closure for a callback of SQLite's.
private final class Callback<Function> {
  let function: Function

  init(_ function: Function) {
    self.function = function
  }
}

/// Ends what a connection is doing, from any thread.
package final class Interrupter: Sendable {
  private let connection: Monitor<Handle>
  private let cancelled = Atomic(false)

  private struct Handle: @unchecked Sendable {
    // Sendable: used under the lock only, and for the one call that SQLite allows any thread.
    var pointer: OpaquePointer?
  }

  init(_ connection: OpaquePointer) {
    self.connection = Monitor(Handle(pointer: connection))
  }

  /// Makes the statement that is running at the moment end with ``SQLiteError/Code/interrupted``.
  package func interrupt() {
    connection.withLock { if let pointer = $0.pointer { sqlite3_interrupt(pointer) } }
  }

  /// Whether statements are to end as soon as they begin.
  var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  /// Makes this and all further statements end with ``SQLiteError/Code/interrupted``, and waiting for
  /// locks as well.
  func cancel() {
    cancelled.store(true, ordering: .relaxed)
    interrupt()
  }

  /// Lets statements run again.
  func allow() {
    cancelled.store(false, ordering: .relaxed)
  }

  /// Nothing is left to be interrupted.
  func detach() {
    connection.withLock { $0.pointer = nil }
  }
}

/// Waits for the locks of other connections, until a limit or until that is cancelled: SQLite's own
/// waiting could not be ended.
private final class BusyWaiting {
  private let limit: Duration
  private let interrupter: Interrupter
  /// What is left of the limit. No clock is asked: while a machine sleeps, nobody lets go of a lock.
  private var left = Duration.zero

  init(limit: Duration, _ interrupter: Interrupter) {
    self.limit = limit
    self.interrupter = interrupter
  }

  /// Waits a little; 0 when there is to be no further try.
  func wait(_ count: Int32) -> Int32 {
    if count == 0 { left = limit }
    guard left > .zero, !interrupter.isCancelled else { return 0 }
    let pause = min(Duration.milliseconds(min(1 << Int(min(count, 10)), 50)), left)
    sqlite3_sleep(Int32(pause / .milliseconds(1)) + 1)
    left -= pause
    return 1
  }
}
