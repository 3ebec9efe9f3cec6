internal import FileSystem
internal import SQLite

/// The entries of one directory in order, sorted here rather than by SQLite: their paths are in the
/// order of their names, and numbers need not be compared.
struct ChildOrder {
  let rows: TableRows

  /// - Parameter filter: a condition on `_entry_rows` that the entries meet; `nil` for all of the
  ///   directory. Only it makes the view be looked at: preparing a statement over that takes SQLite a
  ///   millisecond.
  /// - Returns: `nil` for orders that SQLite has to make.
  init?(
    of directory: FoundDirectory, where filter: SQL?, _ order: SortOrder,
    _ db: Connection
  ) throws {
    let columns = order.terms.compactMap { term in
      term.key.isTheSameAmongSiblings ? "NULL" : term.key.tableColumn
    }
    guard columns.count == order.terms.count else { return nil }

    var ids: [Int64] = []
    var names = EntryNames()
    // Without a filter, the index on (parent, name) has all of it, in order.
    var children = SQL(
      "SELECT id, name FROM \(filter == nil ? "_entries" : "_entry_rows") WHERE parent_id = ?",
      [.integer(directory.id)])
    if let filter { children += SQL(" AND (") + filter + SQL(")") }
    try db.forEach(children) { row in
      names.append(row.bytes(1), at: ids.count)
      ids.append(row.id(0))
    }
    names.sort()
    let nameOrder = NameOrder(byPath: names.positions, names, count: ids.count)

    var versions = [UInt32](repeating: 0, count: ids.count)
    var isDirectory = [Bool](repeating: false, count: ids.count)
    var values = columns.map { _ in [Int64?](repeating: nil, count: ids.count) }
    let list = (["last_changed_scan", "kind"] + columns).joined(separator: ", ")
    try NeighbouringEntries(ids).forEach(list, db) { index, row in
      versions[index] = UInt32(truncatingIfNeeded: row.integer(1))
      isDirectory[index] = row.integer(2) == Int64(EntryKind.directory.rawValue)
      for column in columns.indices {
        values[column][index] = row.optionalInteger(Int32(3 + column))
      }
    }
    let numbers = Dictionary(
      zip(order.terms.map(\.key), values), uniquingKeysWith: { first, _ in first })
    var positions = nameOrder.positions(order.terms) { SortCodes(numbers: numbers[$0] ?? []) }
    if order.directories == .first {
      positions = PositionSort.partition(positions, to: .front) { isDirectory[$0] }
    }
    rows = .list(
      ids: positions.map { ids[Int($0)] }, versions: positions.map { versions[Int($0)] })
  }
}
