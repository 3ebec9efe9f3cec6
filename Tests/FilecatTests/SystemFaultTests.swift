import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("A system that refuses")
struct SystemFaultTests {
  private func scanned() throws -> Sandbox {
    let sandbox = try Sandbox()
    try sandbox.makeFile("a.txt", "abc")
    try sandbox.makeFile("sub/b.txt", "def")
    try sandbox.makeFile("sub/same.txt", "def")
    #expect(try sandbox.run("scan", "tree").status == 0)
    return sandbox
  }

  private func expectOneLine(_ run: CommandResult, _ part: String) {
    #expect(run.status == 4, "\(run.status): \(run.errors)")
    #expect(run.errorLines.count == 1, "\(run.errors)")
    #expect(run.errors.hasPrefix("filecat: "))
    #expect(run.errors.contains(part), "\(run.errors)")
  }

  // MARK: - Threads

  private static let noThreads = "clone,clone3:error=ENOMEM"

  @Test(
    "without a further thread what needs one ends with an error",
    .enabled(if: FailingSystem.canInject),
    arguments: [
      ["scan", "tree"], ["scan"], ["scan", "other"], ["scan", "tree", "--catalog", "new.sqlite"],
      ["check", "--verify"], ["watch"], ["duplicates", "--hash"],
    ])
  func noThread(_ arguments: [String]) throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    try sandbox.directory.write("x", to: "other/x")
    let before = try sandbox.run("ls", "tree", "--format", "ndjson")
    let run = try sandbox.run(failing: Self.noThreads, arguments: arguments)
    expectOneLine(run, "thread")
    #expect(try sandbox.run("ls", "tree", "--format", "ndjson").output == before.output)
    #expect(!sandbox.directory.holds("new.sqlite"))
  }

  @Test(
    "without a further thread what only reads works", .enabled(if: FailingSystem.canInject),
    arguments: [
      ["ls", "tree"], ["find", "b.txt"], ["du"], ["check"], ["report", "usage_by_type"],
      ["sql", "SELECT name FROM files"], ["report", "--html", "-"], ["roots"],
    ])
  func readingWithoutThread(_ arguments: [String]) throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    let run = try sandbox.run(failing: Self.noThreads, arguments: arguments)
    #expect(run.status == 0, "\(run.errors)")
    if arguments.last != "-" { #expect(run.output == (try sandbox.run(arguments).output)) }
  }

  @Test("a scan gets by with fewer threads", .enabled(if: FailingSystem.canInject))
  func fewThreads() throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    for number in 0..<200 { try sandbox.makeFile("d\(number % 20)/f\(number)") }
    // The scan's own and a few of the many that were to walk.
    for allowed in [6, 9] {
      let run = try sandbox.run(
        failing: "clone,clone3:error=EAGAIN:when=\(allowed)+",
        arguments: ["scan", "tree", "--jobs", "16"])
      #expect(run.status == 0, "\(run.errors)")
      #expect(try sandbox.run("check", "--verify").status == 0)
    }
  }

  // MARK: - The catalog

  @Test(
    "what is wrong with the catalog is told once, however many roots are scanned",
    .enabled(if: FailingSystem.canInject), arguments: ["ENOSPC", "EIO"])
  func failingCatalog(_ error: String) throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    try sandbox.directory.write("x", to: "other/x")
    #expect(try sandbox.run("scan", "other").status == 0)
    try sandbox.makeFile("new.txt")
    try sandbox.directory.write("x", to: "other/new.txt")
    let run = try sandbox.run(failing: "pwrite64:error=\(error)", arguments: ["scan"])
    #expect(run.status == 4)
    #expect(run.errorLines.count == 1, "\(run.errors)")
    #expect(run.errors.contains("catalog.sqlite"))
  }

  // MARK: - Locks

  @Test("a lock that is refused for ever ends the wait", .enabled(if: FailingSystem.canInject))
  func refusedLock() throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    for first in [1, 11] {
      let run = try sandbox.run(
        failing: "fcntl:error=EACCES:when=\(first)+", arguments: ["scan", "tree"])
      expectOneLine(run, "is in use")
    }
  }

  // MARK: - Files of processes

  @Test(
    "without /proc everything works", .enabled(if: FailingSystem.canHideProcesses),
    arguments: [
      ["--version"], ["scan", "tree"], ["scan", "tree", "--catalog", "new.sqlite"],
      ["ls", "tree"], ["find", "b.txt"], ["check", "--verify"], ["report", "--html", "page.html"],
    ])
  func withoutProc(_ arguments: [String]) throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    let expected = try sandbox.run(arguments)
    let script = "umount -l /proc && exec \"$@\""
    let run = try sandbox.run(
      program: "unshare", ["-m", "sh", "-c", script, "sh", Sandbox.executable] + arguments)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.errors.isEmpty)
    #expect(run.output.isEmpty == expected.output.isEmpty)
    if arguments[0] != "scan" { #expect(run.output == expected.output) }
  }

  @Test("without /proc a mistake is a mistake", .enabled(if: FailingSystem.canHideProcesses))
  func mistakeWithoutProc() throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    let script = "umount -l /proc && exec \"$@\""
    let run = try sandbox.run(
      program: "unshare", ["-m", "sh", "-c", script, "sh", Sandbox.executable, "unheard-of"])
    #expect(run.status == 64)
  }

  // MARK: - Output

  /// Where output goes that nobody gets.
  static let lost = ["> /dev/full", ">&-"]

  @Test(
    "a scan that cannot be told of is committed all the same, and says so", arguments: lost,
    [[], ["--format", "ndjson"], ["--changes"]])
  func untoldScan(_ end: String, _ options: [String]) throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    try sandbox.makeFile("new.txt")
    try sandbox.directory.write("x", to: "other/x")
    let run = try sandbox.run(
      inShell: "exec \"$@\" \(end)", ["scan", "tree", "other"] + options)
    #expect(run.status == 3)
    let told = run.errorLines.filter { $0.hasPrefix("filecat: ") }
    #expect(told.count == 1, "\(run.errors)")
    #expect(told.first?.contains("committed") == true, "\(run.errors)")
    // The second root was not left out either.
    for path in ["tree/new.txt", "other/x"] {
      #expect(try sandbox.run("show", path).status == 0)
    }
  }

  @Test("containers that were registered stay so when that cannot be told", arguments: lost)
  func untoldRegistration(_ end: String) throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    try sandbox.makeFile("home/.var/app/org.example.App/data/x")
    let run = try sandbox.run(
      inShell: "exec \"$@\" \(end)", ["containers", "discover", "--register", "tree/home"])
    #expect(run.status == 3)
    #expect(run.errorLines.count == 1 && run.errors.contains("registered"), "\(run.errors)")
    #expect(try sandbox.run("containers", "list").text.contains("org.example.App"))
  }

  @Test("declarations that were imported stay so when that cannot be told", arguments: lost)
  func untoldImport(_ end: String) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.directory.write(
      #"{"UTExportedTypeDeclarations": [{"UTTypeIdentifier": "org.example.a"}]}"#, to: "a.json")
    let run = try sandbox.run(inShell: "exec \"$@\" \(end)", ["types", "import", "a.json"])
    #expect(run.status == 3)
    #expect(run.errorLines.count == 1 && run.errors.contains("imported"), "\(run.errors)")
    #expect(try sandbox.run("types", "show", "org.example.a").status == 0)
  }

  @Test(
    "what was only asked for and cannot be told is an error", arguments: lost,
    [
      ["--help"], ["--version"], ["help", "ls"], ["scan", "--help"], ["ls", "tree"],
      ["--generate-completion-script", "zsh"],
    ])
  func untoldAnswer(_ end: String, _ arguments: [String]) throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    let run = try sandbox.run(inShell: "exec \"$@\" \(end)", arguments)
    expectOneLine(run, "cannot write the output")
  }

  @Test("descriptors that are closed are given to no file")
  func closedDescriptors() throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    let file = sandbox.home + "/page.html"
    let run = try sandbox.run(
      inShell: "exec \"$@\" <&- >&- 2>&-", ["report", "--html", file])
    #expect(run.status == 0)
    let page = try String(contentsOfFile: file, encoding: .utf8)
    #expect(page.hasPrefix("<!DOCTYPE html>") && page.hasSuffix("</html>\n"))
    #expect(
      try sandbox.run(inShell: "exec \"$@\" <&- >&- 2>&-", ["scan", "unheard-of"]).status == 4)
    #expect(try sandbox.run("check").status == 0)
  }

  // MARK: - Limits

  @Test("with few open files a command works, or says that it cannot", arguments: 4...24)
  func openFiles(_ limit: Int) throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    var path = "deep"
    for number in 0..<40 { path += "/level \(number)" }
    try sandbox.makeFile(path + "/end")
    for arguments in [
      ["scan", "tree"], ["scan", "tree", "--catalog", "new.sqlite"], ["ls", "tree"],
      ["check", "--verify"], ["report", "--html", "page.html"],
    ] {
      let run = try sandbox.run(
        inShell: FailingSystem.closingInherited + "ulimit -n \(limit) && exec \"$@\"", arguments)
      if run.status == 0 || run.status == 1 && arguments[0] == "check" {
        // What a scan has refused to read before is a difference to the disk.
        #expect(run.errors.isEmpty)
      } else if run.status != 127 {
        // At 127 there was no room for the libraries of the program.
        expectOneLine(run, "open")
      }
      if limit >= 15 { #expect(run.status == 0, "\(arguments): \(run.errors)") }
    }
  }

  @Test(
    "with little memory a command works, or says that it cannot",
    .enabled(if: FailingSystem.canLimitMemory),
    arguments: (1...15).map { 40 * $0 })
  func memory(_ megabytes: Int) throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    for number in 0..<300 { try sandbox.makeFile("d\(number % 20)/f\(number).txt") }
    for arguments in [
      ["scan", "tree"], ["scan", "tree", "--catalog", "new.sqlite"], ["ls", "tree"],
      ["report", "--html", "page.html"], ["scan", "tree", "-j1", "--catalog", "one.sqlite"],
      ["scan", "tree", "-j", "64", "--catalog", "many.sqlite"], ["scan", "tree", "-j", "64"],
    ] {
      let run = try sandbox.run(
        inShell: "ulimit -v \(megabytes * 1024) && exec \"$@\"", arguments)
      if run.status == 0 {
        #expect(run.errors.isEmpty)
      } else if run.status != 127 {
        expectOneLine(run, "memory")
      }
    }
  }
}
