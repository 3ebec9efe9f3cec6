import FileCatalog
import FileCoordination
import FileSystem
import Foundation
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("The command that watches", .timeLimit(.minutes(20)))
struct WatchCommandTests {
  private func scans(in sandbox: Sandbox) throws -> Int {
    let count = try sandbox.run("sql", "SELECT count(*) FROM scans", "--format", "ndjson").text
    return Int(count.filter(\.isNumber)) ?? 0
  }

  private func wait(until isDone: () throws -> Bool) async throws {
    while try !isDone() { try await Task.sleep(for: .milliseconds(50)) }
  }

  @Test(
    "prints what it finds, and nothing of what a program has put into the catalog itself",
    .feature("P-36"),
    .enabled(if: StockSQLite.isAvailable))
  func echo() async throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("known/file")
    try sandbox.run("scan", sandbox.tree)
    let watch = try sandbox.start(
      "watch", sandbox.tree, "--format", "ndjson", "--include-directories")
    try await wait { try scans(in: sandbox) == 2 }

    let catalog = try Catalog(at: FilePath(sandbox.catalog))
    let tree = FilePath(sandbox.tree)
    // The program is the first to put it there, however slow it is, and nobody who sleeps is writing.
    var isWritten = false
    while !isWritten {
      try await watch.pausing {
        let lock = [sandbox.catalog, "BEGIN IMMEDIATE; ROLLBACK"]
        guard try sandbox.run(program: "sqlite3", lock).status == 0 else { return }
        try await catalog.coordinator().write([1, 2, 3], to: tree.appending("own"))
        try await catalog.coordinator().write([1, 2, 3], to: tree.appending("known/file"))
        isWritten = true
      }
    }
    #expect(try await catalog.entry(at: tree.appending("own"))?.size == 3)
    // Two that followed the program, and at least one look of the command.
    try await wait { try scans(in: sandbox) >= 5 }
    try sandbox.makeFile("stranger")
    try await wait { watch.outputSoFar.contains("stranger") }
    watch.send(SIGINT)
    let run = try watch.finish()
    #expect(run.status == 130)
    let paths = try run.text.split(separator: "\n").map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return object?["path"] as? String ?? ""
    }
    #expect(Set(paths) == [sandbox.tree, sandbox.tree + "/stranger"])
    try catalog.close()
  }

  @Test(
    "goes by ignore files as scans do, and by their changes", arguments: ["automatic", "inotify"])
  func ignoreFiles(_ method: String) async throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    for name in ["a.log", "sub/deep/b.log", "work/c.o", "work/.git/info/x", "work/deep/d.o"] {
      try sandbox.makeFile(name)
    }
    try sandbox.run("scan", "tree", "--gitignore")
    let watch = try sandbox.start("watch", "--method", method)
    try await wait { try scans(in: sandbox) == 2 }
    func expect(_ lines: String...) async throws {
      let seen = lines.map { "\($0.prefix(2))\(sandbox.tree)/\($0.dropFirst(2))\n" }
      try await wait { seen.allSatisfy { watch.outputSoFar.contains($0) } }
    }
    try sandbox.makeFile(".filecatignore", "*.log\n")
    try await expect("- a.log", "- sub/deep/b.log", "+ .filecatignore")
    try sandbox.makeFile("sub/deep/new.log")
    try sandbox.makeFile("sub/deep/new.txt")
    try await expect("+ sub/deep/new.txt")
    try sandbox.makeFile("work/.gitignore", "c.o\n")
    try await expect("- work/c.o")
    try sandbox.makeFile("work/.git/info/exclude", "d.o\n")
    try await expect("- work/deep/d.o")
    try sandbox.directory.remove("tree/.filecatignore")
    try await expect("+ a.log", "+ sub/deep/b.log", "+ sub/deep/new.log")
    watch.send(SIGINT)
    let run = try watch.finish()
    #expect(run.status == 130)
    #expect(run.errors.isEmpty)
    #expect(try sandbox.run("check", "--verify").status == 0)
  }

  /// How many directories a process watches by inotify.
  private func watches(of process: Int32) throws -> Int {
    let place = "/proc/\(process)/fdinfo"
    return try FileManager.default.contentsOfDirectory(atPath: place).reduce(0) { count, name in
      let text = (try? String(contentsOfFile: "\(place)/\(name)", encoding: .utf8)) ?? ""
      return count + text.split(separator: "\n").filter { $0.hasPrefix("inotify wd:") }.count
    }
  }

  @Test("does not watch what ignore files leave out, until it is left out no more")
  func ignoredDirectories() async throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    for number in 1...40 {
      try sandbox.makeFile("ignored/\(number)/deep/x")
      try sandbox.makeFile("work/build/\(number)/y")
    }
    try sandbox.makeFile("seen/z")
    try sandbox.makeFile(".filecatignore", "/ignored\n")
    try sandbox.makeFile("work/.git/info/exclude", "build/\n")
    try sandbox.run("scan", "tree", "--gitignore")
    let watch = try sandbox.start("watch", "--method", "inotify")
    try await wait { try scans(in: sandbox) == 2 }
    // The tree, what is above it, and a few below.
    #expect(try watches(of: watch.id) < 30)
    // What is not watched is not scanned for its changes either.
    try sandbox.makeFile("ignored/1/new")
    try sandbox.makeFile("seen/first")
    try await wait { watch.outputSoFar.contains("seen/first") }
    #expect(try scans(in: sandbox) == 3)

    try sandbox.makeFile(".filecatignore", "nothing\n")
    try await wait { watch.outputSoFar.contains("+ \(sandbox.tree)/ignored/1/new\n") }
    #expect(try watches(of: watch.id) > 80)
    try sandbox.makeFile("ignored/40/deep/later")
    try await wait { watch.outputSoFar.contains("ignored/40/deep/later") }
    try sandbox.directory.remove("tree/work/.git/info/exclude")
    try await wait { watch.outputSoFar.contains("work/build/40/y") }
    try sandbox.makeFile("work/build/7/later")
    try await wait { watch.outputSoFar.contains("work/build/7/later") }
    // And the other way round.
    try sandbox.makeFile("work/.gitignore", "build\n")
    try await wait { watch.outputSoFar.contains("- \(sandbox.tree)/work/build\n") }
    try await wait { try watches(of: watch.id) < 110 }
    watch.send(SIGINT)
    #expect(try watch.finish().status == 130)
    #expect(try sandbox.run("check", "--verify").status == 0)
  }
}
