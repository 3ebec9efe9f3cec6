import FileSystem
import SystemPackage
import TestSupport

/// A tree of directories in memory, with a log of what a walk does to it.
///
/// Its sources hand out directories in the pieces that batches have room for, and refuse what a test
/// wants to fail.
final class SimulatedTree: Sendable {
  /// What can be made to fail, for a directory by its path below the root.
  enum Step: Hashable, Sendable {
    case opening
    /// After the first piece of the listing, or at once if there is only one.
    case reading
  }

  struct Entry {
    var name: [UInt8]
    var kind: EntryKind
    var status: FileStatus
    var target: [UInt8] = []
    var withoutStatus = false
    /// The number of the directory, if it is one.
    var directory: Int?
  }

  fileprivate struct Directory {
    var path: String
    var entries: [Entry] = []
  }

  fileprivate struct Fault: Hashable {
    var step: Step
    var path: String
  }

  fileprivate struct State {
    var directories: [Directory] = [Directory(path: "")]
    var numbers: [String: Int] = ["": 0]
    var nextInode: UInt64 = 2
    var faults: [Fault: Errno] = [:]

    /// What is open, by the number of the handle.
    var open: [Int32: Int] = [:]
    var nextHandle: Int32 = 1
    var mostOpen = 0
    /// The directories that were read, in order.
    var log: [String] = []
    var entriesRead = 0
    var onRead: @Sendable (Int) -> Void = { _ in }
  }

  private let state = Monitor(State())
  static let device: UInt64 = 7

  // MARK: - Making it

  /// Adds a directory with those on the way to it.
  func directory(_ path: String) {
    state.withLock { _ = $0.make(path) }
  }

  /// Adds something that is no directory, in a directory that is made if it is missing.
  func entry(
    _ path: String, _ kind: EntryKind = .file, target: String = "", withoutStatus: Bool = false,
    _ change: (inout FileStatus) -> Void = { _ in }
  ) {
    let names = path.split(separator: "/")
    state.withLock { state in
      let parent = state.make(names.dropLast().joined(separator: "/"))
      var status = state.newStatus(mode: 0o100644)
      change(&status)
      state.directories[parent].entries.append(
        Entry(
          name: Array(names[names.count - 1].utf8), kind: kind, status: status,
          target: Array(target.utf8), withoutStatus: withoutStatus))
    }
  }

  /// Adds many files of one byte to a directory that is made if it is missing.
  func files(_ names: Range<Int>, in path: String) {
    state.withLock { state in
      let parent = state.make(path)
      for number in names {
        var status = state.newStatus(mode: 0o100644)
        status.size = 1
        state.directories[parent].entries.append(
          Entry(name: Array("f\(number)".utf8), kind: .file, status: status))
      }
    }
  }

  /// Lets a step fail from now on.
  func fail(_ step: Step, of path: String, with error: Errno) {
    state.withLock { $0.faults[Fault(step: step, path: path)] = error }
  }

  /// Shuffles the entries of every directory.
  func shuffle(using random: inout SeededRandom) {
    state.withLock { state in
      for i in state.directories.indices { state.directories[i].entries.shuffle(using: &random) }
    }
  }

  /// Calls `body` with the number of entries read so far, on the thread that has read some.
  func onRead(_ body: @escaping @Sendable (Int) -> Void) {
    state.withLock { $0.onRead = body }
  }

  // MARK: - What happened to it

  var openHandles: Int { state.withLock { $0.open.count } }
  var mostOpenHandles: Int { state.withLock { $0.mostOpen } }
  var entriesRead: Int { state.withLock { $0.entriesRead } }
  /// The directories that were read, in order.
  var log: [String] { state.withLock { $0.log } }
  /// The paths of everything below the root.
  var paths: Set<String> {
    state.withLock { state in
      Set(
        state.directories.flatMap { directory in
          directory.entries.map { entry in
            let name = String(decoding: entry.name, as: UTF8.self)
            return directory.path.isEmpty ? name : "\(directory.path)/\(name)"
          }
        })
    }
  }

  /// Returns when nothing is open any more.
  func waitUntilClosed() async throws {
    try await WorkerThread.run(named: "wait") { [state] in
      state.wait { $0.open.isEmpty ? () : nil }
    }
  }

  func makeSource() -> any DirectorySource { Source(self) }

  // MARK: - One thread's way to it

  private final class Source: DirectorySource {
    private let tree: SimulatedTree
    private var entries: ArraySlice<Entry> = []
    private var failure: Errno?

    init(_ tree: SimulatedTree) {
      self.tree = tree
    }

    func open(root path: FilePath) throws(Errno) -> DirectoryHandle {
      try tree.open("")
    }

