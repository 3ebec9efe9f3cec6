import SystemPackage
import TestSupport

/// SQL of somebody who tries what can be done with it: it ends within its limits, and changes nothing.
struct HostileStatements: Part {
  static let name = "sql"
  static let tries = 1500
  static let weight = 1.0

  private static let endless =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT"

  /// Statements that have been tried on other programs.
  private static let known: [String] = [
    "\(endless) i FROM n", "\(endless) count(*) FROM n", "\(endless) sum(a.i) FROM n a, n b",
    "SELECT count(*) FROM files a, files b, files c, files d",
    "SELECT randomblob(1000000000)", "SELECT zeroblob(2147483647)",
    "SELECT printf('%.*c', 2000000000, 'x')",
    "SELECT group_concat(path) FROM files a, files b, files c",
    "SELECT hex(zeroblob(500000000))",
    "SELECT replace(hex(zeroblob(100000)), '0', hex(zeroblob(10000)))",
    "SELECT load_extension('/lib/x')", "SELECT readfile('/etc/passwd')",
    "SELECT writefile('x', 'y')",
    "ATTACH 'other.sqlite' AS o", "ATTACH ':memory:' AS m; CREATE TABLE m.x(a)", "DETACH main",
    "VACUUM", "VACUUM INTO 'copy.sqlite'", "PRAGMA writable_schema = ON",
    "PRAGMA journal_mode = DELETE", "PRAGMA user_version = 7", "PRAGMA wal_checkpoint(TRUNCATE)",
    "PRAGMA integrity_check", "PRAGMA hard_heap_limit = 0", "PRAGMA temp_store_directory = '/'",
    "PRAGMA mmap_size = 99999999999", "PRAGMA cache_size = -99999999", "PRAGMA query_only = OFF",
    "BEGIN; DELETE FROM _entries; COMMIT", "SELECT 1; DROP TABLE _entries",
    "INSERT INTO _entries DEFAULT VALUES",
    "UPDATE files SET size = 0", "DELETE FROM files", "CREATE TEMP TABLE t(a)",
    "CREATE VIEW v AS SELECT 1",
    "CREATE VIRTUAL TABLE t USING fts5(a)", "REINDEX", "ANALYZE", "SAVEPOINT s", "EXPLAIN SELECT 1",
    "EXPLAIN QUERY PLAN SELECT * FROM files", "", ";", ";;;", "--", "/*", "SELECT", "SELECT ?",
    "SELECT :a, @b, $c",
    "SELECT * FROM sqlite_schema", "SELECT * FROM pragma_table_info('_entries')",
    "SELECT * FROM sqlite_dbpage",
    "SELECT * FROM dbstat", "SELECT * FROM json_tree('[[[[1]]]]')", "SELECT json('[')",
    "SELECT 1 ORDER BY 99", "SELECT abs(-9223372036854775808)", "SELECT 1e999, -1e999, 0.0/0.0",
    "SELECT x'00ff', char(0, 27, 7), char(1114111)", "SELECT '\u{1B}]0;x\u{7}' AS \"a\nb\"",
    "SELECT like(path, '%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%') FROM files",
    "SELECT path LIKE '%_%_%_%_%_%_%_%_%_%_%_%_%_%_%_%_%z' FROM files",
    "SELECT path GLOB '*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*' FROM files",
  ]

  private static let words: [String] = [
    "SELECT", "*", "FROM", "files", "directories", "_entries", "_roots", "WHERE", "path", "size",
    "kind",
    "=", "<", ">", "LIKE", "'%x%'", "AND", "OR", "NOT", "IN", "(", ")", ",", "count(*)",
    "sum(size)",
    "GROUP BY", "ORDER BY", "LIMIT", "-1", "1", "9223372036854775807", "1.5e300", "NULL", "x'ff'",
    "'",
    "\"", "[", "]", "`", ";", "--", "/*", "*/", "JOIN", "LEFT JOIN", "USING", "UNION ALL", "EXCEPT",
    "WITH", "RECURSIVE", "AS", "CASE", "WHEN", "END", "CAST(", "COLLATE", "NOCASE", "OVER",
    "PARTITION BY",
    "hex(", "zeroblob(", "printf(", "json_each(", "random()", "max(", "group_concat(", "replace(",
    "DELETE", "UPDATE", "PRAGMA", "ATTACH", "\u{0}", "é", "?", ":a", "||", "<<", "~",
    "ROW_NUMBER()",
  ]

  private let catalog: String
  private let rows: [String: Rows]

  init(_ campaign: Campaign) throws {
    catalog = try campaign.scenery().current
    rows = try CatalogRows.all(in: catalog)
  }

  func attempt(_ attempt: Attempt) throws {
    try Scenery.copy(catalog, to: attempt.catalog)
    let before = try attempt.directory.bytes(of: "catalog.sqlite")
    var statements: [String] = []
    for _ in 0..<6 { statements.append(statement(&attempt.random)) }
    for statement in statements {
      let rows = attempt.random.below(400)
      let format = ["table", "json", "ndjson", "csv", "tsv"][attempt.random.below(5)]
      let arguments = [
        "sql", statement.filter { $0 != "\0" }, "--timeout", "1", "--max-rows", "\(rows)",
        "--max-memory", "\(1 + attempt.random.below(64))M", "--max-row-bytes",
        "\(1 + attempt.random.below(2000))k", "--format", format, "--catalog", attempt.catalog,
      ]
      var runner = attempt.runner()
      // A second is allowed; so much more is no end.
      runner.limit = .seconds(120)
      let words = ["filecat"] + arguments
      guard
        let result = try attempt.run(
          runner, bytes: arguments.map { Array($0.utf8) }, of: words, allowing: [0, 1, 4, 64])
      else { continue }
      let lines = result.output.split(separator: 0x0A).count
      if ["ndjson", "tsv"].contains(format), lines > rows + 1 {
        attempt.note(.dishonest, "\(lines) rows of \(rows)", of: words)
      }
      for harm in HostileText.harm(in: result.errorOutput).prefix(1) {
        attempt.note(.dishonest, "standard error has \(harm)", of: words)
      }
    }
    if try attempt.directory.bytes(of: "catalog.sqlite") != before {
      attempt.note(.difference, "the file is another: one of \(statements)")
    }
    let names = try attempt.directory.names().filter { !$0.hasPrefix("catalog.sqlite") }
    if !names.isEmpty {
      attempt.note(.difference, "files were made: \(names) by one of \(statements)")
    }
    if try CatalogRows.all(in: attempt.catalog) != rows {
      attempt.note(.difference, "rows are others: one of \(statements)")
    }
  }

  private func statement(_ random: inout SeededRandom) -> String {
    switch random.below(3) {
    case 0: return Self.known[random.below(Self.known.count)]
    case 1:
      let damaged = random.damage(
        Array(Self.known[random.below(Self.known.count)].utf8), with: Self.words)
      return String(decoding: damaged.prefix(100_000), as: UTF8.self)
    default:
      let count = 2 + random.below(40)
      return "SELECT "
        + (0..<count).map { _ in Self.words[random.below(Self.words.count)] }
        .joined(separator: " ")
    }
  }
}
