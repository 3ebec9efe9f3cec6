import Foundation
import TestSupport
import Testing

@Suite("filecat check")
struct CheckCommandTests {
  private static let keys: Set<String> = [
    "scan_id", "at", "kind", "path", "old_path", "entry_id", "entry_kind", "fields", "size",
    "old_size",
  ]

  private func scanned() throws -> Sandbox {
    let sandbox = try Sandbox()
    for name in ["changed", "gone", "same"] { try sandbox.makeFile(name, "abc") }
    #expect(try sandbox.run("scan", "tree").status == 0)
    return sandbox
  }

  private func change(_ sandbox: Sandbox) throws {
    let changed = try #require(FileHandle(forWritingAtPath: sandbox.tree + "/changed"))
    try changed.seekToEnd()
    try changed.write(contentsOf: Data("defg".utf8))
    try changed.close()
    try FileManager.default.removeItem(atPath: sandbox.tree + "/gone")
    try sandbox.makeFile("new", "12")
  }

  @Test("finds a catalog sound")
  func sound() throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    let run = try sandbox.run("check")
    #expect(run.status == 0)
    #expect(run.text == "\(sandbox.catalog) is sound\n")
    let verified = try sandbox.run("check", "--verify")
    #expect(verified.status == 0)
    #expect(verified.output.isEmpty)
    #expect(try Rows.objects(sandbox.run("check", "--format", "json"), "json").isEmpty)
  }

  @Test("finds rows that contradict each other", .enabled(if: StockSQLite.isAvailable))
  func unsound() throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    try sandbox.sqlite(sandbox.catalog, "UPDATE _entries SET size = size + 1 WHERE name = 'same'")
    let run = try sandbox.run("check", "--format", "ndjson")
    #expect(run.status == 4)
    let problems = try Rows.objects(run, "ndjson")
    #expect(!problems.isEmpty)
    #expect(problems.allSatisfy { $0["rule"] != nil && $0["problem"] != nil })
  }

  @Test(
    "finds and repairs sums that reports tell and that do not follow from the entries",
    .enabled(if: StockSQLite.isAvailable),
    arguments: [
      "UPDATE _usage_sums SET size = size + 1", "UPDATE _usage_sums SET entries = 0",
      "UPDATE _usage_hours SET entries = entries + 1", "DELETE FROM _usage_hours",
      "DELETE FROM _usage_sums", "INSERT INTO _usage_sums VALUES (1, 1, 0, 12345, 1, 1, 1)",
      "UPDATE _usage_places SET entries = entries + 1", "DELETE FROM _usage_places",
      "UPDATE _usage_places SET allocated = 7",
    ])
  func usageSums(_ damage: String) throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    let reports = ["kind", "type", "extension", "owner", "age", "role"].map { "usage_by_" + $0 }
    func tell() throws -> [String] {
      try reports.map { try sandbox.run("report", $0, "--format", "csv").text }
    }
    let told = try tell()
    try sandbox.sqlite(sandbox.catalog, damage)
    #expect(try tell() != told)
    #expect(try sandbox.run("check").status == 4)
    #expect(try sandbox.run("check", "--repair").status == 0)
    #expect(try tell() == told)
    #expect(try sandbox.run("check").status == 0)
  }

  @Test(
    "types that were repaired are whole with the next scan",
    .enabled(if: StockSQLite.isAvailable))
  func types() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("a.jpg", "abc")
    #expect(try sandbox.run("scan", "tree").status == 0)
    try sandbox.sqlite(
      sandbox.catalog, "DELETE FROM _uniform_types WHERE identifier = 'public.image'")
    #expect(try sandbox.run("find", "is:public.image").status != 0)
    #expect(try sandbox.run("check").status == 4)
    #expect(try sandbox.run("check", "--repair").status == 0)
    #expect(try sandbox.run("scan", "tree").status == 0)
    #expect(try Rows.lines(sandbox.run("find", "is:public.image")).count == 1)
    #expect(try sandbox.run("check").status == 0)
  }

  @Test("--verify tells of each difference which scan it differs from, and when that was found")
  func scansOfDifferences() throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    try sandbox.makeFile("other/x")
    #expect(try sandbox.run("scan", "tree").status == 0)
    try change(sandbox)
    let before = Int(Date.now.timeIntervalSince1970)
    let changes = try Rows.objects(sandbox.run("check", "--verify", "--format", "json"), "json")
    #expect(changes.count >= 3)
    for change in changes {
      #expect(change["scan_id"]?.text == "2")
      let at = try #require(change["at"]?.text.flatMap { Int($0) })
      #expect(at >= before - 1 && at <= before + 600)
    }
  }

  @Test(
    "what others have put into a catalog is named, with what drops it, and stays",
    .enabled(if: StockSQLite.isAvailable),
    arguments: [
      ("CREATE TABLE mine (a); INSERT INTO mine VALUES (1)", "DROP TABLE mine"),
      ("CREATE INDEX mine ON _entries(size)", "DROP INDEX mine"),
      ("CREATE TRIGGER t AFTER DELETE ON _roots BEGIN SELECT 1; END", "DROP TRIGGER t"),
      ("CREATE TABLE \"it's \"\"mine\"\"\" (a)", "DROP TABLE \"it's \"\"mine\"\"\""),
    ], ["check", "check --repair", "check --verify"])
  func foreignObjects(_ object: (made: String, drop: String), _ command: String) throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    try sandbox.sqlite(sandbox.catalog, object.made)
    let run = try sandbox.run(command.split(separator: " ").map(String.init))
    #expect(run.status == 4 && run.output.isEmpty && run.errorLines.count == 1)
    let advice = try #require(run.errors.split(separator: ": ").last).dropLast()
    #expect(advice.hasPrefix("sqlite3 \(sandbox.catalog) '"), "\(run.errors)")
    #expect(
      try sandbox.sqlite(
        sandbox.catalog, "SELECT count(*) FROM sqlite_master WHERE name LIKE '%mine%' OR name = 't'"
      ) == "1")
    // It does what it says.
    let shell = try sandbox.run(program: "sh", ["-c", String(advice)])
    #expect(shell.status == 0, "\(shell.errors)")
    #expect(try sandbox.run("check").status == 0)
  }

  @Test(
    "what a catalog lacks cannot be made up for, and nobody is sent in circles",
    .enabled(if: StockSQLite.isAvailable))
  func missingObjects() throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    try sandbox.sqlite(sandbox.catalog, "DROP INDEX entries_by_type")
    let run = try sandbox.run("check", "--repair")
    #expect(run.status == 4 && run.output.isEmpty && run.errorLines.count == 1)
    #expect(run.errors.contains("the index entries_by_type is missing; scan into another file"))
  }

  @Test("--verify lists what a scan would find: the root, and a name that is another kind of entry")
  func asAScan() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    for name in ["directory/in/file", "file", "other/x"] { try sandbox.makeFile(name, "abc") }
    #expect(try sandbox.run("scan", "tree").status == 0)
    try FileManager.default.removeItem(atPath: sandbox.tree + "/directory")
    try sandbox.makeFile("directory", "1")
    try FileManager.default.removeItem(atPath: sandbox.tree + "/file")
    try sandbox.makeFile("file/inside", "1")
    #expect(chmod(sandbox.tree, 0o711) == 0)
    let verified = try sandbox.run("check", "--verify")
    let scanned = try sandbox.run("scan", "--changes")
    #expect(Rows.lines(verified).sorted() == Rows.lines(scanned).sorted())
    #expect(Rows.lines(verified).contains("~ \(sandbox.tree)"))
  }

  @Test("--verify names a root that is not there, and compares the others")
  func absentRoot() throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    let other = sandbox.home + "/a"
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
    #expect(try sandbox.run("scan", other).status == 0)
    try FileManager.default.removeItem(atPath: other)
    try change(sandbox)
    let run = try sandbox.run("check", "--verify")
    #expect(run.status == 3)
    #expect(run.errorLines.count == 1 && run.errors.contains(other))
    #expect(Rows.lines(run).count == 3)
  }

  @Test("--verify lists what differs from the disk, changing nothing")
  func lines() throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    try change(sandbox)
    let run = try sandbox.run("check", "--verify")
    #expect(run.status == 1)
    #expect(run.errors.isEmpty)
    let tree = sandbox.tree
    #expect(Rows.lines(run).sorted() == ["+ \(tree)/new", "- \(tree)/gone", "~ \(tree)/changed"])
    #expect(try sandbox.run("check", "--verify").status == 1)
    #expect(try sandbox.run("find", "gone").status == 0)
    #expect(try sandbox.run("scan").status == 0)
    #expect(try sandbox.run("check", "--verify").status == 0)
  }

  @Test("--verify tells a program the same", arguments: ["json", "ndjson"])
  func objects(_ format: String) throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    let ids = try Rows.objects(
      sandbox.run("sql", "SELECT name, id FROM files", "--format", "json"), "json")
    try change(sandbox)
    let run = try sandbox.run("check", "--verify", "--format", format)
    #expect(run.status == 1)
    let changes = try Rows.objects(run, format)
    #expect(changes.count == 3)
    for change in changes {
      #expect(Set(change.keys) == Self.keys)
      #expect(change["old_path"] == .null)
      #expect(change["entry_kind"] == .string("file"))
      let name = (change["path"]?.text ?? "").split(separator: "/").last.map(String.init) ?? ""
      let id = ids.first { $0["name"] == .string(name) }?["id"] ?? .null
      #expect(change["entry_id"] == id)
      switch change["kind"]?.text {
      case "added":
        #expect(name == "new")
        #expect(change["size"] == .integer(2))
        #expect(change["old_size"] == .null)
        #expect(change["fields"] == .array([]))
      case "removed":
        #expect(name == "gone")
        #expect(change["size"] == .integer(3))
        #expect(change["fields"] == .array([]))
      case "modified":
        #expect(name == "changed")
        #expect(change["size"] == .integer(7))
        #expect(change["old_size"] == .integer(3))
        guard case .array(let fields)? = change["fields"] else {
          Issue.record("fields is no array")
          continue
        }
        #expect(fields.contains(.string("size")))
        #expect(fields.contains(.string("modified")))
      default:
        Issue.record("unknown kind \(change)")
      }
    }
  }
}
