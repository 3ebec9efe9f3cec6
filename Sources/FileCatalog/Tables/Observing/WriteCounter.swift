internal import SQLite
internal import SystemPackage

/// Tells whether anybody has written to a catalog, this process or another.
///
/// SQLite counts, for each connection, the commits of all others (sqlite.org/pragma.html, under
/// `data_version`). This connection never writes, so it sees all of them; asking takes microseconds.
struct WriteCounter: Sendable {
  private let connection: ConnectionQueue

  init(_ store: CatalogStore) throws {
    let path = store.path
    connection = ConnectionQueue(limit: 1) {
      try Connection(path: path.string, CatalogStore.modeForReading(path))
    }
    // What cannot be opened is told now.
    _ = try connection.use { try $0.dataVersion() }
  }

  /// A number that differs from the one before when there has been a commit.
  func value() async throws -> Int64 {
    try await connection.use { try $0.dataVersion() }
  }

  func close() {
    // A connection that only reads has nothing to lose.
    try? connection.close()
  }
}
