internal import CPlatform
internal import Synchronization
internal import SystemPackage

/// Between the threads that watch and the tasks that read: what is reported and not yet taken.
///
/// Reports of a root that nobody takes are merged, so a slow reader costs no memory.
final class WatchHub: Sendable {
  /// Ends all threads.
  let alarm: Alarm

  private typealias Reader = Handover<DirectoryWatcher.DirtyDirectories?>

  private struct Root {
    let path: FilePath
    var dirty: DirtySet
    var loss: DirectoryWatcher.DirtyDirectories.Loss?
    var hasNews = false
    var method: DirectoryWatcher.Method?
    var blindSpots: Set<TreePath> = []
    var hasStarted = false
  }

  private struct State {
    var roots: [Root]
    var running = 0
    var failure: DirectoryWatcher.WatchError?
    var isStopped = false
    /// The root that is looked at first, so that a busy one does not keep others waiting.
    var turn = 0
    var readers: [Reader] = []
    var starters: [Handover<Void>] = []
    var stoppers: [Handover<Void>] = []

    /// The news of the next root that has some.
    mutating func take() -> DirectoryWatcher.DirtyDirectories? {
      for step in roots.indices {
        let index = (turn + step) % roots.count
        guard roots[index].hasNews else { continue }
        turn = index + 1
        roots[index].hasNews = false
        let root = roots[index].path
        let taken = roots[index].dirty.take().map { ($0.absolute(in: root), $1) }
        return DirectoryWatcher.DirtyDirectories(
          root: root, directories: Dictionary(taken) { first, _ in first },
          loss: roots[index].loss)
      }
      return nil
    }
  }

  private let monitor: Monitor<State>

  init(roots: [FilePath], directoryLimit: Int) throws(Errno) {
    alarm = try Alarm()
    let roots = roots.map { Root(path: $0, dirty: DirtySet(limit: directoryLimit)) }
    monitor = Monitor(State(roots: roots))
  }

  // MARK: - For the threads

  /// The thread of a root watches from now on, or gives up.
  func started(_ number: Int, failure: DirectoryWatcher.WatchError?) {
    let starters = monitor.withLock { state in
      state.roots[number].hasStarted = true
      if state.failure == nil { state.failure = failure }
      return state.roots.allSatisfy(\.hasStarted) ? state.starters.take() : []
    }
    for starter in starters { starter() }
  }

  /// Starts a thread that ``waitForEnd()`` waits for.
  func startThread(named name: String, _ body: @escaping @Sendable () -> Void) throws(Errno) {
    monitor.withLock { $0.running += 1 }
    do throws(ThreadError) {
      try WorkerThread.start(named: name) { [self] in
        body()
        threadEnded()
      }
    } catch {
      threadEnded()
      throw error.errno
    }
  }

  private func threadEnded() {
    let stoppers = monitor.withLock { state in
      state.running -= 1
      return state.running == 0 ? state.stoppers.take() : []
    }
    for stopper in stoppers { stopper() }
  }

  func publish(_ number: Int, _ directories: [TreePath: DirectoryWatcher.DirtyDirectories.Extent]) {
    guard !directories.isEmpty else { return }
    announce { state in
      for (path, extent) in directories { state.roots[number].dirty.mark(path, extent) }
      state.roots[number].loss = nil
      state.roots[number].hasNews = true
    }
  }

  func lose(_ number: Int, for loss: DirectoryWatcher.DirtyDirectories.Loss) {
    announce { state in
      _ = state.roots[number].dirty.take()
      state.roots[number].loss = loss
      state.roots[number].hasNews = true
    }
  }

  func update(_ number: Int, method: DirectoryWatcher.Method?, blindSpots: Set<TreePath>) {
    monitor.withLock { state in
      state.roots[number].method = method
      state.roots[number].blindSpots = blindSpots
    }
  }

  private func announce(_ change: (inout State) -> Void) {
    let delivery = monitor.withLock { state -> (Reader, DirectoryWatcher.DirtyDirectories)? in
      guard !state.isStopped else { return nil }
      change(&state)
      guard !state.readers.isEmpty, let news = state.take() else { return nil }
      return (state.readers.removeFirst(), news)
    }
    if let (reader, news) = delivery { reader(news) }
  }

  // MARK: - For the tasks

  /// Waits until every root is watched.
  func waitForStart() async throws(DirectoryWatcher.WatchError) {
    await Handover.value { starter in
      let isReady = monitor.withLock { state in
        if state.roots.allSatisfy(\.hasStarted) { return true }
        state.starters.append(starter)
        return false
      }
      if isReady { starter() }
    }
    if let failure = monitor.withLock({ $0.failure }) { throw failure }
  }

  /// Waits for news; `nil` once stopped.
  func next() async -> DirectoryWatcher.DirtyDirectories? {
    await withTaskCancellationHandler {
      await Handover.value { reader in
        let answer = monitor.withLock { state -> DirectoryWatcher.DirtyDirectories?? in
          if state.isStopped { return .some(nil) }
          if let news = state.take() { return news }
          state.readers.append(reader)
          return nil
        }
        if let answer { reader(answer) }
      }
    } onCancel: {
      stop()
    }
  }

  /// Ends the sequence and the threads, which close what they have open.
  func stop() {
    let readers = monitor.withLock { state in
      state.isStopped = true
      return state.readers.take()
    }
    alarm.ring()
    for reader in readers { reader(nil) }
  }

  /// Waits until the threads have ended.
  func waitForEnd() async {
    await Handover.value { stopper in
      let isOver = monitor.withLock { state in
        if state.running == 0 { return true }
        state.stoppers.append(stopper)
        return false
      }
      if isOver { stopper() }
    }
  }

  var coverage: [DirectoryWatcher.Coverage] {
    monitor.withLock { state in
      state.roots.map { root in
        DirectoryWatcher.Coverage(
          root: root.path, method: root.method,
          polled: root.blindSpots.map { $0.absolute(in: root.path) }
            .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) })
      }
    }
  }
}

extension Array {
  /// Empties the array and returns what was in it.
  fileprivate mutating func take() -> [Element] {
    defer { removeAll() }
    return self
  }
}

/// Ends the waiting of threads. Once rung it stays so; closed with its last owner.
final class Alarm: Sendable {
  private let raw: cplatform_alarm
  private let rung = Atomic<Bool>(false)

  init() throws(Errno) {
    var alarm = cplatform_alarm()
    let code = cplatform_alarm_open(&alarm)
    try Errno.check(code)
    raw = alarm
  }

  deinit {
    var alarm = raw
    cplatform_alarm_close(&alarm)
  }

  /// Readable once the alarm is rung.
  var descriptor: Int32 { raw.wait_fd }

  var isRung: Bool { rung.load(ordering: .acquiring) }

  func ring() {
    guard !rung.exchange(true, ordering: .acquiringAndReleasing) else { return }
    withUnsafePointer(to: raw) { cplatform_alarm_ring($0) }
  }
}
