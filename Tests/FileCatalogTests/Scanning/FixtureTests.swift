import FileCatalog
import FileSystem
import SystemPackage
import TestSupport
import TestTraits
import Testing

/// A tree with one of everything.
enum Fixture {
  static let pieces: [Piece] = [
    .file(".hidden", bytes: 3), .file(".hiddendir/h.txt", bytes: 4), .file("a.txt", bytes: 5),
    .file("B.TXT", bytes: 6), .file("file2.txt", bytes: 7), .file("file10.txt", bytes: 8),
    .file("sp ace é.txt", bytes: 9), .file("docs/readme.md", bytes: 10),
    .file("docs/deep/deeper/leaf.bin", bytes: 11), .directory("empty"),
    .file("noread/secret.txt", bytes: 12), .file("Pkg.app/icon.png", bytes: 13),
    .file("Pkg.app/Contents/Info.plist", bytes: 14), .file("notes.rtfd/TXT.rtf", bytes: 15),
    .file("directory.with.dot/x.txt", bytes: 16), .symlink("link-file", to: "a.txt"),
    .symlink("link-dir", to: "docs"), .symlink("link-broken", to: "nowhere"),
    .symlink("link-up", to: ".."), .fifo("fifo"),
  ]

  static let shallow: Set<String> = [
    ".hidden", ".hiddendir", "a.txt", "B.TXT", "file2.txt", "file10.txt", "sp ace é.txt", "docs",
    "empty", "noread", "Pkg.app", "notes.rtfd", "directory.with.dot", "link-file", "link-dir",
    "link-broken", "link-up", "fifo",
  ]

  /// Without what `noread` holds.
  static let deep = shallow.union([
    ".hiddendir/h.txt", "docs/readme.md", "docs/deep", "docs/deep/deeper",
    "docs/deep/deeper/leaf.bin", "directory.with.dot/x.txt",
  ])

  static let inPackages: Set<String> = [
    "Pkg.app/icon.png", "Pkg.app/Contents", "Pkg.app/Contents/Info.plist", "notes.rtfd/TXT.rtf",
  ]
}

@Suite("A tree with one of everything")
struct FixtureTests {
  @Test(
    "a shallow scan has the eighteen entries of the first level and leaves directories unscanned",
    .feature("FS-01", "FS-07", "FS-12"))
  func shallowScan() async throws {
    try await withLaboratory(Fixture.pieces) { lab in
      var options = ScanOptions()
      options.depth = .shallow
      let summary = try await lab.scan(options)
      #expect(try lab.paths() == Fixture.shallow)
      #expect(summary.entries == 19)
      let states = try lab.catalog.rows("SELECT path, state FROM directories WHERE depth = 1")
      #expect(states.count == 5)
      #expect(states.allSatisfy { $0["state"]?.string == "unscanned" })
      #expect(try await lab.catalog.totals(of: lab.tree.path).state == .complete)
      let children = try await lab.catalog.children(of: lab.tree.path)
      #expect(children.count == 18)
    }
  }

  @Test(
    "a deep scan enters everything but packages and links",
    .feature("FS-08", "FS-09", "FS-10", "FS-11", "FS-22", "LX-02"))
  func deepScan() async throws {
    try await withLaboratory(Fixture.pieces) { lab in
      try await lab.scan()
      #expect(try lab.paths() == Fixture.deep.union(["noread/secret.txt"]))
      let package = try await lab.entry("Pkg.app")
      #expect(package.kind == .package && package.isPackage && package.size == 27)
      #expect(try await lab.entry("notes.rtfd").size == 15)
      #expect(try await lab.entry("directory.with.dot").kind == .directory)
      #expect(try await lab.entry("link-up").linkTarget == "..")
      #expect(try await lab.entry("fifo").kind == .fifo)
      #expect(try await lab.catalog.totals(of: lab.tree.path.appending("empty")).files == 0)
    }
  }

  @Test(
    "a directory that may not be read is a row with an error, and the scan is partial",
    .feature("FS-04", "P-60"))
  func unreadableDirectory() async throws {
    // Nobody is kept out of anything as root, so the command runs as somebody else then.
    try await withLaboratory(Fixture.pieces + [.mode("noread", 0)]) { lab in
      try await ScanAsNobody.scan(lab)
      #expect(try lab.paths() == Fixture.deep)
      let totals = try await lab.catalog.totals(of: lab.tree.path.appending("noread"))
      #expect(totals.state == .unreadable)
      #expect(totals.error?.isEmpty == false)
      let root = try #require(try await lab.catalog.roots().first)
      #expect(root.lastScanState == .partial)
      let scan = try #require(root.lastScan)
      let failures = try await lab.catalog.failures(ofScan: scan)
      #expect(failures.map(\.path) == [lab.tree.path.appending("noread")])
      #expect(failures.map(\.operation) == ["open"])
      #expect(failures.map(\.errno) == [Errno.permissionDenied.rawValue])
      try await expectSound(lab.catalog)
    }
  }

  @Test(
    "a link to the tree gives the same entries, and both spellings find them",
    .feature("FS-06", "LX-04"))
  func rootGivenAsLink() async throws {
    try await withLaboratory(Fixture.pieces) { lab in
      let link = lab.tree.path.removingLastComponent().appending("link")
      try TemporaryDirectory(at: lab.tree.path.removingLastComponent()).make(
        .symlink("link", to: "tree"))
      _ = try await lab.catalog.scan([link])
      #expect(try lab.paths() == Fixture.deep.union(["noread/secret.txt"]))
      let root = try #require(try await lab.catalog.roots().first)
      #expect(root.path == lab.tree.path && root.givenPath == link)
      for spelling in [link, lab.tree.path] {
        let entry = try await lab.catalog.entry(at: spelling.appending("a.txt"))
        #expect(entry?.path == lab.tree.path.appending("a.txt"))
        #expect(try await lab.catalog.children(of: spelling.appending("docs")).count == 2)
        #expect(try await lab.catalog.totals(of: spelling).path == lab.tree.path)
      }
      // The link may be gone by the time somebody asks.
      try TemporaryDirectory.remove(link)
      #expect(try await lab.catalog.entry(at: link.appending("a.txt")) != nil)
    }
  }

  @Test("a file and a missing path are refused as roots", .feature("FS-02", "FS-03"))
  func refusedRoots() async throws {
    try await withLaboratory(Fixture.pieces) { lab in
      let file = lab.tree.path.appending("a.txt")
      try await expectError(.notADirectory) { _ = try await lab.catalog.scan([file]) }
      let missing = lab.tree.path.appending("nowhere")
      try await expectError(.rootNotFound) { _ = try await lab.catalog.scan([missing]) }
      try await expectError(.noRoots) { _ = try await lab.catalog.scan() }
      #expect(try await lab.catalog.roots().isEmpty)
    }
  }

  @Test("names sort naturally, whatever the case of their letters")
  func namesSortNaturally() async throws {
    try await withLaboratory(Fixture.pieces) { lab in
      try await lab.scan()
      let names = try await lab.catalog.children(of: lab.tree.path).map(\.name)
      let files = names.filter { ["a.txt", "B.TXT", "file2.txt", "file10.txt"].contains($0) }
      #expect(files == ["a.txt", "B.TXT", "file2.txt", "file10.txt"])
    }
  }
}
