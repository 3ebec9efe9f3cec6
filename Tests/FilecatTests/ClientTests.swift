import FileCatalog
import Foundation
import SystemPackage
import TestSupport
import TestTraits
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Clients {
  /// Runs one of the scripts in `Tests/Clients`.
  static func run(_ script: String, _ arguments: String..., in sandbox: Sandbox) throws
    -> CommandResult
  {
    try sandbox.run(program: python, [self.script(script)] + arguments)
  }
}

@Suite("Other SQL clients")
struct ClientTests {
  /// Names of all kinds, at every place that a view shows: of files, directories, links, roots, assets,
  /// moved and removed entries.
  private func scanned() throws -> Sandbox {
    let sandbox = try Sandbox()
    let broken: [UInt8] = [0x6D, 0xE4, 0x70]
    let slash = [UInt8(ascii: "/")]
    for name in ["a.txt", "ä.txt", "\u{FFFD}.txt", "it's \"quoted\"", "emoji 🙂", "icon@2x.png"] {
      try sandbox.makeFile(name, "hi")
      try sandbox.makeFile(bytes: broken + slash + Array(name.utf8), "hi")
    }
    try sandbox.makeFile("plain/file", "hi")
    // Shown like another directory.
    try sandbox.makeFile(bytes: [0x6D, 0xE5, 0x70] + slash + Array("file".utf8), "hi")
    let odd: [[UInt8]] = [
      [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], Array("x".utf8) + [0xE2, 0x82],
      Array("icon".utf8) + [0xFE] + Array("@2x.png".utf8),
      Array("icon".utf8) + [0xFE] + Array("@3x~ipad.p".utf8) + [0xFF] + Array("g".utf8),
      Array("ends.p".utf8) + [0xE4], Array("tab\tline\n".utf8) + [0x80],
    ]
    for name in odd {
      try sandbox.makeFile(bytes: name, "hello")
      try sandbox.makeFile(bytes: broken + slash + broken + slash + name, "hello")
    }
    let tree = Array((sandbox.tree + "/").utf8)
    func path(_ name: [UInt8]) -> FilePath { sandbox.path(tree + name) }
    try make(link, from: path(Array("a.txt".utf8)), at: path(broken + Array("/hard".utf8) + [0xFF]))
    try make(symlink, from: sandbox.path(broken + [0xFF]), at: path(Array("link".utf8)))
    #expect(try sandbox.run("scan", "tree").status == 0)
    // What is removed and moved has its old path in the history.
    path([0xFF]).withPlatformString { _ = unlink($0) }
    try make(rename, from: path([0xC0, 0x80]), at: path(Array("plain/moved".utf8) + [0xFE]))
    try make(rename, from: path(broken), at: path(Array("plain/".utf8) + broken))
    #expect(try sandbox.run("scan", "tree").status == 0)
    #expect(try sandbox.run("check", "--verify").status == 0)
    return sandbox
  }

  /// Calls a function of the system that makes a name of another.
  private func make(
    _ call: (UnsafePointer<CChar>, UnsafePointer<CChar>) -> Int32, from old: FilePath,
    at new: FilePath
  ) throws {
    let result = old.withPlatformString { old in new.withPlatformString { call(old, $0) } }
    try #require(result == 0)
  }

