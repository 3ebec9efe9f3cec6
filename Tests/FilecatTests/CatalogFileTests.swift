import Foundation
import SystemPackage
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("A catalog that cannot be used")
struct CatalogFileTests {
  /// What is wrong with a catalog, made from a sound one.
  enum Fault: CaseIterable {
    case text, foreignDatabase, truncated, newer, corrupt, directory

    func make(at path: String, from sound: String, in sandbox: Sandbox) throws {
      let files = FileManager.default
      switch self {
      case .text:
        try Data(String(repeating: "No catalog, but precious.\n", count: 40).utf8)
          .write(to: URL(fileURLWithPath: path))
      case .foreignDatabase:
        try sandbox.sqlite(path, "CREATE TABLE precious (a); INSERT INTO precious VALUES (1)")
      case .truncated:
        try files.copyItem(atPath: sound, toPath: path)
        truncate(path, 20_000)
      case .newer:
        try files.copyItem(atPath: sound, toPath: path)
        try sandbox.sqlite(path, "PRAGMA user_version = 999")
      case .corrupt:
        var bytes = try Data(contentsOf: URL(fileURLWithPath: sound))
        for index in 4096..<(bytes.count - 4096) { bytes[index] = UInt8(index % 251) }
        try bytes.write(to: URL(fileURLWithPath: path))
      case .directory:
        try files.createDirectory(atPath: path, withIntermediateDirectories: false)
      }
    }
  }

  @Test(
    "with a name that no file can have is damaged, and takes no more memory for it",
    .enabled(if: FailingSystem.canLimitMemory),
    .enabled(if: StockSQLite.isAvailable), arguments: [15_000_000, 50_000_000])
  func endlessName(_ length: Int) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    for name in ["a.txt", "b.txt", "sub/c.txt"] { try sandbox.makeFile(name, "same") }
    #expect(try sandbox.run("scan", "tree").status == 0)
    // Without the index of names, which has the one that the scan found.
    try sandbox.sqlite(
      sandbox.catalog,
      """
      UPDATE _entries SET name = printf('%.*c', \(length), 'n') WHERE name = 'a.txt';
      DELETE FROM _name_blocks
      """)
    for arguments in [
      ["ls", "tree"], ["find"], ["find", "--format", "json"], ["find", "--sort", "name"],
      ["find", "regex:n+$"], ["find", "-c", "n"], ["show", "tree/a.txt"], ["du"], ["changes"],
      ["report", "largest_files"], ["report", "--html", "-"], ["duplicates"],
      ["sql", "SELECT name FROM files"], ["lookup", "n"], ["check"], ["check", "--verify"],
      ["scan", "tree"],
    ] {
      let run = try sandbox.run(inShell: "ulimit -v 1200000 && exec \"$@\" >/dev/null", arguments)
      // Some do not look at names, and a scan puts in order what it finds.
      #expect([0, 1, 4].contains(run.status), "\(arguments): \(run.status) \(run.errors)")
      #expect(run.errorLines.count <= 1, "\(arguments): \(run.errors)")
      if run.status == 4 {
        #expect(run.errorLines.count == 1 || arguments[0] == "check", "\(arguments)")
      }
      if length > 16 << 20, ["ls", "find", "check"].contains(arguments[0]) {
        #expect(run.status == 4, "\(arguments)")
      }
    }
  }

  @Test(
    "with files that are in no directory is damaged", .enabled(if: StockSQLite.isAvailable),
    arguments: [["duplicates"], ["duplicates", "--hash"]])
  func filesNowhere(_ arguments: [String]) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    for name in ["a.txt", "sub/a.txt", "sub/sub/a.txt"] { try sandbox.makeFile(name, "same") }
    #expect(try sandbox.run("scan", "tree").status == 0)
    try sandbox.sqlite(
      sandbox.catalog, "UPDATE OR IGNORE _entries SET parent_id = 123456 + id WHERE kind = 1")
    let run = try sandbox.run(arguments)
    #expect(run.status == 4 && run.errorLines.count == 1, "\(run.errors)")
    #expect(run.errors.contains("damaged"), "\(run.errors)")
  }

  @Test(
    "is refused in one line that names it, and is left as it is", arguments: Fault.allCases,
    [
      ["find"], ["ls", "tree"], ["sql", "SELECT count(*) FROM files"], ["check"], ["scan", "tree"],
    ])
  func refusal(_ fault: Fault, _ arguments: [String]) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("a.txt")
    try sandbox.run("scan", "tree")
    let path = sandbox.home + "/other.db"
    try fault.make(at: path, from: sandbox.catalog, in: sandbox)
    let before = try? Data(contentsOf: URL(fileURLWithPath: path))
    let run = try sandbox.run(arguments + ["--catalog", path])
    #expect(run.status == 4)
    #expect(run.output.isEmpty || arguments == ["check"])
    #expect(run.errorLines.count == 1, "\(run.errors)")
    #expect(run.errors.hasPrefix("filecat: \(path)"), "\(run.errors)")
    #expect((try? Data(contentsOf: URL(fileURLWithPath: path))) == before)
  }

  @Test("is missing: every command but scan says how to make one")
  func missing() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("a.txt")
    for arguments in [["find"], ["ls"], ["du"], ["roots"], ["check"], ["sql", "SELECT 1"]] {
      let run = try sandbox.run(arguments)
      #expect(run.status == 4)
      #expect(run.errorLines.count == 1)
      #expect(run.errors.contains(sandbox.catalog))
      #expect(run.errors.contains("filecat scan"))
    }
    #expect(!FileManager.default.fileExists(atPath: sandbox.catalog))
  }

  @Test("cannot be made where nothing can be")
  func noPlace() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("a.txt")
    for path in ["/dev/null/catalog.sqlite", "/proc/unheard-of/catalog.sqlite"] {
      let run = try sandbox.run("scan", "tree", "--catalog", path)
      #expect(run.status == 4)
      #expect(run.errorLines.count == 1)
      #expect(run.errors.hasPrefix("filecat: \(path)"))
    }
  }

  @Test("cannot be made in a directory of somebody else", .enabled(if: Unprivileged.isAvailable))
  func foreignDirectory() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("a.txt")
    try FileManager.default.createDirectory(
      atPath: sandbox.home + "/closed", withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o555])
    let run = try Unprivileged(in: sandbox).run(
      "scan", sandbox.tree, "--catalog", sandbox.home + "/closed/catalog.sqlite")
    #expect(run.status == 4)
    #expect(run.errorLines.count == 1)
    #expect(run.errors.hasPrefix("filecat: \(sandbox.home)/closed/catalog.sqlite"))
    #expect(run.errors.contains("Permission denied"))
  }

  @Test("4 for a root that is not there or is no directory", arguments: ["gone", "a.txt"])
  func root(_ name: String) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("a.txt")
    let run = try sandbox.run("scan", "tree/" + name)
    #expect(run.status == 4)
    #expect(run.output.isEmpty)
    #expect(run.errorLines.count == 1)
    #expect(run.errors.hasPrefix("filecat: "))
    #expect(run.errors.contains("tree/" + name))
  }
}

