import FileCatalog
import FileSystem
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("Scanning again")
struct RescanTests {
  @Test("after any edits the catalog holds what is there", .feature("P-02"), arguments: [1, 4])
  func randomEdits(_ jobs: Int) async throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededRandom(seed: seed)
    try await withLaboratory { lab in
      for round in 0..<8 {
        for _ in 0..<30 { try edit(lab.tree, &random) }
        _ = try IndependentWalk.entries(of: lab.tree.path)
        let walk = try IndependentWalk.entries(of: lab.tree.path)
        var request = ScanRequest(jobs: jobs)
        request.loss = .accepted
        let summary = try await lab.catalog.scan([lab.tree.path], request: request)
        let after = try IndependentWalk.entries(of: lab.tree.path)
        expectSameEntries(try FilesView(lab.catalog), as: walk, after: after)
        try await expectTotals(of: lab, as: walk)
        try await expectSound(lab.catalog)
        #expect(summary.map(\.entries) == [walk.count], "round \(round) of seed \(seed)")
      }
    }
  }

  /// One change at a random place: names repeat, so that edits meet.
  private func edit(_ tree: TemporaryDirectory, _ random: inout SeededRandom) throws {
    func path(_ random: inout SeededRandom) -> FilePath {
      FilePath(
        (0...random.below(4)).map { _ in ["a", "b", "c.txt", "d é"][random.below(4)] }
          .joined(separator: "/"))
    }
    let place = path(&random)
    let other = path(&random)
    // Many of the edits are impossible where they fall; those are left out.
    switch random.below(10) {
    case 0...2: try? tree.make(.file(place, bytes: random.below(9000)))
    case 3: try? tree.make(.directory(place))
    case 4: try? tree.make(.symlink(place, to: other))
    case 5: try? tree.make(.hardLink(place, to: other))
    case 6: try? tree.remove(place)
    case 7, 8: try? tree.rename(place, to: other)
    default: try? tree.make(.mode(place, [0o755, 0o700, 0o711][random.below(3)]))
    }
  }

  @Test("losing more than half of a root is refused, unless it is accepted")
  func lossOfEntries() async throws {
    let pieces = (0..<30).map { Piece.file(FilePath("d\($0 % 3)/f\($0)"), bytes: 1) }
    try await withLaboratory(pieces) { lab in
      try await lab.scan()
      // That it cannot be reached as it was is all that changes.
      func entries() throws -> [[String: ColumnValue]] {
        try FilesView(lab.catalog).rows.map { $0.values.filter { $0.key != "root_state" } }
      }
      let before = try entries()
      try lab.tree.remove("d0")
      try lab.tree.remove("d1")
      try await expectError(.tooManyRemoved) { try await lab.scan() }
      #expect(try entries() == before)
      try await expectSound(lab.catalog)
      #expect(
        try lab.catalog.texts("SELECT state FROM scans ORDER BY id") == ["complete", "failed"])
      let summary = try await lab.scan(loss: .accepted)
      #expect(summary.entries == 12)
      // A small tree may lose what it likes.
      try lab.tree.remove("d2")
      try await expectError(.tooManyRemoved) { try await lab.scan() }
      try await lab.scan(loss: .accepted)
      #expect(try lab.paths().isEmpty)
    }
  }

  @Test("each scan is a line in the log")
  func scansAreLogged() async throws {
    try await withLaboratory([.file("a", bytes: 1)]) { lab in
      let first = try await lab.scan()
      try lab.tree.make(.file("b", bytes: 2))
      let second = try await lab.scan()
      #expect(first.scanID < second.scanID)
      #expect(first.added == 2)
      let rows = try lab.catalog.rows("SELECT * FROM scans ORDER BY id")
      #expect(rows.map { $0["id"]?.integer } == [first, second].map { $0.scanID.rawValue })
      #expect(rows.map { $0["entries"]?.integer } == [2, 3])
      #expect(rows.allSatisfy { $0["state"]?.string == "complete" })
      #expect(rows.allSatisfy { $0["root"]?.path == lab.tree.path })
      for row in rows {
        let started = try #require(row["started_at"]?.integer)
        let finished = try #require(row["finished_at"]?.integer)
        #expect(started <= finished)
      }
    }
  }

  @Test("scans of one catalog from many tasks at once all succeed", .feature("FS-17", "SP-09"))
  func concurrentScans() async throws {
    try await withLaboratory(Fixture.pieces) { lab in
      let catalog = lab.catalog
      let path = lab.tree.path
      try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<6 {
          group.addTask { try await catalog.scan([path]).first?.entries ?? 0 }
        }
        for try await entries in group { #expect(entries == 26) }
      }
      try await expectSound(lab.catalog)
      #expect(try FilesView(lab.catalog).rows.count == 26)
    }
  }
}
