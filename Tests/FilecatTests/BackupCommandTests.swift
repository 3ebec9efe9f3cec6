import Foundation
import SystemPackage
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("A copy of the catalog")
struct BackupCommandTests {
  private func scanned() throws -> Sandbox {
    let sandbox = try Sandbox()
    for number in 0..<50 { try sandbox.makeFile("directory\(number % 7)/file\(number)", "content") }
    #expect(try sandbox.run("scan", "tree").status == 0)
    return sandbox
  }

  private static let rows = "SELECT id, path, size, modified_ns FROM files ORDER BY id"

  @Test("has the same rows, needs no log, and is private")
  func sameRows() throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    let run = try sandbox.run("backup", "copy.sqlite")
    #expect(run.status == 0 && run.text.isEmpty && run.errors.isEmpty, "\(run.errors)")
    let copy = sandbox.home + "/copy.sqlite"
    let header = [UInt8](try Data(contentsOf: URL(fileURLWithPath: copy)).prefix(20))
    #expect(header[18...] == [1, 1])
    let attributes = try FileManager.default.attributesOfItem(atPath: copy)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    let found = try sandbox.sqlite(copy, Self.rows, "-readonly")
    #expect(try found == sandbox.sqlite(sandbox.catalog, Self.rows, "-readonly"))
    #expect(try sandbox.run("check", "--catalog", "copy.sqlite").status == 0)
    let names = try FileManager.default.contentsOfDirectory(atPath: sandbox.home)
    #expect(Set(names) == ["copy.sqlite", "data", "tree"])
  }

  @Test("is a catalog that can be scanned on")
  func goesOn() throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    #expect(try sandbox.run("backup", "copy.sqlite").status == 0)
    try sandbox.makeFile("new")
    #expect(try sandbox.run("scan", "--catalog", "copy.sqlite").status == 0)
    let count = "SELECT count(*) FROM files"
    let (copy, catalog) = (
      try sandbox.run("sql", count, "--catalog", "copy.sqlite"), try sandbox.run("sql", count)
    )
    #expect(copy.text != catalog.text)
    #expect(try sandbox.run("check", "--catalog", "copy.sqlite").status == 0)
  }

  @Test("replaces a file only when it is asked to, and never the catalog")
  func existing() throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    try sandbox.directory.write("mine", to: "copy.sqlite")
    let refused = try sandbox.run("backup", "copy.sqlite")
    #expect(refused.status == 4 && refused.errors.contains("--force"), "\(refused.errors)")
    let kept = try String(contentsOfFile: sandbox.home + "/copy.sqlite", encoding: .utf8)
    #expect(kept == "mine")
    #expect(try sandbox.run("backup", "--force", "copy.sqlite").status == 0)
    #expect(try sandbox.run("check", "--catalog", "copy.sqlite").status == 0)
    let own = try sandbox.run("backup", "--force", sandbox.catalog)
    #expect(own.status != 0 && own.errorLines.count == 1)
    #expect(try sandbox.run("check").status == 0)
    let nowhere = try sandbox.run("backup", "missing/copy.sqlite")
    #expect(nowhere.status == 4 && nowhere.errorLines.count == 1, "\(nowhere.errors)")
  }

  @Test("is of one moment while others scan")
  func whileOthersWrite() throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    for number in 0..<8 {
      try sandbox.makeFile("more\(number)/file", "x")
      let scan = try sandbox.start("scan")
      let run = try sandbox.run("backup", "--force", "copy.sqlite")
      #expect(run.status == 0, "\(run.errors)")
      #expect(try scan.finish().status == 0)
      #expect(try sandbox.run("check", "--catalog", "copy.sqlite").status == 0)
    }
  }

  @Test(
    "leaves nothing behind on a full disk",
    .enabled(if: MountedFileSystem.isPermitted))
  func fullDisk() throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    try sandbox.directory.makeDirectory("disk")
    let disk = try MountedFileSystem(at: sandbox.directory("disk"), kilobytes: 64)
    defer { disk.unmount() }
    let run = try sandbox.run("backup", disk.path.string + "/copy.sqlite")
    #expect(run.status == 4 && run.errorLines.count == 1, "\(run.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path.string).isEmpty)
  }

  @Test(
    "is read where its reader may write nothing",
    .enabled(if: getuid() == 0 && CommandRunner.exists("setpriv")))
  func readOnlyDirectory() throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    try sandbox.directory.makeDirectory("shared")
    #expect(try sandbox.run("backup", "shared/copy.sqlite").status == 0)
    let copy = sandbox.home + "/shared/copy.sqlite"
    #expect(chmod(copy, 0o444) == 0 && chmod(sandbox.home + "/shared", 0o555) == 0)
    #expect(chmod(sandbox.home, 0o755) == 0)
    let expected = try sandbox.sqlite(sandbox.catalog, Self.rows, "-readonly")
    for name in [copy, "file:\(copy)?immutable=1"] {
      let run = try sandbox.runner("sqlite3").asNobody().run([name, Self.rows])
      #expect(run.status == 0, "\(name): \(run.errors)")
      #expect(run.text.trimmingCharacters(in: .newlines) == expected)
    }
    let run = try sandbox.runner(Sandbox.executable).asNobody().run(["roots", "--catalog", copy])
    #expect(run.status == 0, "\(run.errors)")
  }
}
