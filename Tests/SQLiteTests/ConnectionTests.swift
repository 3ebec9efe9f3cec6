import FileSystem
import SQLite
import SystemPackage
import TestSupport
import Testing

@Suite("Connections and statements", .timeLimit(.minutes(20)))
struct ConnectionTests {
  private let file: TemporaryDatabase

  init() throws {
    file = try TemporaryDatabase()
  }

  // MARK: - Opening and closing

  @Test("a missing file is made only where that was asked for")
  func missing() throws {
    for mode in [Connection.Mode.readOnly, .readWrite, .immutable] {
      expect(.cannotOpen) { _ = try file.connection(mode) }
    }
    #expect(!file.exists())
    try file.connection().execute("CREATE TABLE t (a)")
    #expect(file.exists())
  }

  @Test(
    "a connection that only reads cannot write", arguments: [Connection.Mode.readOnly, .immutable])
  func readOnly(mode: Connection.Mode) throws {
    try file.connection().execute("CREATE TABLE t (a); INSERT INTO t VALUES (7)")
    let reader = try file.connection(mode)
    #expect(try reader.integer("SELECT a FROM t") == 7)
    expect(.readOnly) { try reader.execute("INSERT INTO t VALUES (8)") }
  }

  @Test("values and rows that are too long are neither made nor read")
  func longValues() throws {
    let writer = try Connection(
      path: FilePath(file.path), .create, limits: .untrusted(valueBytes: 64 << 20))
    try writer.execute(
      """
      CREATE TABLE t (a, b);
      INSERT INTO t VALUES (zeroblob(1000000), 1), (zeroblob(20000000), 2);
      INSERT INTO t VALUES (zeroblob(9000000), zeroblob(9000000));
      """)
    try writer.close()
    let reader = try file.connection(.readOnly)
    #expect(try reader.integer("SELECT length(a) FROM t WHERE rowid = 1") == 1_000_000)
    expect(.tooBig) { _ = try reader.integer("SELECT length(zeroblob(20000000))") }
    expect(.tooBig) { try reader.forEach("SELECT a FROM t WHERE rowid = 2") { _ in } }
    expect(.tooBig) {
      try file.connection().execute("INSERT INTO t SELECT a, b || a FROM t WHERE rowid = 3")
    }
  }

  @Test("no connection can reach a second file")
  func attaching() throws {
    expect(.error) { try file.connection().execute("ATTACH ':memory:' AS other") }
  }

