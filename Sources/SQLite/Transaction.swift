/// How a transaction begins.
package enum TransactionKind: String, Sendable {
  /// With the first statement, as one that reads or one that writes.
  case deferred = "BEGIN DEFERRED"
  /// As one that writes, at once: waiting for others is over before anything was done.
  case immediate = "BEGIN IMMEDIATE"
}

extension Connection {
  /// Calls `body` in a transaction, which ends with it: for good, or taken back when it throws.
  ///
  /// Inside of a transaction this is a part of it that can be taken back by itself; then `kind` says
  /// nothing.
  package func transaction<Result>(
    _ kind: TransactionKind, _ body: () throws -> Result
  ) throws -> Result {
    let depth = transactionDepth
    try control(depth == 0 ? kind.rawValue : "SAVEPOINT nested\(depth)")
    transactionDepth += 1
    defer { transactionDepth = depth }
    do {
      let result = try body()
      try control(depth == 0 ? "COMMIT" : "RELEASE nested\(depth)")
      return result
    } catch {
      // After some errors, such as a full disk, SQLite has taken back everything by itself.
      if isInTransaction {
        try? control(
          depth == 0 ? "ROLLBACK" : "ROLLBACK TO nested\(depth); RELEASE nested\(depth)")
      }
      throw error
    }
  }
}
