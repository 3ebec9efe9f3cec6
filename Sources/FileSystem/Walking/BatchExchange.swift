/// The bounded channel between the walking threads and the one that writes.
///
/// A fixed number of batches circulates, so memory stays bounded and fast walkers wait for a slow
/// writer. Batches come out in the order in which they were taken out empty. With the rule of
/// ``TreeWalker`` that a directory's content never goes into an older batch than its own entry, the
/// writer always sees a directory before what is in it.
final class BatchExchange: Sendable {
  private struct State {
    var free: [EntryBatch]
    var filled: [EntryBatch?]
    var nextToFill = 0
    var nextToWrite = 0
    /// Filled batches that the writer has not taken.
    var waiting = 0
    var producers: Int
    var isStopped = false
  }

  private let monitor: Monitor<State>

  init(batches: Int, producers: Int) {
    monitor = Monitor(
      State(
        free: (0..<batches).map { _ in EntryBatch() },
        filled: Array(repeating: nil, count: batches),
        producers: producers))
  }

  /// An empty batch, or `nil` once the exchange is stopped.
  func take() -> EntryBatch? {
    monitor.wait { state -> EntryBatch?? in
      if state.isStopped { return .some(nil) }
      guard let batch = state.free.popLast() else { return nil }
      batch.sequence = state.nextToFill
      state.nextToFill += 1
      return .some(batch)
    }
  }

  /// Passes a filled batch on to the writer, who is woken for several at once: a writer with little to
  /// do would otherwise take a processor from the walkers a thousand times.
  func submit(_ batch: EntryBatch) {
    monitor.withLock { state in
      state.filled[batch.sequence % state.filled.count] = batch
      state.waiting += 1
    } notifyingIf: { state in
      state.waiting >= Self.handful || state.free.isEmpty
    }
  }

  /// How many batches the writer is woken for.
  private static let handful = 4

  /// One producer will submit nothing more.
  func producerFinished() {
    monitor.withLockNotifying { $0.producers -= 1 }
  }

  /// The next batch in order, or `nil` when every producer is done or the exchange is stopped.
  func next() -> EntryBatch? {
    monitor.wait { state -> EntryBatch?? in
      if state.isStopped { return .some(nil) }
      let slot = state.nextToWrite % state.filled.count
      if let batch = state.filled[slot] {
        state.filled[slot] = nil
        state.nextToWrite += 1
        state.waiting -= 1
        return .some(batch)
      }
      return state.producers == 0 ? .some(nil) : nil
    }
  }

  /// Gives a batch back after writing.
  func recycle(_ batch: EntryBatch) {
    batch.reset()
    monitor.withLockNotifying { $0.free.append(batch) }
  }

  /// Ends all waiting: producers get no batch and the writer no more content.
  func stop() {
    monitor.withLockNotifying { $0.isStopped = true }
  }
}
