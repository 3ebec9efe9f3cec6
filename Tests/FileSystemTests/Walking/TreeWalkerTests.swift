import FileSystem
import SystemPackage
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("Walking a tree", .timeLimit(.minutes(20)))
struct TreeWalkerTests {
  /// A tree of several thousand entries, with directories of more than one batch.
  static func randomTree(seed: UInt64) -> SimulatedTree {
    var random = SeededRandom(seed: seed)
    let tree = SimulatedTree()
    var directories = [""]
    for i in 0..<300 {
      let parent = directories.randomElement(using: &random) ?? ""
      let path = parent.isEmpty ? "d\(i)" : "\(parent)/d\(i)"
      tree.directory(path)
      directories.append(path)
    }
    for (i, directory) in directories.enumerated() {
      let count = i % 60 == 5 ? 2500 : Int.random(in: 0...20, using: &random)
      tree.files(0..<count, in: directory)
    }
    tree.shuffle(using: &random)
    return tree
  }

  // MARK: - What comes out

  @Test("every entry comes once, whatever the number of threads", arguments: [1, 2, 3, 8])
  func completeness(jobs: Int) async throws {
    let seed = UInt64.random(in: 0 ... .max)
    let tree = Self.randomTree(seed: seed)
    let walk = try await Walk.through(tree, jobs: jobs)
    #expect(walk.paths == tree.paths, "seed \(seed)")
    #expect(walk.repeated == 0, "seed \(seed)")
    #expect(walk.failures.isEmpty, "seed \(seed)")
    #expect(walk.completed.count == 301, "seed \(seed)")
    #expect(walk.completed.values.allSatisfy { $0 == 1 }, "seed \(seed)")
    try await tree.waitUntilClosed()
  }

  @Test("a directory's own entry comes before what is in it", arguments: [1, 2, 3, 8])
  func parentsFirst(jobs: Int) async throws {
    let seed = UInt64.random(in: 0 ... .max)
    let walk = try await Walk.through(Self.randomTree(seed: seed), jobs: jobs)
    #expect(walk.tooEarly == [], "seed \(seed)")
  }

  @Test("the real file system gives what was made in it", arguments: [1, 3])
  func realTree(jobs: Int) async throws {
    let seed = UInt64.random(in: 0 ... .max)
    try await withWatchedTree { tree in
      var random = SeededRandom(seed: seed)
      var expected: Set<String> = []
      for i in 0..<60 {
        var path = ""
        for _ in 0..<Int.random(in: 1...5, using: &random) {
          path += (path.isEmpty ? "" : "/") + "d\(Int.random(in: 0..<4, using: &random))"
          expected.insert(path)
        }
        try tree.directory("root/\(path)")
        try tree.file("root/\(path)/f\(i)", String(repeating: "x", count: i))
        expected.insert("\(path)/f\(i)")
      }
      let walk = try await Walk.through(tree.root, jobs: jobs)
      #expect(walk.paths == expected, "seed \(seed)")
      #expect(walk.tooEarly == [], "seed \(seed)")
      let sizes = walk.tallies.values.reduce(0) { $0 + $1.size }
      #expect(sizes == (0..<60).reduce(0, +), "seed \(seed)")
    }
  }

  @Test("a walk may start anywhere below the root, and counts paths from the root")
  func startingBelow() async throws {
    let tree = SimulatedTree()
    tree.entry("a/b/c/file")
    tree.entry("a/other")
    let walker = try tree.walker(startingAt: ["a", "b"], jobs: 2)
    let walk = try await Walk.through(walker)
    #expect(walk.paths == ["a/b/c", "a/b/c/file"])
    #expect(walk.completed.keys.sorted() == ["a/b", "a/b/c"])
  }

  @Test("a shallow walk reads one directory")
  func shallow() async throws {
    let tree = SimulatedTree()
    tree.entry("a/b/file")
    tree.entry("top")
    let walk = try await Walk.through(tree) { $0.depth = .shallow }
    #expect(walk.paths == ["a", "top"])
    #expect(tree.log == [""])
  }

