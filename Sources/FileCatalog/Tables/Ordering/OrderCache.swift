internal import FileSystem
internal import Synchronization

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
