import Foundation
import TestSupport
import TestTraits
import Testing

@Suite("What programs read")
struct FormatTests {
  static let formats = ["json", "ndjson", "csv", "tsv"]

  /// Commands that print entries, with what of the tree they print.
  static let commands: [(arguments: [String], isListed: @Sendable (DiskEntry) -> Bool)] = [
    (["ls", "tree", "--columns", columns], { $0.depth == 1 }),
    (["find", "--columns", columns], { _ in true }),
    (["find", "--in", "tree/sub", "--columns", columns], { $0.shownPath.contains("/sub") }),
    (["sql", "SELECT ifnull(path_bytes, path) AS \(columns) FROM files"], { _ in true }),
  ]
  private static let columns = DiskEntry.columns.joined(separator: ",")

  @Test("a cell that nobody can look at as a whole does not widen the lines of others")
  func wideCell() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("a")
    #expect(try sandbox.run("scan", "tree").status == 0)
    let statement = """
      WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 2000)
      SELECT CASE x % 1500 WHEN 7 THEN printf('%.*c', 300000, 'w') ELSE 'row ' || x END AS a, x AS b
      FROM n
      """
    let run = try sandbox.run("sql", statement, "--format", "table")
    #expect(run.status == 0, "\(run.errors)")
    let lines = Rows.lines(run)
    #expect(lines.count == 2001)
    // Two are whole, and the others as long as they would be without them.
    let (long, short) = (lines.filter { $0.count > 100 }, lines.filter { $0.count <= 100 })
    #expect(long.count == 2 && short.count == 1999)
    #expect(long.allSatisfy { $0.hasPrefix(String(repeating: "w", count: 300_000) + "  ") })
    #expect(Set(short.map(\.count)).count <= 5)
  }

  @Test(
    "entries are what is on disk", .feature("P-40", "P-41", "P-42"), arguments: formats, commands)
  func entries(
    _ format: String,
    _ command: (arguments: [String], isListed: @Sendable (DiskEntry) -> Bool)
  ) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeAwkwardTree()
    #expect(try sandbox.run("scan", "tree").status == 0)
    let run = try sandbox.run(command.arguments + ["--format", format])
    #expect(run.status == 0)
    #expect(run.errors.isEmpty)
    let rows = try Rows.parse(run, format)
    let expected = try Disk.walk(sandbox.tree).filter(command.isListed)
    #expect(rows.count == expected.count)
    let byPath = Dictionary(rows.map { ($0["path"].flatMap { $0 } ?? "", $0) }) { $1 }
    for entry in expected {
      var row = byPath[entry.shownPath] ?? [:]
      let base64 = row.removeValue(forKey: "path_base64")
      #expect(row == entry.values)
      // The exact bytes stand beside a path that text cannot say.
      let isTold = format.hasSuffix("json") && !entry.isValidUTF8
      #expect(base64.flatMap { $0 } == (isTold ? Data(entry.path).base64EncodedString() : nil))
    }
  }

  @Test("rows have the columns that were asked for, in their order", arguments: ["csv", "tsv"])
  func order(_ format: String) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("a.txt", "abc")
    try sandbox.run("scan", "tree")
    let run = try sandbox.run("ls", "tree", "--columns", "size,name,depth", "--format", format)
    let separator = format == "csv" ? "," : "\t"
    #expect(
      Rows.lines(run)
        == [["size", "name", "depth"], ["3", "a.txt", "1"]].map { $0.joined(separator: separator) })
  }

  @Test("show prints one entry", arguments: formats)
  func show(_ format: String) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeAwkwardTree()
    try sandbox.run("scan", "tree")
    for entry in try Disk.walk(sandbox.tree) where entry.isValidUTF8 {
      let run = try sandbox.run("show", entry.shownPath, "--format", format)
      #expect(run.status == 0)
      // One entry is one object, not an array of one.
      let row = try Rows.parse(run, format == "json" ? "ndjson" : format)
      try #require(row.count == 1)
      #expect(row[0].filter { DiskEntry.columns.contains($0.key) } == entry.values)
      let target = row[0]["link_target"].flatMap { $0 }
      #expect(target == (entry.kind == "symlink" ? "file2" : nil))
    }
  }

  @Test("du sums what is below each directory", .feature("P-11"), arguments: formats)
  func totals(_ format: String) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeAwkwardTree()
    try sandbox.run("scan", "tree")
    let run = try sandbox.run("du", "tree", "--depth", "9", "--sort", "path", "--format", format)
    #expect(run.status == 0)
    let rows = try Rows.parse(run, format)
    let disk = try Disk.walk(sandbox.tree)
    let directories = disk.filter { $0.kind == "directory" }
    #expect(rows.map { $0["path"] } == directories.map(\.shownPath))
    for (row, directory) in zip(rows, directories) {
      let below = disk.filter { $0.path.starts(with: directory.path + [UInt8(ascii: "/")]) }
      let files = below.filter { $0.kind != "directory" }
      #expect(row["total_files"] == "\(files.count)")
      #expect(row["total_directories"] == "\(below.count - files.count)")
      #expect(row["total_size"] == "\(files.map(\.size).sum)")
      let allocated = below.map(\.allocated).sum + directory.allocated
      #expect(row["total_allocated"] == "\(allocated)")
      #expect(row["state"] == "complete")
    }
  }

  @Test("roots tells the state and the totals of each", arguments: formats)
  func roots(_ format: String) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeAwkwardTree()
    try sandbox.run("scan", "tree/sub")
    try sandbox.run("scan", "tree/Notes.rtfd")
    let run = try sandbox.run("roots", "--format", format)
    #expect(run.status == 0)
    let rows = try Rows.parse(run, format)
    #expect(
      rows.map { $0["path"] } == [sandbox.tree + "/Notes.rtfd", sandbox.tree + "/sub"])
    #expect(rows.map { $0["state"] } == ["online", "online"])
    #expect(rows.map { $0["entries"] } == ["4", "3"])
    #expect(rows.map { $0["size"] } == ["15", "7"])
    #expect(rows.map { $0["last_scan_state"] } == ["complete", "complete"])
  }

  @Test("nothing found is an empty list, not an empty text")
  func nothing() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("a")
    try sandbox.run("scan", "tree")
    let run = try sandbox.run("find", "unheard-of", "--format", "json")
    #expect(run.status == 1)
    #expect(try Rows.objects(run, "json").isEmpty)
    #expect(try sandbox.run("find", "unheard-of", "--format", "ndjson").output.isEmpty)
  }
}