  @Test("what is left out is neither told nor entered")
  func exclusion() async throws {
    let tree = SimulatedTree()
    for name in ["keep/file", "leave/file", "keep/leave/file", "keep/deep/file"] {
      tree.entry(name)
    }
    let walk = try await Walk.through(tree) { options in
      options.isExcluded = { _, name in name.elementsEqual("leave".utf8) }
    }
    #expect(walk.paths == ["keep", "keep/file", "keep/deep", "keep/deep/file"])
    #expect(!tree.log.contains { $0.contains("leave") })
  }

  @Test("a package is one entry, with the sums of what it holds")
  func package() async throws {
    let tree = SimulatedTree()
    for path in ["My.app/a", "My.app/sub/b", "My.app/sub/deep/c"] {
      tree.entry(path) { ($0.size, $0.allocated) = (100, 512) }
    }
    // Two names of one file: it occupies the disk once.
    for path in ["My.app/one", "My.app/sub/other"] {
      tree.entry(path) { ($0.size, $0.allocated, $0.links, $0.inode) = (7, 4096, 2, 99) }
    }
    let walk = try await Walk.through(tree)
    #expect(walk.paths == ["My.app"])
    let package = try #require(walk.packages["My.app"])
    #expect(package.packagedFiles == 5)
    #expect(package.status.size == 314)
    #expect(package.status.allocated == 3 * 512 + 4096)
    try await tree.waitUntilClosed()
  }

  // MARK: - The order of the work

  @Test("one thread finishes what it is in before it goes on beside it")
  func deepestFirst() async throws {
    let tree = SimulatedTree()
    for path in ["a/aa/aaa", "a/ab", "b/ba/baa", "b/bb", "c"] { tree.directory(path) }
    _ = try await Walk.through(tree, jobs: 1)
    let log = tree.log
    #expect(log.first == "")
    for top in ["a", "b", "c"] {
      let places = log.indices.filter { log[$0].hasPrefix(top) }
      #expect(Array(places) == Array((places.first ?? 0)...(places.last ?? 0)), "\(log)")
      #expect(log[places.first ?? 0] == top, "\(log)")
    }
  }

  @Test("on the way down one directory is kept open for each level, however many wait")
  func keptOpen() async throws {
    let tree = SimulatedTree()
    var path = ""
    for level in 0..<100 {
      for side in 0..<20 { tree.directory(path + "s\(level)-\(side)") }
      path += "d\(level)/"
    }
    let walk = try await Walk.through(tree, jobs: 1)
    #expect(walk.completed.count == 1 + 100 * 20 + 99)
    #expect(tree.mostOpenHandles <= 103)
  }

  // MARK: - The budget of open directories

  @Test(
    "no more directories are open than may be, however deep the tree is",
    arguments: [1, 4], [1, 2, 16])
  func budget(jobs: Int, limit: Int) async throws {
    let tree = SimulatedTree()
    for branch in ["x", "y", "z"] {
      tree.entry(Array(repeating: branch, count: 120).joined(separator: "/") + "/file")
      for i in 0..<50 { tree.directory("\(branch)/wide\(i)/sub") }
    }
    let walk = try await Walk.through(tree, jobs: jobs) { $0.openDirectories = limit }
    #expect(walk.paths == tree.paths)
    #expect(walk.failures.isEmpty)
    // The root; the kept ones; and for each thread the one it reads and two on the way to it.
    #expect(tree.mostOpenHandles <= 1 + limit + 3 * jobs)
    try await tree.waitUntilClosed()
  }

  @Test("thousands of levels are walked and let go of", arguments: [1, 256])
  func depth(limit: Int) async throws {
    let tree = SimulatedTree()
    var path = "d"
    for _ in 0..<2000 {
      tree.directory(path)
      path += "/d"
    }
    let walk = try await Walk.through(tree) { $0.openDirectories = limit }
    #expect(walk.completed.count == 2001)
    try await tree.waitUntilClosed()
  }

