import FileCatalog
import FileSystem
import SystemPackage
import TestSupport

/// Which calls of a scan to the file system fail, and how. One plan serves all threads of a scan.
final class FaultPlan: Sendable {
  private struct State {
    var calls = 0
    var faultyCall: Int?
    var error = Errno.ioError
    var unreadable: Set<[UInt8]> = []
  }

  private let state = Monitor(State())

  /// The calls since the last ``fail(at:with:)`` or ``heal()``.
  var calls: Int { state.withLock { $0.calls } }

  /// Lets the call of this number fail, counted from now.
  func fail(at call: Int, with error: Errno) {
    state.withLock { $0 = State(faultyCall: call, error: error) }
  }

  /// Lets all directories of these names be closed.
  func close(_ names: Set<String>, with error: Errno = .permissionDenied) {
    state.withLock { $0 = State(error: error, unreadable: Set(names.map { Array($0.utf8) })) }
  }

  /// From now on nothing fails.
  func heal() { state.withLock { $0 = State() } }

  /// Counts a call.
  ///
  /// - Returns: the error that the call has to fail with.
  fileprivate func countCall() -> Errno? {
    state.withLock { state in
      defer { state.calls += 1 }
      return state.faultyCall == state.calls ? state.error : nil
    }
  }

  fileprivate func opening(_ path: [UInt8]) -> Errno? {
    let name = path.split(separator: UInt8(ascii: "/")).last.map { Array($0) } ?? []
    return countCall() ?? state.withLock { $0.unreadable.contains(name) ? $0.error : nil }
  }
}

/// The real file system, but for the calls that a plan lets fail.
final class PlannedFaults: DirectorySource {
  private let plan: FaultPlan
  private let source = TreeWalker.systemSource()

  init(_ plan: FaultPlan) {
    self.plan = plan
  }

  func open(root path: FilePath) throws(Errno) -> DirectoryHandle {
    if let error = plan.opening(path.bytes) { throw error }
    return try source.open(root: path)
  }

  func open(
    _ path: UnsafePointer<CChar>, in parent: DirectoryHandle
  ) throws(Errno) -> DirectoryHandle {
    var length = 0
    while path[length] != 0 { length += 1 }
    let bytes = UnsafeBufferPointer(start: path, count: length)
    if let error = plan.opening(bytes.map { UInt8(bitPattern: $0) }) { throw error }
    return try source.open(path, in: parent)
  }

  func close(_ handle: DirectoryHandle) { source.close(handle) }

  func status(of handle: DirectoryHandle) throws(Errno) -> FileStatus {
    if let error = plan.countCall() { throw error }
    return try source.status(of: handle)
  }

  func volume(of handle: DirectoryHandle, device: UInt64) throws(Errno) -> VolumeIdentity {
    if let error = plan.countCall() { throw error }
    return try source.volume(of: handle, device: device)
  }

  func exists(_ path: UnsafePointer<CChar>, in parent: DirectoryHandle) throws(Errno) -> Bool {
    if let error = plan.countCall(), error != .noSuchFileOrDirectory { throw error }
    return try source.exists(path, in: parent)
  }

  func content(
    of file: UnsafePointer<CChar>, in parent: DirectoryHandle, limit: Int
  ) throws(Errno) -> [UInt8]? {
    if let error = plan.countCall(), error != .noSuchFileOrDirectory { throw error }
    return try source.content(of: file, in: parent, limit: limit)
  }

  func startReading(_ handle: DirectoryHandle) throws(Errno) {
    if let error = plan.countCall() { throw error }
    try source.startReading(handle)
  }

  func find(_ names: SoughtNames) throws(Errno) -> SoughtNames.Found { try source.find(names) }

  func readEntries(
    into batch: EntryBatch,
    leavingOut isExcluded: EntryExclusion?,
    onFailure: (FileError.Operation, UnsafeBufferPointer<UInt8>, Errno) -> Void
  ) throws(Errno) -> ReadProgress {
    let start = batch.count
    let progress = try source.readEntries(
      into: batch, leavingOut: isExcluded, onFailure: onFailure)
    // The values of each entry are a call of their own; an entry that has vanished is no failure.
    for i in start..<batch.count {
      guard let error = plan.countCall(), error != .noSuchFileOrDirectory else { continue }
      batch.records[i].status = FileStatus()
      batch.records[i].traits = .withoutStatus
      onFailure(.status, batch.name(of: batch.records[i]), error)
    }
    if let error = plan.countCall() { throw error }
    return progress
  }
}

/// A tree and a catalog for it whose scans meet the faults of a plan.
func withFaultyLaboratory(
  _ pieces: [Piece] = [], _ body: (Laboratory, FaultPlan) async throws -> Void
) async throws {
  let plan = FaultPlan()
  try await withTree(pieces) { tree in
    try await withTemporaryDirectory { directory in
      let catalog = try Catalog(at: directory("catalog.sqlite")) { PlannedFaults(plan) }
      try await body(Laboratory(tree: tree, catalog: catalog), plan)
      try catalog.close()
    }
  }
}
