import Foundation
import TestSupport
import TestTraits
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("A directory that cannot be read", .enabled(if: Unprivileged.isAvailable))
struct UnreadableTests {
  private func partlyClosed() throws -> Sandbox {
    let sandbox = try Sandbox()
    try sandbox.makeFile("open/a.txt")
    try sandbox.makeFile("closed/b.txt")
    chmod(sandbox.tree + "/closed", 0o700)
    return sandbox
  }

  @Test("3, and the rest is in the catalog", .feature("FS-14", "LX-18"))
  func incomplete() throws {
    let sandbox = try partlyClosed()
    defer { sandbox.remove() }
    let user = try Unprivileged(in: sandbox)
    let run = try user.run("scan", sandbox.tree, "--format", "ndjson")
    #expect(run.status == 3)
    let closed = sandbox.tree + "/closed"
    #expect(run.errorLines.count == 1)
    #expect(run.errors.hasPrefix("filecat: \(closed): "))
    let summary = try #require(try Rows.objects(run, "ndjson").first)
    #expect(summary["state"] == .string("partial"))
    #expect(summary["errors"] == .integer(1))

    let errors = try user.run("sql", "SELECT path, errno FROM scan_errors", "--format", "ndjson")
    #expect(
      try Rows.objects(errors, "ndjson")
        == [["path": .string(closed), "errno": .integer(Int64(EACCES))]])
    let states = try user.run("sql", "SELECT state FROM directories ORDER BY path")
    #expect(Rows.lines(states) == ["state", "complete", "unreadable", "complete"])
    let found = try user.run("find", "kind:file")
    #expect(Rows.lines(found) == [sandbox.tree + "/open/a.txt"])
    #expect(try user.run("find", "closed").status == 0)
  }

  @Test("every such scan says so, and one that can read it all is complete again", .feature("P-17"))
  func again() throws {
    let sandbox = try partlyClosed()
    defer { sandbox.remove() }
    let user = try Unprivileged(in: sandbox)
    #expect(try user.run("scan", sandbox.tree).status == 3)
    let second = try user.run("scan")
    #expect(second.status == 3)
    #expect(second.errors.contains(sandbox.tree + "/closed"))
    #expect(second.text.contains("1 not readable"))
    chmod(sandbox.tree + "/closed", 0o755)
    let third = try user.run("scan")
    #expect(third.status == 0)
    #expect(third.errors.isEmpty)
    #expect(Rows.lines(try user.run("find", "kind:file")).count == 2)
  }

  @Test("check --verify says what it could not compare")
  func verify() throws {
    let sandbox = try partlyClosed()
    defer { sandbox.remove() }
    let user = try Unprivileged(in: sandbox)
    #expect(try user.run("scan", sandbox.tree).status == 3)
    let run = try user.run("check", "--verify")
    #expect(run.status == 3)
    #expect(run.errors.contains(sandbox.tree + "/closed"))
    #expect(run.output.isEmpty)
  }

  @Test("4 where it is the root itself")
  func root() throws {
    let sandbox = try partlyClosed()
    defer { sandbox.remove() }
    let run = try Unprivileged(in: sandbox).run("scan", sandbox.tree + "/closed")
    #expect(run.status == 4)
    #expect(run.errorLines.count == 1)
    #expect(run.errors.hasPrefix("filecat: \(sandbox.tree)/closed"))
  }
}

@Suite("A catalog that may only be read", .enabled(if: Unprivileged.isAvailable))
struct ReadOnlyCatalogTests {
  @Test("answers as any other, and refuses a scan in one line")
  func reading() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("a.txt")
    try sandbox.run("scan", "tree", "--catalog", "theirs/c.sqlite")
    let catalog = sandbox.home + "/theirs/c.sqlite"
    chmod(sandbox.home + "/theirs", 0o755)
    chmod(catalog, 0o644)
    let user = try Unprivileged(in: sandbox)
    let find = try user.run("find", "a.txt", "--catalog", catalog)
    #expect(find.status == 0, "\(find.errors)")
    #expect(find.text == sandbox.tree + "/a.txt\n")
    let sql = try user.run("sql", "SELECT count(*) AS n FROM files", "--catalog", catalog)
    #expect(sql.status == 0, "\(sql.errors)")
    #expect(sql.text == "n\n2\n")
    let scan = try user.run("scan", sandbox.tree, "--catalog", catalog)
    #expect(scan.status == 4)
    #expect(scan.errorLines.count == 1)
    #expect(scan.errors.hasPrefix("filecat: \(catalog)"))
  }
}
