import SQLite
import SystemPackage
import TestTraits
import Testing

@Suite("SQL of somebody else", .timeLimit(.minutes(20)))
struct UntrustedSQLTests {
  private let file: TemporaryDatabase

  init() throws {
    file = try TemporaryDatabase()
    try file.connection().execute(
      "CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 'x'), (2, 'y'), (3, 'z'); CREATE INDEX i ON t (a)"
    )
  }

  private func rows(
    _ sql: String, limit: Int? = nil, timeLimit: Duration? = nil, rowByteLimit: Int = 1 << 20
  ) throws -> (names: [String], rows: [[String]], end: UntrustedSQL.End) {
    var names: [String] = []
    var rows: [[String]] = []
    let end = try UntrustedSQL(
      path: FilePath(file.path), .readOnly, timeLimit: timeLimit, rowByteLimit: rowByteLimit
    ).run(sql, limit: limit) {
      names = $0
    } row: { row in
      rows.append(names.indices.map { row.text(Int32($0)) })
    }
    return (names, rows, end)
  }

  private func refusal(
    _ sql: String, timeLimit: Duration? = nil, rowByteLimit: Int = 1 << 20
  ) -> UntrustedSQL.Refusal? {
    do {
      _ = try rows(sql, timeLimit: timeLimit, rowByteLimit: rowByteLimit)
    } catch let refusal as UntrustedSQL.Refusal {
      return refusal
    } catch {
      Issue.record(error)
    }
    return nil
  }

  @Test("statements that read give their columns and rows")
  func reading() throws {
    let found = try rows(" SELECT a AS one, b FROM t ORDER BY a; \n")
    #expect(found.names == ["one", "b"] && found.rows == [["1", "x"], ["2", "y"], ["3", "z"]])
    #expect(try rows("PRAGMA table_info(t)").rows.count == 2)
    #expect(try rows("WITH n(i) AS (VALUES (1)) SELECT upper('a') FROM n").rows == [["A"]])
  }

  @Test("reading ends with as many rows as are allowed")
  func rowLimit() throws {
    let cut = try rows("SELECT a FROM t", limit: 2)
    let whole = try rows("SELECT a FROM t", limit: 3)
    #expect(cut.rows.count == 2 && whole.rows.count == 3)
    guard case .rowLimit = cut.end, case .complete = whole.end else {
      Issue.record("\(cut.end), \(whole.end)")
      return
    }
  }

  @Test("reading ends when the time is over")
  func timeLimit() {
    guard case .timeLimit = refusal(endless, timeLimit: .milliseconds(30)) else {
      Issue.record("no refusal")
      return
    }
  }

