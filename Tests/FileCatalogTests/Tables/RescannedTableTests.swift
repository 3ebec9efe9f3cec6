import FileCatalog
import FileSystem
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("Tables and scans", .timeLimit(.minutes(20)))
struct RescannedTableTests {
  private static let files = TableRequest(Query(.kind(.file)), order: SortOrder())

  @Test("what a rescan finds on the disk is told by index", .feature("X-05"))
  func rescans() async throws {
    let pieces = (0..<100).map { Piece.file(FilePath("\($0).file")) }
    try await withLaboratory(pieces) { lab in
      try await lab.scan()
      // Nothing is read but by asking: otherwise a refresh may find that it was done already.
      let patient = ObservedTable.Options(delay: .seconds(600), maximumDelay: .seconds(600))
      let table = try await ObservedTable(lab.catalog, Self.files, options: patient)
      try lab.tree.make([.file("075.file"), .file("175.file")])
      try await lab.scan()
      #expect(try await table.refresh() == TableDiff(insertions: [76, 101]))
      try lab.tree.remove("075.file")
      try lab.tree.remove("175.file")
      try await lab.scan()
      #expect(try await table.refresh() == TableDiff(deletions: [76, 101]))
      try lab.tree.make([.file("75.file", bytes: 9), .file("25.file", bytes: 9)])
      try await lab.scan()
      #expect(try await table.refresh() == TableDiff(updates: [25, 75]))
      try lab.tree.rename("3.file", to: "500.file")
      try await lab.scan()
      #expect(
        try await table.refresh()
          == TableDiff(updates: [3], moves: [TableDiff.Move(from: 3, to: 99)]))
      // Nothing has changed, so there is nothing to tell.
      try await lab.scan()
      #expect(try await table.refresh().isEmpty)
      await table.cancel()
    }
  }

  @Test("events follow the scans of the own process by themselves")
  func ownProcess() async throws {
    try await withLaboratory([.file("a"), .file("b")]) { lab in
      try await lab.scan()
      let table = try await ObservedTable(lab.catalog, Self.files)
      var events = table.events.makeAsyncIterator()
      try lab.tree.make(.file("c"))
      try await lab.scan()
      guard case .changed(let change) = await events.next() else {
        Issue.record("no change")
        return
      }
      #expect(change.diff == TableDiff(insertions: [2]))
      await table.cancel()
    }
  }

  @Test(
    "on random edits of the disk, diffs make each table from the one before", .feature("X-05"),
    arguments: TableDiff.Shape.allCases)
  func randomEdits(_ shape: TableDiff.Shape) async throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededRandom(seed: seed)
    try await withLaboratory((0..<30).map { .file(FilePath("d\($0 % 3)/\($0)")) }) { lab in
      try await lab.scan()
      let orders = try ["name", "-modified", "-size,name", "path"].map {
        try SortOrder(parsing: $0)
      }
      for round in 0..<12 {
        let order = orders[random.below(orders.count)]
        let request = TableRequest(order: order)
        let old = try await lab.catalog.snapshot(of: request)
        let before = try await old.rows(in: 0..<old.count)
        for _ in 0..<random.below(6) {
          let name = FilePath("d\(random.below(3))/\(random.below(40))")
          switch random.below(3) {
          case 0: try lab.tree.make(.file(name, bytes: random.below(2000)))
          case 1: try lab.tree.remove(name)
          default:
            try lab.tree.make(.file(name))
            try lab.tree.rename(name, to: FilePath("d\(random.below(3))/\(random.below(40))"))
          }
        }
        try await lab.scan(loss: .accepted)
        let new = try await lab.catalog.snapshot(of: request)
        let after = try await new.rows(in: 0..<new.count)
        let diff = old.diff(to: new, shape: shape)
        #expect(
          diff.applied(to: before.map(\.id)) { after[$0].id } == after.map(\.id),
          "seed \(seed), round \(round)")
        let rows = diff.applied(to: before) { after[$0] }
        #expect(rows == after, "seed \(seed), round \(round)")
      }
    }
  }
}
