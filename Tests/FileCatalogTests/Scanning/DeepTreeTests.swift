import FileCatalog
import FileSystem
import SystemPackage
import TestSupport
import TestTraits
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("Deep and wide trees")
struct DeepTreeTests {
  /// Enough levels to run out of descriptors if each kept one, where that can be tried in time.
  static let moreThanOpenFiles = 1100

  @Test("paths far beyond what the system takes in one call are scanned", .feature("P-59"))
  func pathsBeyondTheLimit() async throws {
    try await withLaboratory { lab in
      let name = String(repeating: "n", count: 200)
      try lab.tree.makeChain(names: repeatElement(name, count: 40))
      let summary = try await lab.scan()
      #expect(summary.entries == 41 && summary.errors == 0)
      let longest = try lab.catalog.number("SELECT max(length(path)) FROM files")
      #expect(longest == Int64(lab.tree.path.bytes.count + 40 * 201))
      let totals = try await lab.catalog.totals(of: lab.tree.path)
      #expect(totals.totalDirectories == 40)
      #expect(try diskUsage(of: lab.tree.path) == totals.totalAllocated)
    }
  }

  @Test("hundreds of levels are no problem")
  func manyLevels() async throws {
    try await withLaboratory { lab in
      try lab.tree.makeChain(names: repeatElement("d", count: 400))
      let summary = try await lab.scan()
      #expect(summary.entries == 401 && summary.errors == 0)
      #expect(try lab.catalog.number("SELECT max(depth) FROM files") == 400)
      let deepest = try lab.catalog.number(
        "SELECT total_directories FROM directories WHERE depth = 399")
      #expect(deepest == 1)
    }
  }

  @Test("a directory may have fifty thousand entries")
  func wideDirectory() async throws {
    try await withLaboratory { lab in
      let directory = lab.tree.path.string.withCString { open($0, O_DIRECTORY) }
      defer { close(directory) }
      for i in 0..<50_000 { close(openat(directory, "f\(i)", O_CREAT | O_WRONLY, 0o600)) }
      let summary = try await lab.scan()
      #expect(summary.entries == 50_001)
      #expect(try lab.catalog.number("SELECT count(DISTINCT name) FROM files") == 50_001)
      let page = try await lab.catalog.children(of: lab.tree.path, limit: 3, offset: 49_998)
      #expect(page.map(\.name) == ["f49998", "f49999"])
    }
  }

  @Test("directories are opened again when only two may be open", arguments: [1, 4])
  func fewOpenDirectories(_ jobs: Int) async throws {
    var pieces: [Piece] = (0..<300).map { .directory(FilePath("d\($0)/e")) }
    pieces += (0..<100).map { .file(FilePath("d0/e/f/g\($0 % 10)/h\($0)"), bytes: 1) }
    try await withTree(pieces) { tree in
      let expected = try IndependentWalk.entries(of: tree.path)
      var options = WalkOptions(jobs: jobs)
      options.openDirectories = 2
      let found = try WalkResult(walking: tree.path, options)
      #expect(found.paths == Set(expected.keys.map { Array($0.dropFirst(tree.path.bytes.count)) }))
      #expect(found.failures.isEmpty)
    }
  }

  @Test("links that lead round in circles are not followed", .feature("FS-11", "SB-01"))
  func linkLoops() async throws {
    let pieces: [Piece] = [
      .symlink("self", to: "self"), .symlink("a", to: "b"), .symlink("b", to: "a"),
      .symlink("d/up", to: ".."), .symlink("d/e/root", to: "/"), .symlink("broken", to: "no/where"),
      .symlink("fine", to: "d"),
    ]
    try await withLaboratory(pieces) { lab in
      let summary = try await lab.scan()
      #expect(summary.entries == 10 && summary.errors == 0)
      let broken = try await lab.catalog.entries(matching: Query(.flag(.broken)))
      #expect(broken.map(\.name) == ["a", "b", "broken", "self"])
    }
  }
}
