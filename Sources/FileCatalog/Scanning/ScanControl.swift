internal import FileSystem
internal import Synchronization

/// Stops a scan from outside: from a cancelled task or a signal.
final class ScanControl: Sendable {
  private struct State {
    var isCancelled = false
    var walker: TreeWalker?
  }

  private let monitor = Monitor(State())

  var isCancelled: Bool { monitor.withLock { $0.isCancelled } }

  /// Ties the walk that is going on to this control.
  func attach(_ walker: TreeWalker?) {
    let isCancelled = monitor.withLock { state in
      state.walker = walker
      return state.isCancelled
    }
    if isCancelled { walker?.cancel() }
  }

  func cancel() {
    let walker = monitor.withLock { state in
      state.isCancelled = true
      return state.walker
    }
    walker?.cancel()
  }
}
