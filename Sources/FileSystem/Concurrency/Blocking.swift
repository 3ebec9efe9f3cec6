/// Threads on which system calls may block, so that the few threads that run tasks never do.
///
/// A few threads stay when their work is done and wait for more: starting one takes longer than most of
/// what it is for. Where the system gives no further thread, the calling one does the work.
package enum Blocking {
  private struct State {
    var work: [@Sendable () -> Void] = []
    /// How many threads wait for work. Each takes one piece of ``work``.
    var idle = 0
  }

  private static let state = Monitor(State())
  /// How many threads wait for work at most.
  private static let patience = 4

  /// Runs `body` on such a thread.
  package static func run<Result: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let outcome: Swift.Result<Result, Failure> = await Handover.value { outcome in
      start {
        do throws(Failure) {
          outcome(.success(try body()))
        } catch {
          outcome(.failure(error))
        }
      }
    }
    return try outcome.get()
  }

  /// Has `body` run on such a thread, and goes on.
  package static func start(_ body: @escaping @Sendable () -> Void) {
    let isTaken = state.withLockNotifying { state in
      guard state.idle > state.work.count else { return false }
      state.work.append(body)
      return true
    }
    if isTaken { return }
    do {
      try WorkerThread.start(named: "blocking") {
        body()
        serve()
      }
    } catch {
      body()
    }
  }

  /// Does what comes up, until enough others wait for it.
  private static func serve() {
    while let body = next() { body() }
  }

  private static func next() -> (@Sendable () -> Void)? {
    let isWanted = state.withLock { state in
      guard state.idle < patience else { return false }
      state.idle += 1
      return true
    }
    guard isWanted else { return nil }
    return state.wait { state in
      guard !state.work.isEmpty else { return nil }
      state.idle -= 1
      return state.work.removeFirst()
    }
  }
}
