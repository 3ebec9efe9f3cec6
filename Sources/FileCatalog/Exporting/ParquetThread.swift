internal import FileSystem
internal import Parquet

/// Writes batches of rows into a Parquet file on a thread of its own, while the next ones are read.
///
/// Encoding and compressing come in bursts, where pages end: so some batches may wait. What is written where does
/// not depend on it.
final class ParquetThread: Sendable {
  /// How many batches wait at most.
  private static let patience = 4

  private enum End {
    case complete
    /// What was written so far is no file, and nothing more is written.
    case abandoned
  }

  private struct State {
    var waiting: [RowBatch] = []
    /// Batches that were written, to be filled anew.
    var free: [RowBatch] = []
    var end: End?
    var outcome: Result<Void, any Error>?
  }

  private let columns: [ParquetColumn]
  private let state = Monitor(State())

  /// - Parameter makeWriter: opens the file. It is called on the thread.
  init(
    _ columns: [ParquetColumn], _ makeWriter: @escaping @Sendable () throws -> ParquetWriter
  ) throws {
    self.columns = columns
    try WorkerThread.start(named: "parquet") { [state] in
      let outcome = Result {
        var writer = try makeWriter()
        while var batch = Self.next(state) {
          try writer.write(batch)
          batch.removeAll()
          state.withLock { $0.free.append(batch) }
        }
        if state.withLock({ $0.end == .complete }) { try writer.finish() }
      }
      state.withLockNotifying { $0.outcome = outcome }
    }
  }

  /// Nothing is written to the file any more once this is gone, so that it can be closed.
  deinit {
    state.withLockNotifying { $0.end = $0.end ?? .abandoned }
    state.wait { $0.outcome == nil ? nil : () }
  }

  private static func next(_ state: Monitor<State>) -> RowBatch? {
    let batch = state.wait { state -> RowBatch?? in
      if state.end == .abandoned { return .some(nil) }
      if !state.waiting.isEmpty { return state.waiting.removeFirst() }
      return state.end == nil ? nil : .some(nil)
    }
    if batch != nil { state.withLockNotifying { _ in } }
    return batch
  }

  /// Has a batch written, sooner or later, and leaves one without rows in its place.
  ///
  /// - Throws: what kept batches before it from being written.
  func write(_ batch: inout RowBatch) throws {
    try state.wait { state in
      state.outcome ?? (state.waiting.count < Self.patience ? .success(()) : nil)
    }.get()
    var next = state.withLock { $0.free.popLast() } ?? RowBatch(columns)
    swap(&batch, &next)
    state.withLockNotifying { $0.waiting.append(next) }
  }

  /// Waits until all batches are written, and with them what describes the file.
  func finish() throws {
    state.withLockNotifying { $0.end = .complete }
    try state.wait { $0.outcome }.get()
  }
}
