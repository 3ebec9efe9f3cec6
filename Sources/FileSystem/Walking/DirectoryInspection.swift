internal import CPlatform
internal import SystemPackage

/// What tells a directory, and the names in it, from any other directory and from what it was at another
/// time.
package struct DirectoryStamp: Sendable, Equatable {
  package let inode: UInt64
  package let device: UInt64
  /// Changes with every name that comes, goes or becomes another entry's.
  package let modified: Int64
  /// Changes with it, and cannot be set.
  package let changed: Int64

  package init(inode: UInt64, device: UInt64, modified: Int64, changed: Int64) {
    self.inode = inode
    self.device = device
    self.modified = modified
    self.changed = changed
  }
}

/// Looks whether known directories are as they were, with one call to the system for each, on as many
/// threads as the disk wants. Nothing is opened or listed.
///
/// One thread says what to look at, and asks for the findings at the end.
package struct DirectoryInspection: ~Copyable {
  /// What has become of a directory that is not as it was.
  package enum Finding: Sendable {
    /// It has other names in it, is another directory, or cannot be looked at.
    case different
    /// Nothing has its path.
    case missing
  }

  /// Whether what is in a directory is known, or only the directory itself.
  package enum Content: Sendable {
    case listed
    case notEntered
  }

  private let crew: Crew
  private var chunk = Chunk()

  /// - Parameters:
  ///   - root: the directory that paths begin at.
  ///   - isCancelled: asked now and then; from then on nothing more is looked at.
  package init(
    below root: OpenFile, options: WalkOptions, isCancelled: @escaping @Sendable () -> Bool
  ) {
    crew = Crew(root, options, isCancelled)
  }

  deinit { crew.close() }

  /// Has a directory looked at.
  ///
  /// - Parameters:
  ///   - path: the path below the root.
  ///   - number: by which the directory is found again among the findings.
  package mutating func look(
    at path: UnsafeRawBufferPointer, number: Int, for stamp: DirectoryStamp, _ content: Content
  ) {
    chunk.append(path, Chunk.Item(number: number, stamp: stamp, content: content))
    guard chunk.isFull else { return }
    crew.add(chunk)
    chunk = Chunk()
  }

  /// Waits until everything has been looked at.
  ///
  /// - Returns: the numbers of the directories that are not as they were, in no order.
  package mutating func finish() -> [(number: Int, finding: Finding)] {
    let last = chunk
    chunk = Chunk()
    return crew.finish(with: last)
  }
}

/// Some directories to look at.
private final class Chunk: @unchecked Sendable {
  // Sendable: one thread has it at a time.
  struct Item {
    let number: Int
    let stamp: DirectoryStamp
    let content: DirectoryInspection.Content
    fileprivate(set) var path = 0
  }

  /// Few enough that several threads have something to do in a small tree.
  private static let capacity = 128

  private var items: [Item] = []
  /// One behind the other, each ended by NUL.
  private var paths: [CChar] = []

  init() {
    items.reserveCapacity(Self.capacity)
    paths.reserveCapacity(Self.capacity * 64)
  }

  var isFull: Bool { items.count == Self.capacity }

  func append(_ path: UnsafeRawBufferPointer, _ item: Item) {
    var item = item
    item.path = paths.count
    paths.append(contentsOf: path.bindMemory(to: CChar.self))
    paths.append(0)
    items.append(item)
  }

  func findings(below root: CInt) -> [(number: Int, finding: DirectoryInspection.Finding)] {
    var findings: [(number: Int, finding: DirectoryInspection.Finding)] = []
    paths.withUnsafeBufferPointer { paths in
      guard let start = paths.baseAddress else { return }
      for item in items {
        if let finding = Self.finding(at: start + item.path, below: root, item) {
          findings.append((item.number, finding))
        }
      }
    }
    return findings
  }

  private static func finding(
    at path: UnsafePointer<CChar>, below root: CInt, _ item: Item
  ) -> DirectoryInspection.Finding? {
    var now = cplatform_directory_stamp()
    // Of what is not entered, a server that does not answer is not to be waited for.
    let freshness = item.content == .listed ? cplatform_as_now : cplatform_as_known
    switch cplatform_stamp_directory(root, path, freshness, &now) {
    case 0: break
    case ENOENT, ENOTDIR: return .missing
    default: return .different
    }
    let stamp = DirectoryStamp(
      inode: now.inode, device: now.device, modified: now.modified, changed: now.changed)
    // What is mounted may be another file system whose directory has the same numbers.
    let isMounted = now.is_mount_root != 0 && item.content == .listed
    return stamp == item.stamp && !isMounted ? nil : .different
  }
}

/// The threads that look.
private final class Crew: Sendable {
  private struct State {
    var chunks: [Chunk] = []
    /// Chunks that somebody looks at.
    var taken = 0
    var hasStarted = false
    var isClosed = false
    var findings: [(number: Int, finding: DirectoryInspection.Finding)] = []
  }

  private let monitor = Monitor(State())
  private let root: OpenFile
  private let options: WalkOptions
  private let crew: WalkerCrew
  private let isCancelled: @Sendable () -> Bool

  init(_ root: OpenFile, _ options: WalkOptions, _ isCancelled: @escaping @Sendable () -> Bool) {
    self.root = root
    self.options = options
    self.isCancelled = isCancelled
    crew = WalkerCrew(
      count: options.jobs, most: options.mostJobs, processors: Int(cplatform_processor_count()))
  }

  func add(_ chunk: Chunk) {
    let isFirst = monitor.withLockNotifying { state in
      state.chunks.append(chunk)
      defer { state.hasStarted = true }
      return !state.hasStarted
    }
    if isFirst { start(options.jobs) }
  }

  /// Where the system gives fewer threads, the one that asks does the work.
  private func start(_ count: Int) {
    for number in 0..<count {
      do throws(ThreadError) {
        try WorkerThread.start(named: "look", stackSize: 1 << 18) { [self] in serve() }
      } catch {
        return crew.miss(count - number)
      }
    }
  }

  private func serve() {
    var stopwatch = Stopwatch()
    while true {
      if crew.isFlexible, let times = stopwatch.lap() {
        switch crew.advise(after: times) {
        case .goOn: break
        case .hire(let count): start(count)
        case .leave: return
        }
      }
      guard let chunk = stopwatch.idling(wait) else { return }
      look(at: chunk)
    }
  }

  private func wait() -> Chunk? {
    monitor.wait { state -> Chunk?? in
      if let chunk = Self.take(&state) { return .some(chunk) }
      return state.isClosed ? .some(nil) : nil
    }
  }

  private static func take(_ state: inout State) -> Chunk? {
    guard let chunk = state.chunks.popLast() else { return nil }
    state.taken += 1
    return chunk
  }

  private func look(at chunk: Chunk) {
    let findings = isCancelled() ? [] : chunk.findings(below: root.descriptor)
    monitor.withLockNotifying { state in
      state.findings += findings
      state.taken -= 1
    }
  }

  func finish(with last: Chunk) -> [(number: Int, finding: DirectoryInspection.Finding)] {
    monitor.withLockNotifying { $0.chunks.append(last) }
    while let chunk = monitor.withLock(Self.take) { look(at: chunk) }
    return monitor.wait { $0.taken == 0 && $0.chunks.isEmpty ? $0.findings : nil }
  }

  func close() {
    monitor.withLockNotifying { $0.isClosed = true }
  }
}
