import FileCatalog
import FileSystem
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("The difference that a rescan reports")
struct MoveTests {
  @Test("of files", .feature("JB-30"), arguments: DifferenceVector.files)
  func files(_ vector: DifferenceVector) async throws { try await expect(vector) }

  @Test("of directories", arguments: DifferenceVector.directories)
  func directories(_ vector: DifferenceVector) async throws { try await expect(vector) }

  @Test("of what becomes something else", arguments: DifferenceVector.kinds)
  func kinds(_ vector: DifferenceVector) async throws { try await expect(vector) }

  private func expect(_ vector: DifferenceVector) async throws {
    try await withLaboratory(vector.pieces) { lab in
      try await lab.scan()
      try lab.apply(vector.edits)
      #expect(try await lab.difference() == vector.lines)
      #expect(try await lab.difference() == [], "a second time")
    }
  }

  @Test("names the columns that differ", .feature("JB-29"))
  func fields() async throws {
    let pieces: [Piece] = [
      .file("size", bytes: 1), .file("mode"), .file("time"), .file("links"),
      .symlink("target", to: "a"),
    ]
    try await withLaboratory(pieces) { lab in
      try await lab.scan()
      try lab.tree.make([
        .file("size", bytes: 2), .mode("mode", 0o600), .times("time", accessed: 1, modified: 2),
        .hardLink("other", to: "links"),
      ])
      _ = try await lab.difference()
      let rows = try lab.catalog.rows("SELECT path, kind, fields, size, old_size FROM changes")
      let fields: [String: String] = Dictionary(
        rows.map { (lab.relative($0["path"]?.bytes ?? []) ?? "", $0["fields"]?.string ?? "") },
        uniquingKeysWith: { first, _ in first })
      #expect(
        fields == [
          "size": "size,modified,changed", "mode": "changed,mode", "time": "modified,changed",
          "links": "changed,links", "other": "",
        ])
      let size = try #require(rows.first { lab.relative($0["path"]?.bytes ?? []) == "size" })
      #expect(size["size"] == .integer(2) && size["old_size"] == .integer(1))
    }
  }

  @Test(
    "a moved directory is one change, and everything below keeps its id", .feature("P-05"),
    arguments: [1, 4])
  func manyDescendants(_ jobs: Int) async throws {
    let pieces = (0..<1500).map { Piece.file(FilePath("d/\($0 % 40)/\($0 % 7)/f\($0)"), bytes: 1) }
    try await withLaboratory(pieces + [.directory("e/in")]) { lab in
      try await lab.scan()
      let before = try lab.ids()
      try lab.tree.rename("d", to: "e/in/moved")
      #expect(try await lab.difference(ScanRequest(jobs: jobs)) == ["> d -> e/in/moved"])
      let after = try lab.ids()
      #expect(after.count == before.count)
      for (path, id) in before where path == "d" || path.hasPrefix("d/") {
        #expect(after["e/in/moved" + path.dropFirst()] == id, "\(path)")
      }
    }
  }

  @Test("many directories change places at once, across others", arguments: [1, 3])
  func manySwaps(_ jobs: Int) async throws {
    let count = 24
    let places = (0..<count).map { FilePath("p\($0 % 5)/q\($0)") }
    let pieces = places.enumerated().map { Piece.file($1.appending("f\($0)"), bytes: $0) }
    try await withLaboratory(pieces) { lab in
      try await lab.scan()
      // Each in the place of the one seven further.
      try lab.apply(places.enumerated().map { .move($1, FilePath("../t\($0)")) })
      try lab.apply((0..<count).map { .move(FilePath("../t\($0)"), places[($0 + 7) % count]) })
      let expected = (0..<count).map { "> \(places[$0]) -> \(places[($0 + 7) % count])" }
      #expect(try await lab.difference(ScanRequest(jobs: jobs)) == expected.sorted())
    }
  }

  @Test("many directories are replaced, and what they were is in others", arguments: [1, 3])
  func manyReplaced(_ jobs: Int) async throws {
    let names = (0..<30).map { "\($0)" }
    let pieces: [Piece] = names.flatMap {
      [.file(FilePath("a/\($0)/in/f"), bytes: 1), .directory(FilePath("b/\($0)"))]
    }
    try await withLaboratory(pieces) { lab in
      try await lab.scan()
      let before = try lab.ids()
      for name in names {
        try lab.apply([
          .move(FilePath("a/\(name)"), FilePath("b/\(name)/x")),
          .make(.file(FilePath("a/\(name)/in/g"))),
        ])
      }
      let expected = names.flatMap {
        ["+ a/\($0)", "+ a/\($0)/in", "+ a/\($0)/in/g", "> a/\($0) -> b/\($0)/x"]
      }
      #expect(try await lab.difference(ScanRequest(jobs: jobs)) == expected.sorted())
      let after = try lab.ids()
      for name in names {
        #expect(after["b/\(name)/x/in/f"] == before["a/\(name)/in/f"])
      }
      #expect(try await lab.difference() == [])
    }
  }

  @Test("more is replaced than is kept in memory until the walk is over")
  func muchReplaced() async throws {
    let directories = (0..<44).map { "\($0)" }
    func pieces(_ top: String) -> [Piece] {
      directories.flatMap { directory in
        (0..<520).map { .symlink(FilePath("\(top)/\(directory)/\($0)"), to: "nowhere") }
          + [.file(FilePath("\(top)/\(directory)/in/f"), bytes: 1)]
      }
    }
    try await withLaboratory(pieces("d") + [.directory("e")]) { lab in
      try await lab.scan()
      let before = try lab.ids()
      try lab.tree.make(pieces("../d"))
      try lab.apply(directories.map { .move(FilePath("d/\($0)/in"), FilePath("e/\($0)")) })
      try lab.tree.remove("d")
      try lab.apply([
        .move("../d", "d"), .make(.file("d/7/new")), .make(.file("d/new/f")),
        .move("e/7", "d/new/7"),
      ])
      let lines = try await lab.difference()
      #expect(lines.filter { $0.hasPrefix("-") } == [])
      #expect(lines.filter { $0.hasPrefix(">") }.count == directories.count)
      #expect(lines.contains("> d/7/in -> d/new/7"))
      // Each directory of that name is new, with what is in it.
      #expect(lines.filter { $0.hasPrefix("+") }.count == 2 * directories.count + 3)
      let after = try lab.ids()
      for (path, id) in before where !path.contains("/in") { #expect(after[path] == id) }
      try await expectSound(lab.catalog)
      #expect(try await lab.difference() == [])
    }
  }

  @Test("an entry that is moved to and fro keeps its id through all scans", .feature("P-06"))
  func idsThroughManyScans() async throws {
    try await withLaboratory([.file("d/in/f", bytes: 3), .directory("e")]) { lab in
      try await lab.scan()
      let ids = try lab.ids()
      for (from, to) in [("d", "x"), ("x/in", "e/in"), ("e", "x/e"), ("x", "d")] {
        try lab.tree.rename(FilePath(from), to: FilePath(to))
        #expect(try await lab.difference() == ["> \(from) -> \(to)"])
      }
      let now = try lab.ids()
      #expect(
        now
          == [
            "d": ids["d"], "d/e": ids["e"], "d/e/in": ids["d/in"],
            "d/e/in/f": ids["d/in/f"],
          ].compactMapValues { $0 })
    }
  }

  @Test("what replaces an entry in its place has its id", .feature("LX-07", "P-06"))
  func replacedInPlace() async throws {
    let pieces: [Piece] = [.file("a", bytes: 1), .file("d/f", bytes: 2)]
    try await withLaboratory(pieces) { lab in
      try await lab.scan()
      let before = try lab.ids()
      try lab.tree.make([.file("../a", bytes: 9), .file("../d/f", bytes: 8)])
      try lab.tree.remove("d")
      try lab.apply([.move("../a", "a"), .move("../d", "d")])
      #expect(try await lab.difference() == ["~ a", "~ d", "~ d/f"])
      #expect(try lab.ids() == before)
    }
  }

  @Test("a file that got the inode of a removed one is new", arguments: [false, true])
  func reusedInode(_ isDirectory: Bool) async throws {
    let piece: (FilePath) -> Piece = { isDirectory ? .directory($0) : .file($0, bytes: 1) }
    try await withLaboratory([piece("old"), .file("other")]) { lab in
      try await lab.scan()
      let before = try lab.ids()
      let inode = try await lab.entry("old").inode
      try lab.tree.remove("old")
      // A file system gives numbers away again as it likes.
      var reused: FilePath?
      for number in 0..<50 where reused == nil {
        let name = FilePath("new\(number)")
        try lab.tree.make(piece(name))
        let walk = try IndependentWalk.entries(of: lab.tree.path)
        if walk[lab.tree.path.pushing(name).bytes]?.inode == inode { reused = name }
      }
      let lines = try await lab.difference()
      #expect(lines.contains("- old"))
      #expect(!lines.contains { $0.hasPrefix(">") })
      if let reused { #expect(lines.contains("+ \(reused)")) }
      #expect(Set(try lab.ids().values).isDisjoint(with: [before["old"] ?? -1]))
    }
  }

  @Test("into and out of directories larger than a batch of the walk", arguments: [1100, 2300])
  func largeDirectories(_ count: Int) async throws {
    let pieces = (0..<count).map { Piece.file(FilePath("large/f\($0)")) }
    let more: [Piece] = [
      .file("large/in/x", bytes: 1), .file("d/in/g", bytes: 2), .file("a", bytes: 3),
    ]
    try await withLaboratory(pieces + more) { lab in
      try await lab.scan()
      try lab.apply([
        .move("large/in", "in"), .move("d", "large/d"), .move("a", "large/a"),
        .move("large/f7", "f7"), .remove("large/f8"), .make(.file("large/new/y")),
        .make(.file("large/f9", bytes: 5)),
      ])
      #expect(
        try await lab.difference() == [
          "+ large/new", "+ large/new/y", "- large/f8", "> a -> large/a", "> d -> large/d",
          "> large/f7 -> f7", "> large/in -> in", "~ large/f9",
        ])
      #expect(try await lab.difference() == [])
      try lab.apply([.move("large/d", "e"), .move("large", "d"), .move("e", "large")])
      #expect(try await lab.difference() == ["> large -> d", "> large/d -> large"])
    }
  }

  @Test("of a part that is asked for twice is told once")
  func samePartTwice() async throws {
    try await withLaboratory([.file("d/f")]) { lab in
      try await lab.scan()
      try lab.tree.make(.file("d/new/g"))
      #expect(try await lab.difference(of: ["d", "d", "d/new"]) == ["+ d/new", "+ d/new/g"])
    }
  }

  @Test("of a part beside which many entries and new directories are")
  func partOfLargeRoot() async throws {
    let pieces = (0..<2300).map { Piece.file(FilePath("f\($0)")) }
    try await withLaboratory(pieces + [.file("d/f")]) { lab in
      try await lab.scan()
      try lab.tree.make([.file("d/g"), .file("n/in/h"), .file("m/i")])
      #expect(
        try await lab.difference(of: ["d"]) == [
          "+ d/g", "+ m", "+ m/i", "+ n", "+ n/in", "+ n/in/h",
        ])
      #expect(try await lab.difference() == [])
    }
  }

  @Test("of a file with names in several roots, seen by one of them")
  func namesInSeveralRoots() async throws {
    try await withLaboratory([.file("one/a", bytes: 1), .hardLink("two/a", to: "one/a")]) { lab in
      let roots = [lab.tree.path.appending("one"), lab.tree.path.appending("two")]
      _ = try await lab.catalog.scan(roots)
      try lab.tree.make(.file("one/a", bytes: 100_000))
      _ = try await lab.catalog.scan([roots[0]])
      try await expectSound(lab.catalog)
      try lab.tree.make(.hardLink("one/in/b", to: "one/a"))
      _ = try await lab.catalog.scan([roots[0].appending("in")])
      try await expectSound(lab.catalog)
    }
  }

  @Test("of one part of a root leaves the rest as it was", .feature("P-03"))
  func parts() async throws {
    let pieces: [Piece] = [
      .file("d/f", bytes: 1), .file("d/in/g", bytes: 2), .file("e/h", bytes: 3),
    ]
    try await withLaboratory(pieces) { lab in
      try await lab.scan()
      try lab.apply([
        .make(.file("d/in/g", bytes: 20)), .make(.file("e/h", bytes: 30)), .make(.file("d/new")),
      ])
      #expect(try await lab.difference(of: ["d"]) == ["+ d/new", "~ d/in/g"])
      #expect(try await lab.entry("e/h").size == 3)
      let total = try await lab.catalog.totals(of: lab.tree.path).totalSize
      #expect(total == 24)
      #expect(try await lab.difference() == ["~ e/h"])
      // From a part that is not read into one that is.
      try lab.apply([.move("e", "d/e"), .move("d/f", "f")])
      #expect(try await lab.difference(of: ["d"]) == ["> d/f -> f", "> e -> d/e"])
      #expect(try await lab.difference() == [])
    }
  }

  @Test("of one part of a root tells of the other names of its files, wherever they are")
  func otherNames() async throws {
    let pieces: [Piece] = [.file("a/f", bytes: 100_000), .file("b/in/x"), .file("c/y")]
    try await withLaboratory(pieces) { lab in
      try await lab.scan()
      func expectDiskUsage() async throws {
        let fresh = try await lab.catalog.totals(of: lab.tree.path).totalAllocated
        try await expectSound(lab.catalog)
        #expect(try await lab.difference() == [])
        #expect(try await lab.catalog.totals(of: lab.tree.path).totalAllocated == fresh)
      }
      try lab.tree.make(.hardLink("b/in/further", to: "a/f"))
      #expect(try await lab.difference(of: ["b/in"]) == ["+ b/in/further", "~ a/f"])
      try await expectDiskUsage()
      try lab.tree.make(.hardLink("c/third", to: "a/f"))
      #expect(
        try await lab.difference(of: ["c"]) == ["+ c/third", "~ a/f", "~ b/in/further"])
      try await expectDiskUsage()
      // Written to through one of its names.
      try lab.tree.make(.file("c/third", bytes: 7))
      #expect(
        try await lab.difference(of: ["c"]) == ["~ a/f", "~ b/in/further", "~ c/third"])
      try await expectDiskUsage()
      try lab.tree.remove("b")
      #expect(
        try await lab.difference(of: ["b"])
          == ["- b", "- b/in", "- b/in/further", "- b/in/x", "~ a/f", "~ c/third"])
      try await expectDiskUsage()
      try lab.tree.remove("c/third")
      #expect(try await lab.difference(of: ["c"]) == ["- c/third", "~ a/f"])
      try await expectDiskUsage()
    }
  }
}
