import Dispatch

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Turns Ctrl-C into the cancellation of a task, so that work stops in an orderly way.
enum Interruption {
  /// Runs `body`; an interrupt or a termination signal cancels it. A second one ends the process at
  /// once, as without this.
  static func cancelling<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    let task = Task { try await body() }
    let sources = [SIGINT, SIGTERM, SIGHUP].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        signal(number, SIG_DFL)
        task.cancel()
      }
      source.resume()
      return source
    }
    defer {
      for source in sources { source.cancel() }
      for number in [SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_DFL) }
    }
    return try await task.value
  }
}
