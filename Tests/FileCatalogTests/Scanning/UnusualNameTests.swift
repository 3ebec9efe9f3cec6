import FileCatalog
import FileSystem
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("Unusual names")
struct UnusualNameTests {
  static let names: [[UInt8]] = [
    [0xFF, 0xFE], Array("caf\u{E9}".utf8), Array("cafe\u{301}".utf8), Array("line\nbreak".utf8),
    Array("tab\tbell\u{7}".utf8), [0xC3], Array("it's \"quoted\"; DROP TABLE _entries;--".utf8),
    [UInt8](repeating: 0x78, count: 255), Array(String(repeating: "é", count: 127).utf8),
    Array("-rf".utf8), Array("*".utf8), Array("%_\\".utf8), Array(" ".utf8), Array("~".utf8),
    Array("\u{202E}gpj.exe".utf8), Array("👩‍👩‍👧‍👦".utf8), [0x61, 0x80, 0x62], Array("null".utf8),
    Array("\u{FFFD}".utf8), [0xED, 0xA0, 0x80], Array("...".utf8), Array("0x00".utf8),
  ]

  @Test("names are kept byte by byte, and found by them", .feature("FS-25", "LX-15", "P-58"))
  func namesAreKept() async throws {
    try await withLaboratory { lab in
      for name in Self.names {
        let directory = FilePath(bytes: name)
        try lab.tree.make(.file(directory.appending("in").pushing(FilePath(bytes: name)), bytes: 3))
        try lab.tree.make(.symlink(FilePath("links").pushing(directory), to: directory))
      }
      _ = try IndependentWalk.entries(of: lab.tree.path)
      let walk = try IndependentWalk.entries(of: lab.tree.path)
      try await lab.scan()
      let after = try IndependentWalk.entries(of: lab.tree.path)
      expectSameEntries(try FilesView(lab.catalog), as: walk, after: after)
      try await expectTotals(of: lab, as: walk)
      for path in walk.keys {
        let entry = try await lab.catalog.entry(at: FilePath(bytes: path))
        #expect(entry?.path.bytes == path)
      }
      for name in Self.names {
        let directory = lab.tree.path.pushing(FilePath(bytes: name))
        let children = try await lab.catalog.children(of: directory)
        #expect(children.map(\.path) == [directory.appending("in")])
        let below = try await lab.catalog.entries(matching: Query(), in: .subtree(of: directory))
        #expect(Set(below.map(\.path.bytes)).count == 3)
        #expect(try await lab.catalog.totals(below: directory, depth: 9).count == 2)
      }
    }
  }

  @Test("a catalog and a root may have unusual names themselves")
  func rootAndCatalogWithUnusualNames() async throws {
    let name: [UInt8] = [0x72, 0xFF, 0x0A, 0x27, 0x3F, 0x25, 0x32]
    try await withTree([.file(FilePath(bytes: name).appending("a"), bytes: 4)]) { tree in
      let catalog = try Catalog(at: tree.path.appending("what?mode=ro%20#'.sqlite"))
      let root = tree.path.pushing(FilePath(bytes: name))
      _ = try await catalog.scan([root])
      try await expectSound(catalog)
      #expect(try await catalog.roots().map(\.path) == [root])
      #expect(try await catalog.entry(at: root.appending("a"))?.size == 4)
      _ = try await catalog.scan([root])
      try await catalog.forget(root)
      #expect(try await catalog.roots().isEmpty)
      try catalog.close()
    }
  }
}
