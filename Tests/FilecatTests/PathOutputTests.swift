import Foundation
import TestSupport
import TestTraits
import Testing

@Suite("Paths in a pipe")
struct PathOutputTests {
  /// A command, and what of the tree it names.
  static let commands: [(arguments: [String], isListed: @Sendable (DiskEntry) -> Bool)] = [
    (["find"], { _ in true }),
    (["ls", "tree"], { $0.depth == 1 }),
    (["du", "tree", "--depth", "9"], { $0.kind == "directory" }),
    (["roots"], { $0.depth == 0 }),
    (["show", "tree/new\nline"], { $0.shownName == "new\nline" }),
    (["sql", "SELECT ifnull(path_bytes, path) AS path FROM files"], { _ in true }),
  ]

  @Test(
    "end with NUL and are the bytes on disk", .feature("P-44"), arguments: commands,
    ["-0", "--null"])
  func null(
    _ command: (arguments: [String], isListed: @Sendable (DiskEntry) -> Bool), _ option: String
  ) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeAwkwardTree()
    try sandbox.run("scan", "tree")
    let run = try sandbox.run(command.arguments + [option])
    #expect(run.status == 0)
    #expect(run.output.last == 0)
    let paths = run.output.split(separator: 0).map { Array($0) }
    let expected = try Disk.walk(sandbox.tree).filter(command.isListed).map(\.path)
    #expect(paths.count == expected.count)
    #expect(Set(paths) == Set(expected))
  }

  @Test("are lines with the same bytes", arguments: commands)
  func lines(
    _ command: (arguments: [String], isListed: @Sendable (DiskEntry) -> Bool)
  ) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeAwkwardTree()
    try sandbox.run("scan", "tree")
    let run = try sandbox.run(command.arguments + ["--format", "paths"])
    let null = try sandbox.run(command.arguments + ["-0"])
    #expect(run.status == 0)
    // A path can hold a line end, so the lines cannot be told apart, but the bytes can.
    #expect(run.output == null.output.map { $0 == 0 ? UInt8(ascii: "\n") : $0 })
  }

  /// What each command prints into a pipe when nobody names a format.
  static let defaults: [(arguments: [String], format: String)] = [
    (["find"], "paths"), (["ls", "tree"], "paths"), (["du", "tree"], "tsv"), (["roots"], "tsv"),
    (["show", "tree/file2"], "tsv"), (["sql", "SELECT name, size FROM files"], "tsv"),
  ]

  @Test("are the default of find and ls, rows that of the others", arguments: defaults)
  func standard(_ arguments: [String], _ format: String) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeAwkwardTree()
    try sandbox.run("scan", "tree")
    let run = try sandbox.run(arguments)
    #expect(run.status == 0)
    #expect(run.output == (try sandbox.run(arguments + ["--format", format]).output))
    #expect(!run.output.contains(0x1B))
  }

  @Test("a table has one line a row, whatever the names", arguments: commands.dropLast(2))
  func table(
    _ command: (arguments: [String], isListed: @Sendable (DiskEntry) -> Bool)
  ) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeAwkwardTree()
    try sandbox.run("scan", "tree")
    let run = try sandbox.run(command.arguments + ["--format", "table"])
    #expect(run.status == 0)
    let lines = Rows.lines(run)
    let expected = try Disk.walk(sandbox.tree).filter(command.isListed)
    #expect(lines.count == expected.count + 1)
    for entry in expected where entry.isValidUTF8 && !entry.shownName.contains(where: { $0 < " " })
    {
      #expect(lines.dropFirst().contains { $0.contains(entry.shownName) })
    }
    #expect(!run.output.contains(0x1B))
    #expect(!lines.contains { $0.last == " " })
  }

  @Test("sizes are rounded for people, and exact with --bytes")
  func sizes() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("large", String(repeating: "x", count: 3_000_000))
    try sandbox.run("scan", "tree")
    let arguments = ["ls", "tree", "--columns", "name,size", "--format", "table"]
    #expect(try sandbox.run(arguments).text.contains("2.9M"))
    #expect(try sandbox.run(arguments + ["--bytes"]).text.contains("3,000,000"))
    // Programs get numbers, without being asked to be exact.
    #expect(try sandbox.run("ls", "tree", "--format", "csv").text.contains(",3000000,"))
  }
}
