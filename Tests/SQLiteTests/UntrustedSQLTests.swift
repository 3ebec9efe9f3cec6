import SQLite
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
    _ sql: String, limit: Int? = nil, timeLimit: Duration? = nil
  ) throws -> (names: [String], rows: [[String]], end: UntrustedSQL.End) {
    var names: [String] = []
    var rows: [[String]] = []
    let end = try UntrustedSQL(path: file.path, .readOnly, timeLimit: timeLimit)
      .run(sql, limit: limit) {
        names = $0
      } row: { row in
        rows.append(names.indices.map { row.text(Int32($0)) })
      }
    return (names, rows, end)
  }

  private func refusal(_ sql: String, timeLimit: Duration? = nil) -> UntrustedSQL.Refusal? {
    do {
      _ = try rows(sql, timeLimit: timeLimit)
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

  @Test(
    "nothing but reading is allowed",
    arguments: [
      "DELETE FROM t", "INSERT INTO t VALUES (1, 2)", "DROP TABLE t", "CREATE TABLE u (a)",
      "ATTACH 'other' AS o", "PRAGMA user_version = 3", "PRAGMA query_only = 0", "VACUUM",
      "VACUUM INTO 'copy'", "BEGIN", "SELECT load_extension('x')", "REINDEX", "ANALYZE",
      "CREATE TEMP TABLE u AS SELECT 1", "SAVEPOINT s", "PRAGMA journal_mode = DELETE",
    ])
  func onlyReading(sql: String) throws {
    guard case .notReading = refusal(sql) else {
      Issue.record("no refusal")
      return
    }
    #expect(try file.connection().integer("SELECT count(*) FROM t") == 3)
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
