import Foundation
import TestSupport
import TestTraits
import Testing

@Suite("An earlier state on the command line", .feature("X-08", "P-21"))
struct EarlierStateCommandTests {
  /// A tree that has been scanned twice, with everything that can happen between.
  private func withHistory(_ body: (Sandbox) throws -> Void) throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("letters/one.txt", "first")
    try sandbox.makeFile("letters/deep/two.txt", "second")
    try sandbox.makeFile("gone.txt", "gone")
    #expect(try sandbox.run("scan", "tree").status == 0)
    let tree = sandbox.tree
    try FileManager.default.removeItem(atPath: "\(tree)/gone.txt")
    try FileManager.default.moveItem(atPath: "\(tree)/letters", toPath: "\(tree)/post")
    try sandbox.makeFile("post/one.txt", "first, and more")
    try sandbox.makeFile("new.txt", "new")
    #expect(try sandbox.run("scan", "tree", "--changes").status == 0)
    try body(sandbox)
  }

  @Test("ls, find and du show what was there")
  func shown() throws {
    try withHistory { sandbox in
      let listed = try Rows.parse(
        try sandbox.run("ls", "tree/letters", "--at", "1", "--format", "ndjson"), "ndjson")
      #expect(listed.map { $0["name"] } == ["deep", "one.txt"])
      #expect(listed.last?["size"] == "5")
      #expect(listed.last.map { $0.keys.contains("owner") } == false)
      let found = try sandbox.run("find", "--at", "1", "ext:txt", "--columns", "name,size")
      #expect(found.text == "name\tsize\ngone.txt\t4\ntwo.txt\t6\none.txt\t5\n")
      #expect(try sandbox.run("find", "--at", "1", "-c").text == "6\n")
      #expect(try sandbox.run("find", "--at", "2", "-c", "new").text == "1\n")
      #expect(try sandbox.run("find", "--at", "1", "new").status == 1)
      let sums = try Rows.parse(
        try sandbox.run("du", "tree", "--at", "1", "--format", "json", "-d", "1"), "json")
      #expect(Set(sums.map { $0["total_size"] }) == ["15", "11"])
      // As people see it, too.
      let table = try sandbox.run("ls", "tree", "--at", "1", "--format", "table")
      #expect(table.text.contains("letters") && !table.text.contains("post"))
    }
  }

  @Test(
    "what the history does not have is refused in one line",
    arguments: [
      (["find", "--at", "1", "owner:root"], "the history does not keep owner:"),
      (["find", "--at", "1", "is:public.image"], "the history does not keep is:"),
      (["ls", "tree", "--at", "1", "--columns", "mode"], "does not keep the column mode"),
      (["ls", "tree", "--at", "1", "--sort", "owner"], "does not keep the sort key owner"),
      (["du", "tree", "--at", "1", "--all"], "--all does not go with --at"),
      (["find", "--at", "1", "-l"], "-l does not go with --at"),
      (["find", "--at", "1", "--after", "start", "--limit", "1"], "use --offset with --at"),
      (["find", "--at", "7"], "there is no scan 7; the last one is 2"),
      (["find", "--at", "2001-01-01"], "nothing was in the catalog then"),
      (["find", "--at", "sometime"], "neither the number of a scan nor a date"),
    ])
  func refused(_ arguments: [String], _ reason: String) throws {
    try withHistory { sandbox in
      let run = try sandbox.run(arguments)
      #expect(run.status == 64 && run.output.isEmpty, "\(run.errors)")
      #expect(run.errors.contains(reason), "\(run.errors)")
    }
  }

  @Test("a path that was not there then is told so, with status 1")
  func missing() throws {
    try withHistory { sandbox in
      let run = try sandbox.run("ls", "tree/post", "--at", "1")
      #expect(run.status == 1)
      #expect(run.errors.contains("was not in the catalog then, after scan 1"), "\(run.errors)")
    }
  }
}
