import FileCatalog
import FileSystem
import SystemPackage
import TestSupport
import TestTraits
import Testing

/// Bytes on disk of a tree by the words of `du`.
func diskUsage(of path: FilePath) throws -> Int64? {
  let outcome = try CommandRunner("du").run(["-s", "--block-size=1", path.string])
  return outcome.text.split(separator: "\t").first.flatMap { Int64($0) }
}

@Suite("Bytes on disk")
struct HardLinkTests {
  @Test(
    "a file with many names occupies the disk once in every directory above it", .feature("P-07"))
  func filesCountOnce() async throws {
    let pieces: [Piece] = [
      .file("a/one", bytes: 50_000), .hardLink("a/two", to: "a/one"),
      .hardLink("a/deep/three", to: "a/one"), .hardLink("b/deep/er/four", to: "a/one"),
      .hardLink("five", to: "a/one"), .file("b/own", bytes: 9000), .hardLink("c/own", to: "b/own"),
      .sparse("b/sparse", length: 100_000_000), .hardLink("c/sparse", to: "b/sparse"),
    ]
    try await withLaboratory(pieces) { lab in
      let walk = try IndependentWalk.entries(of: lab.tree.path)
      try await lab.scan()
      try await expectTotals(of: lab, as: walk)
      for name in ["", "a", "a/deep", "b", "b/deep", "c"] {
        let path = lab.tree.path.pushing(FilePath(name))
        let total = try await lab.catalog.totals(of: path).totalAllocated
        #expect(try diskUsage(of: path) == total, "\(name)")
      }
      let one = try await lab.entry("a/one")
      let four = try await lab.entry("b/deep/er/four")
      #expect(one.inode == four.inode && one.links == 5)
      let sparse = try await lab.entry("b/sparse")
      #expect(sparse.size == 100_000_000)
      #expect(try #require(sparse.allocated) < 1_000_000)
    }
  }

  @Test("links, pipes and sockets with several names occupy the disk once as well")
  func otherKindsCountOnce() async throws {
    let target = FilePath(String(repeating: "target/", count: 150))
    let pieces: [Piece] = [
      .symlink("a/link", to: target), .hardLink("a/again", to: "a/link"),
      .hardLink("b/link", to: "a/link"), .fifo("a/pipe"), .hardLink("b/pipe", to: "a/pipe"),
      .socket("a/socket"), .hardLink("b/socket", to: "a/socket"),
    ]
    try await withLaboratory(pieces) { lab in
      let walk = try IndependentWalk.entries(of: lab.tree.path)
      try await lab.scan()
      try await expectTotals(of: lab, as: walk)
      let total = try await lab.catalog.totals(of: lab.tree.path).totalAllocated
      #expect(try diskUsage(of: lab.tree.path) == total)
    }
  }

  @Test("random links in random trees occupy what du says", .feature("LX-06", "P-08"))
  func randomLinks() async throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededRandom(seed: seed)
    try await withLaboratory { lab in
      var files: [FilePath] = []
      for i in 0..<120 {
        let depth = random.below(4)
        let directory = (0..<depth).map { _ in "d\(random.below(3))" }.joined(separator: "/")
        let path = FilePath(directory).appending("f\(i)")
        if !files.isEmpty, random.below(2) == 0 {
          try lab.tree.make(.hardLink(path, to: files[random.below(files.count)]))
        } else {
          try lab.tree.make(.file(path, bytes: random.below(20_000)))
        }
        files.append(path)
      }
      let walk = try IndependentWalk.entries(of: lab.tree.path)
      try await lab.scan()
      try await expectTotals(of: lab, as: walk)
      let total = try await lab.catalog.totals(of: lab.tree.path).totalAllocated
      #expect(try diskUsage(of: lab.tree.path) == total, "seed \(seed)")
    }
  }
}