  @Test("checking the integrity of a large file ends when the time is over")
  func timeLimitOfIntegrityCheck() throws {
    try file.connection().execute(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 200000)
      INSERT INTO t SELECT i, i * 7919 FROM n; CREATE INDEX j ON t (b, a)
      """)
    guard case .timeLimit = refusal("PRAGMA integrity_check", timeLimit: .milliseconds(3)) else {
      Issue.record("no refusal")
      return
    }
  }

  @Test("cancelling the task that runs a statement ends it")
  func cancellation() async throws {
    let (sql, path) = (endless, file.path)
    let task = Task.detached {
      _ = try UntrustedSQL(path: FilePath(path), .readOnly, timeLimit: nil, rowByteLimit: 1 << 20)
        .run(sql, limit: nil) { _ in
          withUnsafeCurrentTask { $0?.cancel() }
        } row: { _ in
        }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("a row that is too long is refused, and told with its column")
  func longRow() throws {
    let row = "zeroblob(a * 300000) AS x, 'abc' AS y, a, NULL, 1.5"
    #expect(try rows("SELECT \(row) FROM t").rows.count == 3)
    guard case .longRow(let long) = refusal("SELECT \(row) FROM t", rowByteLimit: 800_000) else {
      Issue.record("no refusal")
      return
    }
    #expect(long.row == 3 && long.bytes == 900_003 && long.limit == 800_000)
    #expect(long.column == "x" && long.columnBytes == 900_000)
  }

  @Test(
    "a value that is too long is refused, whatever becomes of it",
    arguments: [
      "length(zeroblob(5000000))", "length(hex(zeroblob(2200000)))", "length(randomblob(5000000))",
      "length(quote(zeroblob(3000000)))", "length(replace(hex(zeroblob(1000000)), '0', '000'))",
      "(SELECT length(group_concat(x)) FROM (SELECT hex(zeroblob(700000)) x FROM t a, t b))",
      "length(json_array(hex(zeroblob(1500000)), hex(zeroblob(1500000))))",
    ])
  func longValue(expression: String) {
    guard case .longValue(row: 1, limit: 4 << 20) = refusal("SELECT \(expression)") else {
      Issue.record("no refusal")
      return
    }
  }

  @Test(
    "statements that are too large to be compiled are refused as such",
    arguments: [
      "SELECT " + String(repeating: "(", count: 600) + "1" + String(repeating: ")", count: 600),
      "SELECT " + String(repeating: "1+", count: 600) + "1",
      "SELECT " + String(repeating: "a,", count: 1000) + "1 FROM t",
      Array(repeating: "SELECT a FROM t", count: 201).joined(separator: " UNION ALL "),
      "SELECT '" + String(repeating: "x", count: 1_000_000) + "'",
      "SELECT ?11", "SELECT 'x' LIKE '" + String(repeating: "%a", count: 2501) + "'",
      "SELECT 'x' GLOB hex(zeroblob(2501))",
    ])
  func largeStatements(sql: String) {
    guard case .invalid = refusal(sql) else {
      Issue.record("no refusal")
      return
    }
  }

  @Test(
    "nothing but reading is allowed", .feature("P-46"),
    arguments: [
      "DELETE FROM t", "INSERT INTO t VALUES (1, 2)", "UPDATE t SET a = 1 RETURNING a",
      "DROP TABLE t",
      "CREATE TABLE u (a)", "ALTER TABLE t RENAME TO u", "REINDEX", "ANALYZE", "VACUUM",
      "VACUUM INTO 'copy'", "BEGIN", "COMMIT", "SAVEPOINT s", "ATTACH 'other' AS o",
      "ATTACH ':memory:' AS o", "DETACH main",
      // What is temporary is a change all the same.
      "CREATE TEMP TABLE u AS SELECT 1", "CREATE TEMP VIEW v AS SELECT 1",
      "CREATE TEMP TRIGGER r AFTER INSERT ON t BEGIN SELECT 1; END",
      "CREATE TEMP VIEW t AS SELECT 'false' AS a",
      "CREATE VIRTUAL TABLE u USING fts5(a)", "CREATE VIRTUAL TABLE temp.u USING rtree(a, b, c)",
      "INSERT INTO temp.sqlite_master VALUES ('table', 'u', 'u', 0, 'CREATE TABLE u (a)')",
      // The schema itself.
      "UPDATE sqlite_master SET sql = ''", "DELETE FROM sqlite_schema",
      "PRAGMA writable_schema = ON", "PRAGMA writable_schema = RESET",
      "PRAGMA schema_version = 7", "SELECT * FROM pragma_writable_schema(1)",
      // Settings, as statements and as tables.
      "PRAGMA user_version = 3", "PRAGMA application_id = 3", "PRAGMA query_only = 0",
      "PRAGMA query_only(0)", "PRAGMA main.query_only = 0", "PRAGMA journal_mode = DELETE",
      "PRAGMA trusted_schema = ON", "PRAGMA recursive_triggers = ON", "PRAGMA cell_size_check = 0",
      "PRAGMA hard_heap_limit = 0", "PRAGMA soft_heap_limit = 1", "PRAGMA threads = 8",
      "PRAGMA temp_store = MEMORY", "PRAGMA temp_store_directory = '.'", "PRAGMA mmap_size = 1",
      "PRAGMA cache_size = -99999999", "PRAGMA cache_spill = 0", "PRAGMA max_page_count = 1",
      "PRAGMA wal_checkpoint", "PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA optimize",
      "PRAGMA incremental_vacuum", "PRAGMA shrink_memory", "PRAGMA case_sensitive_like = 1",
      "PRAGMA locking_mode = EXCLUSIVE", "PRAGMA synchronous = 0", "PRAGMA busy_timeout = 1",
      "PRAGMA analysis_limit = 1", "PRAGMA foreign_keys = 1", "PRAGMA legacy_alter_table = 1",
      "PRAGMA secure_delete = 1", "PRAGMA data_store_directory = '.'", "PRAGMA key = 'x'",
      "SELECT * FROM pragma_optimize", "SELECT * FROM pragma_wal_checkpoint",
      "SELECT * FROM pragma_user_version(3)", "SELECT * FROM pragma_query_only(0)",
      "SELECT * FROM pragma_journal_mode('DELETE')", "SELECT * FROM pragma_hard_heap_limit(0)",
      // Functions with effects, those of the shell and those of extensions.
      "SELECT load_extension('x')", "SELECT load_extension('x', 'y')",
      "SELECT a FROM t ORDER BY load_extension('x')", "SELECT sqlite_log(1, 'x')",
      "SELECT LOAD_EXTENSION('x')", "SELECT fts3_tokenizer('simple')",
      "SELECT fts3_tokenizer('simple', x'00')", "SELECT fts5(x'00')",
      "SELECT writefile('x', 'y')", "SELECT readfile('/etc/passwd')", "SELECT edit('x')",
      "SELECT * FROM fsdir('/')", "SELECT * FROM lsdir('/')", "SELECT * FROM zipfile('x')",
      "SELECT 'a' REGEXP '(a*)*b'", "SELECT optimize(t) FROM t", "SELECT rtreecheck('t')",
      "SELECT eval('DROP TABLE t')", "SELECT json_each('[]')", "SELECT match(1, 2)",
      "SELECT 1 MATCH 2",
      // Tables that are none.
      "INSERT INTO sqlite_dbpage VALUES (1, x'00')", "UPDATE sqlite_dbpage SET data = x'00'",
      "UPDATE sqlite_stmt SET busy = 1", "DELETE FROM dbstat", "DELETE FROM json_each",
      "DELETE FROM pragma_table_info", "INSERT INTO t SELECT * FROM json_each('[1]')",
      // Behind something that reads.
      "EXPLAIN DELETE FROM t", "EXPLAIN QUERY PLAN DELETE FROM t",
      "WITH x AS (SELECT 1) DELETE FROM t", "WITH x AS (DELETE FROM t RETURNING a) SELECT a FROM x",
      "SELECT 1; DELETE FROM t", "SELECT 1\0; DELETE FROM t", "/* */ ; DELETE FROM t",
      "SELECT a FROM t; PRAGMA query_only = 0",
    ])
  func onlyReading(sql: String) throws {
    let refused = refusal(sql)
    switch refused {
    case .notReading, .severalStatements, .invalid: break
    default: Issue.record("\(refused as Any)")
    }
    let settings = ["user_version", "application_id", "schema_version"]
    let reader = try file.connection()
    #expect(try reader.integer("SELECT count(*) FROM t") == 3)
    #expect(try reader.integer("SELECT count(*) FROM sqlite_master") == 2)
    #expect(try settings.map { try reader.integer("PRAGMA \($0)") } == [0, 0, 2])
  }

  @Test("no pragma that has a table can be set by it")
  func pragmaTables() throws {
    var names: [String] = []
    try file.connection().forEach("SELECT name FROM pragma_pragma_list") {
      names.append($0.text(0))
    }
    for name in names {
      _ = refusal("SELECT * FROM pragma_\(name)('1')")
      _ = refusal("SELECT * FROM pragma_\(name)('1', 'main')")
    }
    #expect(Memory.limit == nil)
    let reader = try file.connection()
    #expect(try reader.integer("SELECT count(*) FROM t") == 3)
    #expect(try reader.integer("PRAGMA schema_version") == 2)
  }

  @Test("what is refused is named")
  func names() {
    guard case .notReading(name: "user_version") = refusal("PRAGMA user_version = 3"),
      case .notReading(name: "load_extension") = refusal("SELECT load_extension('x')")
    else {
      Issue.record("another name")
      return
    }
  }

  @Test("one statement is wanted, neither none nor two")
  func one() {
    for sql in ["", " ; ", "-- nothing"] {
      guard case .empty = refusal(sql) else {
        Issue.record("\(sql) is taken")
        continue
      }
    }
    guard case .severalStatements = refusal("SELECT 1; SELECT 2") else {
      Issue.record("two are taken")
      return
    }
  }

  @Test("what SQLite does not understand is told with the place")
  func invalid() {
    guard case .invalid(let error) = refusal("SELECT absent FROM t") else {
      Issue.record("no refusal")
      return
    }
    #expect(error.message == "no such column: absent" && error.offset == 7)
  }
}
