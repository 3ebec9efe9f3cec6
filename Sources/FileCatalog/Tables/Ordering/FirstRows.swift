internal import SQLite

/// The first rows of an order whose first key is a number, found without sorting the rest.
///
/// Of a million rows, SQLite would make the keys of all, names and paths among them, to keep a hundred.
/// Numbers alone are quickly looked through: the hundredth of them bounds what can be among the first
/// rows, and only that is sorted.
struct FirstRows {
  /// Beyond so many rows sorting is as quick.
  private static let most = 10_000

  private let term: SortOrder.Term
  private let column: String
  private let count: Int

  /// - Returns: `nil` where this is no gain.
  init?(of request: TableRequest) {
    guard let limit = request.limit, limit > 0, limit <= Self.most, request.offset >= 0,
      request.offset <= Self.most, request.order.directories == .mixed,
      let term = request.order.terms.first, let column = term.key.viewColumn
    else { return nil }
    if case .children = request.scope { return nil }
    self.term = term
    self.column = column
    count = request.offset + limit
  }

  /// A further condition that all of the first rows meet, beginning with `AND`; `nil` when there are
  /// not as many rows.
  func bound(where condition: SQL, _ db: Connection) throws -> SQL? {
    let direction = term.direction == .descending ? "DESC" : "ASC"
    let last = try db.first(
      SQL("SELECT \(column) FROM entry_rows WHERE (") + condition
        + SQL(
          ") AND \(column) IS NOT NULL ORDER BY 1 \(direction) LIMIT 1 OFFSET ?",
          [.integer(Int64(count - 1))])
    ) { $0.integer(0) }
    guard let last else { return nil }
    switch (term.direction, term.key.missingValues) {
    case (.descending, _): return SQL(" AND \(column) >= ?", [.integer(last)])
    case (.ascending, .last): return SQL(" AND \(column) <= ?", [.integer(last)])
    case (.ascending, .smallest):
      return SQL(" AND (\(column) <= ? OR \(column) IS NULL)", [.integer(last)])
    }
  }
}
