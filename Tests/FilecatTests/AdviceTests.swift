import Foundation
import SystemPackage
import TestSupport
import Testing

/// The library says what is the case; the command adds what to do about it.
@Suite("Advice")
struct AdviceTests {
  /// Commands, and the line that each prints. `HOME` stands for the home of the test.
  static let lines: [(arguments: [String], line: String)] = [
    (
      ["ls", "HOME/tree/none"],
      "HOME/tree/none is not in the catalog; if it is there, scan again: filecat scan HOME/tree"
    ),
    (["show", "/unheard"], "/unheard is not in the catalog; scan it: filecat scan /unheard"),
    (
      ["ls", "--catalog", "HOME/none", "/"],
      "there is no catalog at HOME/none; make one with: filecat scan DIRECTORY"
    ),
    (
      ["ls", "--catalog", "HOME/tree/a.txt"],
      "HOME/tree/a.txt is not a catalog; name another file with --catalog, or move it away"
    ),
    (
      ["scan", "--catalog", "/proc/c", "HOME/tree"],
      "/proc/c cannot be created: No such file or directory; name another place with --catalog"
    ),
    (["forget", "/unheard"], "/unheard is not a root of the catalog; see: filecat roots"),
    (["scan", "HOME/none"], "HOME/none: no such directory; check the spelling"),
    (
      ["report", "usage_by_tpye"],
      "there is no report “usage_by_tpye”; did you mean “usage_by_type”?"
    ),
    (["report", "unheard"], "there is no report “unheard”; see them all with: filecat report"),
    (
      ["find", "@big"],
      "there is no saved search “big”; save one: filecat find --save NAME QUERY"
    ),
    (
      ["containers", "forget", "unheard"],
      "no container “unheard” is registered; see: filecat containers list"
    ),
    (
      ["scan", "HOME/tree/a.txt"],
      "HOME/tree/a.txt is not a directory; scan the directory it is in"
    ),
    (
      ["scan", "--catalog", "HOME/short", "HOME/tree"],
      "HOME/short is damaged: it is shorter than it says; "
        + "see what is wrong with: filecat check; mend it with: filecat check --repair; or scan into another file with --catalog"
    ),
    (
      ["containers", "resolve", "documentation"],
      #"no role is called "documentation"; did you mean “documents”?"#
    ),
    (
      ["containers", "resolve", "documents", "../x"],
      #""../x" does not stay inside the directory; use a relative path without “..”"#
    ),
    (
      ["types", "import", "HOME/tree/a.txt"],
      "HOME/tree/a.txt: declarations are read from .plist and .json files; name it so"
    ),
    (["find", "--sort", "nmae"], "unknown sort key “nmae”; did you mean “name”?"),
    (["find", "--columns", "nam"], "there is no column “nam”; did you mean “name”?"),
    (
      ["find", "--after", "x"],
      "“x” is no cursor; take the one that the page before printed, or “start”"
    ),
    (
      ["scan", "--exclude", "[a", "HOME/tree"],
      #"--exclude [a: the [ is not closed; expected a closing ], or \[ for a bracket"#
    ),
    (
      ["sql", "DELETE FROM _entries"],
      "only reading is allowed here, not _entries; to change the file use the sqlite3 program"
    ),
  ]

  @Test("stands in the line about the error")
  func line() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("a.txt", "a text that is long enough to be told from a database")
    #expect(try sandbox.run("scan", "tree").status == 0)
    try Data(Data(contentsOf: URL(fileURLWithPath: sandbox.catalog)).prefix(20_000))
      .write(to: URL(fileURLWithPath: sandbox.home + "/short"))
    for (arguments, expected) in Self.lines {
      let run = try sandbox.run(arguments.map { $0.replacing("HOME", with: sandbox.home) })
      #expect(run.errors == "filecat: \(expected.replacing("HOME", with: sandbox.home))\n")
    }
  }

  @Test(
    "tells who may ask the system for what changes", .enabled(if: Unprivileged.isAvailable))
  func watching() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("a.txt")
    let run = try Unprivileged(in: sandbox).run(
      "watch", "--method", "fanotify", "--catalog", sandbox.home + "/own", sandbox.tree)
    #expect(run.status == 4)
    #expect(
      run.errors
        == "filecat: \(sandbox.tree): cannot be watched by fanotify: Operation not "
        + "permitted; run with CAP_SYS_ADMIN and CAP_DAC_READ_SEARCH, or choose --method "
        + "automatic\n")
  }

  @Test(
    "tells how to go on with a root that asks for values which nothing here provides",
    .enabled(if: StockSQLite.isAvailable))
  func values() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    try sandbox.makeFile("a.txt")
    #expect(try sandbox.run("scan", "--xattrs", "tree").status == 0)
    try sandbox.sqlite(
      sandbox.catalog,
      "UPDATE _roots SET settings = json_set(settings, '$.resourceValues', json_array('labels'))")
    let run = try sandbox.run("scan")
    #expect(run.status == 4)
    #expect(
      run.errors
        == "filecat: \(sandbox.tree) asks for the resource values “labels”, which nothing here "
        + "provides; known: xattr; do without with --no-xattrs\n")
    #expect(try sandbox.run("scan", "--no-xattrs").status == 0)
  }

  @Test("tells how to go on with a root that is gone, or has lost its entries")
  func roots() throws {
    let sandbox = try Sandbox()
    defer { sandbox.remove() }
    for number in 1...30 { try sandbox.makeFile("d/\(number)") }
    #expect(try sandbox.run("scan", "tree").status == 0)
    try sandbox.directory.remove("tree/d")
    #expect(
      try sandbox.run("scan", sandbox.tree).errors
        == "filecat: \(sandbox.tree) has lost more than half of its entries (32 → 1): is it "
        + "mounted? Nothing was changed; accept the loss with --allow-empty\n")
    try sandbox.directory.remove("tree")
    #expect(
      try sandbox.run("scan", sandbox.tree).errors
        == "filecat: \(sandbox.tree) is not there: it is marked as offline and its entries are "
        + "kept; mount it and scan again, or drop it with: filecat forget \(sandbox.tree)\n")
  }
}
