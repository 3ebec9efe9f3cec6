import FileCatalog
import FileSystem
import Foundation
import SystemPackage
import TestSupport
import TestTraits
import Testing

/// Roots that are added to a catalog which has others, as pages where they are large.
@Suite("A root that joins a catalog")
struct JoiningTests {
  /// A tree with everything that has rows or keys of its own.
  private static func pieces(
    _ root: FilePath, _ count: Int, _ random: inout SeededRandom
  ) -> [Piece] {
    var pieces: [Piece] = []
    var directories = [root]
    var files: [FilePath] = []
    while pieces.count < count {
      let number = pieces.count
      let directory = directories[random.below(directories.count)]
      switch random.below(40) {
      case 0, 1:
        directories.append(directory.appending("directory \(number)"))
        pieces.append(.directory(directories[directories.count - 1]))
      case 2:
        pieces.append(
          .symlink(directory.appending("link\(number)"), to: FilePath("../target\(number)")))
      case 3 where !files.isEmpty:
        let file = files[random.below(files.count)]
        pieces.append(.hardLink(directory.appending("again\(number).txt"), to: file))
      case 4:
        let package = directory.appending("Bundle\(number).app")
        pieces.append(.file(package.appending("Contents").appending("Info"), bytes: 3))
        pieces.append(.hardLink(package.appending("same"), to: package.appending("Contents/Info")))
      case 5: pieces.append(.file(directory.appending("icon\(number % 90)@2x~ipad.png"), bytes: 1))
      case 6:
        let name = CrookedNames.all[random.below(CrookedNames.all.count)]
        let place = directory.pushing(FilePath(bytes: Array("\(number)".utf8) + name))
        if !name.contains(UInt8(ascii: "/")) { pieces.append(.file(place)) }
      case 7: pieces.append(.fifo(directory.appending("pipe\(number)")))
      default:
        let ending = ["txt", "swift", "tar.gz", "e\(number % 300)", "jpg"][random.below(5)]
        let file = directory.appending("file\(number).\(ending)")
        files.append(file)
        pieces.append(.file(file, bytes: random.below(30)))
      }
    }
    return pieces
  }

  /// The columns of `files` that do not depend on what else a catalog has.
  private func ownValues(
    _ catalog: Catalog, below root: FilePath
  ) throws -> [[UInt8]: [String: ColumnValue]] {
    let rows = try FilesView(catalog).rows.filter { $0.path.starts(with: root.bytes) }
    return Dictionary(
      uniqueKeysWithValues: rows.map { row in
        let own = row.values.filter { column, _ in
          !["id", "rowid"].contains(column) && !column.hasSuffix("_id") && !column.contains("scan")
            && !column.contains("accessed")
        }
        return (row.path, own)
      })
  }

  private func entriesRoot(_ catalog: Catalog) throws -> Int64? {
    try catalog.number("SELECT rootpage FROM sqlite_master WHERE name = '_entries'")
  }

