internal import CPlatform
package import SQLite

extension CatalogStore {
  /// How many transactions gain by reading at the same time.
  package static var mostAtOnce: Int { min(4, Int(cplatform_processor_count())) }

  /// Calls all `bodies` at the same time, each in a transaction that reads and with a connection of its own.
  ///
  /// Two transactions that begin one after the other may see two states. Whether somebody has written
  /// between them shows afterwards, as the version of the data that each connection knows.
  ///
  /// - Returns: what they return, in their order; `nil` where they may have seen different states, or where the
  ///   file is opened in a way that no second connection can share.
  package func readAtOnce<Result: Sendable>(
    _ bodies: [@Sendable (Connection) throws -> Result]
  ) async throws -> [Result]? {
    guard isShared else { return nil }
    let path = path
    let connections = ConnectionQueue(limit: bodies.count) {
      let db = try Connection(path: path, .readOnly)
      try Self.prepare(db)
      // Each page is read once: a large cache would only be filled.
      try db.execute("PRAGMA cache_size = -2048")
      return db
    }
    defer { try? connections.close() }
    let glances = try await withThrowingTaskGroup(of: (Int, Glance<Result>).self) { group in
      for (position, body) in bodies.enumerated() {
        group.addTask {
          (position, try await connections.use { try Glance(at: $0, body) })
        }
      }
      var glances = [Glance<Result>?](repeating: nil, count: bodies.count)
      for try await (position, glance) in group { glances[position] = glance }
      return glances.compactMap(\.self)
    }
    guard let last = glances.map(\.began).max() else { return [] }
    return glances.allSatisfy { $0.isOfOneState(until: last) } ? glances.map(\.result) : nil
  }
}

/// What one of several transactions has read.
private struct Glance<Result: Sendable>: Sendable {
  let result: Result
  /// When its state was fixed.
  let began: ContinuousClock.Instant
  /// Until when nobody else had written, at least; `nil` where somebody had at the end.
  private let undisturbed: ContinuousClock.Instant?

  init(at db: Connection, _ body: (Connection) throws -> Result) throws {
    let (version, began, result) = try db.transaction(.deferred) {
      // Which fixes the state, too.
      let version = try Self.version(of: db)
      return (version, ContinuousClock.now, try body(db))
    }
    self.began = began
    self.result = result
    let end = ContinuousClock.now
    undisturbed = try Self.version(of: db) == version ? end : nil
  }

  /// Whether nothing was written between the beginning of this one and a moment.
  func isOfOneState(until moment: ContinuousClock.Instant) -> Bool {
    undisturbed.map { $0 >= moment } ?? false
  }

  /// Another one than before where others have written since.
  private static func version(of db: Connection) throws -> Int64? {
    try db.integer("PRAGMA data_version")
  }
}