@Suite("A full disk", .enabled(if: MountedFileSystem.isPermitted))
struct FullDiskTests {
  @Test("a first scan leaves nothing behind")
  func firstScan() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    for number in 1...6000 { try sandbox.makeFile("a rather long name of a file \(number).txt") }
    try sandbox.directory.makeDirectory("small")
    let disk = try MountedFileSystem(at: sandbox.directory("small"), kilobytes: 600)
    defer { disk.unmount() }
    let run = try sandbox.run("scan", "tree", "--catalog", disk.path.string + "/c.sqlite")
    #expect(run.status == 4)
    #expect(run.output.isEmpty)
    #expect(run.errorLines.count == 1)
    #expect(run.errors.hasPrefix("filecat: "))
    #expect(run.errors.contains(disk.path.string + "/c.sqlite"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path.string).isEmpty)
  }

  @Test("a later scan leaves the catalog as it was")
  func laterScan() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("keep/a.txt")
    try sandbox.directory.makeDirectory("small")
    let disk = try MountedFileSystem(at: sandbox.directory("small"), kilobytes: 1200)
    defer { disk.unmount() }
    let option = ["--catalog", disk.path.string + "/c.sqlite"]
    #expect(try sandbox.run(["scan", "tree/keep"] + option).status == 0)
    let before = try sandbox.run(["sql", "SELECT * FROM files"] + option)
    for number in 1...6000 { try sandbox.makeFile("new/a rather long name of a file \(number)") }
    let run = try sandbox.run(["scan", "tree/new"] + option)
    #expect(run.status == 4)
    #expect(run.errorLines.count == 1)
    #expect(run.errors.contains(disk.path.string + "/c.sqlite"))
    #expect(try sandbox.run(["sql", "SELECT * FROM files"] + option).output == before.output)
    #expect(try sandbox.run(["roots", "-0"] + option).text == sandbox.tree + "/keep\0")
    #expect(try sandbox.run(["check"] + option).status == 0)
  }
}
