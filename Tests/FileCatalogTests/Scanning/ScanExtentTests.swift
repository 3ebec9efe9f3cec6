import FileCatalog
import FileSystem
import SystemPackage
import TestSupport
import TestTraits
import Testing

/// How far down a scan goes, and whether it takes in what is hidden.
@Suite("How much of a tree a scan takes in", .feature("FS-19"))
struct ScanExtentTests {
  private static let pieces: [Piece] = [
    .file("a/b/c/d/deep.txt", bytes: 4), .file("a/b/two.txt", bytes: 2),
    .file("a/one.txt", bytes: 1),
    .file("top.txt"), .file("a/Bag.rtfd/TXT.rtf", bytes: 7), .file(".hidden/inside", bytes: 3),
    .file("a/.dot", bytes: 5), .symlink("a/b/link", to: "c"), .directory("e/f"),
  ]

  private func depth(of path: String) -> Int { path.split(separator: "/").count }

  private func expectAsNew(_ lab: Laboratory, _ options: ScanOptions, _ comment: Comment)
    async throws
  {
    try await withTemporaryCatalog { fresh in
      _ = try await fresh.scan([lab.tree.path], options: options)
      let rows = """
        SELECT f.path, f.path_bytes, f.kind, f.size, f.inode, f.total_size, f.total_files, d.state
        FROM files f LEFT JOIN directories d ON d.id = f.id ORDER BY 1, 2
        """
      #expect(try lab.catalog.rows(rows) == fresh.rows(rows), comment)
    }
  }

  @Test("is what lies so many steps below the root", .feature("FS-01", "FS-19"), arguments: 1...6)
  func limited(_ most: Int) async throws {
    try await withLaboratory(Self.pieces) { lab in
      try await lab.scan()
      let all = try lab.paths().filter { !$0.hasPrefix("a/Bag.rtfd/") }
      var options = ScanOptions()
      options.maxDepth = most
      try await lab.scan(options, loss: .accepted)
      #expect(try lab.paths() == all.filter { depth(of: $0) <= most })
      try await expectAsNew(lab, options, "\(most)")
      let states = try lab.catalog.rows("SELECT depth, state FROM directories")
      for row in states {
        let isAtEnd = row["depth"]?.integer == Int64(most)
        #expect((row["state"]?.string == "unscanned") == isAtEnd)
      }
      // What is deeper is nothing to later scans, nor to those of a directory.
      try lab.tree.make([.file("a/b/c/d/more.txt", bytes: 9)])
      for place in ["", "a/b", "a/b/c/d"] as [FilePath] {
        let summary = try #require(try await lab.catalog.scan([lab.tree(place)]).first)
        #expect(summary.added == (most >= 5 && place == "" ? 1 : 0), "\(place)")
        try await expectSound(lab.catalog)
      }
      // 1 is the same as shallow.
      if most == 1 {
        var shallow = ScanOptions()
        shallow.depth = .shallow
        try await withTemporaryCatalog { other in
          _ = try await other.scan([lab.tree.path], options: shallow)
          let paths = "SELECT path FROM files ORDER BY path"
          #expect(try other.texts(paths) == lab.catalog.texts(paths))
        }
      }
      options.maxDepth = nil
      try await lab.scan(options)
      try await expectAsNew(lab, options, "all again")
    }
  }

  @Test("is what is not hidden", .feature("FS-12", "FS-19"))
  func hidden() async throws {
    try await withLaboratory(Self.pieces) { lab in
      var options = ScanOptions()
      options.hidden = .leftOut
      options.excludes = ["top*"]
      try await lab.scan(options)
      let paths = try lab.paths()
      #expect(paths.contains("a/b/two.txt") && !paths.contains("top.txt"))
      #expect(!paths.contains { $0.contains("/.") || $0.hasPrefix(".") })
      // Later scans know it without being told.
      try lab.tree.make([.file(".later"), .file("seen")])
      #expect(try await lab.scan().added == 1)
      #expect(try await lab.catalog.roots().first?.options == options)
      options.hidden = .included
      #expect(try await lab.scan(options).added == 4)
    }
  }

  @Test("stays so through any edits", .feature("FS-09"))
  func edited() async throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededRandom(seed: seed)
    try await withLaboratory(Self.pieces) { lab in
      var editor = TreeEditor(lab.tree, random: SeededRandom(seed: random.next()), isWide: false)
      var options = ScanOptions()
      options.maxDepth = 2
      for round in 0..<12 {
        for _ in 0..<15 { editor.edit() }
        if random.below(4) == 0 { options.maxDepth = [1, 2, 3, nil][random.below(4)] }
        if random.below(4) == 0 { options.hidden = random.below(2) == 0 ? .included : .leftOut }
        try await lab.scan(options, loss: .accepted)
        try await expectAsNew(lab, options, "seed \(seed), round \(round)")
      }
    }
  }
}
