internal import CSQLite

/// How much a connection lets values and statements ask for; beyond that SQLite
/// [refuses them](https://www.sqlite.org/limits.html).
///
/// A file or a statement that somebody else has made can ask for all memory there is, and for all the
/// time: SQLite's own limits are those of its largest user.
package struct Limits: Sendable {
  /// The bytes of the longest value, and of the longest row of a table.
  package let valueBytes: Int
  private let others: [(category: Int32, value: Int32)]

  /// The limits of whoever reads or writes catalogs, with statements of our own.
  ///
  /// Names and paths have a few kilobytes at most. Values that programs keep with entries may be longer,
  /// and are the reason for so many bytes.
  package static let catalog = Limits(
    valueBytes: 16 << 20,
    others: [(SQLITE_LIMIT_ATTACHED, 0), (SQLITE_LIMIT_TRIGGER_DEPTH, 10)])

  /// The limits of statements that somebody else has written.
  ///
  /// They are far above what anybody asks a catalog for, and low enough that the recursion of SQLite's
  /// compiler fits on the stack of any thread, and that a pattern is compared in bounded time.
  package static func untrusted(valueBytes: Int) -> Limits {
    Limits(
      valueBytes: valueBytes,
      others: [
        (SQLITE_LIMIT_SQL_LENGTH, 1_000_000), (SQLITE_LIMIT_COLUMN, 1000),
        (SQLITE_LIMIT_EXPR_DEPTH, 500), (SQLITE_LIMIT_COMPOUND_SELECT, 200),
        (SQLITE_LIMIT_VDBE_OP, 250_000), (SQLITE_LIMIT_FUNCTION_ARG, 127),
        (SQLITE_LIMIT_ATTACHED, 0), (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 5000),
        (SQLITE_LIMIT_VARIABLE_NUMBER, 10), (SQLITE_LIMIT_TRIGGER_DEPTH, 1),
        (SQLITE_LIMIT_WORKER_THREADS, 0),
      ])
  }

  func apply(to connection: OpaquePointer) {
    sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, Int32(clamping: valueBytes))
    for (category, value) in others { sqlite3_limit(connection, category, value) }
  }
}

/// The memory that SQLite takes in this process, of all connections together.
package enum Memory {
  /// The bytes that it may take at most; `nil` where that is not limited.
  ///
  /// Allocations beyond fail with ``SQLiteError/Code/outOfMemory``. The number holds for every
  /// connection of the process, those of other libraries too, so only a program may set it.
  package static var limit: Int? {
    let bytes = sqlite3_hard_heap_limit64(-1)
    return bytes > 0 ? Int(bytes) : nil
  }

  /// Sets ``limit``. Some systems' SQLite counts only if that is asked for before the first connection.
  package static func limit(to byteCount: Int) {
    csqlite_count_memory()
    sqlite3_hard_heap_limit64(Int64(byteCount))
  }
}
