internal import GRDB

/// Tells whether anybody has written to a catalog, this process or another.
///
/// SQLite counts, for each connection, the commits of all others (sqlite.org/pragma.html, under
/// `data_version`). This connection never writes, so it sees all of them; asking takes microseconds.
struct WriteCounter: Sendable {
  private let connection: DatabaseQueue

  init(_ store: CatalogStore) throws {
    var configuration = CatalogStore.configuration
    configuration.readonly = true
    configuration.label = "FileCatalog.WriteCounter"
    connection = try DatabaseQueue(
      path: CatalogStore.name(forReading: store.path), configuration: configuration)
  }

  /// A number that differs from the one before when there has been a commit.
  func value() async throws -> Int64 {
    try await connection.read { try Int64.fetchOne($0, sql: "PRAGMA data_version") ?? 0 }
  }

  func close() {
    // A connection that only reads has nothing to lose.
    try? connection.close()
  }
}
