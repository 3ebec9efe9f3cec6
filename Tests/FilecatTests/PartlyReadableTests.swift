import SystemPackage
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What belongs to an entry beside its values cannot be read: what was known of it stays.
@Suite("An entry that can be read only in part")
struct PartlyReadableTests {
  /// Runs a statement and returns its rows, one line each.
  private func rows(
    _ statement: String, _ run: (String, String) throws -> CommandResult
  ) throws -> [String] {
    Array(Rows.lines(try run("sql", statement)).dropFirst())
  }

  private func rows(_ statement: String, in sandbox: Sandbox) throws -> [String] {
    try rows(statement) { try sandbox.run($0, $1) }
  }

  private static let failures = "SELECT DISTINCT operation, errno FROM scan_errors ORDER BY 1, 2"
  private static let lastChanges = """
    SELECT kind, path FROM changes WHERE scan_id = (SELECT max(id) FROM scans) ORDER BY path
    """

  private func expectPartial(_ run: CommandResult) {
    #expect(run.status == 3, "\(run.status): \(run.errors)")
    #expect(run.text.contains("1 not readable"), "\(run.text)")
  }

  // MARK: - Packages

  private func withPackage() throws -> Sandbox {
    let sandbox = try Sandbox()
    try sandbox.makeFile("d/N.rtfd/a/deep/big", String(repeating: "x", count: 5000))
    try sandbox.makeFile("d/N.rtfd/text", String(repeating: "x", count: 100))
    try sandbox.directory.make(.hardLink("tree/d/N.rtfd/a/other", to: "tree/d/N.rtfd/text"))
    return sandbox
  }

  @Test(
    "a directory inside a package that is closed leaves the package as it was known",
    .enabled(if: Unprivileged.isAvailable))
  func closedInsidePackage() throws {
    let sandbox = try withPackage()
    defer { sandbox.remove() }
    let user = try Unprivileged(in: sandbox)
    #expect(try user.run("scan", sandbox.tree).status == 0)
    let package = "SELECT name, kind, size, allocated FROM files ORDER BY path"
    let totals = """
      SELECT path, total_size, total_allocated, total_files FROM directories ORDER BY path
      """
    let before = try rows(package) { try user.run($0, $1) }
    let sums = try rows(totals) { try user.run($0, $1) }
    #expect(before.contains { $0.hasPrefix("N.rtfd\tpackage\t5200\t") }, "\(before)")
    chmod(sandbox.tree + "/d/N.rtfd/a", 0)
    for _ in 0..<2 {
      let run = try user.run("scan")
      #expect(run.status == 3)
      #expect(run.errorLines.count == 1)
      #expect(run.errors.hasPrefix("filecat: \(sandbox.tree)/d/N.rtfd/a: "), "\(run.errors)")
      #expect(try rows(package) { try user.run($0, $1) } == before)
      #expect(try rows(totals) { try user.run($0, $1) } == sums)
      #expect(try rows(Self.lastChanges) { try user.run($0, $1) } == [])
      #expect(try rows(Self.failures) { try user.run($0, $1) } == ["open\t\(EACCES)"])
      #expect(try user.run("check").status == 0)
    }
    // What can be read of the package itself is brought up to date.
    chmod(sandbox.tree + "/d/N.rtfd", 0o711)
    #expect(try user.run("scan").status == 3)
    let changes = try rows(Self.lastChanges) { try user.run($0, $1) }
    #expect(changes == ["modified\t\(sandbox.tree)/d/N.rtfd"])
    let verified = try user.run("check", "--verify")
    #expect(verified.status == 3)
    #expect(verified.output.isEmpty, "\(verified.text)")
    chmod(sandbox.tree + "/d/N.rtfd", 0o755)
    chmod(sandbox.tree + "/d/N.rtfd/a", 0o755)
    #expect(try user.run("scan").status == 0)
    #expect(try rows(package) { try user.run($0, $1) } == before)
    #expect(try user.run("check", "--verify").status == 0)
  }

