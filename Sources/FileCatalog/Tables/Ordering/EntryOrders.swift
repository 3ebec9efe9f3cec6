internal import FileSystem
internal import SQLite
internal import Synchronization

/// The orders of all entries in one state of the catalog, each made when it is first asked for.
///
/// An order is four bytes an entry. Every one rests on two that are made first: that of the paths,
/// and that of the names within it; sorting by a further key is then a matter of numbers.
struct EntryOrders: Sendable {
  /// The state that the orders are of.
  let state: CatalogState
  let roster: Roster
  private var foundation: NameOrder?
  /// By the text of the order; the one used last at the end.
  private var finished: [(order: SortOrder, positions: [UInt32])] = []

  /// How many finished orders are kept.
  private static let capacity = 6

  init(_ state: CatalogState, in db: Connection) throws {
    self.state = state
    roster = try Roster(in: db)
  }

  /// The positions of all entries in an order, if it has been made.
  func known(_ order: SortOrder) -> [UInt32]? {
    finished.last { $0.order == order }?.positions
  }

  /// The positions of all entries in an order.
  mutating func positions(
    _ order: SortOrder, in db: Connection, _ cancellation: Cancellation
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
    _ order: SortOrder, in db: Connection, _ cancellation: Cancellation
  ) throws -> [UInt32] {
    let foundation = try foundation(in: db, cancellation)
    let positions = try foundation.positions(order.terms) { key in
      try cancellation.check()
      return try SortCodes(of: key, for: roster, in: db)
    }
    guard order.directories == .first else { return positions }
    var isDirectory = [Bool](repeating: false, count: roster.count)
    try db.forEach(SQL("SELECT id FROM _directory_paths")) { row in
      if let position = roster.position(of: row.integer(0)) { isDirectory[position] = true }
    }
    return PositionSort.partition(positions, to: .front) { isDirectory[$0] }
  }

  private mutating func foundation(
    in db: Connection, _ cancellation: Cancellation
  ) throws -> NameOrder {
    if let foundation { return foundation }
    let names = try EntryNames(of: roster, in: db)
    try cancellation.check()
    let byPath = try PathOrder(of: names).positions
    try cancellation.check()
    let made = NameOrder(byPath: byPath, names, count: roster.count)
    foundation = made
    return made
  }
}

/// The orders of the state of the catalog that was looked at last: what makes the second snapshot
/// quick. They are gone with the state, or with the catalog.
///
/// They are in memory and not in the file: reading a catalog never writes to it, and scans would have
/// to pay for keeping up what may never be asked for again.
final class OrderCache: Sendable {
  private let orders = Monitor<EntryOrders?>(nil)

  func orders(of state: CatalogState) -> EntryOrders? {
    orders.withLock { orders in orders?.state == state ? orders : nil }
  }

  func keep(_ new: EntryOrders) {
    orders.withLock { $0 = new }
  }
}

/// Tells work on another thread that nobody waits for it any more.
final class Cancellation: Sendable {
  private let isCancelled = Atomic<Bool>(false)

  func cancel() { isCancelled.store(true, ordering: .relaxed) }

  /// - Throws: `CancellationError` after ``cancel()``.
  func check() throws {
    if isCancelled.load(ordering: .relaxed) { throw CancellationError() }
  }
}
