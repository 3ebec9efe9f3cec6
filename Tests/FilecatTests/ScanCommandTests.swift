import Foundation
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("filecat scan")
struct ScanCommandTests {
  static let keys: Set<String> = [
    "root", "scan_id", "state", "entries", "added", "removed", "modified", "moved", "errors",
    "seconds",
  ]

  private func names(in sandbox: Sandbox) throws -> [String] {
    Rows.lines(try sandbox.run("sql", "SELECT name FROM files WHERE depth > 0 ORDER BY name"))
      .dropFirst().map { $0 }
  }

  @Test("says in a sentence what it has indexed, and nothing else")
  func sentence() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("a", String(repeating: "x", count: 1536))
    try sandbox.makeFile("sub/b")
    let run = try sandbox.run("scan", "tree")
    #expect(run.status == 0)
    #expect(run.errors.isEmpty)
    let lines = Rows.lines(run)
    try #require(lines.count == 1)
    #expect(lines[0].hasPrefix("\(sandbox.tree): 4 entries, 1.5K in files, "))
    #expect(lines[0].hasSuffix(" s"))
    #expect(!run.output.contains(0x1B))
    #expect(!run.output.contains(UInt8(ascii: "\r")))
  }

  @Test("--quick says what it is, and so do roots, scans and check")
  func quick() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("a")
    try sandbox.makeFile("sub/b")
    let first = try sandbox.run("scan", "--quick", "tree", "--format", "ndjson")
    #expect(first.status == 0)
    #expect(first.errors.contains("everything was read"), "\(first.errors)")
    #expect(try Rows.objects(first, "ndjson").map { $0["state"] } == [.string("complete")])
    try sandbox.makeFile("sub/c")
    let again = try sandbox.run("scan", "--quick", "tree", "--format", "ndjson")
    #expect(again.status == 0)
    #expect(again.errors.isEmpty, "\(again.errors)")
    let summary = try #require(try Rows.objects(again, "ndjson").first)
    #expect(summary["state"] == .string("quick"))
    #expect(summary["added"] == .integer(1))
    let roots = try Rows.objects(try sandbox.run("roots", "--format", "json"), "json")
    #expect(roots.map { $0["last_scan_state"] } == [.string("quick")])
    let check = try sandbox.run("check")
    #expect(check.status == 0)
    #expect(check.errors.contains("the last scan was quick"), "\(check.errors)")
    #expect(try sandbox.run("scan", "tree").status == 0)
    #expect(try sandbox.run("check").errors.isEmpty)
  }

  @Test(
    "--quick is refused beside what needs every directory",
    arguments: [
      ["--xattrs"], ["--no-sniff"], ["--exclude", "x"], ["--no-exclude", "x"], ["--shallow"],
      ["-x"],
      ["--include-packages"], ["--gitignore"], ["--skip-fs", "none"],
    ])
  func quickWithSettings(_ options: [String]) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("a")
    let run = try sandbox.run(["scan", "--quick"] + options + ["tree"])
    #expect(run.status == 64)
    #expect(run.errors.contains("--quick goes by the settings"), "\(run.errors)")
  }

  @Test("prints an object a root", arguments: ["json", "ndjson"])
  func objects(_ format: String) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("one/a")
    try sandbox.makeFile("two/b")
    try sandbox.makeFile("two/c")
    let run = try sandbox.run("scan", "tree/one", "tree/two", "--format", format)
    #expect(run.status == 0)
    #expect(run.errors.isEmpty)
    let objects = try Rows.objects(run, "ndjson")
    try #require(objects.count == 2)
    for (object, (name, entries)) in zip(objects, [("one", 2), ("two", 3)]) {
      #expect(Set(object.keys) == Self.keys)
      #expect(object["root"] == .string(sandbox.tree + "/" + name))
      #expect(object["state"] == .string("complete"))
      #expect(object["entries"] == .integer(Int64(entries)))
      #expect(object["added"] == .integer(Int64(entries)))
      for key in ["removed", "modified", "moved", "errors"] { #expect(object[key] == .integer(0)) }
      #expect(object["scan_id"]?.text.flatMap { Int($0) } != nil)
      #expect(object["seconds"]?.text.flatMap { Double($0) } ?? -1 >= 0)
    }
    #expect(objects[0]["scan_id"] != objects[1]["scan_id"])
  }

  @Test("prints one table of rows for all roots", arguments: ["csv", "tsv"])
  func delimited(_ format: String) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("one/a")
    try sandbox.makeFile("two/b")
    let run = try sandbox.run("scan", "tree/one", "tree/two", "--format", format)
    let rows = try Rows.parse(run, format)
    #expect(rows.map { $0["root"] } == [sandbox.tree + "/one", sandbox.tree + "/two"])
    #expect(rows.allSatisfy { Set($0.keys) == Self.keys })
  }

  @Test("brings the catalog up to date")
  func rescan() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    for name in ["a", "b", "c"] { try sandbox.makeFile(name) }
    try sandbox.run("scan", "tree")
    try FileManager.default.removeItem(atPath: sandbox.tree + "/b")
    try sandbox.makeFile("d", "new")
    #expect(try sandbox.run("scan", "tree").status == 0)
    #expect(try names(in: sandbox) == ["a", "c", "d"])
    #expect(try sandbox.run("check", "--verify").status == 0)
  }

  @Test("keeps the settings of a root until others are given")
  func settings() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    for name in ["a.log", "b.txt", "c.tmp", "sub/d.txt"] { try sandbox.makeFile(name) }
    func scan(_ arguments: String...) throws -> [String] {
      let run = try sandbox.run(["scan"] + arguments)
      #expect(run.status == 0, "\(run.errors)")
      return try names(in: sandbox)
    }
    #expect(try scan("tree", "-e", "*.log", "--exclude", "*.tmp") == ["b.txt", "d.txt", "sub"])
    #expect(try scan("tree") == ["b.txt", "d.txt", "sub"])
    #expect(try scan("tree", "--shallow") == ["b.txt", "sub"])
    #expect(try scan() == ["b.txt", "sub"])
    #expect(try scan("tree", "-e", "b*") == ["sub"])
    #expect(try scan("tree", "--no-exclude", "*.log") == ["a.log", "sub"])
    #expect(try scan("tree", "--no-shallow") == ["a.log", "d.txt", "sub"])
    #expect(try scan("tree", "-e", "", "-e", "b*") == ["a.log", "c.tmp", "d.txt", "sub"])
    #expect(try scan("tree", "-e", "") == ["a.log", "b.txt", "c.tmp", "d.txt", "sub"])
  }

  @Test("enters packages only when told to")
  func packages() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("Notes.rtfd/TXT.rtf", "1234567")
    try sandbox.run("scan", "tree")
    let rows = try sandbox.run("sql", "SELECT kind, size FROM files WHERE depth > 0")
    #expect(Rows.lines(rows) == ["kind\tsize", "package\t7"])
    try sandbox.run("scan", "tree", "--include-packages")
    #expect(try names(in: sandbox) == ["Notes.rtfd", "TXT.rtf"])
  }

  @Test("scans the other roots when one fails, and ends with 3")
  func partialFailure() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("one/a")
    try sandbox.makeFile("two/b")
    let run = try sandbox.run("scan", "tree/one", "tree/gone", "tree/two")
    #expect(run.status == 3)
    #expect(Rows.lines(run).count == 2)
    #expect(run.errorLines.count == 1)
    #expect(run.errors.contains("tree/gone"))
    #expect(
      try sandbox.run("roots", "-0").text == "\(sandbox.tree)/one\0\(sandbox.tree)/two\0")
  }

  @Test("without roots scans all that are known")
  func allRoots() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("one/a")
    try sandbox.makeFile("two/b")
    try sandbox.run("scan", "tree/one", "tree/two")
    try sandbox.makeFile("one/new1")
    try sandbox.makeFile("two/new2")
    let run = try sandbox.run("scan")
    #expect(run.status == 0)
    #expect(Rows.lines(run).count == 2)
    #expect(Rows.lines(try sandbox.run("find", "name:new*")).count == 2)
  }

  @Test("refuses to forget most of a root unless told to")
  func loss() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    for number in 1...30 { try sandbox.makeFile("sub/f\(number)") }
    try sandbox.run("scan", "tree")
    try FileManager.default.removeItem(atPath: sandbox.tree + "/sub")
    let run = try sandbox.run("scan", "tree")
    #expect(run.status == 4)
    #expect(run.errorLines.count == 1)
    #expect(run.errors.contains("--allow-empty"))
    #expect(try sandbox.run("find", "-c", "kind:file").text == "30\n")
    #expect(try sandbox.run("scan", "tree", "--allow-empty").status == 0)
    #expect(try sandbox.run("find", "-c", "kind:file").status == 1)
  }

  @Test("keeps the entries of a root that is not there, and marks it as offline")
  func offline() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("a")
    try sandbox.run("scan", "tree")
    try FileManager.default.moveItem(atPath: sandbox.tree, toPath: sandbox.home + "/away")
    let run = try sandbox.run("scan")
    #expect(run.status == 4)
    #expect(run.errorLines.count == 1)
    #expect(run.errors.contains(sandbox.tree))
    #expect(try sandbox.run("find", "a").status == 0)
    let roots = try Rows.parse(sandbox.run("roots", "--format", "csv"), "csv")
    #expect(roots.map { $0["state"] } == ["offline"])
    try FileManager.default.moveItem(atPath: sandbox.home + "/away", toPath: sandbox.tree)
    #expect(try sandbox.run("scan").status == 0)
    #expect(try sandbox.run("roots").text.contains("online"))
  }

  @Test("forget drops a root and leaves its files")
  func forget() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("one/a")
    try sandbox.makeFile("two/b")
    try sandbox.run("scan", "tree/one", "tree/two")
    let run = try sandbox.run("forget", "tree/one")
    #expect(run.status == 0)
    #expect(run.output.isEmpty)
    #expect(try names(in: sandbox) == ["b"])
    #expect(FileManager.default.fileExists(atPath: sandbox.tree + "/one/a"))
    #expect(try sandbox.run("check", "--verify").status == 0)
  }

  // MARK: - From one root into another

  /// Two roots, and a directory that has gone from the one into the other since they were scanned.
  private func withCrossing(_ body: (Sandbox) throws -> Void) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    for name in ["one/stays", "one/d/a", "one/d/b", "two/x"] { try sandbox.makeFile(name, name) }
    #expect(try sandbox.run("scan", "tree/one", "tree/two").status == 0)
    try sandbox.directory.rename("tree/one/d", to: "tree/two/e")
    try body(sandbox)
  }

  @Test(
    "tells of what has gone from one root into another as one move, whichever it scans first",
    .feature("X-08", "P-05"), arguments: [["one", "two"], ["two", "one"]])
  func crossing(_ names: [String]) throws {
    try withCrossing { sandbox in
      let roots = names.map { "tree/" + $0 }
      let move = "> \(sandbox.tree)/one/d -> \(sandbox.tree)/two/e"
      let run = try sandbox.run(["scan", "--changes"] + roots)
      #expect(run.status == 0, "\(run.errors)")
      #expect(Rows.lines(run) == [move])
      // The summaries are those of all scans, when all are done.
      let summaries = run.errorLines.filter { $0.contains("entries") }
      #expect(summaries.count == 2, "\(run.errors)")
      #expect(zip(summaries, names).allSatisfy { $0.hasPrefix("\(sandbox.tree)/\($1): ") })
      for word in ["added", "removed"] { #expect(!run.errors.contains(word), "\(run.errors)") }
      #expect(summaries.map { $0.contains("1 moved") } == [false, true], "\(run.errors)")
      #expect(try sandbox.run("check", "--verify").status == 0)
      #expect(Rows.lines(try sandbox.run("changes", "--since", "2")) == [move])
    }
  }

  @Test(
    "finds it when roots are scanned one after the other, for as long as --moves-within says",
    arguments: [(nil, true), ("12h", true), ("none", false), ("0s", false)] as [(String?, Bool)])
  func crossingLater(_ time: String?, _ isFound: Bool) throws {
    try withCrossing { sandbox in
      let options = time.map { ["--moves-within", $0] } ?? []
      for root in ["tree/one", "tree/two"] {
        #expect(try sandbox.run(["scan", root] + options).status == 0)
      }
      let lines = Rows.lines(try sandbox.run("changes", "--since", "2"))
      #expect(lines.count == (isFound ? 1 : 6), "\(lines)")
      #expect(lines.contains { $0.hasPrefix("> ") } == isFound)
      #expect(try sandbox.run("check", "--verify").status == 0)
    }
  }

  @Test("--moves-within takes an age or none", arguments: ["5", "soon", "-1d", "", "1d12h"])
  func wrongTime(_ time: String) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("a")
    let run = try sandbox.run("scan", "--moves-within=\(time)", "tree")
    #expect(run.status == 64)
    #expect(run.errors.contains("--moves-within takes an age"), "\(run.errors)")
  }

  @Test("tells of what has gone where the root that it may be in cannot be scanned")
  func crossingIntoNothing() throws {
    try withCrossing { sandbox in
      let run = try sandbox.run("scan", "tree/one", "tree/gone", "--format", "ndjson")
      #expect(run.status == 3)
      let summary = try #require(try Rows.objects(run, "ndjson").first)
      #expect(summary["root"] == .string(sandbox.tree + "/one"))
      #expect(summary["removed"] == .integer(3))
    }
  }

  @Test("makes no catalog where none of several roots can be scanned")
  func nothingToScan() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    let run = try sandbox.run("scan", "tree/gone", "tree/lost")
    #expect(run.status == 4)
    #expect(run.errorLines.count == 2, "\(run.errors)")
    #expect(!FileManager.default.fileExists(atPath: sandbox.catalog))
  }
}
