import Foundation
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("filecat containers purge", .feature("SB-03", "SB-05"))
struct PurgeCommandTests {
  private func withBox(_ body: (Sandbox) throws -> Void) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("Library/Caches/a/old", String(repeating: "x", count: 5000))
    try sandbox.makeFile("Library/Caches/new", String(repeating: "x", count: 5000))
    try sandbox.makeFile("tmp/t", "1")
    try sandbox.makeFile("Documents/d", "1")
    let time = 1_577_836_800 * 1_000_000_000
    try sandbox.directory.make(.times("tree/Library/Caches/a/old", accessed: time, modified: time))
    #expect(try sandbox.run("scan", "--container", "apple-sandbox", sandbox.tree).status == 0)
    try body(sandbox)
  }

  private func purge(_ sandbox: Sandbox, _ arguments: String...) throws -> CommandResult {
    try sandbox.run(["containers", "purge"] + arguments)
  }

  private func holds(_ sandbox: Sandbox, _ path: String) -> Bool {
    sandbox.directory.holds(FilePath("tree/" + path))
  }

  @Test("says what would be removed, removes it, and the catalog follows")
  func wholeWay() throws {
    try withBox { sandbox in
      let rehearsal = try purge(sandbox, "--dry-run", "--format", "json")
      #expect(rehearsal.status == 0 && holds(sandbox, "Library/Caches/a/old"))
      let told = try Rows.objects(rehearsal, "json")
      #expect(
        told.map { $0["path"] } == [
          .string(sandbox.tree + "/Library/Caches/a/old"),
          .string(sandbox.tree + "/Library/Caches/new"), .string(sandbox.tree + "/tmp/t"),
          .string(sandbox.tree + "/Library/Caches/a"),
        ])
      #expect(told.first?["last_used"] == .integer(1_577_836_800))
      #expect(told.first?["role"] == .string("caches") && told.first?["reason"] == .null)
      #expect(told.allSatisfy { $0["state"] == .string("would be removed") })

      let aged = try purge(sandbox, "--older-than", "1y", "--yes", "--format", "paths")
      #expect(
        Rows.lines(aged)
          == ["\(sandbox.tree)/Library/Caches/a/old", "\(sandbox.tree)/Library/Caches/a"])
      #expect(aged.status == 0 && aged.errors.isEmpty)
      #expect(!holds(sandbox, "Library/Caches/a") && holds(sandbox, "Library/Caches/new"))
      let nothing = try purge(sandbox, "--older-than", "1y", "--yes")
      #expect(nothing.status == 1 && nothing.errors.contains("there is nothing to remove"))

      #expect(try purge(sandbox, "--role", "tmp", "--yes").status == 0)
      #expect(
        !holds(sandbox, "tmp/t") && holds(sandbox, "tmp") && holds(sandbox, "Library/Caches/new"))
      let found = try sandbox.run("find", "kind:file")
      #expect(
        Set(Rows.lines(found))
          == ["\(sandbox.tree)/Documents/d", "\(sandbox.tree)/Library/Caches/new"])
      #expect(try sandbox.run("check").status == 0)
    }
  }

  @Test("refuses what is not said, and what roles protect", .feature("SB-04"))
  func refusals() throws {
    try withBox { sandbox in
      let usage = [
        [], ["--dry-run", "--yes"], ["--yes", "--older-than", "x"], ["--yes", "--force"],
        ["--yes", "--free", "1k", "--until-free", "1k"], ["--yes", "--free", "x"],
        ["--yes", "--role", "cache"],
      ]
      for arguments in usage {
        let run = try sandbox.run(["containers", "purge"] + arguments)
        #expect(run.status == 64 && run.errorLines.count >= 1, "\(arguments) \(run.errors)")
      }
      #expect(try purge(sandbox).errors.contains("--dry-run says what would be, --yes removes it"))
      #expect(try purge(sandbox, "--yes", "--role", "cache").errors.contains("caches"))
      #expect(try purge(sandbox, "nobody", "--yes").status == 1)
      for role in ["documents", "preferences", "resources", "application_support", "offline_data"] {
        let run = try purge(sandbox, "--yes", "--role", role)
        #expect(run.status == 4 && run.errors.contains("repeat it with --force"), "\(run.errors)")
      }
      #expect(holds(sandbox, "Documents/d") && holds(sandbox, "tmp/t"))
      #expect(
        try purge(sandbox, sandbox.tree, "--yes", "--force", "--role", "documents").status == 0)
      #expect(
        !holds(sandbox, "Documents/d") && holds(sandbox, "Documents") && holds(sandbox, "tmp/t"))
    }
  }

  @Test("tells what it leaves, by rows and by its status")
  func leaves() throws {
    try withBox { sandbox in
      try sandbox.makeFile("Library/Caches/new", "changed")
      let paths = try purge(sandbox, "--dry-run", "--format", "paths")
      #expect(paths.status == 3 && Rows.lines(paths).count == 3)
      #expect(paths.errors.contains("Library/Caches/new: it is not as the last scan has found it"))
      let run = try purge(sandbox, "--yes", "--format", "json")
      let rows = try Rows.objects(run, "json")
      #expect(run.status == 3 && rows.count == 4)
      #expect(rows.count { $0["state"] == .string("left") } == 1)
      #expect(holds(sandbox, "Library/Caches/new"))

      // Everything left, and a whole directory refused.
      try sandbox.directory.rename("tree/Library/Caches", to: "tree/moved")
      try sandbox.directory.makeLink("tree/Library/Caches", to: "../moved")
      let refused = try purge(sandbox, "--yes")
      #expect(refused.status == 4 && holds(sandbox, "moved/new"))
      #expect(
        refused.errors
          == "filecat: \(sandbox.tree)/Library/Caches: nothing was removed: it is not the "
          + "directory that was scanned\n")
    }
  }

  @Test(
    "refuses to tell ages by a clock that is behind", .enabled(if: CommandRunner.exists("sqlite3")))
  func clock() throws {
    try withBox { sandbox in
      let future = "UPDATE _scan_log SET finished = 4000000000000000000"
      try CommandRunner("sqlite3").run([sandbox.catalog, future])
      for mode in ["--dry-run", "--yes"] {
        let run = try purge(sandbox, mode)
        #expect(run.status == 4 && run.errorLines.count == 1)
        #expect(run.errors.contains("nothing was removed; set the clock"), "\(run.errors)")
      }
      #expect(holds(sandbox, "Library/Caches/a/old") && holds(sandbox, "tmp/t"))
    }
  }

  @Test("that is killed leaves a sound catalog, and a scan finds what is gone")
  func killed() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    let count = 1500
    for number in 0..<count { try sandbox.makeFile("Library/Caches/\(number % 10)/\(number)", "x") }
    try sandbox.makeFile("Documents/d", "1")
    #expect(try sandbox.run("scan", "--container", "apple-sandbox", sandbox.tree).status == 0)
    func left() throws -> Int {
      try (0..<10).reduce(0) {
        let directory = FilePath("tree/Library/Caches/\($1)")
        return try $0
          + (sandbox.directory.holds(directory) ? sandbox.directory.names(in: directory).count : 0)
      }
    }
    let run = try sandbox.start("containers", "purge", "--yes")
    while run.isRunning, try left() == count { usleep(500) }
    run.crash()
    let rest = try left()
    #expect((1..<count).contains(rest))
    #expect(try sandbox.run("check").status == 0)
    // The rows are there until a scan has looked.
    #expect(try sandbox.run("find", "--count", "kind:file").text == "\(count + 1)\n")
    #expect(try sandbox.run("scan", "--allow-empty").status == 0)
    #expect(try sandbox.run("find", "--count", "kind:file").text == "\(rest + 1)\n")
    #expect(try purge(sandbox, "--yes").status == 0)
    #expect(try left() == 0 && sandbox.run("check").status == 0)
    #expect(try sandbox.directory.names(in: "tree/Library/Caches").isEmpty)
    #expect(holds(sandbox, "Documents/d"))
  }
}

