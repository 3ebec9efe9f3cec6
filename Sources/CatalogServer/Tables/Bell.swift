internal import FileCatalog
internal import FileSystem

/// Wakes everybody who listens.
final class Bell: Sendable {
  private struct State {
    var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
    var next = 0
    var isOver = false
  }

  private let state = Monitor(State())

  /// How many listen.
  var count: Int { state.withLock { $0.listeners.count } }

  /// Rings that have not been heard yet count as one; the end of the stream is that of the server.
  func rings() -> AsyncStream<Void> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let number = state.withLock { state -> Int? in
        if state.isOver { return nil }
        state.next += 1
        state.listeners[state.next] = continuation
        return state.next
      }
      guard let number else { return continuation.finish() }
      continuation.onTermination = { [self] _ in
        state.withLock { $0.listeners[number] = nil }
      }
    }
  }

  func ring() {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield() }
  }

  /// Ends all streams.
  func fallSilent() {
    let listeners = state.withLock { state in
      state.isOver = true
      defer { state.listeners = [:] }
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.finish() }
  }
}