  @Test(
    "a first scan records of a package what it could read",
    .enabled(if: Unprivileged.isAvailable))
  func firstScanOfPackage() throws {
    let sandbox = try withPackage()
    defer { sandbox.remove() }
    let user = try Unprivileged(in: sandbox)
    chmod(sandbox.tree + "/d/N.rtfd/a", 0)
    #expect(try user.run("scan", sandbox.tree).status == 3)
    let size = "SELECT size FROM files WHERE name = 'N.rtfd'"
    #expect(try rows(size) { try user.run($0, $1) } == ["100"])
    #expect(try rows(Self.failures) { try user.run($0, $1) } == ["open\t\(EACCES)"])
    #expect(try user.run("check").status == 0)
    // What can be read goes on being brought up to date.
    try sandbox.makeFile("d/N.rtfd/more", "123")
    #expect(try user.run("scan").status == 3)
    #expect(try rows(size) { try user.run($0, $1) } == ["103"])
    chmod(sandbox.tree + "/d/N.rtfd/a", 0o755)
    #expect(try user.run("scan").status == 0)
    #expect(try rows(size) { try user.run($0, $1) } == ["5203"])
    #expect(try user.run("check", "--verify").status == 0)
  }

  @Test(
    "a package that is closed stays a package", .enabled(if: Unprivileged.isAvailable),
    arguments: [0, 0o444])
  func closedPackage(_ mode: mode_t) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("Foo.download/Info.plist", String(repeating: "x", count: 5000))
    try sandbox.makeFile("plain.d/a", "1")
    let user = try Unprivileged(in: sandbox)
    #expect(try user.run("scan", sandbox.tree).status == 0)
    let state = "SELECT name, kind, size, type FROM files WHERE depth = 1 ORDER BY path"
    let before = try rows(state) { try user.run($0, $1) }
    #expect(before.first?.hasPrefix("Foo.download\tpackage\t5000\t") == true, "\(before)")
    chmod(sandbox.tree + "/Foo.download", mode)
    let run = try user.run("scan")
    #expect(run.status == 3)
    #expect(try rows(state) { try user.run($0, $1) } == before, "\(run.errors)")
    #expect(try user.run("check").status == 0)
    chmod(sandbox.tree + "/Foo.download", 0o755)
    #expect(try user.run("scan").status == 0)
    #expect(try rows(state) { try user.run($0, $1) } == before)
  }

  // MARK: - Links

  @Test(
    "a link that cannot be read says what it said", .enabled(if: FailingSystem.canInject),
    arguments: [true, false])
  func links(isChanged: Bool) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("d/file", "1")
    try sandbox.directory.makeLink("tree/d/link", to: "file")
    try sandbox.run("scan", "tree")
    if isChanged { try sandbox.makeFile("d/new", "1") }
    let run = try sandbox.run(failing: "readlinkat:error=EIO", arguments: ["scan", "tree"])
    expectPartial(run)
    let targets = "SELECT link_target FROM files WHERE kind = 'symlink'"
    #expect(try rows(targets, in: sandbox) == ["file"])
    #expect(try rows(Self.failures, in: sandbox) == ["readlink\t\(EIO)"])
    let changes = try rows(Self.lastChanges, in: sandbox).filter { $0.hasSuffix("link") }
    #expect(changes == [])
    #expect(try sandbox.run("scan", "tree").status == 0)
    #expect(try rows(targets, in: sandbox) == ["file"])
    #expect(try sandbox.run("check", "--verify").status == 0)
  }

  @Test(
    "a link that could not be read at first is read later", .enabled(if: FailingSystem.canInject))
  func firstScanOfLink() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.directory.makeLink("tree/link", to: "elsewhere")
    expectPartial(
      try sandbox.run(failing: "readlinkat:error=EIO", arguments: ["scan", "tree"]))
    #expect(try sandbox.run("scan", "tree").status == 0)
    let links = try rows(
      "SELECT link_target, path IN (SELECT path FROM broken_links) FROM files WHERE kind = 'symlink'",
      in: sandbox)
    #expect(links == ["elsewhere\t1"])
  }

  // MARK: - Contents and attributes

  @Test(
    "a content that cannot be read leaves the type as it was known",
    .enabled(if: FailingSystem.canInject))
  func contents() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("d/e/picture", "%PDF-1.4 and so on")
    try sandbox.run("scan", "tree", "--sniff")
    let type = "SELECT type FROM files WHERE name = 'picture'"
    #expect(try rows(type, in: sandbox) == ["com.adobe.pdf"])
    try sandbox.makeFile("d/e/picture", "%PDF-1.4 and so on, and more")
    let run = try sandbox.run(failing: "openat2:error=EIO", arguments: ["scan", "tree"])
    expectPartial(run)
    #expect(try rows(type, in: sandbox) == ["com.adobe.pdf"])
    #expect(try rows(Self.failures, in: sandbox) == ["open\t\(EIO)"])
    #expect(try sandbox.run("scan", "tree").status == 0)
    #expect(try rows(type, in: sandbox) == ["com.adobe.pdf"])
  }

  @Test(
    "attributes that cannot be read stay as they were known",
    .enabled(if: FailingSystem.canInject),
    arguments: ["llistxattr:error=EIO", "lgetxattr:error=EIO"])
  func attributes(_ fault: String) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("d/file", "1")
    try sandbox.directory.make(.attribute("tree/d/file", name: "user.colour", value: "red"))
    try sandbox.run("scan", "tree", "--xattrs")
    let values = "SELECT value FROM resource_values WHERE key = 'xattr:user.colour'"
    #expect(try rows(values, in: sandbox) == ["red"])
    try sandbox.directory.make(.attribute("tree/d/file", name: "user.colour", value: "blue"))
    let run = try sandbox.run(failing: fault, arguments: ["scan", "tree"])
    #expect(run.status == 3)
    #expect(try rows(values, in: sandbox) == ["red"])
    #expect(try sandbox.run("scan", "tree").status == 0)
    #expect(try rows(values, in: sandbox) == ["blue"])
  }

  // MARK: - Systems without the call

  @Test(
    "where paths can only be opened name by name, everything is found all the same",
    .enabled(if: FailingSystem.canInject), arguments: ["ENOSYS", "EPERM"])
  func nameByName(_ error: String) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeAwkwardTree()
    try sandbox.makeFile("a/b/c/picture", "%PDF-1.4 and so on")
    try sandbox.makeFile("a/b/c/copy", "%PDF-1.4 and so on")
    try sandbox.makeFile("Foo.download/Info.plist", "12345")
    let state = "SELECT path, kind, type, size FROM files ORDER BY path"
    try sandbox.run("scan", "tree", "--sniff")
    let usual = try rows(state, in: sandbox)
    let duplicates = try sandbox.run("duplicates", "--hash").text
    let fault = "openat2:error=" + error
    for part in ["tree", "tree/a/b/c"] {
      let arguments = ["scan", part, "--catalog", "other.sqlite"]
      let run = try sandbox.run(failing: fault, arguments: arguments)
      #expect(run.status == 0, "\(run.errors)")
    }
    let catalog = ["--catalog", "third.sqlite"]
    let run = try sandbox.run(failing: fault, arguments: ["scan", "tree", "--sniff"] + catalog)
    #expect(run.status == 0, "\(run.errors)")
    let found = try sandbox.run(["sql", state] + catalog)
    #expect(Array(Rows.lines(found).dropFirst()) == usual)
    let hashed = try sandbox.run(failing: fault, arguments: ["duplicates", "--hash"] + catalog)
    #expect(hashed.text == duplicates)
    #expect(duplicates.contains("copy"))
  }
}
