import Foundation
import TestSupport
import TestTraits
import Testing

@Suite("Saved searches on the command line")
struct SavedSearchTests {
  private func scanned() throws -> Sandbox {
    let sandbox = try Sandbox()
    try sandbox.makeFile("a.txt", "abc")
    try sandbox.makeFile("b.txt", "a longer text")
    try sandbox.makeFile("sub/c.txt", "ab")
    try sandbox.makeFile("sub/d.png", "png")
    #expect(try sandbox.run("scan", "tree").status == 0)
    return sandbox
  }

  private func names(_ run: CommandResult) -> [String] {
    run.text.split(separator: "\n").compactMap { $0.split(separator: "/").last.map(String.init) }
  }

  @Test("a saved search is found by its name, with its order and its directory", .feature("P-34"))
  func savedAndFound() throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    let saved = try sandbox.run("find", "--save", "texts", "ext:txt", "--sort=-size")
    #expect(saved.status == 0)
    #expect(saved.text.isEmpty && saved.errors.isEmpty)
    #expect(names(try sandbox.run("find", "@texts")) == ["b.txt", "a.txt", "c.txt"])
    #expect(
      names(try sandbox.run("find", "@texts", "--sort", "name")) == ["a.txt", "b.txt", "c.txt"])
    #expect(names(try sandbox.run("find", "@texts", "size:<5")) == ["a.txt", "c.txt"])
    #expect(names(try sandbox.run("find", "@texts", "!a*")) == ["b.txt", "c.txt"])
    #expect(names(try sandbox.run("find", "@texts", "--in", "tree/sub")) == ["c.txt"])
    #expect(try sandbox.run("find", "-c", "@texts").text == "3\n")
    #expect(try sandbox.run("find", "--save", "texts", "ext:txt", "--in", "tree/sub").status == 0)
    #expect(names(try sandbox.run("find", "@texts")) == ["c.txt"])
  }

  @Test("a saved search keeps all its directories, and how far to look below them")
  func directories() throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    try sandbox.makeFile("one/e.txt")
    try sandbox.makeFile("one/deep/f.txt")
    try sandbox.makeFile("two/a/b/g.txt")
    #expect(try sandbox.run("scan", "tree").status == 0)
    let places = ["--in", "tree/one", "--in", "tree/two/a", "--in", "tree/sub"]
    #expect(try sandbox.run(["find", "--save", "there", "ext:txt"] + places).status == 0)
    #expect(
      Set(names(try sandbox.run("find", "@there"))) == ["c.txt", "e.txt", "f.txt", "g.txt"])
    #expect(Set(names(try sandbox.run("find", "@there", "-d", "1"))) == ["c.txt", "e.txt"])
    #expect(names(try sandbox.run("find", "@there", "--in", "tree/one/deep")) == ["f.txt"])
    #expect(
      try sandbox.run(["find", "--save", "near", "ext:txt", "-d1"] + places).status == 0)
    #expect(Set(names(try sandbox.run("find", "@near"))) == ["c.txt", "e.txt"])
    #expect(
      Set(names(try sandbox.run("find", "@near", "--exact-depth", "2"))) == ["f.txt", "g.txt"])
    #expect(names(try sandbox.run("find", "@near", "-d", "0")).isEmpty)
    #expect(try sandbox.run("find", "--save", "top", "ext:txt", "-d1").status == 0)
    #expect(Set(names(try sandbox.run("find", "@top"))) == ["a.txt", "b.txt"])
    let list = try Rows.objects(sandbox.run("find", "--saved", "--format", "ndjson"), "ndjson")
    let near = try #require(list.first { $0["name"] == .string("near") })
    #expect(near["levels"]?.text == "depth:<=1")
    let kept = ["one", "two/a", "sub"].map { JSONValue.string("\(sandbox.tree)/\($0)") }
    #expect(near["directories"] == .array(kept))
  }

  @Test("saved searches are listed and deleted")
  func listedAndDeleted() throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    #expect(try sandbox.run("find", "--saved").status == 1)
    try sandbox.run("find", "--save", "two", "size:>2", "NOT", "*.png")
    try sandbox.run("find", "--save", "one", "*.png")
    let list = try Rows.parse(sandbox.run("find", "--saved", "--format", "ndjson"), "ndjson")
    #expect(list.map { $0["name"] ?? nil } == ["one", "two"])
    #expect(list.map { $0["query"] ?? nil } == ["name:*.png", "size:>2 !name:*.png"])
    #expect(try sandbox.run("find", "--unsave", "one").status == 0)
    let gone = try sandbox.run("find", "@one")
    #expect(gone.status == 64)
    #expect(gone.errorLines.count == 1)
    #expect(gone.errors.contains("two"))
    #expect(try sandbox.run("find", "--unsave", "one").status == 64)
  }

  @Test(
    "a day is one of the process's time zone, whatever the clock does on it",
    arguments: [
      ("UTC0", "2026-03-29", "2026-03-29T00:00:00Z..<2026-03-30T00:00:00Z"),
      // Put forward at two, back at three: 23 hours and 25 hours.
      (
        "CET-1CEST,M3.5.0,M10.5.0/3", "2026-03-29",
        "2026-03-28T23:00:00Z..<2026-03-29T22:00:00Z"
      ),
      (
        "CET-1CEST,M3.5.0,M10.5.0/3", "2026-10-25",
        "2026-10-24T22:00:00Z..<2026-10-25T23:00:00Z"
      ),
      // Put forward at midnight: the day begins at one. Put back at midnight: it begins only once.
      (
        "<-03>3<-02>,M11.1.0/0,M2.3.0/0", "2018-11-04",
        "2018-11-04T03:00:00Z..<2018-11-05T02:00:00Z"
      ),
      (
        "<-03>3<-02>,M11.1.0/0,M2.3.0/0", "2018-02-18",
        "2018-02-18T03:00:00Z..<2018-02-19T03:00:00Z"
      ),
      // A time that the clock shows twice is the earlier one.
      (
        "CET-1CEST,M3.5.0,M10.5.0/3", "2026-10-25T02:30..",
        ">=2026-10-25T00:30:00Z"
      ),
    ])
  func localDays(_ zone: String, _ date: String, _ expected: String) throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    try sandbox.run("find", "--save", "day", "modified:\(date)", environment: ["TZ": zone])
    let list = try Rows.parse(sandbox.run("find", "--saved", "--format", "ndjson"), "ndjson")
    #expect(list.map { $0["query"] ?? nil } == ["modified:\(expected)"])
  }

  @Test(
    "what cannot be saved is wrong usage",
    arguments: [
      ["find", "--save", "a b", "x"], ["find", "--save", "", "x"],
      ["find", "--save", "x", "size:"],
      ["find", "--save", "x", "--saved"], ["find", "--saved", "x"], ["find", "--unsave", "x", "y"],
      ["find", "--save", "x", "y", "--sort", "sise"], ["find", "@"], ["find", "@unheard-of"],
    ])
  func wrongUsage(_ arguments: [String]) throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    let run = try sandbox.run(arguments)
    #expect(run.status == 64, "\(run.errors)")
    #expect(run.output.isEmpty)
    #expect(run.errors.hasPrefix("filecat: "))
  }

  @Test("directories come first where they are asked for")
  func directoriesFirst() throws {
    let sandbox = try scanned()
    defer { sandbox.remove() }
    let run = try sandbox.run("ls", "tree", "--sort", "directories-first,-name")
    #expect(names(run) == ["sub", "b.txt", "a.txt"])
    let alone = try sandbox.run("ls", "tree", "--sort", "directories-first")
    #expect(names(alone) == ["sub", "a.txt", "b.txt"])
    #expect(names(try sandbox.run("ls", "tree")) == ["a.txt", "b.txt", "sub"])
  }
}
