import Synchronization
import SystemPackage
import TestSupport
import TestTraits
import Testing

@testable import FileSystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("How many threads walk", .timeLimit(.minutes(20)))
struct WalkerCrewTests {
  // MARK: - The rule

  /// Shares of the time of all threads, in percent.
  struct Case: Sendable, CustomTestStringConvertible {
    let title: String
    let threads: Int
    let running: Int64
    let queued: Int64?
    let idle: Int64
    let expected: ClosedRange<Int>

    var testDescription: String { title }
  }

  @Test(
    "the rule: more while they wait, as many as processors while they compute",
    arguments: [
      Case(title: "all wait", threads: 4, running: 5, queued: 0, idle: 0, expected: 8...8),
      Case(title: "most wait", threads: 16, running: 10, queued: 2, idle: 0, expected: 32...32),
      Case(title: "all compute", threads: 4, running: 98, queued: 0, idle: 0, expected: 4...4),
      Case(
        title: "all compute beside others", threads: 4, running: 40, queued: 58, idle: 0,
        expected: 4...4),
      Case(
        title: "many compute, as nobody waits any more", threads: 32, running: 12, queued: 86,
        idle: 0, expected: 4...4),
      Case(
        title: "more than the disk wants", threads: 64, running: 40, queued: 40, idle: 0,
        expected: 24...24),
      Case(
        title: "about as many as the disk wants", threads: 20, running: 37, queued: 50, idle: 0,
        expected: 20...20),
      Case(
        title: "others keep the machine busy, and the disk is slow", threads: 4, running: 5,
        queued: 75, idle: 0, expected: 8...8),
      Case(
        title: "there is nothing to do", threads: 4, running: 5, queued: 0, idle: 60,
        expected: 4...4),
      Case(
        title: "they compute, and there are processors left", threads: 2, running: 98, queued: 0,
        idle: 0, expected: 4...4),
      Case(
        title: "nobody tells who is ready, and processors are left", threads: 8, running: 5,
        queued: nil, idle: 0, expected: 16...16),
      Case(
        title: "nobody tells who is ready, and no processor is left", threads: 32, running: 12,
        queued: nil, idle: 0, expected: 16...16),
    ])
  func rule(_ sample: Case) {
    let times = WalkerTimes(
      total: 100, idle: sample.idle, running: sample.running, queued: sample.queued)
    let count = CrewRule(processors: 4).count(after: times, with: sample.threads)
    #expect(sample.expected.contains(count), "\(count)")
  }

  @Test("a crew is never more than it may be, nor less than one that computes needs")
  func limits() {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededRandom(seed: seed)
    let crew = WalkerCrew(count: 2, most: 20, processors: 2)
    var count = 2
    for _ in 0..<2000 {
      let total = Int64(random.below(40_000_000))
      let running = Int64(random.below(Int(total) + 1))
      let idle = Int64(random.below(Int(total - running) + 1))
      switch crew.advise(after: WalkerTimes(total: total, idle: idle, running: running)) {
      case .goOn: break
      case .hire(let more): count += more
      case .leave: count -= 1
      }
      #expect((2...20).contains(count) && crew.count == count, "seed \(seed)")
    }
  }

  // MARK: - Walks

  /// How many threads are somewhere at the same time.
  private final class Together: Sendable {
    private let now = Atomic(0)
    private let highest = Atomic(0)
    var most: Int { highest.load(ordering: .relaxed) }

    func run(_ body: () -> Void) {
      let count = now.add(1, ordering: .relaxed).newValue
      highest.max(count, ordering: .relaxed)
      body()
      now.subtract(1, ordering: .relaxed)
    }
  }

  /// A walk of a tree in which every reading waits, as for a disk that is far away.
  private func slowWalk(
    _ tree: SimulatedTree, _ options: WalkOptions, wait: useconds_t = 4000
  ) async throws -> (walk: Walk, together: Int) {
    let together = Together()
    tree.onRead { _ in together.run { usleep(wait) } }
    let walk = try await Walk.through(tree.walker(options))
    return (walk, together.most)
  }