@Suite("filecat containers mark, of containers and roles", .feature("SP-04", "SP-10"))
struct MarkSelectionTests {
  @Test("prints a line for each item, and takes paths or a selection")
  func selections() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    for box in ["one", "two"] {
      try sandbox.makeFile("\(box)/Library/Caches/c", "1")
      try sandbox.makeFile("\(box)/Documents/d", "1")
      let path = "\(sandbox.tree)/\(box)"
      let scan = try sandbox.run("scan", "--xattrs", "--container", "apple-sandbox", path)
      #expect(scan.status == 0)
    }
    func states(_ arguments: String...) throws -> [[String?]] {
      let run = try sandbox.run(["containers"] + arguments + ["--format", "json"])
      #expect(run.status == 0, "\(run.errors)")
      return try Rows.objects(run, "json").map { row in
        [row["path"]?.text?.replacing(sandbox.tree + "/", with: ""), row["state"]?.text]
      }
    }
    let both = ["one", "two"].map { "\($0)/Library/Caches" }
    #expect(
      try states("mark", "--role", "caches", "--dry-run") == both.map { [$0, "would be marked"] })
    #expect(try states("mark", "--role", "caches") == both.map { [$0, "marked"] })
    #expect(
      try states("mark", "--role", "caches", "--container", "\(sandbox.tree)/one")
        == [[both[0], "marked already"]])
    func observed(_ path: String) throws -> JSONValue? {
      #expect(try sandbox.run("scan").status == 0)
      let shown = try sandbox.run("show", "\(sandbox.tree)/\(path)", "--format", "json")
      return try Rows.objects(shown, "ndjson").first?["backup_mark"]
    }
    #expect(try observed(both[0]) == .string("excluded"))
    #expect(
      try states("unmark", "--container", "\(sandbox.tree)/one")
        == [["one", "unmarked already"], [both[0], "unmarked"]])
    #expect(try observed(both[0]) == .string("unmarked"))
    #expect(try observed(both[1]) == .string("excluded"))

    let usage = [["tree/one", "--role", "caches"], ["--role", "cache"], []]
    for arguments in usage {
      #expect(try sandbox.run(["containers", "mark"] + arguments).status == 64, "\(arguments)")
    }
    #expect(try sandbox.run("containers", "mark", "--container", "none").status == 1)
    #expect(try sandbox.run("containers", "mark", "--role", "resources").status == 1)
  }
}
