import CPlatform
import FileSystem
import SystemPackage

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The main thread, on which the tasks of the command run.
///
/// The pool of threads that tasks have otherwise waits for ever where the system gives it none. What
/// blocks for long has threads of its own, as in every program that uses the library.
final class MainThread: TaskExecutor {
  /// The only one.
  static let shared = MainThread()

  private struct State {
    var jobs: [UnownedJob] = []
    var isDone = false
    /// What a signal that asks the process to stop does.
    var interrupt: (@Sendable () -> Void)?

    mutating func takeJobs() -> [UnownedJob] {
      defer { jobs = [] }
      return jobs
    }
  }

  private let state = Monitor(State())
  /// A pipe with a byte in it when there is something to do: what a signal can leave behind.
  private let bell: Result<(listening: Int32, ringing: Int32), Errno>

  private init() {
    var ends: [Int32] = [-1, -1]
    let code = cplatform_make_pipe(&ends)
    bell = code == 0 ? .success((ends[0], ends[1])) : .failure(Errno(rawValue: code))
  }

  // MARK: - Tasks

  /// Runs a task and all that it does on this thread, which is to be the main one. To be called once.
  ///
  /// - Throws: the system's reason when there cannot even be a pipe; then `body` is not called.
  func run(_ body: @escaping @Sendable () async -> Void) throws(Errno) {
    let bell = try bell.get()
    Task(executorPreference: self) { [self] in
      await body()
      state.withLock { $0.isDone = true }
      ring()
    }
    while true {
      for job in state.withLock({ $0.takeJobs() }) {
        job.runSynchronously(on: asUnownedTaskExecutor())
      }
      if state.withLock({ $0.isDone }) { return }
      wait(for: bell.listening)
      if cplatform_take_interruption() != 0 { state.withLock { $0.interrupt }?() }
    }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    state.withLock { $0.jobs.append(job) }
    ring()
  }

  private func ring() {
    // Where the pipe is full there are enough bytes to be woken by.
    if case .success(let bell) = bell { _ = write(bell.ringing, [0], 1) }
  }

  private func wait(for descriptor: Int32) {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    _ = poll(&request, 1, -1)
    withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
      while read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
    }
  }

  // MARK: - Signals

  /// Runs `body`; an interrupt or a termination signal cancels it, so that work stops in an orderly
  /// way. A second one ends the process at once, as without this.
  func cancellingWhenInterrupted<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    let task = Task(executorPreference: self) { try await body() }
    state.withLock { $0.interrupt = { task.cancel() } }
    if case .success(let bell) = bell { cplatform_catch_interruptions(bell.ringing) }
    defer {
      cplatform_release_interruptions()
      state.withLock { $0.interrupt = nil }
    }
    return try await task.value
  }
}
