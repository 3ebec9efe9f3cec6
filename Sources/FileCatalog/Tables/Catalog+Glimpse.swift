internal import SQLite

extension Catalog {
  /// Some columns of the first rows of a table that are found, in no order: what can be shown of many while
  /// they are still put in order. Cancelling the task ends the reading.
  package func glimpse(
    of request: TableRequest, columns: [EntryColumn], limit: Int
  ) async throws -> [[ColumnValue]] {
    try await read { db in
      let table = try EntryTable(db)
      return try table.values(of: columns.map { .entry($0) }, table.someIDs(request, limit: limit))
    }
  }
}
