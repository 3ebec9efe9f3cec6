import FileSystem
import SystemPackage
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("Batches of a walk", .timeLimit(.minutes(20)))
struct BatchTests {
  /// As many entries as fit into all batches of a walk: so much may be read and not yet taken.
  private func room(jobs: Int) -> Int { (jobs * 12 + 8) * 1024 }

  private func wideTree(entries: Int) -> SimulatedTree {
    let tree = SimulatedTree()
    for i in 0..<50 { tree.files(0..<(entries / 50), in: "d\(i)") }
    return tree
  }

  @Test("a directory of many batches comes in pieces, the last of which says so")
  func pieces() async throws {
    let tree = SimulatedTree()
    tree.files(0..<5000, in: "wide")
    let seen = Monitor<[(count: Int, isLast: Bool)]>([])
    let walk = try await Walk.through(tree.walker(jobs: 2)) { batch in
      for section in batch.sections where !batch.path(of: section).isEmpty {
        seen.withLock { $0.append((section.records.count, section.isLast)) }
      }
    }
    let pieces = seen.withLock { $0 }
    #expect(walk.largestBatch <= 1024)
    #expect(pieces.map(\.count).reduce(0, +) == 5000)
    #expect(pieces.map(\.isLast) == Array(repeating: false, count: pieces.count - 1) + [true])
    #expect(walk.tallies["wide"]?.size == 5000)
  }

  @Test("small directories share a batch")
  func sharing() async throws {
    let tree = SimulatedTree()
    for i in 0..<100 { tree.entry("d\(i)/file") }
    let walk = try await Walk.through(tree, jobs: 1)
    #expect(walk.paths.count == 200)
    #expect(walk.batchCount <= 2)
  }

  @Test("a reader that never comes stops the walk when all batches are full", arguments: [1, 3])
  func backpressure(jobs: Int) async throws {
    let tree = wideTree(entries: 2 * room(jobs: jobs))
    let walker = try tree.walker(jobs: jobs)
    let taken = Monitor(0)
    let excess = Monitor(0)
    tree.onRead { read in
      let waiting = read - taken.withLock { $0 }
      excess.withLock { $0 = max($0, waiting) }
    }
    let walk = try await Walk.through(walker) { batch in
      // Counted before the batch is given back and can be filled again.
      taken.withLock { $0 += batch.count }
    }
    #expect(walk.paths == tree.paths)
    #expect(excess.withLock { $0 } <= room(jobs: jobs))
  }

  @Test("a slow reader gets everything", arguments: [1, 4])
  func slowReader(jobs: Int) async throws {
    let tree = wideTree(entries: 60_000)
    let walker = try tree.walker(jobs: jobs)
    let entries = try await WorkerThread.run(named: "reader") {
      try walker.start()
      var entries = 0
      var kept: [EntryBatch] = []
      while let batch = walker.next() {
        entries += batch.count
        // Several are held at a time, as a reader does that works in steps.
        kept.append(batch)
        if kept.count == 5 {
          usleep(1000)
          for batch in kept { walker.recycle(batch) }
          kept = []
        }
      }
      return entries
    }
    #expect(entries == 60_050)
  }

  // MARK: - Ending early

  @Test("cancelling ends a walk wherever it is, and everything is closed", arguments: 0..<12)
  func cancelling(step: Int) async throws {
    let seed = UInt64.random(in: 0 ... .max)
    let tree = TreeWalkerTests.randomTree(seed: seed)
    let total = tree.paths.count
    var walker: TreeWalker? = try tree.walker(jobs: 1 + step % 4)
    // From a thread of the walk itself, so that it is right in the middle of something.
    tree.onRead { [weak walker] read in
      if read >= total * step / 12 { walker?.cancel() }
    }
    if let walker { _ = try await Walk.through(walker) }
    tree.onRead { _ in }
    walker = nil
    try await tree.waitUntilClosed()
    #expect(tree.openHandles == 0, "seed \(seed)")
  }

  @Test("a reader may stop in the middle and keep what it has", arguments: [1, 4])
  func leaving(jobs: Int) async throws {
    let tree = wideTree(entries: 2 * room(jobs: jobs))
    var walker: TreeWalker? = try tree.walker(jobs: jobs)
    try await WorkerThread.run(named: "reader") { [walker] in
      try walker?.start()
      let first = try #require(walker?.next())
      walker?.cancel()
      #expect(walker?.next() == nil)
      // Cancelling again changes nothing, and the batch is still the reader's.
      walker?.cancel()
      #expect(first.sections.first.map { first.path(of: $0).isEmpty } == true)
    }
    walker = nil
    try await tree.waitUntilClosed()
  }

  @Test("a walk that is never started leaves nothing open")
  func neverStarted() throws {
    let tree = wideTree(entries: 10)
    do {
      let walker = try tree.walker(jobs: 2)
      #expect(walker.startStatus.inode == 1)
      #expect(tree.openHandles == 1)
    }
    #expect(tree.openHandles == 0)
  }

  @Test("a walk that is cancelled before it starts hands over nothing")
  func cancelledBefore() async throws {
    let tree = wideTree(entries: 10)
    var walker: TreeWalker? = try tree.walker(jobs: 2)
    walker?.cancel()
    try walker?.start()
    #expect(walker?.next() == nil)
    walker = nil
    try await tree.waitUntilClosed()
  }
}
