extension TableRows {
  /// These rows, with some entries as another list has them: there or not, in that version and place.
  ///
  /// An adopted row is put behind the row that it follows in the other list, of those that have kept
  /// their order. So no adopted row differs between the result and the other list, nor moves.
  ///
  /// - Complexity: as that of a diff.
  func adopting(_ entries: Set<Int64>, from other: TableRows) -> TableRows {
    let (ids, versions) = listed
    let (otherIDs, otherVersions) = other.listed
    let shorter = min(count, other.count)
    var start = 0
    while start < shorter, ids[start] == otherIDs[start] { start += 1 }
    var (end, otherEnd) = (count, other.count)
    while end > start, otherEnd > start, ids[end - 1] == otherIDs[otherEnd - 1] {
      (end, otherEnd) = (end - 1, otherEnd - 1)
    }
    var result = RowList(capacity: other.count)
    func version(_ index: Int, _ otherIndex: Int) -> UInt32 {
      let isAdopted = versions[index] != otherVersions[otherIndex] && entries.contains(ids[index])
      return isAdopted ? otherVersions[otherIndex] : versions[index]
    }
    for index in 0..<start { result.append(ids[index], version(index, index)) }

    let rest = (start..<end).filter { !entries.contains(ids[$0]) }
    let restIDs = rest.map { ids[$0] }
    let places = PlaceTable(of: restIDs, in: restIDs.indices)
    var kept = KeptRows()
    for index in start..<otherEnd {
      if let place = places.place(of: otherIDs[index]) {
        kept.append(Int32(truncatingIfNeeded: place), at: index)
      }
    }
    let moved = Set(kept.moves().map(\.from))
    // Which adopted rows follow which of the rest; -1: none.
    var adopted: [(place: Int, index: Int)] = []
    var last = -1
    for index in start..<otherEnd {
      if entries.contains(otherIDs[index]) {
        adopted.append((last, index))
      } else if let place = places.place(of: otherIDs[index]), !moved.contains(place) {
        last = place
      }
    }
    var next = adopted[...]
    for place in -1..<rest.count {
      if place >= 0 { result.append(ids[rest[place]], versions[rest[place]]) }
      while let row = next.first, row.place == place {
        result.append(otherIDs[row.index], otherVersions[row.index])
        next.removeFirst()
      }
    }

    for index in end..<count { result.append(ids[index], version(index, index - end + otherEnd)) }
    return .list(ids: result.ids, versions: result.versions)
  }
}

/// A list of rows in the making.
private struct RowList {
  private(set) var ids: [Int64] = []
  private(set) var versions: [UInt32] = []

  init(capacity: Int) {
    ids.reserveCapacity(capacity)
    versions.reserveCapacity(capacity)
  }

  mutating func append(_ id: Int64, _ version: UInt32) {
    ids.append(id)
    versions.append(version)
  }
}

/// Where each id of a list stands: a hash table of plain memory, several times faster than a
/// dictionary for a million ids.
struct PlaceTable {
  private var ids: [Int64]
  /// By slot: the place and one, or 0 for a free slot.
  private var places: [UInt32]
  private let mask: Int
  /// Drawn for each table: a catalog that somebody else has made may have any ids.
  private let multiplier = Int64.random(in: .min ... .max) | 1

  init(of list: [Int64], in range: Range<Int>) {
    // At most half of the slots are taken.
    var size = 16
    while size < range.count * 2 { size *= 2 }
    mask = size - 1
    let multiplier = multiplier
    ids = Array(repeating: 0, count: size)
    places = Array(repeating: 0, count: size)
    for place in range {
      var slot = Self.hash(list[place], multiplier) & mask
      while places[slot] != 0 { slot = (slot + 1) & mask }
      ids[slot] = list[place]
      places[slot] = UInt32(truncatingIfNeeded: place + 1)
    }
  }

  /// The place of an id, or `nil`.
  @inline(__always)
  func place(of id: Int64) -> Int? {
    var slot = Self.hash(id, multiplier) & mask
    while places[slot] != 0 {
      if ids[slot] == id { return Int(places[slot]) - 1 }
      slot = (slot + 1) & mask
    }
    return nil
  }

  /// Neighbouring ids go to neighbouring slots, as they are mostly looked up one after the other:
  /// multiplying would scatter them over all of memory. Their higher bits are mixed in for lists that
  /// leave large gaps.
  @inline(__always)
  private static func hash(_ id: Int64, _ multiplier: Int64) -> Int {
    Int(truncatingIfNeeded: id ^ (id >> 24) &* multiplier)
  }
}
