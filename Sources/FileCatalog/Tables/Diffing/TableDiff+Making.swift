/// A row of a list, as a diff sees it.
public struct VersionedRow<ID: Hashable & Sendable, Version: Equatable & Sendable>: Sendable {
  /// Which row it is. No two rows of one list share it.
  public let id: ID
  /// Differs whenever the values of the row differ.
  public let version: Version

  /// Makes a row.
  public init(_ id: ID, _ version: Version) {
    self.id = id
    self.version = version
  }
}

extension VersionedRow: Equatable, Hashable where Version: Hashable {}

extension TableDiff {
  /// Compares two lists.
  ///
  /// Should rows of one list share an identity in spite of all, the first of each list are taken for
  /// the same row, the others for rows that came or went.
  ///
  /// - Complexity: O(n log n) for the moves; linear where rows keep their order.
  public init<ID, Version>(
    from old: [VersionedRow<ID, Version>], to new: [VersionedRow<ID, Version>],
    shape: Shape = .full
  ) {
    var matching = RowMatching(old: old.count, new: new.count)
    matching.matchEnds {
      old[$0].id == new[$1].id
    } isChanged: {
      old[$0].version != new[$1].version
    }
    var places: [ID: Int] = [:]
    places.reserveCapacity(matching.oldMiddle.count)
    for index in matching.oldMiddle.reversed() { places[old[index].id] = index }
    for index in matching.newMiddle {
      guard let place = places.removeValue(forKey: new[index].id) else { continue }
      matching.match(
        old: place, new: index, isChanged: old[place].version != new[index].version)
    }
    self.init(matching, shape: shape)
  }

  /// Tells the differences between lists of which it is known which rows belong together.
  init(_ matching: RowMatching, shape: Shape) {
    var insertions: [Int] = []
    var updates: [Int] = []
    var isKept = [Bool](repeating: false, count: matching.oldCount)
    // The rows that are in both lists, in the order of the new one.
    var kept = KeptRows()
    for (index, origin) in matching.origins.enumerated() {
      guard origin >= 0 else {
        insertions.append(index)
        continue
      }
      if matching.isChanged[index] {
        guard shape == .full else {
          insertions.append(index)
          continue
        }
        updates.append(Int(origin))
      }
      isKept[Int(origin)] = true
      kept.append(origin, at: index)
    }
    self.init(
      shape: shape, deletions: isKept.indices.filter { !isKept[$0] }, insertions: insertions,
      updates: updates.sorted(), moves: kept.moves())
  }
}

/// Which rows of a new list were where in an old one.
struct RowMatching {
  let oldCount: Int
  /// By new index: the old index, or -1 for a row that is new.
  private(set) var origins: [Int32]
  /// By new index: whether the row has other values than it had.
  private(set) var isChanged: [Bool]
  /// What is left between the beginning and the end that both lists share.
  private(set) var oldMiddle: Range<Int>
  private(set) var newMiddle: Range<Int>

  init(old: Int, new: Int) {
    oldCount = old
    origins = Array(repeating: -1, count: new)
    isChanged = Array(repeating: false, count: new)
    oldMiddle = 0..<old
    newMiddle = 0..<new
  }

  @inline(__always)
  mutating func match(old: Int, new: Int, isChanged: Bool) {
    origins[new] = Int32(truncatingIfNeeded: old)
    self.isChanged[new] = isChanged
  }

  /// Matches the rows that both lists begin and end with: most lists differ in few places.
  @inline(__always)
  mutating func matchEnds(_ isSame: (Int, Int) -> Bool, isChanged: (Int, Int) -> Bool) {
    var start = 0
    let shorter = min(oldMiddle.count, newMiddle.count)
    while start < shorter, isSame(start, start) {
      match(old: start, new: start, isChanged: isChanged(start, start))
      start += 1
    }
    var oldEnd = oldMiddle.upperBound
    var newEnd = newMiddle.upperBound
    while oldEnd > start, newEnd > start, isSame(oldEnd - 1, newEnd - 1) {
      oldEnd -= 1
      newEnd -= 1
      match(old: oldEnd, new: newEnd, isChanged: isChanged(oldEnd, newEnd))
    }
    oldMiddle = start..<oldEnd
    newMiddle = start..<newEnd
  }
}
