/// Which entry is in which row of a snapshot, and in which version.
enum TableRows: Sendable {
  /// Ids, and by row the scan that last saw the entry changed.
  case list(ids: [Int64], versions: [UInt32])
  /// Positions in a list of all entries: orders of everything share both.
  case positions([UInt32], Roster)

  var count: Int {
    switch self {
    case .list(let ids, _): ids.count
    case .positions(let positions, _): positions.count
    }
  }

  func id(at index: Int) -> Int64 {
    switch self {
    case .list(let ids, _): ids[index]
    case .positions(let positions, let roster): roster.ids[Int(positions[index])]
    }
  }

  func index(of id: Int64) -> Int? {
    switch self {
    case .list(let ids, _): return ids.firstIndex(of: id)
    case .positions(let positions, let roster):
      guard let position = roster.position(of: id) else { return nil }
      return positions.firstIndex(of: UInt32(truncatingIfNeeded: position))
    }
  }

  /// Ids and versions by row, without the way through a list of all entries.
  var listed: (ids: [Int64], versions: [UInt32]) {
    switch self {
    case .list(let ids, let versions): (ids, versions)
    case .positions(let positions, let roster):
      (positions.map { roster.ids[Int($0)] }, positions.map { roster.versions[Int($0)] })
    }
  }

  /// The rows of some indexes only.
  func selecting(_ indexes: [Int]) -> TableRows {
    switch self {
    case .list(let ids, let versions):
      .list(ids: indexes.map { ids[$0] }, versions: indexes.map { versions[$0] })
    case .positions(let positions, let roster):
      .positions(indexes.map { positions[$0] }, roster)
    }
  }

  /// Whether both are the same entries in the same versions and the same order.
  func isSame(as other: TableRows) -> Bool {
    guard count == other.count else { return false }
    let (first, second) = (listed, other.listed)
    return first.ids == second.ids && first.versions == second.versions
  }
}
