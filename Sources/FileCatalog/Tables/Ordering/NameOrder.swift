/// Entries in the order of their paths and of their names: what every other order rests on.
struct NameOrder: Sendable {
  /// Positions in the order of the paths.
  private let byPath: [UInt32]
  /// By position: the rank of the name, the same for names that differ in case only.
  private let ranks: [UInt32]
  /// Positions in the order of names, then paths.
  private let byName: [UInt32]

  /// - Parameter count: how many positions there are.
  init(byPath: [UInt32], _ names: EntryNames, count: Int) {
    self.byPath = byPath
    ranks = NameClasses(of: names, count: count).ranks
    byName = PositionSort.stable(byPath, by: ranks.map { UInt64($0) })
  }

  /// Positions in any order: its terms are applied from the last to the first, each without
  /// disturbing what it leaves undecided. Ties end with names and paths.
  ///
  /// - Parameter codes: the values of a key that is neither the name nor the path.
  func positions(
    _ terms: [SortOrder.Term], codes: (SortKey) throws -> SortCodes
  ) rethrows -> [UInt32] {
    var positions = terms.contains { $0.key == .name } ? byPath : byName
    for term in terms.reversed() {
      switch (term.key, term.direction) {
      case (.path, .ascending): positions = byPath
      case (.path, .descending): positions = byPath.reversed()
      case (.name, .ascending) where term == terms.last: positions = byName
      case (.name, _):
        positions = SortCodes(ranks: ranks).sort(positions, term.direction, missing: .smallest)
      default:
        positions = try codes(term.key)
          .sort(positions, term.direction, missing: term.key.missingValues)
      }
    }
    return positions
  }
}