  @Test("what is no database is told so")
  func notADatabase() throws {
    let text = [UInt8](repeating: 65, count: 2000)
    try file.overwrite(text)
    expect(.notADatabase) { _ = try file.connection().integer("SELECT count(*) FROM t") }
    #expect(
      try Connection.beginning(ofFileAt: FilePath(file.path), count: 100) == Array(text.prefix(100))
    )
  }

  @Test("nothing runs after closing, and that is an error of its own")
  func closed() throws {
    let db = try file.connection()
    try db.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3)")
    let running = try db.prepare("SELECT a FROM t WHERE a > ?")
    running.bind(0, at: 1)
    #expect(try running.step())
    let kept = try db.cached("INSERT INTO t VALUES (?)")
    try kept.run([4])
    try db.close()
    try db.close()

    expect(.closed) { _ = try running.step() }
    running.reset()
    running.bind(1, at: 1)
    running.bind("text", at: 1)
    expect(.closed) { _ = try running.step() }
    #expect(running.columnNames.isEmpty && running.row.integer(0) == 0 && running.row.isNull(0))
    expect(.closed) { try kept.run([5]) }
    expect(.closed) { _ = try db.prepare("SELECT 1") }
    expect(.closed) { _ = try db.cached("SELECT 1") }
    expect(.closed) { try db.execute("SELECT 1") }
    expect(.closed) { _ = try db.dataVersion() }
    expect(.closed) { try db.transaction(.deferred) {} }
    db.interrupter.interrupt()
    #expect(db.changedRows == 0)
    #expect(try file.connection().integer("SELECT count(*) FROM t") == 4)
  }

  @Test("every statement is finalised when nobody has it, and kept ones with the connection")
  func finalised() throws {
    let db = try file.connection()
    try db.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)")
    #expect(db.statementCount == 0)
    do {
      let statement = try db.prepare("SELECT a FROM t")
      #expect(try statement.step())
      #expect(db.statementCount == 1)
    }
    #expect(throws: SQLiteError.self) { try db.execute("INSERT INTO t VALUES (3); nonsense") }
    #expect(throws: Stop.self) { try db.forEach("SELECT a FROM t") { _ in throw Stop() } }
    #expect(try db.first("SELECT a FROM t") { $0.integer(0) } == 1)
    #expect(db.statementCount == 0)
    #expect(throws: Stop.self) { try db.forEach(cached: "SELECT a FROM t") { _ in throw Stop() } }
    #expect(db.statementCount == 1)
    // A statement that is still running would forbid this.
    try db.execute("DROP TABLE t")
    try db.close()
    #expect(db.statementCount == 0)
  }

  // MARK: - Values

  @Test("names of any bytes come back as they were")
  func names() throws {
    let db = try file.connection()
    try db.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, name)")
    var random = SeededRandom(seed: 7)
    var names: [[UInt8]] = [
      [], Array("a".utf8), Array("näme 文字 🗂".utf8), [0xff], [0xc3], [0xed, 0xa0, 0x80], [0],
      Array("a\0b".utf8), Array(repeating: 0x41, count: 5000),
    ]
    for _ in 0..<500 {
      let count = Int.random(in: 0..<40, using: &random)
      names.append((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
    }
    let lent = try db.prepare("INSERT INTO t (name) VALUES (?)")
    for name in names {
      try name.withUnsafeBufferPointer { bytes in
        lent.bindName(bytes, at: 1)
        try lent.run()
      }
      try db.execute("INSERT INTO t (name) VALUES (?)", [Binding.name(name)])
    }
    var read: [[UInt8]] = []
    try db.forEach("SELECT name FROM t ORDER BY id") { row in
      let name = Array(row.bytes(0))
      let isText = String(validating: name, as: UTF8.self) != nil
      #expect(row.storageClass(0) == (isText ? .text : .blob))
      read.append(name)
    }
    #expect(read == names.flatMap { [$0, $0] })
    for name in names {
      let find = SQL("SELECT count(*) FROM t WHERE name = ?", [.name(name)])
      let count = names.count { $0 == name }
      #expect(try db.first(cached: find) { $0.integer(0) } == Int64(2 * count))
    }
  }

  @Test("values of every kind come back as they were")
  func values() throws {
    let db = try file.connection()
    let values: [any Bindable] = [
      Int64.min, Int64.max, 0, true, 1.5, "text", "", String?.none, Int64?.some(3),
      Binding.blob([1, 2]), Binding.blob([]), Int32(-1), UInt32.max,
    ]
    let marks = values.map { _ in "?" }.joined(separator: ", ")
    let statement = try db.prepare("SELECT \(marks)")
    statement.bind(values.map(\.binding))
    #expect(try statement.step())
    let row = statement.row
    #expect(row.integer(0) == .min && row.integer(1) == .max && row.integer(2) == 0)
    #expect(row.integer(3) == 1 && row.real(4) == 1.5)
    #expect(row.text(5) == "text" && row.optionalText(6) == "" && row.optionalText(7) == nil)
    #expect(row.optionalInteger(8) == 3 && row.optionalInteger(7) == nil)
    #expect(Array(row.bytes(9)) == [1, 2])
    #expect(row.storageClass(10) == .blob && row.bytes(10).isEmpty)
    #expect(row.integer(11) == -1 && row.integer(12) == 4_294_967_295)
    #expect(try statement.step() == false)
  }

  @Test("each statement of a script takes the values from the first on")
  func script() throws {
    let db = try file.connection()
    try db.execute(
      """
      CREATE TABLE t (a, b); -- a comment
      INSERT INTO t VALUES (?1, ?2);
      DELETE FROM t WHERE a = 1000;
      INSERT INTO t VALUES (?1, 'x');
      /* another */
      """, [7, "seven"])
    #expect(try db.integer("SELECT count(*) FROM t WHERE a = 7 AND b IN ('x', 'seven')") == 2)
    #expect(db.changedRows == 1 && db.lastInsertedRowID == 2)
  }

  @Test("an error says where in the statement")
  func errors() throws {
    let db = try file.connection()
    do {
      _ = try db.prepare("SELECT 1, absent FROM sqlite_master")
      Issue.record("no error")
    } catch {
      #expect(error.code == .error && error.offset == 10)
      #expect(error.message == "no such column: absent")
      #expect(error.sql == "SELECT 1, absent FROM sqlite_master")
    }
    try db.execute("CREATE TABLE t (a UNIQUE); INSERT INTO t VALUES (1)")
    do {
      try db.execute("INSERT INTO t VALUES (?)", [1])
      Issue.record("no error")
    } catch {
      #expect(error.code == .constraint && error.extendedCode == 2067)
    }
  }

  // MARK: - Kept statements

  @Test("a kept statement is used again, with nothing bound, and a second one while it runs")
  func cache() throws {
    let db = try file.connection()
    try db.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3)")
    let text = "SELECT a, ? FROM t ORDER BY a"
    try db.forEach(cached: SQL(text, [.text("bound")])) { #expect($0.text(1) == "bound") }
    try db.forEach(cached: SQL(text)) { #expect($0.isNull(1)) }
    #expect(db.statementCount == 1)
    // Left in the middle, it begins anew.
    #expect(try db.first(cached: SQL(text)) { $0.integer(0) } == 1)
    var pairs: [Int64] = []
    try db.forEach(cached: SQL(text)) { outer in
      try db.forEach(cached: SQL(text)) { pairs.append(10 * outer.integer(0) + $0.integer(0)) }
    }
    #expect(pairs == [11, 12, 13, 21, 22, 23, 31, 32, 33])
    #expect(db.statementCount == 1)
  }

  @Test("a statement is prepared anew when another process has changed the schema")
  func schemaChange() throws {
    let db = try file.connection()
    try db.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
    #expect(try db.first(cached: "SELECT * FROM t") { $0.integer(0) } == 1)
    let version = try db.dataVersion()
    #expect(try db.dataVersion() == version)
    try file.runElsewhere("DROP TABLE t; CREATE TABLE t (b, c); INSERT INTO t VALUES (5, 6);")
    #expect(try db.first(cached: "SELECT * FROM t") { $0.integer(1) } == 6)
    #expect(try db.dataVersion() != version)
    try file.runElsewhere("DROP TABLE t;")
    expect(.error) { try db.forEach(cached: "SELECT * FROM t") { _ in } }
  }

  // MARK: - Waiting and interrupting

  @Test("a lock that stays is an error when the time is over, and one that goes is waited for")
  func busy() throws {
    let first = try file.connection()
    try first.execute("CREATE TABLE t (a)")
    let second = try file.connection(busyTimeout: .milliseconds(50))
    try first.transaction(.immediate) {
      expect(.busy) { try second.transaction(.immediate) {} }
    }
    let patient = try file.connection()
    let begun = Signal()
    let path = file.path
    try WorkerThread.start(named: "writer") {
      try? Connection(path: FilePath(path), .readWrite).transactionThatTakesTime {
        begun.give()
      }
    }
    begun.wait()
    try patient.transaction(.immediate) { try patient.execute("INSERT INTO t VALUES (2)") }
    #expect(try patient.integer("SELECT count(*) FROM t") == 2)
  }

  @Test("what runs can be interrupted from another thread, and the connection is good afterwards")
  func interruption() throws {
    let db = try file.connection()
    let interrupter = db.interrupter
    let isOver = Monitor(false)
    try WorkerThread.start(named: "interrupter") {
      while !isOver.withLock({ $0 }) { interrupter.interrupt() }
    }
    expect(.interrupted) { _ = try db.integer(endless) }
    isOver.withLock { $0 = true }
    while (try? db.integer("SELECT 1")) == nil {}
    #expect(try db.integer("SELECT 1") == 1)
  }

  // MARK: - Transactions

  @Test("a part of a transaction is taken back by itself")
  func nestedTransactions() throws {
    let db = try file.connection()
    try db.execute("CREATE TABLE t (a)")
    try db.transaction(.immediate) {
      try db.execute("INSERT INTO t VALUES (1)")
      #expect(throws: Stop.self) {
        try db.transaction(.immediate) {
          try db.execute("INSERT INTO t VALUES (2)")
          try db.transaction(.deferred) { try db.execute("INSERT INTO t VALUES (3)") }
          throw Stop()
        }
      }
      try db.transaction(.deferred) { try db.execute("INSERT INTO t VALUES (4)") }
      #expect(try db.integer("SELECT group_concat(a) = '1,4' FROM t") == 1)
    }
    #expect(throws: Stop.self) {
      try db.transaction(.immediate) {
        try db.execute("DELETE FROM t")
        throw Stop()
      }
    }
    #expect(try file.connection().integer("SELECT group_concat(a) = '1,4' FROM t") == 1)
    #expect(try db.transaction(.deferred) { try db.integer("SELECT count(*) FROM t") } == 2)
  }

  @Test("a transaction that SQLite itself has taken back is over")
  func automaticRollback() throws {
    let db = try file.connection()
    try db.execute("CREATE TABLE t (a UNIQUE); INSERT INTO t VALUES (1)")
    expect(.constraint) {
      try db.transaction(.immediate) {
        try db.execute("INSERT INTO t VALUES (2)")
        try db.execute("INSERT OR ROLLBACK INTO t VALUES (1)")
      }
    }
    try db.transaction(.immediate) { try db.execute("INSERT INTO t VALUES (3)") }
    #expect(try db.integer("SELECT group_concat(a) = '1,3' FROM t") == 1)
  }

  // MARK: - Functions

  @Test("functions get bytes and objects and answer with values")
  func functions() throws {
    final class Factor: Sendable {
      let value: Int64 = 6
    }
    let db = try file.connection()
    try db.addFunction("is_multiple", argumentCount: 2) { call in
      guard let factor = call.object(1, as: Factor.self) else { return }
      call.answer(call.integer(0) % factor.value == 0)
    }
    try db.addFunction("reversed", argumentCount: 1) { call in
      guard !call.isNull(0) else { return }
      Array(call.bytes(0).reversed()).withUnsafeBytes { call.answer(text: $0) }
    }
    let statement = try db.prepare(
      "SELECT is_multiple(42, ?), is_multiple(43, ?1), reversed('abc'), reversed(NULL), is_multiple(1, 'x')"
    )
    statement.bind(object: Factor(), at: 1)
    #expect(try statement.step())
    let row = statement.row
    #expect(row.integer(0) == 1 && row.integer(1) == 0 && row.text(2) == "cba")
    #expect(row.isNull(3) && row.isNull(4))
  }
}

struct Stop: Error {}

extension Connection {
  /// Writes a row, lets others know and takes its time before the end.
  fileprivate func transactionThatTakesTime(_ begun: () -> Void) throws {
    try transaction(.immediate) {
      try execute("INSERT INTO t VALUES (1)")
      begun()
      _ = try integer(long)
    }
  }
}
