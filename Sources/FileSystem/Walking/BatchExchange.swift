internal import Synchronization

/// The bounded channel between the walking threads and the one that writes.
///
/// A fixed number of batches circulates, and a few more with each thread that comes: so memory stays
/// bounded, and fast walkers wait for a slow writer. Batches come out in the order in which they were taken out empty. With the rule of
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
  /// The batch that the writer waits for while none is empty; -1 at first.
  private let awaited = Atomic<Int>(-1)

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
      guard let batch = state.free.popLast() else {
        awaited.store(state.nextToWrite, ordering: .relaxed)
        return nil
      }
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

  /// Whether all others wait for a batch, since no batch can be written before this one.
  func isAwaiting(_ batch: EntryBatch) -> Bool {
    batch.sequence <= awaited.load(ordering: .relaxed)
  }

  /// One producer more is going to come.
  func addProducer() {
    monitor.withLockNotifying { state in
      state.producers += 1
      let more = (0..<Self.batchesOfEach).map { _ in EntryBatch() }
      state.free += more
      var filled = [EntryBatch?](repeating: nil, count: state.filled.count + more.count)
      for case let batch? in state.filled { filled[batch.sequence % filled.count] = batch }
      state.filled = filled
    }
  }

  /// How many batches come with a producer: the one that it fills, and one on the way.
  private static let batchesOfEach = 2

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
