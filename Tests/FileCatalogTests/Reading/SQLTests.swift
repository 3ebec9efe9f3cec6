import FileCatalog
import FileSystem
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("Somebody's SQL")
struct SQLTests {
  private func run(_ sql: String, limitedTo timeout: Double? = 900, on catalog: Catalog) throws {
    _ = try catalog.runSQL(sql, timeout: timeout, begin: { _ in }, row: { _ in })
  }

  static let forbidden = [
    "DELETE FROM _entries", "INSERT INTO _roots (path) VALUES ('x')",
    "UPDATE _entries SET size = 0",
    "DROP TABLE _entries", "DROP VIEW files", "CREATE TABLE t (x)", "CREATE TEMP TABLE t (x)",
    "CREATE VIEW v AS SELECT 1", "ALTER TABLE _entries ADD COLUMN x", "VACUUM",
    "ATTACH 'stolen.sqlite' AS other", "DETACH main", "REINDEX", "ANALYZE", "BEGIN",
    "BEGIN IMMEDIATE",
    "COMMIT", "ROLLBACK", "SAVEPOINT x", "VACUUM INTO 'stolen.sqlite'",
    "PRAGMA user_version = 7", "PRAGMA application_id = 0", "PRAGMA journal_mode = DELETE",
    "PRAGMA journal_mode(DELETE)", "PRAGMA query_only = OFF", "PRAGMA writable_schema = ON",
    "PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA optimize", "PRAGMA foreign_keys = OFF",
    "PRAGMA temp_store_directory = '/tmp'", "PRAGMA incremental_vacuum", "PRAGMA key = 'x'",
    "SELECT load_extension('libm.so')", "SELECT load_extension('libm.so', 'x')",
    "CREATE VIRTUAL TABLE v USING fts5(x)", "EXPLAIN DELETE FROM _entries",
    "WITH x AS (SELECT 1) DELETE FROM _entries", "REPLACE INTO _roots (path) VALUES ('x')",
  ]