  @Test(
    "where reading means waiting, more threads come, and everything is found once", .feature("P-61")
  )
  func waiting() async throws {
    let seed = UInt64.random(in: 0 ... .max)
    let tree = TreeWalkerTests.randomTree(seed: seed)
    for i in 0..<300 { tree.files(0..<3, in: "wide/d\(i)") }
    let (walk, together) = try await slowWalk(tree, WalkOptions(jobs: 2, atMost: 24))
    #expect((3...24).contains(together), "seed \(seed)")
    #expect(walk.paths == tree.paths, "seed \(seed)")
    #expect(walk.repeated == 0 && walk.tooEarly == [], "seed \(seed)")
    #expect(walk.completed.values.allSatisfy { $0 == 1 }, "seed \(seed)")
    try await tree.waitUntilClosed()
  }

  @Test("a number that was given stays")
  func fixed() async throws {
    let tree = SimulatedTree()
    for i in 0..<200 { tree.files(0..<3, in: "d\(i)") }
    let (walk, together) = try await slowWalk(tree, WalkOptions(jobs: 3), wait: 1000)
    #expect(together <= 3)
    #expect(walk.paths == tree.paths)
  }

  @Test("threads come and go while disks are slow and quick in turn, and nothing is lost")
  func changing() async throws {
    let seed = UInt64.random(in: 0 ... .max)
    let tree = TreeWalkerTests.randomTree(seed: seed)
    for i in 0..<1500 { tree.files(0..<(i % 7), in: "wide\(i % 9)/d\(i)") }
    tree.onRead { read in
      if read / 1500 % 2 == 0 {
        usleep(3000)
      } else {
        let end = ContinuousClock.now + .microseconds(300)
        while ContinuousClock.now < end {}
      }
    }
    let walk = try await Walk.through(tree.walker(WalkOptions(jobs: 2, atMost: 16)))
    #expect(walk.paths == tree.paths, "seed \(seed)")
    #expect(walk.repeated == 0 && walk.tooEarly == [], "seed \(seed)")
    #expect(walk.failures.isEmpty, "seed \(seed)")
    try await tree.waitUntilClosed()
  }

  @Test("batches that come with a thread go with it, however many come and go")
  func batches() throws {
    let exchange = BatchExchange(batches: 4, producers: 1)
    for round in 0..<200 {
      exchange.addProducer()
      let first = try #require(exchange.take())
      let second = try #require(exchange.take())
      #expect(exchange.batchCount == 6)
      // Now before, now after the writer has given them back.
      if round.isMultiple(of: 2) { exchange.producerFinished() }
      for batch in [second, first] { exchange.submit(batch) }
      for expected in [first, second] {
        let batch = try #require(exchange.next())
        #expect(batch === expected)
        exchange.recycle(batch)
      }
      if !round.isMultiple(of: 2) { exchange.producerFinished() }
      #expect(exchange.batchCount == 4, "round \(round)")
    }
  }

  @Test("a thread whose directory takes long does not hold up what others have read")
  func oneIsSlow() async throws {
    let tree = SimulatedTree()
    tree.directory("slow")
    for i in 0..<2000 { tree.files(0..<40, in: "d\(i)") }
    // Batches go in order: while one is being filled slowly, all others would wait for it.
    let calls = Atomic(0)
    tree.onRead { _ in
      if calls.add(1, ordering: .relaxed).newValue % 50 == 0 { usleep(20_000) }
    }
    let walk = try await Walk.through(tree.walker(WalkOptions(jobs: 4)))
    #expect(walk.paths == tree.paths)
    #expect(walk.repeated == 0 && walk.tooEarly == [])
  }

  @Test("threads that wait stop soon when a walk is cancelled")
  func cancelling() async throws {
    let tree = SimulatedTree()
    for i in 0..<2000 { tree.files(0..<3, in: "d\(i)") }
    tree.onRead { _ in usleep(2000) }
    let walker = try tree.walker(WalkOptions(jobs: 2, atMost: 24))
    try walker.start()
    let taken = try await WorkerThread.run(named: "reader") {
      var taken = 0
      while let batch = walker.next() {
        taken += 1
        walker.recycle(batch)
        if taken == 3 { walker.cancel() }
      }
      return taken
    }
    #expect(taken < 2000)
  }

  @Test("where few files may be open, threads have half of them")
  func fewDescriptors() {
    var options = WalkOptions(jobs: 2, atMost: 64)
    #expect(options.mostJobs == 64)
    #expect(WalkOptions(jobs: 2).mostJobs == 2)
    #expect(options.moreJobs(4, beside: 2, keeping: 0) == 4)
    // More than any process may have.
    options.openDirectories = 1 << 26
    #expect(options.moreJobs(4, beside: 2, keeping: 0) == 0)
  }
}
