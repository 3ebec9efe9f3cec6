import Foundation
import SystemPackage
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("Who may only read a catalog")
struct RestrictedReaderTests {
  private func scanned() throws -> Sandbox {
    let sandbox = try Sandbox()
    try sandbox.makeFile("a.txt")
    #expect(try sandbox.run("scan", "tree").status == 0)
    return sandbox
  }

  /// Leaves a log beside a catalog in which the newest rows are, as a machine does that stops.
  private func leaveLog(at catalog: String, in sandbox: Sandbox) throws {
    let script = """
      import os, sqlite3, sys
      db = sqlite3.connect(sys.argv[1])
      db.execute("PRAGMA wal_autocheckpoint = 0")
      db.execute("UPDATE _entries SET size = 4711 WHERE name = 'a.txt'")
      db.commit()
      os._exit(0)
      """
    let run = try sandbox.run(program: "python3", ["-c", script, catalog])
    try #require(run.status == 0, "\(run.errors)")
  }

  private static let size = ["sql", "SELECT size FROM files WHERE name = 'a.txt'"]

  @Test(
    "reads a log that was left on a volume that cannot be written to, with its index or without",
    .enabled(if: MountedFileSystem.isPermitted && CommandRunner.exists("python3")),
    arguments: [true, false])
  func sealedVolume(hasIndex: Bool) throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    try sandbox.directory.makeDirectory("disk")
    let disk = try MountedFileSystem(at: sandbox.directory("disk"), kilobytes: 4096)
    defer { disk.unmount() }
    let catalog = disk.path.string + "/c.sqlite"
    let option = ["--catalog", catalog]
    #expect(try sandbox.run(["scan", "tree"] + option).status == 0)
    try leaveLog(at: catalog, in: sandbox)
    if !hasIndex { unlink(catalog + "-shm") }
    #expect(try CommandRunner("mount").run(["-o", "remount,ro", disk.path.string]).status == 0)
    let run = try sandbox.run(Self.size + option)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.text.contains("4711"))
    for arguments in [["ls", "tree"], ["find", "a"], ["report", "usage_by_type"]] {
      let run = try sandbox.run(arguments + option)
      #expect(run.status == 0, "\(run.errors)")
    }
    let scan = try sandbox.run(["scan", "tree"] + option)
    #expect(scan.status == 4 && scan.errorLines.count == 1, "\(scan.errors)")
  }

  @Test(
    "reads where there is no room for the index of a log",
    .enabled(if: MountedFileSystem.isPermitted))
  func fullVolume() throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    try sandbox.directory.makeDirectory("disk")
    let disk = try MountedFileSystem(at: sandbox.directory("disk"), kilobytes: 2048)
    defer { disk.unmount() }
    let option = ["--catalog", disk.path.string + "/c.sqlite"]
    #expect(try sandbox.run(["scan", "tree"] + option).status == 0)
    _ = try sandbox.run(inShell: "exec cat /dev/zero > disk/fill", [])
    for arguments in [
      ["ls", "tree"], ["find", "a"], ["sql", "SELECT name FROM files"], ["check"], ["roots"],
    ] {
      let run = try sandbox.run(arguments + option)
      #expect(run.status == 0, "\(arguments): \(run.errors)")
      #expect(!run.output.isEmpty)
    }
    unlink(disk.path.string + "/fill")
    #expect(try sandbox.run(["scan", "tree"] + option).status == 0)
  }

  /// A catalog that everybody may read, in a directory that only its owner may write to.
  private func published() throws -> Sandbox {
    let sandbox = try scanned()
    let directory = sandbox.home + "/data/filecat"
    chmod(sandbox.catalog, 0o644)
    for path in [sandbox.home, sandbox.home + "/data", directory] { chmod(path, 0o755) }
    return sandbox
  }

  @Test(
    "waits for somebody who is about to begin or to end writing",
    .enabled(if: Unprivileged.isAvailable), arguments: [["ls"], ["sql", "SELECT 1"]])
  func betweenLogAndIndex(_ arguments: [String]) throws {
    let sandbox = try published()
    defer { sandbox.remove() }
    let reader = try Unprivileged(in: sandbox)
    chown(sandbox.home + "/data/filecat", 0, 0)
    // The log is there, and its index is not: so it is for a moment when the log is made or removed.
    try sandbox.directory.write("", to: "data/filecat/catalog.sqlite-wal")
    let run = try reader.start(arguments + ["--catalog", sandbox.catalog])
    usleep(400_000)
    unlink(sandbox.catalog + "-wal")
    let result = try run.finish()
    #expect(result.status == 0, "\(result.errors)")
    #expect(!result.output.isEmpty)
  }

  @Test("is never refused while somebody scans", .enabled(if: Unprivileged.isAvailable))
  func whileScanning() throws {
    let sandbox = try published()
    defer { sandbox.remove() }
    let reader = try Unprivileged(in: sandbox)
    chown(sandbox.home + "/data/filecat", 0, 0)
    let scans = try sandbox.runner("sh").start([
      "-c", "for i in $(seq 60); do touch tree/f$i; \"$0\" scan tree; done", Sandbox.executable,
    ])
    var reads = 0
    repeat {
      let run = try reader.run("find", "a.txt", "--catalog", sandbox.catalog)
      #expect(run.status == 0, "\(run.errors)")
      reads += 1
    } while scans.isRunning && reads < 200
    #expect(try scans.finish().status == 0)
  }
}
