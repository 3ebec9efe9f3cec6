package import SystemPackage

/// A connection that writes to a database with a write-ahead log, and some that read: readers see the
/// state before, while a transaction writes.
///
/// ```swift
/// let pool = try Pool(path: "catalog.sqlite")
/// try await pool.write { try $0.execute("DELETE FROM roots WHERE id = ?", [3]) }
/// let count = try await pool.read { try $0.integer("SELECT count(*) FROM roots") }
/// ```
///
/// Each way is there for threads, which wait blocked, and for tasks, which do not block the few threads
/// that run tasks. Who is reading or writing must not ask the pool again for the same.
package final class Pool: Sendable {
  private let writer: ConnectionQueue
  private let readers: ConnectionQueue

  /// Opens a file, which is made if it is missing, and gives it a write-ahead log.
  ///
  /// - Parameter prepare: Called with each connection when it has been opened.
  package init(
    path: FilePath, readerCount: Int = 4, busyTimeout: Duration = .seconds(10),
    prepare: @escaping @Sendable (Connection) throws -> Void = { _ in }
  ) throws {
    writer = ConnectionQueue(limit: 1) {
      let connection = try Connection(path: path, .create, busyTimeout: busyTimeout)
      // First, so that a file that it refuses stays as it is.
      try prepare(connection)
      let mode = try connection.first("PRAGMA journal_mode = WAL") { $0.text(0) }
      guard mode == "wal" else {
        throw SQLiteError(.error, "there can be no write-ahead log at \(path.string)")
      }
      try connection.execute("PRAGMA synchronous = NORMAL")
      return connection
    }
    readers = ConnectionQueue(limit: readerCount) {
      let connection = try Connection(path: path, .readOnly, busyTimeout: busyTimeout)
      try prepare(connection)
      return connection
    }
    // The log and its index are there before anybody reads.
    try writer.use { _ = try $0.integer("SELECT count(*) FROM sqlite_master") }
  }

  /// Calls `body` in a transaction that reads. Blocks the calling thread.
  package func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try readers.use { db in try db.transaction(.deferred) { try body(db) } }
  }

  /// Calls `body` in a transaction that reads, off the caller's thread.
  package func read<Result: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    try await readers.use { db in try db.transaction(.deferred) { try body(db) } }
  }

  /// Calls `body` in a transaction that writes. Blocks the calling thread.
  package func write<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try writer.use { db in try db.transaction(.immediate) { try body(db) } }
  }

  /// Calls `body` in a transaction that writes, off the caller's thread.
  package func write<Result: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    try await writer.use { db in try db.transaction(.immediate) { try body(db) } }
  }

  /// Calls `body` with the connection that writes, without a transaction. Blocks the calling thread.
  package func withWriter<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try writer.use(body)
  }

  /// Calls `body` with the connection that writes, without a transaction, off the caller's thread.
  package func withWriter<Result: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    try await writer.use(body)
  }

  /// Closes all connections, when those in use are free.
  ///
  /// The one that writes goes last: SQLite merges the write-ahead log into the file and removes it when
  /// the last connection closes, and those that only read may not.
  package func close() throws(SQLiteError) {
    let failure: SQLiteError?
    do throws(SQLiteError) {
      try readers.close()
      failure = nil
    } catch {
      failure = error
    }
    try writer.close()
    if let failure { throw failure }
  }
}
