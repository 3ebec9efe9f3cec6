import FileCatalog
import FileSystem
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("Snapshots of tables")
struct TableSnapshotTests {
  /// Names of which the order of whole paths is not that of the names.
  private static let pieces: [Piece] =
    ReadingFixture.pieces + [
      .file("p/x"), .file("p.q"), .file("p.q.r/s"), .file("p-q/z"), .file("p/y/z"), .file("p q"),
      .file(FilePath(bytes: Array("p".utf8) + [0xFF])), .file("p0"), .directory("p.e"),
      .file("same/1/Name"), .file("same/1/name/name"), .file("same/2/name"), .file("same.x/name"),
    ]

  private func rows(of snapshot: TableSnapshot) async throws -> [FilePath] {
    try await snapshot.rows(in: 0..<snapshot.count).map(\.path)
  }

  @Test("every order is that of the plain list, in both directions", .feature("P-32"))
  func everyOrder() async throws {
    try await withLaboratory(Self.pieces) { lab in
      try await lab.scan()
      for key in SortOrder.Key.allCases {
        for direction in [SortOrder.Direction.ascending, .descending] {
          try await expectSame(lab.catalog, SortOrder([SortOrder.Term(key, direction)]))
        }
      }
    }
  }

  @Test("so are random orders of several keys, with directories first or among the rest")
  func randomOrders() async throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededRandom(seed: seed)
    try await withLaboratory(Self.pieces) { lab in
      try await lab.scan()
      for _ in 0..<60 {
        let terms = SortOrder.Key.allCases.shuffled(using: &random).prefix(1 + random.below(4)).map
        {
          SortOrder.Term($0, random.below(2) == 0 ? .ascending : .descending)
        }
        let order = SortOrder(terms, directories: random.below(2) == 0 ? .first : .mixed)
        #expect(try SortOrder(parsing: order.description) == order)
        try await expectSame(lab.catalog, order, "seed \(seed)")
      }
    }
  }

  private func expectSame(
    _ catalog: Catalog, _ order: SortOrder, _ comment: Comment = "",
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let expected = try await catalog.entries(matching: Query(), order: order).map(\.path)
    let snapshot = try await catalog.snapshot(of: TableRequest(order: order))
    #expect(
      try await rows(of: snapshot) == expected, "\(order) \(comment)",
      sourceLocation: sourceLocation)
    let files = Query(.kind(.file))
    let some = try await catalog.snapshot(of: TableRequest(files, order: order))
    #expect(
      try await rows(of: some)
        == (try await catalog.entries(matching: files, order: order).map(\.path)),
      "\(order) \(comment)", sourceLocation: sourceLocation)
  }

  @Test("many rows of a filter are in order, too")
  func manyRows() async throws {
    let pieces = (0..<12_500).map { index in
      Piece.file(FilePath("d\(index % 50)/f\(index).\(index % 10 == 0 ? "x" : "y")"))
    }
    try await withLaboratory(pieces) { lab in
      try await lab.scan()
      let query = Query(.extensions(["y"]))
      for text in ["name", "-path", "inode,-name", "directories-first,-name"] {
        let order = try SortOrder(parsing: text)
        let snapshot = try await lab.catalog.snapshot(of: TableRequest(query, order: order))
        #expect(snapshot.count == 11_250)
        let expected = try await lab.catalog.entries(matching: query, order: order)
        #expect(try await snapshot.rows(in: 0..<20_000) == expected, "\(order)")
      }
    }
  }

  @Test(
    "children of a directory are in order", .feature("FS-34", "JB-08"),
    arguments: ["name", "-name", "-size", "extension"])
  func children(_ text: String) async throws {
    try await withLaboratory(Self.pieces) { lab in
      try await lab.scan()
      let order = try SortOrder(parsing: text)
      for directory: FilePath in ["", "docs", "same/1", "empty"] {
        let path = lab.tree.path.pushing(directory)
        let snapshot = try await lab.catalog.snapshot(
          of: TableRequest(in: .children(of: path), order: order))
        let all = try await lab.catalog.entries(matching: Query(), order: order)
        let parent = try await lab.catalog.entry(at: path)?.id
        #expect(
          try await rows(of: snapshot) == all.filter { $0.parentID == parent }.map(\.path),
          "\(directory)")
      }
    }
  }

  @Test("so are children that came one after the other, and those that pass a query")
  func laterChildren() async throws {
    try await withLaboratory((0..<40).map { .file(FilePath("d/f\($0).txt")) }) { lab in
      try await lab.scan()
      for round in 0..<3 {
        for index in 0..<20 {
          try lab.tree.make(.file(FilePath("other/\(round)-\(index)")))
          try lab.tree.make(.file(FilePath("d/\(round)-\(index).\(index % 2 == 0 ? "txt" : "md")")))
        }
        try lab.tree.make(.directory(FilePath("d/g\(round)")))
        try lab.tree.remove(FilePath("d/f\(round * 7).txt"))
        try await lab.scan()
      }
      let path = lab.tree.path.appending("d")
      let parent = try await lab.catalog.entry(at: path)?.id
      for text in ["name", "-size", "modified", "inode,name", "directories-first,-depth,-path"] {
        for query in [Query(), Query(.extensions(["txt"])), Query(.depth(.exactly(2)))] {
          let order = try SortOrder(parsing: text)
          let snapshot = try await lab.catalog.snapshot(
            of: TableRequest(query, in: .children(of: path), order: order))
          let all = try await lab.catalog.entries(matching: query, order: order)
          #expect(
            try await snapshot.rows(in: 0..<snapshot.count) == all.filter { $0.parentID == parent },
            "\(text) \(query)")
        }
      }
    }
  }

  @Test("rows have indexes and indexes have rows", .feature("FS-30", "JB-06"))
  func rowsAndIndexes() async throws {
    try await withLaboratory(Self.pieces) { lab in
      try await lab.scan()
      for request in [
        TableRequest(order: try SortOrder(parsing: "-modified")),
        TableRequest(Query(.kind(.file)), order: SortOrder()),
      ] {
        let snapshot = try await lab.catalog.snapshot(of: request)
        #expect(snapshot.count > 30)
        for index in stride(from: 0, to: snapshot.count, by: 7) {
          let entry = try await snapshot.row(at: index)
          #expect(try snapshot.id(at: index) == entry.id)
          #expect(snapshot.index(of: entry.id) == index)
          #expect(try await snapshot.index(of: entry.path) == index)
        }
        #expect(snapshot.index(of: EntryID(rawValue: -7)) == nil)
        #expect(snapshot.index(of: EntryID(rawValue: .max)) == nil)
        #expect(try await snapshot.index(of: "/nowhere") == nil)
      }
    }
  }

  @Test(
    "out of range there is an error or an empty page, and nothing worse",
    .feature("FS-28", "FS-29", "JB-52"))
  func outOfRange() async throws {
    try await withLaboratory([.file("a"), .file("b")]) { lab in
      try await lab.scan()
      let snapshot = try await lab.catalog.snapshot(of: TableRequest())
      #expect(snapshot.count == 3)
      for index in [3, 4, -1, Int.min, Int.max] {
        try await expectError(.outOfRange) { _ = try await snapshot.row(at: index) }
        try await expectError(.outOfRange) { _ = try snapshot.id(at: index) }
      }
      for range in [3..<4, -5..<0, Int.max - 1..<Int.max, 1..<1] {
        #expect(try await snapshot.rows(in: range).isEmpty)
      }
      #expect(try await snapshot.rows(in: -5..<100).count == 3)
      let none = try await lab.catalog.snapshot(of: TableRequest(Query(.name("nothing*"))))
      #expect(none.isEmpty)
    }
  }

  @Test(
    "after a scan, rows of the old state are an error, and the difference is known",
    .feature("FS-20", "X-04"))
  func tooOld() async throws {
    try await withLaboratory((0..<10).map { .file(FilePath("\($0).file")) }) { lab in
      try await lab.scan()
      let request = TableRequest(Query(.kind(.file)), order: SortOrder())
      let old = try await lab.catalog.snapshot(of: request)
      #expect(try await old.isCurrent())
      try OtherWriter(catalog: lab.catalog).write([
        .remove("3.file"), .add("30.file", like: "1.file"), .modify("5.file", at: 5),
      ])
      #expect(try await !old.isCurrent())
      try await expectError(.snapshotTooOld) { _ = try await old.row(at: 0) }
      try await expectError(.snapshotTooOld) { _ = try await old.rows(in: 0..<2) }
      try await expectError(.snapshotTooOld) {
        _ = try await old.index(of: lab.tree.path.appending("1.file"))
      }
      let new = try await lab.catalog.snapshot(of: request)
      let diff = old.diff(to: new)
      #expect(diff == TableDiff(deletions: [3], insertions: [9], updates: [5]))
      #expect(try await new.rows(in: 0..<20).map(\.name).last == "30.file")
      #expect(
        old.diff(to: new, shape: .batch)
          == TableDiff(shape: .batch, deletions: [3, 5], insertions: [4, 9]))
    }
  }

  @Test("a diff between two orders of one state turns the one into the other")
  func diffOfOrders() async throws {
    try await withLaboratory(Self.pieces) { lab in
      try await lab.scan()
      let requests =
        try ["name", "-size", "path", "-modified"].map {
          TableRequest(order: try SortOrder(parsing: $0))
        } + [TableRequest(Query(.kind(.file)), order: SortOrder())]
      for first in requests {
        for second in requests {
          let old = try await lab.catalog.snapshot(of: first)
          let new = try await lab.catalog.snapshot(of: second)
          let before = try (0..<old.count).map { try old.id(at: $0) }
          let after = try (0..<new.count).map { try new.id(at: $0) }
          for shape in TableDiff.Shape.allCases {
            let diff = old.diff(to: new, shape: shape)
            #expect(diff.applied(to: before) { after[$0] } == after)
          }
        }
      }
    }
  }

  @Test(
    "filters of the program are asked in order, row by row, and not after the first no",
    .feature("FS-31", "JB-15"))
  func closureFilters() async throws {
    try await withLaboratory((0..<20).map { .file(FilePath("\($0).file")) }) { lab in
      try await lab.scan()
      let request = TableRequest(Query(.kind(.file)), order: SortOrder())
      let calls = Counter()
      let yes: Catalog.EntryFilter = { _ in calls.add() }
      let no: Catalog.EntryFilter = { _ in !calls.add() }
      #expect(try await lab.catalog.snapshot(of: request, filters: [yes, yes, no]).isEmpty)
      #expect(calls.value == 60)
      #expect(try await lab.catalog.snapshot(of: request, filters: [no, yes, yes]).isEmpty)
      #expect(calls.value == 80)
      let even = try await lab.catalog.snapshot(
        of: request, filters: [{ (Int($0.displayName) ?? 1) % 2 == 0 }])
      #expect(
        try await even.rows(in: 0..<20).map(\.name) == (0..<10).map { "\($0 * 2).file" })
      struct Refusal: Error {}
      await #expect(throws: Refusal.self) {
        _ = try await lab.catalog.snapshot(of: request, filters: [{ _ in throw Refusal() }])
      }
    }
  }

  @Test(
    "the first page is there before the order is, and is its beginning", .feature("FS-34"),
    arguments: ["-size", "size", "modified", "-modified,name", "links,-name", "mode", "-depth"])
  func firstPage(_ text: String) async throws {
    try await withLaboratory(Self.pieces) { lab in
      try await lab.scan()
      let order = try SortOrder(parsing: text)
      for count in [1, 20, 70] {
        // Each catalog that is opened anew knows no orders.
        let catalog = try Catalog(at: lab.catalog.path)
        let pages = Pages()
        let page = TableSnapshot.FirstPage(count: count) { pages.append($0) }
        let snapshot = try await catalog.snapshot(of: TableRequest(order: order), firstPage: page)
        #expect(pages.all == [try await snapshot.rows(in: 0..<count)], "\(count)")
        // Known, it is at hand at once.
        _ = try await catalog.snapshot(of: TableRequest(order: order), firstPage: page)
        #expect(pages.all.count == 1)
        try catalog.close()
      }
    }
  }

  @Test("a snapshot that nobody waits for is given up")
  func cancelled() async throws {
    try await withLaboratory(Self.pieces) { lab in
      try await lab.scan()
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await lab.catalog.snapshot(of: TableRequest())
      }
      await #expect(throws: (any Error).self) { _ = try await task.value }
      #expect(try await lab.catalog.snapshot(of: TableRequest()).count > 30)
    }
  }
}

/// Pages that were shown, on whatever thread.
private final class Pages: Sendable {
  private let pages = Monitor<[[Entry]]>([])

  var all: [[Entry]] { pages.withLock { $0 } }

  func append(_ page: [Entry]) {
    pages.withLock { $0.append(page) }
  }
}
