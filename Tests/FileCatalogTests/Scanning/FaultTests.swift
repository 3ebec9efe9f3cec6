import SystemPackage
import TestSupport
import TestTraits
import Testing

@testable import FileSystem

/// The real file system, but for calls that are made to fail.
final class FaultySource: DirectorySource {
  struct Fault: Sendable, CustomTestStringConvertible {
    enum Call: Sendable { case open, startReading, read, status }
    var call: Call
    var error: Errno
    var testDescription: String { "\(call) fails with \(error)" }
  }

  private let reader = DirectoryReader()
  private let fault: Fault
  private var faulty: Set<DirectoryHandle> = []
  private var current: DirectoryHandle?

  /// Directories named `bad` fail; entries named `bad` have no status.
  init(_ fault: Fault) {
    self.fault = fault
  }

  func open(root: FilePath) throws(Errno) -> DirectoryHandle { try reader.open(root: root) }

  func open(
    _ path: UnsafePointer<CChar>, in parent: DirectoryHandle
  ) throws(Errno) -> DirectoryHandle {
    let isBad = String(cString: path) == "bad"
    if isBad, fault.call == .open { throw fault.error }
    let handle = try reader.open(path, in: parent)
    if isBad { faulty.insert(handle) } else { faulty.remove(handle) }
    return handle
  }

  func close(_ handle: DirectoryHandle) { reader.close(handle) }

  func status(of handle: DirectoryHandle) throws(Errno) -> FileStatus {
    try reader.status(of: handle)
  }

  func volume(of handle: DirectoryHandle, device: UInt64) throws(Errno) -> VolumeIdentity {
    try reader.volume(of: handle, device: device)
  }

  func exists(_ path: UnsafePointer<CChar>, in parent: DirectoryHandle) throws(Errno) -> Bool {
    try reader.exists(path, in: parent)
  }

  func startReading(_ handle: DirectoryHandle) throws(Errno) {
    if faulty.contains(handle), fault.call == .startReading { throw fault.error }
    current = handle
    try reader.startReading(handle)
  }

  func readEntries(
    into batch: EntryBatch,
    leavingOut isExcluded: EntryExclusion?,
    onFailure: (FileError.Operation, UnsafeBufferPointer<UInt8>, Errno) -> Void
  ) throws(Errno) -> ReadProgress {
    let start = batch.count
    let progress = try reader.readEntries(
      into: batch, leavingOut: isExcluded, onFailure: onFailure)
    if fault.call == .status {
      for i in start..<batch.count where batch.name(of: batch.records[i]).elementsEqual("bad".utf8)
      {
        batch.records[i].traits.insert(.withoutStatus)
        onFailure(.status, batch.name(of: batch.records[i]), fault.error)
      }
    }
    // Half of the directory was read before the disk failed.
    if let current, faulty.contains(current), fault.call == .read { throw fault.error }
    return progress
  }
}

@Suite("Directories that cannot be read")
struct FaultTests {
  static let pieces: [Piece] = [
    .file("good/a"), .file("bad/b"), .file("bad/c/d"), .file("deep/er/bad/e"), .file("z"),
  ]

  static let faults: [FaultySource.Fault] = [
    .init(call: .open, error: .permissionDenied), .init(call: .open, error: .ioError),
    .init(call: .open, error: .tooManyOpenFiles), .init(call: .startReading, error: .ioError),
    .init(call: .read, error: .ioError), .init(call: .read, error: .permissionDenied),
  ]

  @Test(
    "each is recorded, and everything else is found", .feature("FS-14", "LX-18", "P-60"),
    arguments: faults, [1, 3])
  func failuresAreRecorded(_ fault: FaultySource.Fault, jobs: Int) async throws {
    try await withTree(Self.pieces) { tree in
      let found = try WalkResult(walking: tree.path, WalkOptions(jobs: jobs)) {
        FaultySource(fault)
      }
      for path in ["/good", "/good/a", "/bad", "/deep/er/bad", "/z"] {
        #expect(found.paths.contains(Array(path.utf8)), "\(path)")
      }
      #expect(Set(found.failures.map(\.path)) == ["bad", "deep/er/bad"])
      #expect(found.failures.count == 2)
      #expect(found.failures.allSatisfy { $0.errno == fault.error })
      #expect(found.unreadable[Array("/bad".utf8)] == fault.error)
      #expect(found.unreadable.count == 2)
      #expect(found.isOrdered)
    }
  }

  @Test(
    "one that has vanished or been replaced is empty, which is no failure", .feature("P-16"),
    arguments: [Errno.noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels])
  func vanishedDirectories(_ error: Errno) async throws {
    try await withTree(Self.pieces) { tree in
      let found = try WalkResult(walking: tree.path, WalkOptions(jobs: 2)) {
        FaultySource(.init(call: .open, error: error))
      }
      #expect(found.failures.isEmpty && found.unreadable.isEmpty)
      #expect(found.paths.contains(Array("/bad".utf8)))
      #expect(!found.paths.contains(Array("/bad/b".utf8)))
    }
  }

  @Test("an entry whose values cannot be read is still an entry")
  func entriesWithoutStatus() async throws {
    try await withTree(Self.pieces) { tree in
      let found = try WalkResult(walking: tree.path, WalkOptions(jobs: 2)) {
        FaultySource(.init(call: .status, error: .ioError))
      }
      #expect(found.withoutStatus == [Array("/bad".utf8), Array("/deep/er/bad".utf8)])
      #expect(found.failures.map(\.operation) == [.status, .status])
      #expect(found.paths.contains(Array("/good/a".utf8)))
    }
  }

  @Test("a root that cannot be opened is an error at once")
  func unreadableRoot() throws {
    #expect(throws: FileError.self) {
      try WalkResult(walking: "/no/such/place", WalkOptions(jobs: 1))
    }
  }
}
