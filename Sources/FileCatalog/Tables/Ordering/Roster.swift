internal import SQLite

/// The ids of all entries, ascending. Orders and sets of entries are kept as positions in it: half
/// the memory of ids, and arrays where there would be dictionaries.
struct Roster: Sendable {
  /// The ids; no two are equal.
  let ids: [Int64]
  /// By position: the scan that last saw the entry changed.
  let versions: [UInt32]

  init(in db: Connection) throws {
    var ids: [Int64] = []
    var versions: [UInt32] = []
    let count = Int(try db.integer("SELECT count(*) FROM entries") ?? 0)
    ids.reserveCapacity(count)
    versions.reserveCapacity(count)
    try db.forEach(SQL("SELECT id, last_changed_scan FROM entries ORDER BY id")) { row in
      ids.append(row.integer(0))
      versions.append(UInt32(truncatingIfNeeded: row.integer(1)))
    }
    self.ids = ids
    self.versions = versions
  }

  var count: Int { ids.count }

  /// Where an id stands. As ids are nearly always given out without gaps, the first guess is right
  /// but for entries that came later.
  @inline(__always)
  func position(of id: Int64) -> Int? {
    guard let first = ids.first, id >= first else { return nil }
    // Ids ascend by one at least, so none stands further back than if there were no gaps.
    let guess = min(Int(clamping: id - first), ids.count - 1)
    if ids[guess] == id { return guess }
    var low = 0
    var high = guess
    while low < high {
      let middle = (low + high) / 2
      if ids[middle] < id { low = middle + 1 } else { high = middle }
    }
    return ids[low] == id ? low : nil
  }
}
