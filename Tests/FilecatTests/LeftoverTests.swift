import Foundation
import SystemPackage
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("Files beside a catalog")
struct LeftoverTests {
  private func scanned() throws -> Sandbox {
    let sandbox = try Sandbox()
    try sandbox.makeFile("a.txt")
    #expect(try sandbox.run("scan", "tree").status == 0)
    return sandbox
  }

  private func names(in sandbox: Sandbox) throws -> Set<String> {
    try sandbox.directory.names(in: "data/filecat")
  }

  private static let leftover: FilePath = "data/filecat/.catalog.sqlite.new-a1B2c3"

  /// What writes to a catalog.
  static let writing = [
    ["scan", "tree"], ["forget", "tree"], ["find", "--save", "all", "*"],
    ["containers", "add", "xdg", "tree"],
  ]

  @Test("an unfinished catalog goes with the next command that writes", arguments: writing)
  func unfinished(_ arguments: [String]) throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    try sandbox.directory.write("half", to: Self.leftover)
    try sandbox.directory.write("log", to: FilePath(Self.leftover.string + "-wal"))
    // Names that are only similar are somebody's.
    try sandbox.directory.write("mine", to: "data/filecat/.catalog.sqlite.new-drawing")
    try sandbox.directory.write("mine", to: "data/filecat/.catalog.sqlite.new-")
    #expect(try sandbox.run("ls", "tree").status == 0)
    #expect(sandbox.directory.holds(Self.leftover), "reading removes nothing")
    #expect(try sandbox.run(arguments).status == 0)
    #expect(
      try names(in: sandbox)
        == ["catalog.sqlite", ".catalog.sqlite.new-", ".catalog.sqlite.new-drawing"])
  }

  @Test("a second name of the catalog goes, and the catalog stays", arguments: writing)
  func secondName(_ arguments: [String]) throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    try TemporaryDirectory.check(link(sandbox.catalog, sandbox.home + "/" + Self.leftover.string))
    #expect(try sandbox.run(arguments).status == 0)
    #expect(try names(in: sandbox) == ["catalog.sqlite"])
    #expect(try sandbox.run("check").status == 0)
  }

  @Test(
    "a first scan that ends anywhere leaves nothing behind the next one",
    .enabled(if: FailingSystem.canInject),
    arguments: [
      ["renameat2:signal=KILL"], ["\(FailingSystem.unlink):signal=KILL", "renameat2:error=EINVAL"],
      ["\(FailingSystem.unlink):error=EIO", "renameat2:error=EINVAL"], ["fsync:signal=KILL"],
      ["link,linkat:signal=KILL", "renameat2:error=EINVAL"],
    ])
  func endedScan(_ faults: [String]) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("a.txt")
    let rules = faults.flatMap { ["-e", "inject=" + $0] }
    _ = try sandbox.run(
      program: "strace",
      ["-f", "-qq", "-o", "/dev/null"] + rules + [Sandbox.executable, "scan", "tree"])
    #expect(try !names(in: sandbox).isEmpty)
    #expect(try sandbox.run("scan", "tree").status == 0)
    #expect(try names(in: sandbox) == ["catalog.sqlite"])
    #expect(try sandbox.run("check", "--verify").status == 0)
  }

  @Test(
    "a catalog that somebody is making is left alone", .enabled(if: CommandRunner.exists("flock")))
  func heldByAnother() throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    try sandbox.directory.write("half", to: Self.leftover)
    let run = try sandbox.run(
      program: "flock", [Self.leftover.string, Sandbox.executable, "scan", "tree"])
    #expect(run.status == 0)
    #expect(sandbox.directory.holds(Self.leftover))
  }

  @Test("what is no file is neither opened nor removed", arguments: ["pipe", "link", "directory"])
  func noFile(_ kind: String) throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    let path = sandbox.home + "/" + Self.leftover.string
    try sandbox.directory.write("precious", to: "precious")
    switch kind {
    case "pipe": try TemporaryDirectory.check(mkfifo(path, 0o600))
    case "link": try sandbox.directory.makeLink(Self.leftover, to: "../../precious")
    default: try sandbox.directory.makeDirectory(Self.leftover)
    }
    let runner = sandbox.runner(Sandbox.executable)
    #expect(try runner.run(["scan", "tree"]).status == 0)
    unlink(sandbox.catalog)
    #expect(try runner.run(["scan", "tree"]).status == 0)
    #expect(sandbox.directory.holds(Self.leftover))
    #expect(try sandbox.directory.text(of: "precious") == "precious")
  }

  @Test(
    "a pipe in the place of a catalog, or of what belongs to it, is refused",
    arguments: ["", "-wal", "-shm", "-journal"],
    [["scan", "tree"], ["ls", "tree"], ["check"], ["sql", "SELECT 1"]])
  func pipe(_ ending: String, _ arguments: [String]) throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    let place = sandbox.catalog + ending
    unlink(place)
    try TemporaryDirectory.check(mkfifo(place, 0o600))
    let runner = sandbox.runner(Sandbox.executable)
    let run = try runner.run(arguments)
    #expect(run.status == 4)
    #expect(run.errorLines.count == 1, "\(run.errors)")
    #expect(run.errors.hasPrefix("filecat: \(sandbox.catalog)"), "\(run.errors)")
  }

  @Test(
    "a name is a name, whatever SQLite would take it for",
    arguments: [":memory:", "file:x", "file:x?mode=memory", "file::memory:", "-x", "a b?c#d%41"])
  func name(_ name: String) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("a.txt")
    let option = ["--catalog=\(name)"]
    #expect(try sandbox.run(["scan", "tree"] + option).status == 0)
    #expect(sandbox.directory.holds(FilePath(name)))
    try sandbox.makeFile("b.txt")
    #expect(try sandbox.run(["scan"] + option).status == 0)
    let listed = try sandbox.run(["ls", "tree"] + option)
    #expect(listed.text == "\(sandbox.tree)/a.txt\n\(sandbox.tree)/b.txt\n", "\(listed.errors)")
    #expect(try sandbox.run(["check"] + option).status == 0)
    #expect(try sandbox.run(["sql", "SELECT count(*) FROM files"] + option).text.contains("3"))
    #expect(try sandbox.directory.names() == ["tree", name])
  }
}
