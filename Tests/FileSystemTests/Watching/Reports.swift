import FileSystem
import SystemPackage
import Testing

/// Follows a watcher and remembers what it reported.
actor Reports {
  private(set) var all: [DirectoryWatcher.DirtyDirectories] = []
  private(set) var isFinished = false
  private var follower: Task<Void, Never>?

  /// All reports since the last call of ``forget()``, merged.
  var directories: [FilePath: DirectoryWatcher.DirtyDirectories.Extent] {
    all.reduce(into: [:]) { result, report in
      result.merge(report.directories) { $0 == .deep ? $0 : $1 }
    }
  }

  func follow(_ watcher: DirectoryWatcher) {
    follower = Task {
      for await report in watcher { self.add(report) }
      self.finish()
    }
  }

  func cancel() { follower?.cancel() }

  func forget() { all = [] }

  private func add(_ report: DirectoryWatcher.DirtyDirectories) { all.append(report) }

  private func finish() { isFinished = true }

  /// Whether reading what was reported finds a change in the entries of a directory.
  func cover(_ directory: FilePath) -> Bool {
    directories[directory] != nil || coverTree(at: directory)
  }

  /// Whether reading what was reported finds a change anywhere below a directory.
  func coverTree(at directory: FilePath) -> Bool {
    var place = directory
    repeat {
      if directories[place] == .deep { return true }
    } while place.removeLastComponent()
    return false
  }

  /// Waits until `condition` holds. The time is only there to end a test that fails.
  func wait(
    _ comment: Comment? = nil, until condition: @Sendable (isolated Reports) -> Bool,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let end = ContinuousClock.now + .seconds(900)
    while !condition(self) {
      guard ContinuousClock.now < end else {
        Issue.record(
          "\(comment ?? "") was not reported, but \(all)", sourceLocation: sourceLocation)
        throw Unreported()
      }
      try await Task.sleep(for: .milliseconds(5))
    }
  }
}

/// What was expected has not been reported.
private struct Unreported: Error {}

extension WatchedTree {
  /// Watches the root, runs `body` with what is reported, and stops.
  func watch(
    _ method: DirectoryWatcher.Method,
    _ change: (inout DirectoryWatcher.Options) -> Void = { _ in },
    _ body: (Reports, DirectoryWatcher) async throws -> Void
  ) async throws {
    var options = DirectoryWatcher.Options()
    options.method = method
    options.quiet = .milliseconds(30)
    change(&options)
    let watcher = try await DirectoryWatcher.start(roots: [root], options: options)
    let reports = Reports()
    await reports.follow(watcher)
    let outcome: Result<Void, any Error>
    do {
      outcome = .success(try await body(reports, watcher))
    } catch {
      outcome = .failure(error)
    }
    await watcher.stop()
    try outcome.get()
  }

  /// Waits until everything done so far was reported: changes something last, and waits for that.
  func settle(_ reports: Reports, _ number: Int = 0) async throws {
    try directory("root/settle-\(number)")
    let place = inside("settle-\(number)")
    try await reports.wait("the last change") { $0.cover(place) }
  }
}

/// What the machine the tests run on permits.
enum Permitted {
  /// The methods that report single directories.
  static var methods: [DirectoryWatcher.Method] {
    #if os(Linux)
      fanotify ? [.fanotify, .inotify] : [.inotify]
    #else
      []
    #endif
  }

  static var fanotify: Bool { FanotifyProbe.isPermitted }
}
