internal import CPlatform
package import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Threads for bodies that block in system calls or run for long, which tasks must not.
package enum WorkerThread {
  /// The room that secondary threads get where nobody says otherwise: as much as the main thread has.
  package static let usualStackSize = 8 << 20

  /// Starts a thread that runs `body` once and ends.
  ///
  /// - Parameters:
  ///   - name: what debuggers and `ps` show; Linux keeps the first 15 bytes.
  ///   - stackSize: the size of the thread's stack in bytes. Only what is used takes memory.
  /// - Throws: the system's reason when there can be no such thread; then `body` is not called.
  package static func start(
    named name: String, stackSize: Int = usualStackSize, _ body: @escaping @Sendable () -> Void
  ) throws(ThreadError) {
    do throws(Errno) {
      try start(Start(name: name, body: body), stackSize: stackSize)
    } catch {
      throw ThreadError(name: name, errno: error)
    }
  }

  private static func start(_ start: Start, stackSize: Int) throws(Errno) {
    var attributes = pthread_attr_t()
    try Errno.check(pthread_attr_init(&attributes))
    defer { pthread_attr_destroy(&attributes) }
    try Errno.check(pthread_attr_setstacksize(&attributes, stackSize))
    try Errno.check(pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED)))

    let start = Unmanaged.passRetained(start)
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let code = pthread_create(&thread, &attributes, { runStart($0) }, start.toOpaque())
    if code != 0 { start.release() }
    try Errno.check(code)
  }

  /// Runs `body` on a thread of its own and returns what it returns.
  ///
  /// - Throws: what `body` throws, or the ``ThreadError`` of ``start(named:stackSize:_:)``.
  package static func run<Result: Sendable>(
    named name: String, stackSize: Int = usualStackSize,
    _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    let outcome: Swift.Result<Result, any Error> = await Handover.value { outcome in
      do throws(ThreadError) {
        try start(named: name, stackSize: stackSize) { outcome(Swift.Result { try body() }) }
      } catch {
        outcome(.failure(error))
      }
    }
    return try outcome.get()
  }

  /// Runs `body` on the calling thread and on others at its side, `count` of them in all, and returns
  /// when they are done. Where the system gives fewer threads, fewer run it.
  package static func together(
    _ count: Int, named name: String, _ body: @escaping @Sendable () -> Void
  ) {
    let running = Monitor(0)
    for _ in 1..<max(1, count) {
      running.withLock { $0 += 1 }
      do throws(ThreadError) {
        try start(named: name) {
          body()
          running.withLockNotifying { $0 -= 1 }
        }
      } catch {
        running.withLock { $0 -= 1 }
        break
      }
    }
    body()
    running.wait { $0 == 0 ? () : nil }
  }

  /// What `body` makes of each element, in their order, with so many threads at work.
  package static func map<Element: Sendable, Result: Sendable>(
    _ elements: [Element], atOnce count: Int, named name: String,
    _ body: @escaping @Sendable (Element) -> Result
  ) -> [Result] {
    let state = Monitor((next: 0, results: [Result?](repeating: nil, count: elements.count)))
    together(min(count, elements.count), named: name) {
      while true {
        let turn = state.withLock { state in
          state.next += 1
          return state.next - 1
        }
        guard turn < elements.count else { return }
        let result = body(elements[turn])
        state.withLock { $0.results[turn] = result }
      }
    }
    return state.withLock { $0.results.compactMap(\.self) }
  }
}

/// The system gives no further thread.
package struct ThreadError: Error, Hashable, CustomStringConvertible {
  /// What the thread was for.
  package let name: String
  /// The system's reason.
  package let errno: Errno

  package var description: String { "no thread can be started for “\(name)”: \(errno)" }
}

/// What a new thread is told.
private final class Start: Sendable {
  let name: String
  let body: @Sendable () -> Void

  init(name: String, body: @escaping @Sendable () -> Void) {
    self.name = name
    self.body = body
  }
}

private func runStart(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let argument else { return nil }
  let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
  start.name.withCString(cplatform_name_thread)
  start.body()
  return nil
}
