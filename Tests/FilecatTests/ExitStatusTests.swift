import Foundation
import TestSupport
import TestTraits
import Testing

@Suite("Exit status")
struct ExitStatusTests {
  private func scanned() throws -> Sandbox {
    let sandbox = try Sandbox()
    try sandbox.makeFile("a.txt", "abc")
    try sandbox.makeFile("sub/b.txt", "def")
    #expect(try sandbox.run("scan", "tree").status == 0)
    return sandbox
  }

  @Test(
    "0 when done",
    arguments: [
      ["--help"], ["--version"], ["scan", "--help"], ["find", "--version"], ["help", "ls"],
      ["ls", "tree"], ["ls"], ["find"], ["find", "b.txt"], ["find", "-c", "b"],
      ["find", "*.txt", "!b*"], ["find", "NOT", "zzz"], ["du"], ["du", "tree"], ["roots"],
      ["show", "tree/a.txt"], ["sql", "SELECT 1"], ["sql", "SELECT 1 WHERE 0"], ["check"],
      ["check", "--verify"], ["scan"], ["scan", "tree"], ["forget", "tree"],
    ])
  func done(_ arguments: [String]) throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    let run = try sandbox.run(arguments)
    #expect(run.status == 0)
    #expect(run.errors.isEmpty)
  }

  @Test(
    "1 when nothing matches, silently", .feature("JB-51"),
    arguments: [
      ["find", "unheard-of"], ["find", "--in", "tree/sub", "a.txt"], ["find", "-c", "unheard-of"],
      ["find", "size:>1T"],
    ])
  func nothing(_ arguments: [String]) throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    let run = try sandbox.run(arguments)
    #expect(run.status == 1)
    #expect(run.errors.isEmpty)
    #expect(run.text == (arguments.contains("-c") ? "0\n" : ""))
  }

  @Test(
    "1 for what the catalog does not have, naming it",
    arguments: [
      ["show", "/unheard/of"], ["show", "tree/unheard-of"], ["ls", "/unheard/of"],
      ["du", "/unheard/of"], ["find", "--in", "/unheard/of", "a"], ["forget", "/unheard/of"],
    ])
  func unknown(_ arguments: [String]) throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    let run = try sandbox.run(arguments)
    #expect(run.status == 1)
    #expect(run.output.isEmpty)
    #expect(run.errorLines.count == 1)
    #expect(run.errors.hasPrefix("filecat: "))
    #expect(run.errors.contains("of"))
  }

  @Test("1 when there is no root left to report")
  func noRoots() throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    #expect(try sandbox.run("forget", "tree").status == 0)
    for arguments in [["roots"], ["find"], ["du"]] {
      #expect(try sandbox.run(arguments).status == 1)
    }
  }

  /// Wrong usage, with what the line about it says.
  static let mistakes: [(arguments: [String], hint: String)] = [
    (["ls", "--columns", "nam"], "name"), (["ls", "--columns", "name,"], "column"),
    (["find", "--columns", "sise"], "size"), (["ls", "--sort", "nme"], "name"),
    (["ls", "--sort", "sizes"], "size"), (["find", "--sort", "modifed"], "modified"),
    (["ls", "--sort", ""], "sort"), (["du", "--sort", "total_sizes"], "total_size"),
    (["find", "--limit=-1"], "--limit"), (["find", "--limit", "x"], "--limit"),
    (["find", "--limit", "99999999999999999999"], "--limit"),
    (["find", "--offset=-1"], "--offset"),
    (["du", "--depth=-1"], "--depth"), (["scan", "--jobs", "0", "tree"], "--jobs"),
    (["scan", "--jobs", "100000", "tree"], "--jobs"),
    (["sql", "SELECT 1", "--max-rows=-1"], "--max-rows"),
    (["sql", "SELECT 1", "--timeout", "0"], "--timeout"), (["ls", "--unheard-of"], "--unheard-of"),
    (["find", "--unheard-of"], "--unheard-of"), (["unheard-of"], "there is: scan"),
    (["locate", "x"], "“find”"), (["shwo", "x"], "“show”"), (["stat", "tree"], "“show”"),
    (["help", "locate"], "“find”"), (["ls", "-R", "tree"], "find --in"),
    (["show"], "path"), (["ls", "--format", "xml"], "xml"),
    (["ls", "-0", "--format", "csv"], "-0"),
    (["scan", "tree", "--exclude", "[a"], "[a"), (["sql", ""], "SQL"),
    (["sql", "DELETE FROM _entries"], "reading"), (["sql", "DROP VIEW files"], "reading"),
    (["sql", "ATTACH 'x.db' AS x"], "reading"), (["sql", "PRAGMA user_version = 9"], "reading"),
    (["sql", "SELECT * FROM unheard_of"], "unheard_of"), (["sql", "SELECT 1; SELECT 2"], ";"),
  ]

  @Test("64 for wrong usage, in one line that names it", .feature("JB-51", "JB-52"))
  func usage() throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    for (arguments, hint) in Self.mistakes {
      let run = try sandbox.run(arguments)
      #expect(run.status == 64, "\(arguments)")
      #expect(run.output.isEmpty, "\(arguments)")
      #expect(run.errorLines.count == 1, "\(arguments): \(run.errors)")
      #expect(run.errors.hasPrefix("filecat: "), "\(arguments)")
      #expect(run.errors.contains(hint), "\(arguments): \(run.errors)")
    }
    #expect(!FileManager.default.fileExists(atPath: sandbox.home + "/x.db"))
  }

  /// Queries that do not parse, and the part that the carets stand under.
  static let queries: [(query: String, fault: String)] = [
    ("size:>x", "x"), ("name:[a", "[a"), ("(a", "("), ("siz:3", "siz:"), ("a OR", ""),
    ("a -archive", "-archive"), ("size>10", "size>10"),
    ("kind:filee", "filee"), ("modified:<7q", "7q"), ("é日本 size:>x", "x"), ("regex:(", "("),
  ]

  @Test("64 for a query that does not parse, with a caret under the fault", arguments: queries)
  func query(_ query: String, _ fault: String) throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    let run = try sandbox.run("find", query)
    #expect(run.status == 64)
    #expect(run.output.isEmpty)
    let lines = run.errorLines
    #expect(lines.first?.hasPrefix("filecat: ") == true)
    let shown = try #require(lines.firstIndex { $0 == query })
    try #require(lines.count > shown + 2)
    let mark = lines[shown + 1]
    #expect(mark.allSatisfy { " ^~".contains($0) })
    #expect(mark.filter { $0 == "^" }.count == 1)
    // Characters of East Asia take two columns.
    let column = mark.prefix { $0 == " " }.count
    var widths: [Int: Int] = [:]
    var width = 0
    for (index, character) in query.enumerated() {
      widths[width] = index
      width += "日本".contains(character) ? 2 : 1
    }
    // What is missing at the end is missed behind the last character.
    widths[width] = query.count
    let index = try #require(widths[column], "\(run.errors)")
    let rest = query.dropFirst(index)
    let isAtFault = rest.hasPrefix(fault) || query.hasSuffix(fault)
    #expect(isAtFault, "\(run.errors)")
  }

  @Test(
    "64 for SQL that does not parse, with a caret under the fault",
    arguments: ["SELEC 1", "SELECT nam FROM files", "SELECT name FORM files"])
  func sqlSyntax(_ statement: String) throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    let run = try sandbox.run("sql", statement)
    #expect(run.status == 64)
    try #require(run.errorLines.count == 3)
    #expect(run.errorLines[1].hasSuffix(statement))
    #expect(run.errorLines[2].contains("^"))
  }

  @Test("a statement that writes changes nothing", .enabled(if: StockSQLite.isAvailable))
  func writing() throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    let before = try sandbox.sqlite(sandbox.catalog, ".dump", "-readonly")
    for statement in [
      "DELETE FROM _entries", "DROP VIEW files", "PRAGMA user_version = 9", "VACUUM",
      "CREATE TABLE t (a)", "ATTACH 'x.db' AS x", "VACUUM INTO 'x.db'", "REINDEX",
      "WITH a AS (SELECT 1) UPDATE _entries SET size = 0", "BEGIN IMMEDIATE",
      "SELECT writefile('x.db', 'x')", "PRAGMA writable_schema = ON",
    ] {
      let run = try sandbox.run("sql", statement)
      #expect(run.status == 64, "\(statement): \(run.errors)")
      #expect(run.output.isEmpty)
    }
    #expect(try sandbox.sqlite(sandbox.catalog, ".dump", "-readonly") == before)
    #expect(!FileManager.default.fileExists(atPath: sandbox.home + "/x.db"))
  }

  @Test("64 for a scan without a root when there is none")
  func nothingToScan() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    let run = try sandbox.run("scan")
    #expect(run.status == 64)
    #expect(run.errorLines.count == 1)
  }

  @Test("4 when a statement takes longer than --timeout")
  func timeout() throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    let run = try sandbox.run(
      "sql", "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT sum(x) FROM c",
      "--timeout", "0.2")
    #expect(run.status == 4)
    #expect(run.errorLines.count == 1)
    #expect(run.errors.contains("--timeout"))
  }

  /// A function whose work grows with the square of what it gets: it runs for hours, and SQLite cannot
  /// end it.
  static let longFunction = "SELECT instr(hex(zeroblob(8000000)), hex(zeroblob(4000000)) || '1')"

  /// Prepared, it would be a hundred million statements.
  static let longPreparing =
    "WITH a0 AS (SELECT 1 x)"
    + (1...26).map { ", a\($0) AS (SELECT * FROM a\($0 - 1) UNION ALL SELECT * FROM a\($0 - 1))" }
    .joined() + " SELECT count(*) FROM a26"

  /// Statements that ask for too much, and the option that their line names.
  static let excessive: [(statement: [String], option: String)] = [
    ([longFunction, "--timeout", "0.3"], "--timeout"),
    ([longPreparing, "--timeout", "0.3", "--max-memory", "4G"], "--timeout"),
    ([longPreparing, "--max-memory", "50M"], "--max-memory"),
    (
      ["SELECT " + Array(repeating: "hex(zeroblob(7000000))", count: 40).joined(separator: ", ")],
      "--max-memory"
    ),
    (["SELECT zeroblob(50000000)", "--format", "json"], "--max-row-bytes"),
    (["SELECT 1, zeroblob(5000000) AS x", "--format", "table"], "--max-row-bytes"),
    (["SELECT zeroblob(2000) AS x", "--max-row-bytes", "1k"], "“x”"),
  ]

  @Test(
    "4 when a statement asks for too much, in one line and with nothing printed",
    arguments: excessive)
  func excess(_ statement: [String], _ option: String) throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    let run = try sandbox.run(["sql"] + statement)
    #expect(run.status == 4)
    #expect(run.output.isEmpty)
    #expect(run.errorLines.count == 1)
    #expect(run.errors.contains(option), "\(run.errors)")
  }

  @Test(
    "long rows beside short values are printed in every format",
    arguments: ["table", "json", "csv"])
  func longRows(_ format: String) throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    let run = try sandbox.run(
      "sql", "SELECT 1 AS n, hex(zeroblob(500000)) AS x, 2.5 AS r", "--format", format)
    #expect(run.status == 0 && run.errors.isEmpty)
    #expect(run.output.count > 1_000_000)
  }

  @Test(
    "130 when a statement is interrupted, be it in one long function",
    arguments: [
      longFunction,
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT sum(x) FROM c",
    ])
  func interrupted(_ statement: String) throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    let launch = try sandbox.start("sql", statement)
    // Long enough for it to have begun; if not, the signal ends it as it would any program.
    usleep(1_500_000)
    launch.send(SIGINT)
    let run = try launch.finish()
    #expect(run.status == 130 || run.status == 1000 + SIGINT)
    #expect(run.output.isEmpty)
  }
}