  @Test("whatever a statement says, it cannot write", .feature("P-46"), arguments: forbidden)
  func writingIsRefused(_ sql: String) async throws {
    try await withLaboratory([.file("a")]) { lab in
      try await lab.scan()
      let before = try lab.catalog.texts("SELECT path FROM files")
      let version = try lab.catalog.number("PRAGMA user_version")
      let error = #expect(throws: CatalogError.self) { try run(sql, on: lab.catalog) }
      let code = try #require(error?.code)
      #expect([.notReadOnlySQL, .invalidSQL].contains(code), "\(error as Any)")
      #expect(try lab.catalog.texts("SELECT path FROM files") == before)
      #expect(try lab.catalog.number("PRAGMA user_version") == version)
      let directory = lab.catalog.path.removingLastComponent()
      #expect(
        try IndependentWalk.entries(of: directory).keys.allSatisfy {
          !String(decoding: $0, as: UTF8.self).contains("stolen")
        })
      try await expectSound(lab.catalog)
    }
  }

  @Test(
    "statements that make no sense are errors of their own",
    arguments: [
      "", "   ", "SELEC 1", "SELECT", "SELECT nope FROM files", "SELECT * FROM nope",
      "SELECT 1; SELECT 2", "SELECT 1; DROP TABLE _entries", "SELECT 'unterminated", ";",
      "SELECT abs(-9223372036854775808)", "-- only a comment",
    ])
  func nonsenseIsRefused(_ sql: String) async throws {
    try await withTemporaryCatalog { catalog in
      let error = #expect(throws: CatalogError.self) { try run(sql, on: catalog) }
      #expect(error?.code == .invalidSQL, "\(error as Any)")
    }
  }

  @Test(
    "reading is allowed",
    arguments: [
      "SELECT 1", "  SELECT 1;  ", "SELECT 1 -- note", "VALUES (1), (2)", "PRAGMA user_version",
      "PRAGMA table_info(files)", "WITH x AS (SELECT 1) SELECT * FROM x",
      "EXPLAIN QUERY PLAN SELECT * FROM files", "SELECT count(*) FROM files f, files g",
      "SELECT lower(name) FROM files ORDER BY name COLLATE NOCASE", "SELECT * FROM sqlite_master",
      "SELECT name FROM files GROUP BY name HAVING count(*) > 1", "PRAGMA integrity_check",
    ])
  func readingIsAllowed(_ sql: String) async throws {
    try await withTemporaryCatalog { try run(sql, on: $0) }
  }

  @Test("a statement without end is stopped when its time is over")
  func timeout() async throws {
    try await withTemporaryCatalog { catalog in
      let clock = ContinuousClock()
      let endless = [
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
        """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 10000)
        SELECT count(*) FROM n a, n b WHERE a.i + b.i = -1
        """,
      ]
      for sql in endless {
        let start = clock.now
        let error = #expect(throws: CatalogError.self) {
          try catalog.runSQL(sql, timeout: 0.3, begin: { _ in }, row: { _ in })
        }
        #expect(error?.code == .timedOut)
        // That it ends at all is the proof; not before its time is the other half.
        #expect(clock.now - start > .milliseconds(250))
      }
    }
  }

  @Test("the time holds between rows, too")
  func timeoutBetweenRows() async throws {
    try await withTemporaryCatalog { catalog in
      var rows = 0
      let error = #expect(throws: CatalogError.self) {
        try catalog.runSQL(
          "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
          timeout: 0.2, begin: { _ in }, row: { _ in rows += 1 })
      }
      #expect(error?.code == .timedOut && rows > 0)
    }
  }

  @Test("rows and values that are too long are refused with their numbers")
  func longRows() async throws {
    try await withTemporaryCatalog { catalog in
      let refused = [
        "SELECT 1 AS n, zeroblob(5000000) AS x":
          "row 1 has 5000000 bytes, 5000000 of them in the column “x”; allowed are 4194304",
        "SELECT zeroblob(50000000) AS x": "row 1: a value has more than 16777216 bytes",
      ]
      for (sql, description) in refused {
        let error = #expect(throws: CatalogError.self) { try run(sql, on: catalog) }
        #expect(error?.code == .rowTooLong && error?.description == description)
      }
      let isCut = try catalog.runSQL(
        "SELECT zeroblob(5000000)", maximumRowBytes: 5_000_000, begin: { _ in }, row: { _ in })
      #expect(!isCut)
    }
  }

  @Test("cancelling the task ends the statement")
  func cancellation() async throws {
    try await withTemporaryCatalog { catalog in
      let task = Task.detached {
        try run(
          "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
          limitedTo: nil, on: catalog)
      }
      try await Task.sleep(for: .milliseconds(50))
      task.cancel()
      try await expectError(.interrupted) { try await task.value }
    }
  }

  @Test("rows beyond the limit are left out, and that is told", arguments: [0, 1, 9, 10, 11])
  func maximumRows(_ limit: Int) async throws {
    try await withTemporaryCatalog { catalog in
      var columns: [String] = []
      var rows = 0
      let isCut = try catalog.runSQL(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 10) SELECT i AS x FROM n",
        maximumRows: limit, begin: { columns = $0 }, row: { _ in rows += 1 })
      #expect(columns == ["x"])
      #expect(rows == min(limit, 10))
      #expect(isCut == (limit < 10))
    }
  }

  @Test("values have the types that SQLite gave them")
  func valueTypes() async throws {
    try await withTemporaryCatalog { catalog in
      let row = try catalog.rows("SELECT 1 AS a, 1.5 AS b, 'é' AS c, x'00ff' AS d, NULL AS e").first
      #expect(row?["a"] == .integer(1))
      #expect(row?["b"] == .real(1.5))
      #expect(row?["c"]?.string == "é")
      #expect(row?["d"] == .text([0, 255]))
      #expect(row?["e"] == .null)
    }
  }
}
