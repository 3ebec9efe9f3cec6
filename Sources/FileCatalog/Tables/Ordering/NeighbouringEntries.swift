internal import SQLite

/// Reads entries whose ids mostly follow each other, such as those of one directory.
///
/// Looking for a row by its id costs SQLite several times what going on to the next one costs. So ids
/// are put in order, and those that lie close together are read in one go, with what lies between.
struct NeighbouringEntries {
  private let ids: [Int64]
  /// Indexes of the ids, the smallest id first.
  private let order: [UInt32]

  /// Looking for a row takes as long as reading so many.
  private static let gap: Int64 = 8

  /// - Parameter ids: no two are equal.
  init(_ ids: [Int64]) {
    self.ids = ids
    order = PositionSort.stable(
      ids.indices.map { UInt32(truncatingIfNeeded: $0) }, by: ids.map { UInt64(bitPattern: $0) })
  }

  /// Calls `body` with the index of each id and its row, which has the id in its first column and
  /// then the columns of `_entries` that are named. Ids that are gone are left out.
  func forEach(
    _ columns: String, _ db: Connection, _ body: (Int, Row) throws -> Void
  ) throws {
    var next = 0
    try db.forEach(
      "SELECT id, \(columns) FROM _entries WHERE id BETWEEN ? AND ?", in: runs
    ) { row in
      let id = row.id(0)
      while next < order.count, ids[Int(order[next])] < id { next += 1 }
      guard next < order.count, ids[Int(order[next])] == id else { return }
      try body(Int(order[next]), row)
    }
  }

  /// The ids as ranges with small gaps, ascending.
  private var runs: [ClosedRange<Int64>] {
    var runs: [ClosedRange<Int64>] = []
    for index in order {
      let id = ids[Int(index)]
      if let last = runs.last, id - last.upperBound <= Self.gap {
        runs[runs.count - 1] = last.lowerBound...id
      } else {
        runs.append(id...id)
      }
    }
    return runs
  }
}
