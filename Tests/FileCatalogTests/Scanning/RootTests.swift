import FileCatalog
import FileSystem
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("Roots")
struct RootTests {
  static let pieces: [Piece] = [
    .file("one/a", bytes: 1), .file("one/in/b", bytes: 2), .file("one/in/er/c", bytes: 3),
    .file("two/d", bytes: 4),
  ]

  @Test("a catalog holds several roots side by side", .feature("P-18"))
  func severalRoots() async throws {
    try await withLaboratory(Self.pieces) { lab in
      let roots = [lab.tree.path.appending("one"), lab.tree.path.appending("two")]
      let summaries = try await lab.catalog.scan(roots)
      #expect(summaries.map(\.root) == roots)
      #expect(summaries.map(\.entries) == [6, 2])
      let known = try await lab.catalog.roots()
      #expect(known.map(\.path) == roots)
      #expect(known.map(\.entries) == [6, 2])
      #expect(known.map(\.size) == [6, 4])
      // No root stands for all of them.
      #expect(try await lab.catalog.scan().map(\.root) == roots)
      #expect(try FilesView(lab.catalog).rows.count == 8)
      try await expectSound(lab.catalog)
    }
  }

  @Test("roots inside a new one become part of it", arguments: [false, true])
  func nestedRootsAreAbsorbed(_ atOnce: Bool) async throws {
    try await withLaboratory(Self.pieces) { lab in
      let inner = [lab.tree.path.appending("one").appending("in"), lab.tree.path.appending("two")]
      if atOnce {
        _ = try await lab.catalog.scan(inner + [lab.tree.path])
      } else {
        _ = try await lab.catalog.scan(inner)
        try await lab.scan()
      }
      #expect(try await lab.catalog.roots().map(\.path) == [lab.tree.path])
      #expect(try FilesView(lab.catalog).byPath.count == 9)
      #expect(try FilesView(lab.catalog).rows.count == 9)
      try await expectSound(lab.catalog)
    }
  }

  @Test(
    "a root that comes to lie in another while it is scanned for the first time is part of it",
    arguments: ["one", "one/in", ""], ["", "one", "one/in"])
  func otherScanMeanwhile(_ first: String, _ meanwhile: String) async throws {
    try await withTree(Self.pieces) { tree in
      try await withTemporaryDirectory { directory in
        let file = directory("catalog.sqlite")
        let command = try #require(CommandRunner.filecat)
        let hasBegun = Monitor(false)
        let catalog = try Catalog(at: file) {
          let isFirst = hasBegun.withLock { begun in
            defer { begun = true }
            return !begun
          }
          if isFirst {
            let place = tree(FilePath(meanwhile)).string
            let run = try? command.run(["scan", place, "--catalog", file.string])
            #expect(run?.status == 0)
          }
          return TreeWalker.systemSource()
        }
        let summaries = try await catalog.scan([tree(FilePath(first))])
        let outer = tree(FilePath(first.count < meanwhile.count ? first : meanwhile))
        #expect(summaries.map(\.root) == [outer])
        #expect(try await catalog.roots().map(\.path) == [outer])
        let rows = try FilesView(catalog)
        #expect(rows.rows.count == rows.byPath.count)
        try await expectSound(catalog)
        try catalog.close()
      }
    }
  }

  @Test("of a known root, only the directory that is named is read again", .feature("P-03"))
  func insideAKnownRoot() async throws {
    try await withLaboratory(Self.pieces) { lab in
      try await lab.scan()
      try lab.tree.make(.file("two/new", bytes: 9))
      let summaries = try await lab.catalog.scan([lab.tree.path.appending("one")])
      #expect(summaries.map(\.root) == [lab.tree.path])
      #expect(try await lab.catalog.roots().count == 1)
      #expect(summaries.map(\.entries) == [9])
      #expect(try !lab.paths().contains("two/new"))
      _ = try await lab.catalog.scan([lab.tree.path.appending("two")])
      #expect(try await lab.entry("two/new").size == 9)
    }
  }

  @Test("a root and a directory inside it, given at once, are one root")
  func outerBeforeInner() async throws {
    try await withLaboratory(Self.pieces) { lab in
      _ = try await lab.catalog.scan([lab.tree.path, lab.tree.path.appending("one")])
      #expect(try await lab.catalog.roots().map(\.path) == [lab.tree.path])
      #expect(try FilesView(lab.catalog).rows.count == 9)
    }
  }

  @Test("a root that is gone is marked as offline, and its rows are kept", .feature("P-19"))
  func absentRoot() async throws {
    try await withLaboratory(Self.pieces) { lab in
      let one = lab.tree.path.appending("one")
      _ = try await lab.catalog.scan([one, lab.tree.path.appending("two")])
      try lab.tree.rename("one", to: "elsewhere")
      try await expectError(.rootNotFound) { _ = try await lab.catalog.scan([one]) }
      let states = try await lab.catalog.roots().map(\.state)
      #expect(states == [.offline, .online])
      #expect(try FilesView(lab.catalog).rows.count == 8)
      #expect(try await lab.catalog.entry(at: one.appending("a"))?.size == 1)
      try lab.tree.rename("elsewhere", to: "one")
      _ = try await lab.catalog.scan([one])
      #expect(try await lab.catalog.roots().map(\.state) == [.online, .online])
      try await expectSound(lab.catalog)
    }
  }

  @Test("a root that is gone does not keep the others from being scanned")
  func absentRootAmongOthers() async throws {
    try await withLaboratory(Self.pieces) { lab in
      _ = try await lab.catalog.scan([
        lab.tree.path.appending("one"), lab.tree.path.appending("two"),
      ])
      try lab.tree.rename("one", to: "elsewhere")
      try lab.tree.make(.file("two/new", bytes: 5))
      _ = try? await lab.catalog.scan()
      #expect(try await lab.catalog.entry(at: lab.tree.path.appending("two/new")) != nil)
    }
  }

  @Test("a forgotten root is gone with all its rows, and the disk is untouched")
  func forget() async throws {
    try await withLaboratory(Self.pieces) { lab in
      let roots = [lab.tree.path.appending("one"), lab.tree.path.appending("two")]
      _ = try await lab.catalog.scan(roots)
      try await lab.catalog.forget(roots[0])
      #expect(try await lab.catalog.roots().map(\.path) == [roots[1]])
      #expect(try FilesView(lab.catalog).rows.count == 2)
      let inner = roots[1].appending("d")
      try await expectError(.notARoot) { try await lab.catalog.forget(inner) }
      try await expectError(.notARoot) { try await lab.catalog.forget(roots[0]) }
      try await expectSound(lab.catalog)
      #expect(try IndependentWalk.entries(of: lab.tree.path).count == 9)
      #expect(try lab.catalog.number("SELECT count(*) FROM scans") == 2)
    }
  }

  @Test("the root directory of the system can be a root")
  func systemRoot() async throws {
    try await withTemporaryCatalog { catalog in
      var options = ScanOptions()
      options.depth = .shallow
      _ = try await catalog.scan(["/"], options: options)
      let root = try #require(try await catalog.entry(at: "/"))
      #expect(root.parentID == nil && root.depth == 0)
      let children = try await catalog.children(of: "/")
      #expect(children.contains { $0.path == "/usr" })
      #expect(children.allSatisfy { $0.depth == 1 && $0.path.length > 1 })
      let subtree = try await catalog.count(of: Query(), in: .subtree(of: "/"))
      #expect(subtree == children.count + 1)
      try await expectSound(catalog)
    }
  }
}
