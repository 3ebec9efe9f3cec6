internal import SQLite

/// Between which of the values of a key the rows of a page are, in an order that begins with that key.
///
/// The values are gone through once, in the order of the index of the key if it has one; entries without a
/// value come behind all others, and are not looked at before.
struct ValueBounds {
  /// What all rows of the page meet: a condition on `_entry_rows`.
  let condition: SQL
  /// How many rows come before those that meet it.
  let skipped: Int

  /// - Parameter condition: the compiled condition of the request.
  init(
    of key: ValueKey, _ direction: SortOrder.Direction, rows: Range<Int>, in request: TableRequest,
    where condition: SQL, _ db: Connection
  ) throws {
    var found = 0
    var first: (value: TablePlace.Value, place: Int)?
    var last: TablePlace.Value?
    let values = try Self.values(of: key, direction, upTo: rows.upperBound, request, condition, db)
    try db.forEach(values) { row in
      if found <= rows.lowerBound {
        let value = TablePlace.Value(row, 0).reduced
        if first?.value != value { first = (value, found) }
      }
      if found == rows.upperBound - 1 { last = TablePlace.Value(row, 0) }
      found += 1
    }
    guard let first, found > rows.lowerBound else {
      // Nothing but entries without a value.
      self.condition = SQL("NOT ") + Self.hasValue(of: key)
      skipped = found
      return
    }
    let (from, to) = direction == .ascending ? (">=", "<=") : ("<=", ">=")
    let lowest = SQL(" AND v.value \(from) ") + first.value.sql
    // As far as the values go, where the page has rows without one.
    let highest = last.map { SQL(" AND v.value \(to) ") + $0.sql } ?? SQL("")
    let between = Self.hasValue(of: key, lowest + highest)
    self.condition =
      last == nil
      ? SQL("(") + between + SQL(" OR NOT ") + Self.hasValue(of: key) + SQL(")") : between
    skipped = first.place
  }

  private static func hasValue(of key: ValueKey, _ condition: SQL = SQL("")) -> SQL {
    SQL("id IN (SELECT v.entry_id FROM \(key.values)") + condition + SQL(")")
  }

  /// The values of the first rows, in order.
  private static func values(
    of key: ValueKey, _ direction: SortOrder.Direction, upTo end: Int, _ request: TableRequest,
    _ condition: SQL, _ db: Connection
  ) throws -> SQL {
    var values = SQL("SELECT v.value FROM \(key.values)")
    if request.query.filter != .all || request.scope != .everything {
      let source = EntrySource(for: request, condition)
      values += SQL(" AND v.entry_id IN (SELECT id FROM \(max(source, .stored).table) WHERE ")
      values += condition + SQL(")")
    }
    values += SQL(" ORDER BY v.value\(direction == .descending ? " DESC" : "") LIMIT \(end)")
    return values
  }
}

extension TablePlace.Value {
  /// A number that is whole as an integer: SQLite takes both for the same.
  fileprivate var reduced: TablePlace.Value {
    guard case .real(let real) = self, let integer = Int64(exactly: real) else { return self }
    return .integer(integer)
  }
}