  @Test("real paths beyond the system's limit are walked with few directories open")
  func realDepth() async throws {
    try await withWatchedTree { tree in
      let name = FilePath.Component(String(repeating: "n", count: 200)) ?? "n"
      var directory = try OpenFile(tree.root, for: .listing)
      var parents: [OpenFile] = []
      for _ in 0..<60 {
        try makeDirectory(name, in: directory)
        parents.append(directory)
        directory = try directory.open(name, for: .listing)
      }
      // From the bottom: the path is too long for other ways of removing it.
      defer { for parent in parents.reversed() { removeDirectory(name, in: parent) } }
      let walk = try await Walk.through(tree.root, jobs: 2) { $0.openDirectories = 3 }
      #expect(walk.paths.count == 60)
      #expect(walk.paths.map(\.utf8.count).max() == 60 * 201 - 1)
      #expect(walk.failures.isEmpty)
    }
  }

  // MARK: - Failures

  @Test(
    "a directory that cannot be opened is told of, and the others are walked",
    arguments: [Errno.permissionDenied, .ioError, .tooManyOpenFiles])
  func unopenable(error: Errno) async throws {
    let tree = SimulatedTree()
    for path in ["a/file", "closed/file", "closed/sub/file", "z/file"] { tree.entry(path) }
    tree.fail(.opening, of: "closed", with: error)
    let walk = try await Walk.through(tree)
    #expect(walk.paths == ["a", "a/file", "closed", "z", "z/file"])
    #expect(walk.unreadable == ["closed": error])
    #expect(walk.failures == [FileError(.open, "closed", error)])
    #expect(walk.completed["closed"] == 1)
    try await tree.waitUntilClosed()
  }

  @Test(
    "a directory that has vanished, or is none any more, is empty and no failure",
    arguments: [Errno.noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels])
  func vanished(error: Errno) async throws {
    let tree = SimulatedTree()
    tree.entry("gone/file")
    tree.fail(.opening, of: "gone", with: error)
    let walk = try await Walk.through(tree)
    #expect(walk.paths == ["gone"])
    #expect(walk.failures.isEmpty && walk.unreadable.isEmpty)
    #expect(walk.completed["gone"] == 1)
  }

  @Test("a listing that breaks off makes the directory unreadable")
  func brokenListing() async throws {
    let tree = SimulatedTree()
    tree.files(0..<3000, in: "broken")
    tree.entry("whole/file")
    tree.fail(.reading, of: "broken", with: .ioError)
    let walk = try await Walk.through(tree)
    #expect(walk.unreadable == ["broken": .ioError])
    #expect(walk.failures == [FileError(.read, "broken", .ioError)])
    #expect(walk.paths.contains("whole/file"))
    try await tree.waitUntilClosed()
  }

  @Test("an entry without values keeps its name, and a directory without values is not entered")
  func withoutStatus() async throws {
    let tree = SimulatedTree()
    tree.entry("d/file", withoutStatus: true)
    tree.entry("d/sub", .directory, withoutStatus: true)
    let walk = try await Walk.through(tree)
    #expect(walk.paths == ["d", "d/file", "d/sub"])
    #expect(walk.withoutStatus == ["d/file", "d/sub"])
    #expect(
      Set(walk.failures) == [
        FileError(.status, "d/file", .ioError), FileError(.status, "d/sub", .ioError),
      ])
    #expect(tree.log == ["", "d"])
  }

  @Test("a root that cannot be opened is an error that names it, and leaves nothing open")
  func unopenableRoot() async {
    let tree = SimulatedTree()
    tree.fail(.opening, of: "", with: .permissionDenied)
    await #expect(throws: FileError(.open, "/simulated", .permissionDenied)) {
      try await Walk.through(tree)
    }
    #expect(throws: FileError(.open, "/simulated/a/b", .noSuchFileOrDirectory)) {
      let other = SimulatedTree()
      defer { #expect(other.openHandles == 0) }
      _ = try other.walker(startingAt: ["a", "b"], jobs: 1)
    }
  }
}

private func makeDirectory(_ name: FilePath.Component, in directory: OpenFile) throws(Errno) {
  try Errno.retrying { name.withPlatformString { mkdirat(directory.descriptor, $0, 0o755) } }
}

private func removeDirectory(_ name: FilePath.Component, in directory: OpenFile) {
  _ = name.withPlatformString { unlinkat(directory.descriptor, $0, AT_REMOVEDIR) }
}
