import Foundation
import SystemPackage
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("The file of a page")
struct PageFileTests {
  private func scanned() throws -> Sandbox {
    let sandbox = try Sandbox()
    try sandbox.makeFile("a.txt")
    #expect(try sandbox.run("scan", "tree").status == 0)
    try sandbox.directory.write("precious", to: "precious")
    return sandbox
  }

  /// Makes a directory with a mode that the process's mask does not change.
  private func makeDirectory(_ name: FilePath, mode: mode_t, in sandbox: Sandbox) throws {
    try sandbox.directory.makeDirectory(name)
    try TemporaryDirectory.check(chmod(sandbox.directory(name).string, mode))
  }

  private func expectRefusal(_ run: CommandResult, _ part: String) {
    #expect(run.status == 4)
    #expect(run.errorLines.count == 1, "\(run.errors)")
    #expect(run.errors.contains(part), "\(run.errors)")
  }

  @Test("is for its owner alone, whatever the process's mask")
  func mode() throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    let run = try sandbox.run(
      inShell: "umask 000 && exec \"$@\"", ["report", "--html", "page.html"])
    #expect(run.status == 0)
    var status = stat()
    #expect(stat(sandbox.home + "/page.html", &status) == 0)
    #expect(status.st_mode & 0o7777 == 0o600)
  }

  @Test(
    "is not what a link leads to, in a directory that others may write to",
    arguments: [0o777, 0o1777, 0o775] as [mode_t], ["../precious", "../unheard-of", "page"])
  func openDirectory(_ mode: mode_t, _ target: String) throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    try makeDirectory("open", mode: mode, in: sandbox)
    try sandbox.directory.write("precious", to: "open/page")
    try sandbox.directory.makeLink("open/link.html", to: FilePath(target))
    expectRefusal(try sandbox.run("report", "--html", "open/link.html"), "link")
    // Nor by a link of one's own that leads to such a link.
    try sandbox.directory.makeLink("mine.html", to: "open/link.html")
    expectRefusal(try sandbox.run("report", "--html", "mine.html"), "link")
    for name: FilePath in ["precious", "open/page"] {
      #expect(try sandbox.directory.text(of: name) == "precious")
    }
    #expect(!sandbox.directory.holds("unheard-of"))
    // What is no link may be there.
    #expect(try sandbox.run("report", "--html", "open/page").status == 0)
    #expect(try sandbox.directory.text(of: "open/page").hasSuffix("</html>\n"))
  }

  @Test("is not what somebody's link leads to", .enabled(if: FailingSystem.isRoot))
  func foreignDirectory() throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    try makeDirectory("theirs", mode: 0o755, in: sandbox)
    try sandbox.directory.makeLink("theirs/link.html", to: "../precious")
    chown(sandbox.home + "/theirs", 65534, 65534)
    expectRefusal(try sandbox.run("report", "--html", "theirs/link.html"), "link")
    #expect(try sandbox.directory.text(of: "precious") == "precious")
  }

  @Test("is what a link leads to where only its user writes", arguments: ["precious", "new.html"])
  func link(_ target: String) throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    try makeDirectory("closed", mode: 0o755, in: sandbox)
    try sandbox.directory.makeLink("closed/second", to: FilePath("../" + target))
    try sandbox.directory.makeLink("closed/first", to: FilePath(sandbox.home + "/closed/second"))
    let run = try sandbox.run("report", "--html", "closed/first")
    #expect(run.status == 0, "\(run.errors)")
    #expect(try sandbox.directory.text(of: FilePath(target)).hasSuffix("</html>\n"))
  }

  @Test("is a terminal or a pipe by any name")
  func device() throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    let run = try sandbox.run(inShell: "\"$@\" | cat", ["report", "--html", "/dev/stdout"])
    #expect(run.text.hasSuffix("</html>\n"), "\(run.errors)")
    expectRefusal(try sandbox.run("report", "--html", "/dev/full"), "No space left")
  }

  @Test(
    "is the old one where the new could not be flushed, or it is said that it is the new",
    .enabled(if: FailingSystem.canInject), arguments: 1...4)
  func flushing(_ call: Int) throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    let run = try sandbox.run(
      failing: "fsync:error=EIO:when=\(call)", arguments: ["report", "--html", "precious"])
    let isNew = try sandbox.directory.text(of: "precious") != "precious"
    #expect(try sandbox.directory.names() == ["tree", "data", "precious"])
    switch call {
    case 1:
      #expect(run.status == 4 && !isNew)
      #expect(run.errors.contains("cannot be written"), "\(run.errors)")
    case 2:
      #expect(run.status == 3 && isNew)
      #expect(run.errorLines.count == 1 && run.errors.contains("was done"), "\(run.errors)")
    default:
      #expect(run.status == 0 && isNew)
    }
  }
}