  @Test("has the rows that it has in a catalog of its own, and the others stay")
  func manyRoots() async throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededRandom(seed: seed)
    let sizes = [10, 4000, 2900, 700, 5000]
    try await withLaboratory { lab in
      var before: [FilePath: [[UInt8]: [String: ColumnValue]]] = [:]
      for (number, size) in sizes.enumerated() {
        let root = lab.tree.path.appending("root\(number)")
        try lab.tree.make(Self.pieces(FilePath("root\(number)"), size, &random))
        let page = try entriesRoot(lab.catalog)
        let summary = try await lab.catalog.scan([root])
        // What is large moves the trees, which with statements stay where they are.
        if number > 0, size > 2500 {
          #expect(try entriesRoot(lab.catalog) != page, "\(size) entries, seed \(seed)")
        }
        try await withTemporaryCatalog { own in
          #expect(try await own.scan([root]).map(\.entries) == summary.map(\.entries))
          before[root] = try ownValues(own, below: root)
          let usage =
            "SELECT kind, sum(entries), sum(size), sum(allocated) FROM _usage_sums GROUP BY 1"
          if number == 0 {
            #expect(try own.texts(usage) == lab.catalog.texts(usage))
          }
        }
        for (root, values) in before {
          // Outside of the expectation, which would print thousands of rows.
          let isSame = try ownValues(lab.catalog, below: root) == values
          #expect(isSame, "\(root) of seed \(seed)")
        }
        try await expectSound(lab.catalog)
        // And they go on from there.
        try lab.tree.make(.file(FilePath("root\(number)/later"), bytes: 5))
        let again = try await lab.catalog.scan([root])
        #expect(again.map(\.added) == [1], "seed \(seed)")
        before[root] = try ownValues(lab.catalog, below: root)
        try await expectSound(lab.catalog)
      }
      // A root less, and what it had is free for the next.
      try await lab.catalog.forget(lab.tree.path.appending("root4"))
      try await expectSound(lab.catalog)
      _ = try await lab.catalog.scan([lab.tree.path.appending("root4")])
      try await expectSound(lab.catalog)
    }
  }

  @Test("takes in roots that lie in it")
  func innerRoots() async throws {
    var random = SeededRandom(seed: 5)
    try await withLaboratory(Self.pieces("tree", 4000, &random)) { lab in
      let names = try FileManager.default.contentsOfDirectory(
        atPath: lab.tree.path.appending("tree").string)
      let inner = try #require(names.first { $0.hasPrefix("directory") })
      _ = try await lab.catalog.scan([lab.tree.path.appending("tree").appending(inner)])
      try await lab.scan()
      #expect(try await lab.catalog.roots().map(\.path) == [lab.tree.path])
      let walk = try IndependentWalk.entries(of: lab.tree.path)
      #expect(try await lab.catalog.count(of: Query()) > 3000 && walk.count > 3000)
    }
  }

  @Test("is not there at all when its scan is killed", .enabled(if: CommandRunner.filecat != nil))
  func killed() async throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededRandom(seed: seed)
    let command = try #require(CommandRunner.filecat)
    let pieces =
      Self.pieces("old", 3000, &random) + Self.pieces("new", 5000, &random)
    try await withLaboratory(pieces) { lab in
      let (old, new) = (lab.tree.path.appending("old"), lab.tree.path.appending("new"))
      _ = try await lab.catalog.scan([old])
      let count = try await lab.catalog.count(of: Query())
      let copy = lab.catalog.path.removingLastComponent().appending("copy.sqlite")
      for _ in 0..<12 {
        try? FileManager.default.removeItem(atPath: copy.string)
        try await lab.catalog.backUp(to: copy)
        let scan = try command.start([
          "--catalog", copy.string, "scan", "--no-progress", new.string,
        ])
        usleep(UInt32(random.below(300_000)))
        scan.crash()
        let catalog = try Catalog(at: copy)
        try await expectSound(catalog)
        let roots = try await catalog.roots().map(\.path)
        #expect(roots == [old] || roots.contains(new), "seed \(seed)")
        if roots == [old] {
          #expect(try await catalog.count(of: Query()) == count, "seed \(seed)")
          _ = try await catalog.scan([new])
          try await expectSound(catalog)
        }
        try catalog.close()
      }
    }
  }

  @Test("is seen by who reads all at once", .feature("P-65"))
  func readers() async throws {
    var random = SeededRandom(seed: 6)
    let pieces = Self.pieces("old", 3000, &random) + Self.pieces("new", 5000, &random)
    try await withLaboratory(pieces) { lab in
      _ = try await lab.catalog.scan([lab.tree.path.appending("old")])
      let other = try Catalog(at: lab.catalog.path)
      let before = try await other.count(of: Query())
      let catalog = lab.catalog
      let root = lab.tree.path.appending("new")
      let scan = Task { try await catalog.scan([root]) }
      var counts: Set<Int> = []
      for _ in 0..<100 { counts.insert(try await other.count(of: Query())) }
      let added = try await scan.value.map(\.entries).reduce(0, +)
      counts.insert(try await other.count(of: Query()))
      #expect(counts.isSubset(of: [before, before + added]))
      #expect(counts.contains(before + added))
      try await expectSound(other)
      try other.close()
    }
  }
}
