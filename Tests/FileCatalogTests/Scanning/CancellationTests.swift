import FileCatalog
import FileSystem
import Foundation
import Synchronization
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("Stopping a scan")
struct CancellationTests {
  /// Cancels the task of a scan from inside the scan, as soon as it is under way.
  private final class Canceller: ResourceValueProvider {
    let key = "canceller"
    private let task = Mutex<Task<[ScanSummary], any Error>?>(nil)

    func aim(at task: Task<[ScanSummary], any Error>) {
      self.task.withLock { $0 = task }
    }

    func values(of entry: ScannedEntry) throws -> [String: ResourceValue] {
      // The task may not be known yet when its first entries come.
      while task.withLock({ $0?.cancel() }) == nil { usleep(100) }
      return [:]
    }
  }

  @Test("a cancelled scan throws, and the catalog is as it was before", arguments: [false, true])
  func cancelledScan(_ isKnown: Bool) async throws {
    let canceller = Canceller()
    let pieces = (0..<20).flatMap { directory in
      (0..<50).map { Piece.file(FilePath("d\(directory)/f\($0)")) }
    }
    try await withLaboratory(pieces, providers: [canceller]) { lab in
      if isKnown { try await lab.scan() }
      let before = try FilesView(lab.catalog).rows.map(\.values)
      var options = ScanOptions()
      options.resourceValues = [canceller.key]
      let request = ScanRequest(options, jobs: .fixed(1))
      let catalog = lab.catalog
      let root = lab.tree.path
      let task = Task { try await catalog.scan([root], request: request) }
      canceller.aim(at: task)
      try await expectError(.interrupted) { _ = try await task.value }
      #expect(try FilesView(lab.catalog).rows.map(\.values) == before)
      #expect(try await lab.catalog.roots().count == (isKnown ? 1 : 0))
      #expect(try lab.catalog.texts("SELECT state FROM scans ORDER BY id").last == "interrupted")
      try await expectSound(lab.catalog)
      options.resourceValues = []
      #expect(try await lab.scan(options).entries == 1021)
    }
  }

  @Test("a task that is cancelled already scans nothing")
  func cancelledBefore() async throws {
    try await withLaboratory([.file("a")]) { lab in
      let catalog = lab.catalog
      let root = lab.tree.path
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await catalog.scan([root])
      }
      try await expectError(.interrupted) { _ = try await task.value }
      #expect(try FilesView(lab.catalog).rows.isEmpty)
    }
  }

  @Test("progress tells what is known so far", .feature("P-56"))
  func progressIsReported() async throws {
    let pieces = (0..<900).map { Piece.file(FilePath("d\($0 % 30)/f\($0)")) }
    try await withLaboratory(pieces) { lab in
      for expected in [nil, 931] as [Int?] {
        let (stream, continuation) = AsyncStream.makeStream(of: ScanProgress.self)
        _ = try await lab.catalog.scan([lab.tree.path]) { continuation.yield($0) }
        continuation.finish()
        var last = 0
        for await progress in stream {
          #expect(progress.root == lab.tree.path)
          #expect(progress.directory.starts(with: lab.tree.path))
          #expect(progress.entries >= last && progress.entries <= 931)
          #expect(progress.expectedEntries == expected)
          last = progress.entries
        }
        #expect(last > 0)
      }
    }
  }
}
