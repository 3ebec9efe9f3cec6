internal import FileSystem

/// The entries of one directory in order, sorted here rather than by SQLite: their paths are in the
/// order of their names, and numbers need not be compared.
struct ChildOrder {
  let rows: TableRows

  /// - Parameter condition: which entries; all must be of one directory.
  /// - Returns: `nil` for orders that SQLite has to make.
  init?(where condition: SQLFragment, _ order: SortOrder, _ reader: RowReader) throws {
    let columns = order.terms.compactMap { $0.key.isNameOrPath ? "NULL" : $0.key.numberColumn }
    guard columns.count == order.terms.count else { return nil }

    var ids: [Int64] = []
    var versions: [UInt32] = []
    var isDirectory: [Bool] = []
    var names = EntryNames()
    var values = columns.map { _ in [Int64?]() }
    let list = (["id", "last_changed_scan", "kind_id", "name"] + columns).joined(separator: ", ")
    try reader.forEach(SQLFragment("SELECT \(list) FROM entry_rows WHERE ") + condition) { row in
      names.append(row.bytes(3), at: ids.count)
      ids.append(row.integer(0))
      versions.append(UInt32(truncatingIfNeeded: row.integer(1)))
      isDirectory.append(row.integer(2) == Int64(EntryKind.directory.rawValue))
      for index in columns.indices {
        values[index].append(row.optionalInteger(Int32(4 + index)))
      }
    }
    names.sort()
    let nameOrder = NameOrder(byPath: names.positions, names, count: ids.count)
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
