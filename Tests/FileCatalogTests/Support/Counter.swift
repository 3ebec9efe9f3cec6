import FileSystem

/// Counts from any thread.
final class Counter: Sendable {
  private let count = Monitor(0)

  var value: Int { count.withLock { $0 } }

  /// Counts one more; always `true`.
  @discardableResult
  func add() -> Bool {
    count.withLock { $0 += 1 }
    return true
  }
}
