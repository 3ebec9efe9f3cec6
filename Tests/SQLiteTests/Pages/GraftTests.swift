import SQLite
import SystemPackage
import TestSupport
import Testing

/// Pages that are appended to a database which others have open.
@Suite struct GraftTests {
  @Test(
    "A database that rows were appended to as pages is as one that got them by statements",
    arguments: [512, 1024, 4096], [1 << 30, 4000])
  func model(pageSize: Int, memory: Int) throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("seed \(seed)")
    var generator = SeededRandom(seed: seed)
    let grafted = try LiveDatabase(pageSize: pageSize)
    let written = try LiveDatabase(pageSize: pageSize)
    let reader = try Connection(path: grafted.path, .readOnly)
    var next: Int64 = 1
    for round in 0..<12 {
      let size = [0, 1, 3, 20, 300, 2500].randomElement(using: &generator)!
      let rows = (0..<size).map { LiveRow(next + Int64($0), using: &generator) }
      next += Int64(size)
      // Whoever began to read before sees nothing of it.
      try reader.transaction(.deferred) {
        let before = try reader.integer("SELECT count(*) FROM t")
        try grafted.append(rows, memory: memory)
        #expect(try reader.integer("SELECT count(*) FROM t") == before)
        #expect(try reader.first("PRAGMA integrity_check") { $0.text(0) } == "ok")
        #expect(try reader.integer("SELECT count(*) FROM t") == before)
      }
      try written.insert(rows)
      for database in [grafted, written] {
        #expect(try database.db.integer("SELECT max(round) FROM log") == Int64(round))
        try database.change(round)
      }
      #expect(try grafted.verdict() == "ok", "seed \(seed), round \(round)")
      #expect(try grafted.content() == written.content(), "seed \(seed), round \(round)")
    }
    try grafted.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    #expect(try grafted.verdict() == "ok", "seed \(seed)")
  }

  @Test("At every size of what is there and what is added, the trees are sound")
  func everySize() throws {
    for old in [0, 1, 2, 4, 5, 6, 7, 25, 30, 31, 36, 150, 216] {
      for new in [1, 2, 4, 5, 6, 7, 29, 30, 31, 36, 37, 180, 216, 217] {
        var generator = SeededRandom(seed: UInt64(old * 1000 + new))
        let database = try LiveDatabase(pageSize: 512)
        try database.insert((1...max(1, old)).map { LiveRow(Int64($0), using: &generator) })
        if old == 0 { try database.db.execute("DELETE FROM t") }
        try database.append(
          (1...new).map { LiveRow(Int64(old + $0 + 1), using: &generator) }, memory: 1 << 30)
        #expect(try database.verdict() == "ok", "\(old) and \(new)")
        #expect(try database.db.integer("SELECT count(*) FROM t") == Int64(old + new))
      }
    }
  }

  @Test("What fails leaves the database as it was, and its file as long")
  func failures() throws {
    struct Failure: Error {}
    var generator = SeededRandom(seed: 7)
    let database = try LiveDatabase(pageSize: 512)
    try database.insert((1...500).map { LiveRow(Int64($0), using: &generator) })
    try database.db.execute("PRAGMA wal_checkpoint")
    let content = try database.content()
    let size = try database.fileSize()
    let rows = (501...1500).map { LiveRow(Int64($0), using: &generator) }
    for place in [LiveDatabase.Place.loading, .completing] {
      #expect(throws: Failure.self) {
        try database.append(rows, memory: 1 << 30) { if $0 == place { throw Failure() } }
      }
      #expect(try database.content() == content)
      #expect(try database.verdict() == "ok")
      #expect(try database.fileSize() == size)
    }
    try database.append(rows, memory: 1 << 30)
    #expect(try database.verdict() == "ok")
    #expect(try database.db.integer("SELECT count(*) FROM t") == 1500)
  }

  @Test("As long as somebody reads what is in the log only, there are no pages to append")
  func readersOfTheLog() throws {
    var generator = SeededRandom(seed: 9)
    let database = try LiveDatabase(pageSize: 4096)
    try database.insert((1...500).map { LiveRow(Int64($0), using: &generator) })
    let reader = try Connection(path: database.path, .readOnly)
    try reader.transaction(.deferred) {
      _ = try reader.integer("SELECT count(*) FROM t")
      try database.insert((501...600).map { LiveRow(Int64($0), using: &generator) })
      let wasOffered = try database.db.transaction { file -> Loading<Void, Bool> in
        .written(file != nil)
      } completing: { _ in
        false
      }
      #expect(!wasOffered)
    }
    let isOffered = try database.db.transaction { file -> Loading<Void, Bool> in
      .written(file != nil)
    } completing: { _ in
      false
    }
    #expect(isOffered)
  }
}
