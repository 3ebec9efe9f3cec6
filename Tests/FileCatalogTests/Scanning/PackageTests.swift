import FileCatalog
import FileSystem
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("Packages")
struct PackageTests {
  @Test(
    "a package is one row whose bytes are those of everything in it",
    .feature("FS-10", "FS-21", "P-10"))
  func packageIsOneRow() async throws {
    let pieces: [Piece] = [
      .file("Big.app/a", bytes: 10_000), .file("Big.app/Contents/b", bytes: 20_000),
      .file("Big.app/Contents/Inner.bundle/c", bytes: 5), .hardLink("Big.app/d", to: "Big.app/a"),
      .symlink("Big.app/link", to: "a"), .fifo("Big.app/pipe"), .file("Plain/x", bytes: 1),
    ]
    try await withLaboratory(pieces) { lab in
      let walk = try IndependentWalk.entries(of: lab.tree.path)
      let summary = try await lab.scan()
      #expect(try lab.paths() == ["Big.app", "Plain", "Plain/x"])
      #expect(summary.entries == 4)
      let path = lab.tree.path.appending("Big.app").bytes
      let expected = ExpectedTotals(of: try #require(walk[path]), in: walk)
      let package = try await lab.entry("Big.app")
      #expect(package.size == expected.totalSize)
      #expect(package.allocated == expected.totalAllocated)
      let details = try await lab.catalog.details(of: package.path)
      let files = details.value(of: .totalFiles)
      #expect(files?.integer == Int64(expected.totalFiles))
      let after = try IndependentWalk.entries(of: lab.tree.path) { $0.path != path }
      expectSameEntries(
        try FilesView(lab.catalog), as: walk.filter { after[$0.key] != nil }, after: after,
        packages: [path])
      #expect(try await lab.catalog.totals(of: lab.tree.path).files == 1)
      let all = ExpectedTotals(of: try #require(walk[lab.tree.path.bytes]), in: walk)
      let root = try await lab.catalog.totals(of: lab.tree.path)
      #expect(root.totalSize == all.totalSize)
      #expect(root.totalAllocated == all.totalAllocated)
    }
  }

  @Test("packages that are asked for are directories like any other, marked as packages")
  func packagesAreEntered() async throws {
    try await withLaboratory(Fixture.pieces + [.file("Pkg.app/In.bundle/c", bytes: 5)]) { lab in
      var options = ScanOptions()
      options.packages = .descend
      let walk = try IndependentWalk.entries(of: lab.tree.path)
      try await lab.scan(options)
      let content = Fixture.inPackages.union(["Pkg.app/In.bundle", "Pkg.app/In.bundle/c"])
      #expect(try lab.paths() == Fixture.deep.union(content).union(["noread/secret.txt"]))
      let package = try await lab.entry("Pkg.app")
      #expect(package.kind == .directory && package.isPackage)
      #expect(try await lab.entry("docs").isPackage == false)
      try await expectTotals(of: lab, as: walk)
    }
  }

  @Test("a root that is a package is entered")
  func packageAsRoot() async throws {
    try await withLaboratory(Fixture.pieces) { lab in
      let root = lab.tree.path.appending("Pkg.app")
      _ = try await lab.catalog.scan([root])
      try await expectSound(lab.catalog)
      let rows = try FilesView(lab.catalog).rows
      #expect(rows.count == 4)
      #expect(rows.filter { $0["depth"].integer == 0 }.allSatisfy { $0["parent_id"] == .null })
    }
  }

  @Test("bytes shared by a package and a file outside of it are counted once where they meet")
  func linksIntoPackages() async throws {
    let pieces: [Piece] = [
      .file("data", bytes: 50_000), .hardLink("Big.app/data", to: "data"),
      .hardLink("Other.app/data", to: "data"),
    ]
    try await withLaboratory(pieces) { lab in
      try await lab.scan()
      let total = try await lab.catalog.totals(of: lab.tree.path).totalAllocated
      #expect(try diskUsage(of: lab.tree.path) == total)
    }
  }

  @Test("a package may be nested deeper than a process may have files open")
  func deepPackage() async throws {
    try await withLaboratory([.directory("Deep.app")]) { lab in
      try lab.tree.makeChain(
        in: "Deep.app", names: repeatElement("d", count: DeepTreeTests.moreThanOpenFiles))
      let summary = try await lab.scan()
      #expect(summary.errors == 0)
      #expect(summary.entries == 2)
    }
  }

  @Test("a name that is excluded is left out of packages, too")
  func excludedInPackage() async throws {
    let pieces: [Piece] = [.file("A.app/keep", bytes: 10), .file("A.app/x.log", bytes: 100)]
    try await withLaboratory(pieces) { lab in
      var options = ScanOptions()
      options.excludes = ["*.log"]
      try await lab.scan(options)
      #expect(try await lab.entry("A.app").size == 10)
    }
  }
}
