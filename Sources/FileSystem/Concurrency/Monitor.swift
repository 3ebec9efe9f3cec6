#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// State behind a lock on which threads can wait.
///
/// Built on pthread because the walker's threads block in system calls, which tasks must not, and
/// because the thread sanitizer understands it (it flags `Synchronization.Mutex` on Linux).
package final class Monitor<State>: @unchecked Sendable {
  // Sendable: `state` is only touched between lock and unlock.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var state: State

  package init(_ state: State) {
    self.state = state
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Runs `body` alone with the state.
  package func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&state)
  }

  /// Runs `body` alone with the state, then lets every waiting thread look again.
  package func withLockNotifying<Result>(
    _ body: (inout State) throws -> Result
  ) rethrows -> Result {
    pthread_mutex_lock(mutex)
    defer {
      pthread_cond_broadcast(condition)
      pthread_mutex_unlock(mutex)
    }
    return try body(&state)
  }

  /// Runs `body` alone with the state, then lets every waiting thread look again if the state is worth
  /// it: waking a thread costs more than most of what it would do.
  package func withLock(
    _ body: (inout State) -> Void, notifyingIf isWorthIt: (borrowing State) -> Bool
  ) {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    body(&state)
    if isWorthIt(state) { pthread_cond_broadcast(condition) }
  }

  /// Waits until `body` has a result.
  package func wait<Result>(until body: (inout State) -> Result?) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(&state) { return result }
      pthread_cond_wait(condition, mutex)
    }
  }

  /// Waits until `body` has a result, for so long at most.
  package func wait<Result>(
    for limit: Duration, until body: (inout State) -> Result?
  ) -> Result? {
    var end = timespec()
    clock_gettime(CLOCK_REALTIME, &end)
    let parts = limit.components
    let nanoseconds = end.tv_nsec + Int(parts.attoseconds / 1_000_000_000)
    end.tv_sec += Int(clamping: parts.seconds) + nanoseconds / 1_000_000_000
    end.tv_nsec = nanoseconds % 1_000_000_000
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(&state) { return result }
      if pthread_cond_timedwait(condition, mutex, &end) == ETIMEDOUT { return body(&state) }
    }
  }
}
