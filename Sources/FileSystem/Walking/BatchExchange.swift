internal import Synchronization

/// The bounded channel between the walking threads and the one that writes.
///
/// A fixed number of batches circulates, and a few more that come and go with each thread: so memory stays
/// bounded, and fast walkers wait for a slow writer. Batches come out in the order in which they were
/// taken out empty. With the rule of ``TreeWalker`` that a directory's content never goes into an older
/// batch than its own entry, the writer always sees a directory before what is in it.
final class BatchExchange: Sendable {
  private struct State {
    var free: [EntryBatch]
    var filled: [EntryBatch?]
    var nextToFill = 0
    var nextToWrite = 0
    /// Filled batches that the writer has not taken.
    var waiting = 0
    var producers: Int
    /// How many batches there are, wherever they are.
    var batches: Int
    /// How many of them go when they come back: they came with producers that are gone.
    var surplus = 0
    var isStopped = false

    mutating func dropSurplus() {
      while surplus > 0, free.popLast() != nil {
        surplus -= 1
        batches -= 1
      }
    }
  }

  private let monitor: Monitor<State>
  /// The batch that the writer waits for while none is empty; -1 at first.
  private let awaited = Atomic<Int>(-1)

  init(batches: Int, producers: Int) {
    monitor = Monitor(
      State(
        free: (0..<batches).map { _ in EntryBatch() },
        filled: Array(repeating: nil, count: batches),
        producers: producers, batches: batches))
  }

  /// How many batches there are at the moment.
  var batchCount: Int { monitor.withLock { $0.batches } }

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
      let kept = min(state.surplus, Self.batchesOfEach)
      state.surplus -= kept
      let more = (kept..<Self.batchesOfEach).map { _ in EntryBatch() }
      state.free += more
      state.batches += more.count
      guard state.batches > state.filled.count else { return }
      var filled = [EntryBatch?](repeating: nil, count: state.batches)
      for case let batch? in state.filled { filled[batch.sequence % filled.count] = batch }
      state.filled = filled
    }
  }

  /// How many batches come with a producer: the one that it fills, and one on the way.
  private static let batchesOfEach = 2

  /// One producer will submit nothing more.
  func producerFinished() {
    monitor.withLockNotifying { state in
      state.producers -= 1
      state.surplus += Self.batchesOfEach
      state.dropSurplus()
    }
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
    monitor.withLockNotifying { state in
      state.free.append(batch)
      state.dropSurplus()
    }
  }

  /// Ends all waiting: producers get no batch and the writer no more content.
  func stop() {
    monitor.withLockNotifying { $0.isStopped = true }
  }
}