    func open(
      _ path: UnsafePointer<CChar>, in parent: DirectoryHandle
    ) throws(Errno) -> DirectoryHandle {
      let step = String(cString: path)
      let base = tree.path(of: parent)
      if step == "." { return try tree.open(base) }
      return try tree.open(base.isEmpty ? step : "\(base)/\(step)")
    }

    func close(_ handle: DirectoryHandle) {
      tree.state.withLockNotifying { state in
        precondition(state.open.removeValue(forKey: handle.rawValue) != nil, "closed twice")
      }
    }

    func status(of handle: DirectoryHandle) throws(Errno) -> FileStatus {
      tree.state.withLock { state in
        state.status(ofDirectory: state.open[handle.rawValue] ?? 0)
      }
    }

    func volume(of handle: DirectoryHandle, device: UInt64) -> VolumeIdentity {
      VolumeIdentity(device: device)
    }

    func exists(_ path: UnsafePointer<CChar>, in parent: DirectoryHandle) -> Bool {
      let base = tree.path(of: parent)
      let name = String(cString: path)
      return tree.paths.contains(base.isEmpty ? name : "\(base)/\(name)")
    }

    func startReading(_ handle: DirectoryHandle) throws(Errno) {
      (entries, failure) = tree.state.withLock { state in
        let directory = state.directories[state.open[handle.rawValue] ?? 0]
        state.log.append(directory.path)
        let fault = Fault(step: .reading, path: directory.path)
        return (directory.entries[...], state.faults[fault])
      }
    }

    func readEntries(
      into batch: EntryBatch,
      leavingOut isExcluded: EntryExclusion?,
      onFailure: (FileError.Operation, UnsafeBufferPointer<UInt8>, Errno) -> Void
    ) throws(Errno) -> ReadProgress {
      let start = batch.count
      while !batch.isFull, let entry = entries.popFirst() {
        if let isExcluded, entry.name.withUnsafeBufferPointer({ isExcluded($0, entry.kind) }) {
          continue
        }
        let name = entry.name.map { CChar(bitPattern: $0) } + [0]
        let record = batch.append(
          name: name, length: entry.name.count, kind: entry.kind, status: entry.status)
        if entry.withoutStatus {
          record.pointee.traits.insert(.withoutStatus)
          onFailure(.status, batch.name(of: record.pointee), .ioError)
        }
      }
      let (total, report) = tree.state.withLock { state in
        state.entriesRead += batch.count - start
        return (state.entriesRead, state.onRead)
      }
      report(total)
      if let failure { throw failure }
      return entries.isEmpty ? .finished : .more
    }
  }

  private func open(_ path: String) throws(Errno) -> DirectoryHandle {
    let result: Result<DirectoryHandle, Errno> = state.withLock { state in
      if let error = state.faults[Fault(step: .opening, path: path)] { return .failure(error) }
      guard let number = state.numbers[path] else { return .failure(.noSuchFileOrDirectory) }
      let handle = state.nextHandle
      state.nextHandle += 1
      state.open[handle] = number
      state.mostOpen = max(state.mostOpen, state.open.count)
      return .success(DirectoryHandle(rawValue: handle))
    }
    return try result.get()
  }

  private func path(of handle: DirectoryHandle) -> String {
    state.withLock { state in
      guard let number = state.open[handle.rawValue] else { preconditionFailure("not open") }
      return state.directories[number].path
    }
  }
}

extension SimulatedTree.State {
  fileprivate mutating func newStatus(mode: UInt32) -> FileStatus {
    var status = FileStatus()
    status.inode = nextInode
    status.device = SimulatedTree.device
    status.mode = mode
    status.links = 1
    nextInode += 1
    return status
  }

  /// The number of a directory, which is made if it is missing.
  fileprivate mutating func make(_ path: String) -> Int {
    if let number = numbers[path] { return number }
    let names = path.split(separator: "/")
    let parent = make(names.dropLast().joined(separator: "/"))
    let number = directories.count
    directories.append(.init(path: path))
    numbers[path] = number
    directories[parent].entries.append(
      SimulatedTree.Entry(
        name: Array((names.last ?? "").utf8), kind: .directory,
        status: newStatus(mode: 0o040755), directory: number))
    return number
  }

  fileprivate func status(ofDirectory number: Int) -> FileStatus {
    var root = FileStatus()
    root.inode = 1
    root.device = SimulatedTree.device
    root.mode = 0o040755
    guard number != 0 else { return root }
    let names = directories[number].path.split(separator: "/")
    let parent = numbers[names.dropLast().joined(separator: "/")] ?? 0
    return directories[parent].entries.first { $0.directory == number }?.status ?? root
  }
}
