import FileSystem
import SQLite
import SystemPackage
import TestTraits
import Testing

@Suite("The pool", .timeLimit(.minutes(20)))
struct PoolTests {
  private let file: TemporaryDatabase
  private let pool: Pool

  init() throws {
    file = try TemporaryDatabase()
    pool = try Pool(path: FilePath(file.path), busyTimeout: .seconds(900))
    try pool.write { try $0.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
  }

  private static func count(_ db: Connection) throws -> Int64? {
    try db.integer("SELECT count(*) FROM t")
  }

  private static func countBlocking(_ pool: Pool) throws -> Int64 {
    try pool.read { try count($0) } ?? 0
  }

  @Test("readers see the old state while a transaction writes")
  func oldState() throws {
    try pool.write { db in
      try db.execute("INSERT INTO t VALUES (2)")
      #expect(try Self.count(db) == 2)
      #expect(try pool.read { try Self.count($0) } == 1)
    }
    #expect(try pool.read { try Self.count($0) } == 2)
  }

  @Test("a reader sees one state, whatever is written meanwhile")
  func oneState() throws {
    try pool.read { reader in
      #expect(try Self.count(reader) == 1)
      try pool.write { try $0.execute("INSERT INTO t VALUES (2)") }
      #expect(try Self.count(reader) == 1)
    }
    #expect(try pool.read { try Self.count($0) } == 2)
  }

  @Test("readers cannot write")
  func readersOnlyRead() throws {
    expect(.readOnly) { try pool.read { try $0.execute("DELETE FROM t") } }
  }

  @Test("what throws is taken back")
  func rollback() async throws {
    await #expect(throws: Stop.self) {
      try await pool.write { db -> Void in
        try db.execute("DELETE FROM t")
        throw Stop()
      }
    }
    #expect(try await pool.read { try Self.count($0) } == 1)
  }

  @Test(
    "tasks and threads take their turns, and no more readers are opened than allowed",
    .feature("JB-39"))
  func turns() async throws {
    let prepared = Monitor(0)
    let pool = try Pool(path: FilePath(file.path), readerCount: 3) { _ in
      prepared.withLock { $0 += 1 }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<200 {
        group.addTask {
          if number % 4 == 0 {
            try await pool.write { try $0.execute("INSERT INTO t VALUES (?)", [number]) }
          } else if number % 4 == 1 {
            #expect(try Self.countBlocking(pool) > 0)
          } else {
            #expect(try await pool.read { try Self.count($0) } ?? 0 > 0)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await pool.read { try Self.count($0) } == 51)
    #expect(prepared.withLock { $0 } <= 4)
    try pool.close()
  }

  @Test("cancelling a task interrupts its statement, and the connection serves the next one")
  func cancellation() async throws {
    let begun = Signal()
    let task = Task { [pool] in
      try await pool.write { db in
        try db.execute("INSERT INTO t VALUES (2)")
        begun.give()
        return try db.integer(endless)
      }
    }
    try await begun.waited()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await pool.write { try Self.count($0) } == 1)
  }

  @Test("no statement begins after a task was cancelled")
  func cancellationBetweenStatements() async throws {
    let begun = Signal()
    let cancelled = Signal()
    let task = Task { [pool] in
      try await pool.write { db in
        begun.give()
        cancelled.wait()
        try db.execute("DELETE FROM t")
      }
    }
    try await begun.waited()
    task.cancel()
    cancelled.give()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await pool.read { try Self.count($0) } == 1)
  }

  @Test("a cancelled task does not wait for its turn")
  func cancellationWhileWaiting() async throws {
    let begun = Signal()
    let release = Signal()
    let holder = Task { [pool] in
      try await pool.write { _ in
        begun.give()
        release.wait()
      }
    }
    try await begun.waited()
    let waiting = Task { [pool] in try await pool.write { try Self.count($0) } }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    release.give()
    try await holder.value
    #expect(try await pool.write { try Self.count($0) } == 1)
  }

  @Test("a cancelled task does not wait for the lock of another process")
  func cancellationWhileBusy() async throws {
    let other = try file.connection(.readWrite)
    try await other.holdingLock {
      let task = Task { [pool] in try await pool.write { try Self.count($0) } }
      try await Task.sleep(for: .milliseconds(20))
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    #expect(try await pool.write { try Self.count($0) } == 1)
  }

  @Test("closing waits for whoever is reading, and leaves no write-ahead log behind")
  func closing() async throws {
    try await pool.write { try $0.execute("INSERT INTO t VALUES (2)") }
    let begun = Signal()
    let reading = Task { [pool] in
      try await pool.read { db in
        begun.give()
        return try db.integer(long)
      }
    }
    try await begun.waited()
    #expect(file.exists("-wal"))
    try pool.close()
    #expect(try await reading.value == 300_000)
    #expect(!file.exists("-wal") && !file.exists("-shm"))
    expect(.closed) { _ = try Self.countBlocking(pool) }
    await #expect(throws: SQLiteError.self) { try await pool.write { try Self.count($0) } }
    try pool.close()
  }

  @Test("a connection that cannot be opened is an error, and the next one tries again")
  func cannotOpen() async throws {
    let path = file.path
    let mayOpen = Monitor(false)
    let queue = ConnectionQueue(limit: 1) {
      guard mayOpen.withLock({ $0 }) else { throw Stop() }
      return try Connection(path: FilePath(path), .readOnly)
    }
    #expect(throws: Stop.self) { try queue.use { _ in } }
    await #expect(throws: Stop.self) { try await queue.use { try Self.count($0) } }
    mayOpen.withLock { $0 = true }
    #expect(try await queue.use { try Self.count($0) } == 1)
  }

  @Test("what somebody who waited has asked for, and got, is let go")
  func waitingLeavesNothing() async throws {
    final class Kept: Sendable {}
    struct Reference { weak var object: Kept? }
    let path = file.path
    let queue = ConnectionQueue(limit: 1) { try Connection(path: FilePath(path), .readOnly) }
    var kept: Kept? = Kept()
    let reference = Reference(object: kept)
    let isBegun = Monitor(false)
    let mayEnd = Monitor(false)
    let first = Task {
      try await queue.use { _ in
        isBegun.withLockNotifying { $0 = true }
        _ = mayEnd.wait { $0 ? true : nil }
      }
    }
    _ = await Blocking.run { isBegun.wait { $0 ? true : nil } }
    let second = Task { [kept] in try await queue.use { _ in kept !== nil } }
    kept = nil
    // It waits by then, or will get its turn at once: neither may keep anything.
    try await Task.sleep(for: .milliseconds(200))
    mayEnd.withLockNotifying { $0 = true }
    try await first.value
    _ = try await second.value
    var attempts = 0
    while reference.object != nil, attempts < 500 {
      attempts += 1
      try await Task.sleep(for: .milliseconds(10))
    }
    withExtendedLifetime(queue) {}
    #expect(reference.object == nil)
  }
}

extension Connection {
  /// Holds the lock of those who write while `body` runs.
  fileprivate func holdingLock(_ body: () async throws -> Void) async throws {
    try execute("BEGIN IMMEDIATE")
    try await body()
    try execute("COMMIT")
  }
}
