import FileCatalog
import FileSystem
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("What a scan leaves out")
struct ExclusionTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var globs: [String]
    var removed: Set<String>
    var testDescription: String { globs.joined(separator: " ") }
  }

  static let paths: Set<String> = [
    "a.log", "a.txt", "build", "build/a.o", "src", "src/a.log", "src/build", "src/build/b.o",
    "src/x", "src/x/A.LOG", "src/x/y", "src/x/y/deep.tmp",
  ]

  static let cases: [Case] = [
    Case(globs: [], removed: []),
    Case(globs: ["*.log"], removed: ["a.log", "src/a.log"]),
    Case(
      globs: ["build"], removed: ["build", "build/a.o", "src/build", "src/build/b.o"]),
    Case(
      globs: ["build/"], removed: ["build", "build/a.o", "src/build", "src/build/b.o"]),
    Case(globs: ["/build"], removed: ["build", "build/a.o"]),
    Case(globs: ["src/build"], removed: ["src/build", "src/build/b.o"]),
    Case(globs: ["src/*"], removed: paths.filter { $0.hasPrefix("src/") }),
    Case(globs: ["src/**/*.tmp"], removed: ["src/x/y/deep.tmp"]),
    Case(
      globs: ["x", "*.o"],
      removed: [
        "src/x", "src/x/A.LOG", "src/x/y", "src/x/y/deep.tmp", "build/a.o", "src/build/b.o",
      ]),
    Case(globs: ["[ab].txt", "nothing*"], removed: ["a.txt"]),
    Case(globs: ["*"], removed: paths),
  ]

  @Test("globs match names, or paths where they have a slash", .feature("P-12"), arguments: cases)
  func globsMatch(_ example: Case) async throws {
    let pieces = Self.paths.map { path -> Piece in
      let isDirectory = Self.paths.contains { $0.hasPrefix(path + "/") }
      return isDirectory ? .directory(FilePath(path)) : .file(FilePath(path), bytes: 100)
    }
    try await withLaboratory(pieces) { lab in
      var options = ScanOptions()
      options.excludes = example.globs
      try await lab.scan(options)
      #expect(try lab.paths() == Self.paths.subtracting(example.removed))
      let root = try #require(try await lab.catalog.roots().first)
      #expect(root.options.excludes == example.globs)
      // The settings stay with the root.
      try await lab.scan(loss: .accepted)
      #expect(try lab.paths() == Self.paths.subtracting(example.removed))
    }
  }

  @Test("a glob that is not well formed is an error, and nothing is scanned")
  func malformedGlob() async throws {
    try await withLaboratory([.file("a")]) { lab in
      var options = ScanOptions()
      options.excludes = ["[a"]
      try await expectError(.invalidExclusion) { try await lab.scan(options) }
      #expect(try await lab.catalog.roots().isEmpty)
    }
  }

  @Test("the catalog's own files are left out, others that look alike are not", .feature("P-67"))
  func ownFilesAreLeftOut() async throws {
    let lookalikes: [Piece] = [
      .file("own/catalog.sqlite.txt"), .file("own/catalog.sqlit"), .file("catalog.sqlite"),
      .file("own/x/catalog.sqlite-wal"), .symlink("alias", to: "own"),
    ]
    try await withTree(lookalikes) { tree in
      // Opened by another spelling of its directory.
      let catalog = try Catalog(at: tree.path.appending("alias").appending("catalog.sqlite"))
      for _ in 0..<2 { _ = try await catalog.scan([tree.path]) }
      let files = try await catalog.entries(matching: Query(.kinds([.file])))
      #expect(
        Set(files.map { String($0.path.string.dropFirst(tree.path.string.count + 1)) }) == [
          "own/catalog.sqlite.txt", "own/catalog.sqlit", "catalog.sqlite",
          "own/x/catalog.sqlite-wal",
        ])
      try await expectSound(catalog)
      try catalog.close()
    }
  }

  @Test(
    "a scan can stay on one file system", .feature("LX-04", "P-13"),
    .enabled(if: MountedFileSystem.isPermitted))
  func oneFileSystem() async throws {
    try await withLaboratory([.file("here/a", bytes: 5), .directory("there")]) { lab in
      let there = lab.tree.path.appending("there")
      try await withMountedFileSystem(at: there, kilobytes: 1024) {
        try lab.tree.make([.file("there/b", bytes: 6), .file("there/c/d", bytes: 7)])
        try await lab.scan()
        #expect(try lab.paths() == ["here", "here/a", "there", "there/b", "there/c", "there/c/d"])
        let inside = try await lab.catalog.details(of: there.appending("b")).value(of: .device)
        let outside = try await lab.catalog.details(of: lab.tree.path).value(of: .device)
        #expect(inside != outside)
        var options = ScanOptions()
        options.boundary = .oneFileSystem
        try await lab.scan(options)
        #expect(try lab.paths() == ["here", "here/a", "there"])
        #expect(try await lab.catalog.totals(of: there).state == .unscanned)
      }
    }
  }
}
