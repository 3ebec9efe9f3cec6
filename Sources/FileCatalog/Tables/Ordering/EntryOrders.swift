internal import GRDB

/// The orders of all entries in one state of the catalog, each made when it is first asked for.
///
/// An order is four bytes an entry. Every one rests on two that are made first: that of the paths,
/// and that of the names within it; sorting by a further key is then a matter of numbers.
struct EntryOrders: Sendable {
  /// The state that the orders are of.
  let state: CatalogState
  let roster: Roster
  private var foundation: Foundation?
  /// By the text of the order; the one used last at the end.
  private var finished: [(order: SortOrder, positions: [UInt32])] = []

  /// How many finished orders are kept.
  private static let capacity = 6

  private struct Foundation: Sendable {
    /// Positions in the order of the paths.
    let byPath: [UInt32]
    /// By position: the rank of the name, the same for names that differ in case only.
    let nameRanks: [UInt32]
    /// Positions in the order of names, then paths.
    let byName: [UInt32]
  }

  init(_ state: CatalogState, in db: Database) throws {
    self.state = state
    roster = try Roster(in: db)
  }

  /// The positions of all entries in an order, if it has been made.
  func known(_ order: SortOrder) -> [UInt32]? {
    finished.last { $0.order == order }?.positions
  }

  /// The positions of all entries in an order.
  mutating func positions(
    _ order: SortOrder, in db: Database, _ cancellation: Cancellation
  ) throws -> [UInt32] {
    if let index = finished.firstIndex(where: { $0.order == order }) {
      let found = finished.remove(at: index)
      finished.append(found)
      return found.positions
    }
    let positions = try make(order, in: db, cancellation)
    if finished.count == Self.capacity { finished.removeFirst() }
    finished.append((order, positions))
    return positions
  }

  private mutating func make(
    _ order: SortOrder, in db: Database, _ cancellation: Cancellation
  ) throws -> [UInt32] {
    let foundation = try foundation(in: db, cancellation)
    let keys = order.terms.map(\.key)
    // What decides where all terms are equal; the terms are then applied from the last to the first.
    var positions = keys.contains(.name) ? foundation.byPath : foundation.byName
    for term in order.terms.reversed() {
      try cancellation.check()
      switch (term.key, term.direction) {
      case (.path, .ascending): positions = foundation.byPath
      case (.path, .descending): positions = foundation.byPath.reversed()
      case (.name, .ascending) where term == order.terms.last: positions = foundation.byName
      case (.name, _):
        positions = SortCodes(ranks: foundation.nameRanks)
          .sort(positions, term.direction, missing: .smallest)
      default:
        positions = try SortCodes(of: term.key, for: roster, in: db)
          .sort(positions, term.direction, missing: term.key.missingValues)
      }
    }
    guard order.directories == .first else { return positions }
    var isDirectory = [Bool](repeating: false, count: roster.count)
    try RowReader(db).forEach(SQLFragment("SELECT id FROM folders")) { row in
      if let position = roster.position(of: row.integer(0)) { isDirectory[position] = true }
    }
    return PositionSort.partition(positions, to: .front) { isDirectory[$0] }
  }

  private mutating func foundation(
    in db: Database, _ cancellation: Cancellation
  ) throws -> Foundation {
    if let foundation { return foundation }
    let names = try EntryNames(of: roster, in: db)
    try cancellation.check()
    let byPath = PathOrder(of: names).positions
    try cancellation.check()
    let ranks = NameClasses(of: names, count: roster.count).ranks
    let made = Foundation(
      byPath: byPath, nameRanks: ranks,
      byName: PositionSort.stable(byPath, by: ranks.map { UInt64($0) }))
    foundation = made
    return made
  }
}