  @Test("show every name as UTF-8, and the bytes beside it where they differ")
  func names() throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    let rows = try sandbox.sqlite(
      sandbox.catalog,
      """
      SELECT hex(name) || ' ' || hex(name_bytes) || ' ' || hex(path_bytes) FROM files
      WHERE name_bytes IS NOT NULL OR path_bytes IS NOT NULL
      """, "-readonly"
    ).split(separator: "\n")
    let found = Set(rows.map { $0.split(separator: " ", omittingEmptySubsequences: false)[2] })
    let expected = try Disk.walk(sandbox.tree).filter { !$0.isValidUTF8 }.map { entry in
      Substring(entry.path.map { String(format: "%02X", $0) }.joined())
    }
    #expect(found == Set(expected))
    let run = try sandbox.run(
      program: StockSQLite.program, ["-readonly", sandbox.catalog, "SELECT path FROM files"])
    let shown = try #require(String(validating: run.output, as: UTF8.self))
    for entry in try Disk.walk(sandbox.tree) where !entry.path.contains(UInt8(ascii: "\n")) {
      #expect(shown.contains(entry.shownPath))
    }
  }

  @Test("find the entries of a directory through its index")
  func directoryIndex() throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    let plan = try sandbox.sqlite(
      sandbox.catalog, "EXPLAIN QUERY PLAN SELECT name FROM files WHERE directory = '/x'",
      "-readonly")
    #expect(plan.contains("directories_by_path"), "\(plan)")
  }

  @Test(
    "read every view, with the same rows and types", .feature("P-45"),
    .enabled(if: Clients.areInstalled))
  func everyView() throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    let run = try Clients.run("views.py", sandbox.catalog, in: sandbox)
    #expect(run.status == 0, "\(run.errors)")
    let count = try SchemaView.all().count
    #expect(run.text == "\(count) views\n")
  }

  @Test(
    "read what is exported of every view, row by row", .enabled(if: Clients.areInstalled))
  func everyExport() throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    let views = try SchemaView.all()
    for view in views {
      let isMixed = view.columns.contains { $0.form == .any }
      for format in isMixed ? ["ndjson"] : ["ndjson", "csv", "parquet"] {
        let file = "exported/\(view.name).\(format)"
        try sandbox.directory.makeDirectory("exported")
        let run = try sandbox.run("export", file, "--view", view.name)
        #expect(run.status == 0, "\(file): \(run.errors)")
      }
    }
    let run = try Clients.run("export.py", sandbox.catalog, "exported", in: sandbox)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.text == "\(views.count) views\n")
  }

  @Test("and the command itself answer from every view")
  func command() throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    for view in try SchemaView.all() {
      let run = try sandbox.run("sql", "SELECT * FROM \(view.name)", "--format", "ndjson")
      #expect(run.status == 0, "\(view.name): \(run.errors)")
    }
    #expect(
      try sandbox.run("scan", "tree", "--exclude", "*.o]", "--exclude", "a\"b", "-x").status == 0)
    let root = "SELECT state, excludes, one_file_system, shallow, entries > 5 FROM roots"
    let row = try sandbox.sqlite(sandbox.catalog, root, "-readonly")
    #expect(row == #"online|["*.o]","a\"b"]|1|0|1"#)
  }

  @Test("open every view in Datasette", .enabled(if: Clients.areInstalled))
  func datasette() throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    let metadata = Clients.root + "/Documentation/datasette.yaml"
    let run = try Clients.run("pages.py", sandbox.catalog, metadata, in: sandbox)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.text == "\(try SchemaView.all().count) views\n")
  }

  @Test("do what the documentation tells people to", .enabled(if: Clients.areInstalled))
  func recipes() throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    #expect(try sandbox.run("backup", "catalog.sqlite").status == 0)
    let document = Clients.root + "/Documentation/sql-clients.md"
    let run = try Clients.run("recipes.py", document, Sandbox.executable, in: sandbox)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.text.hasSuffix("15 recipes\n"), "\(run.text)")
  }

  @Test(
    "have the words of the data dictionary for Datasette",
    .enabled(if: CommandRunner.exists("python3")))
  func datasetteMetadata() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    let script = Clients.root + "/Scripts/datasette-metadata"
    let run = try CommandRunner("python3").run([script, Sandbox.executable])
    #expect(run.status == 0, "\(run.errors)")
    let file = URL(fileURLWithPath: Clients.root + "/Documentation/datasette.yaml")
    #expect(try run.text == String(contentsOf: file, encoding: .utf8))
  }

  @Test("are told of all views by the help of sql")
  func helpNamesViews() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    let help = try sandbox.run("sql", "--help").text
    let words = Set(help.split { !$0.isLetter && $0 != "_" }.map(String.init))
    for view in try SchemaView.all() { #expect(words.contains(view.name), "\(view.name)") }
  }

  @Test("give statements on standard input, as sqlite3 takes them", arguments: [[], ["-"]])
  func statementFromInput(_ arguments: [String]) throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    let program = sandbox.runner(Sandbox.executable)
    let run = try program.run(["sql"] + arguments, input: "SELECT count(*)\nFROM roots;\n")
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.text == "count(*)\n1\n")
    let empty = try program.run(["sql"] + arguments)
    #expect(empty.status == 64 && empty.errorLines.count == 1, "\(empty.errors)")
  }
}
