import FileCatalog
import FileSystem
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("Observed tables", .timeLimit(.minutes(20)))
struct ObservedTableTests {
  private static let hundred: [Piece] = (0..<100).map { index in
    .file(FilePath("\(index).file"))
  }

  private static let files = TableRequest(Query(.kind(.file)), order: SortOrder())

  private static let quick = ObservedTable.Options(
    delay: .milliseconds(60), maximumDelay: .milliseconds(400), pollInterval: .milliseconds(10))

  /// Reads nothing but by asking.
  private static let patient = ObservedTable.Options(
    delay: .seconds(600), maximumDelay: .seconds(600))

  /// A hundred files, `0.file` to `99.file`, each changed a second after the one before it.
  private func withHundredFiles(_ body: (Laboratory) async throws -> Void) async throws {
    try await withLaboratory(Self.hundred) { lab in
      for index in 0..<100 {
        let time = (1000 + index) * 1_000_000_000
        try lab.tree.make(.times(FilePath("\(index).file"), accessed: 0, modified: time))
      }
      try await lab.scan()
      try await body(lab)
    }
  }

  /// The next event, which must be a change.
  private func nextChange(
    _ events: inout ObservedTable.Events.Iterator, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> ObservedTable.Update {
    let event = await events.next()
    guard case .changed(let change) = event else {
      Issue.record("\(String(describing: event))", sourceLocation: sourceLocation)
      throw CancellationError()
    }
    return change
  }

  @Test("what another process adds, deletes and changes is told by index")
  func editsOfOthers() async throws {
    try await withHundredFiles { lab in
      let table = try await ObservedTable(lab.catalog, Self.files, options: Self.quick)
      let writer = OtherWriter(catalog: lab.catalog)
      var events = table.events.makeAsyncIterator()

      try writer.write([.add("075.file", like: "1.file"), .add("175.file", like: "1.file")])
      #expect(try await nextChange(&events).diff == TableDiff(insertions: [76, 101]))
      #expect(await table.snapshot.count == 102)
      try writer.write([.remove("075.file"), .remove("175.file")])
      #expect(try await nextChange(&events).diff == TableDiff(deletions: [76, 101]))

      try writer.write([.modify("75.file", at: 7), .modify("25.file", at: 7)])
      #expect(try await nextChange(&events).diff == TableDiff(updates: [25, 75]))
      try writer.write([.remove("75.file"), .remove("25.file")])
      let last = try await nextChange(&events)
      #expect(last.diff == TableDiff(deletions: [25, 75]))
      // In the handler the table is the new one, and can be read.
      #expect(last.old.count == 100 && last.new.count == 98)
      #expect(try await last.new.row(at: 25).name == "26.file")
      await table.cancel()
    }
  }

  @Test(
    "a file that was changed goes to the front where the newest are first", .feature("JB-20"),
    arguments: TableDiff.Shape.allCases)
  func updateThatMoves(_ shape: TableDiff.Shape) async throws {
    try await withHundredFiles { lab in
      var options = Self.quick
      options.shape = shape
      var request = Self.files
      request.order = SortOrder([SortOrder.Term(.modified, .descending)])
      let table = try await ObservedTable(lab.catalog, request, options: options)
      var events = table.events.makeAsyncIterator()
      try OtherWriter(catalog: lab.catalog).write([.modify("95.file", at: 2_000_000_000_000)])
      let diff = try await nextChange(&events).diff
      switch shape {
      case .full:
        #expect(diff == TableDiff(updates: [4], moves: [TableDiff.Move(from: 4, to: 0)]))
      case .batch:
        #expect(diff == TableDiff(shape: .batch, deletions: [4], insertions: [0]))
      }
      await table.cancel()
    }
  }

  @Test(
    "another filter or order is told as a difference, and reads show the new state",
    .feature("JB-22", "JB-25", "JB-33"))
  func otherFilter() async throws {
    try await withHundredFiles { lab in
      let table = try await ObservedTable(lab.catalog, Self.files, options: Self.quick)
      var events = table.events.makeAsyncIterator()
      try await table.setFilters([{ _ in false }])
      #expect(await table.snapshot.isEmpty)
      #expect(try await nextChange(&events).diff == TableDiff(deletions: Array(0..<100)))
      try await table.setFilters([])
      let back = try await nextChange(&events)
      #expect(back.diff == TableDiff(insertions: Array(0..<100)))
      #expect(back.new.count == 100)
      try await table.setFilters([{ (Int($0.displayName) ?? 1) % 2 == 0 }])
      #expect(
        try await nextChange(&events).diff
          == TableDiff(deletions: Array(stride(from: 1, to: 100, by: 2))))
      try await table.setFilters([])
      _ = try await nextChange(&events)
      try await table.setQuery(Query(.name("1*")))
      #expect(try await nextChange(&events).diff.deletions.count == 89)
      try await table.setOrder(SortOrder([SortOrder.Term(.name, .descending)]))
      let turned = try await nextChange(&events).diff
      #expect(turned.moves.count == 10 && turned.changeCount == 10)
      await table.cancel()
    }
  }

  @Test("many writes in a batch are one event, and so are those in a burst", .feature("JB-27"))
  func batches() async throws {
    try await withHundredFiles { lab in
      let table = try await ObservedTable(lab.catalog, Self.files, options: Self.quick)
      let writer = OtherWriter(catalog: lab.catalog)
      var events = table.events.makeAsyncIterator()
      try await table.performBatch {
        try writer.writeOneByOne((0..<10).map { .remove("\($0).file") })
        // Longer than any delay: nothing is told until the batch is over.
        try await Task.sleep(for: .milliseconds(600))
        try writer.writeOneByOne([.remove("50.file")])
      }
      #expect(try await nextChange(&events).diff == TableDiff(deletions: Array(0..<10) + [50]))
      // An empty batch has no event: the next one is of what comes after.
      try await table.performBatch {}
      try writer.write([.remove("99.file")])
      #expect(try await nextChange(&events).diff == TableDiff(deletions: [88]))
      await table.cancel()
    }
  }

  @Test("a batch that fails still tells what it did")
  func failingBatch() async throws {
    try await withHundredFiles { lab in
      let table = try await ObservedTable(lab.catalog, Self.files, options: Self.quick)
      var events = table.events.makeAsyncIterator()
      struct Failure: Error {}
      await #expect(throws: Failure.self) {
        try await table.performBatch {
          try OtherWriter(catalog: lab.catalog).write([.remove("0.file")])
          throw Failure()
        }
      }
      #expect(try await nextChange(&events).diff == TableDiff(deletions: [0]))
      await table.cancel()
    }
  }

  @Test(
    "what changes no row of the table is no event, and neither is the first state",
    .feature("JB-26", "JB-37"))
  func silence() async throws {
    try await withHundredFiles { lab in
      let table = try await ObservedTable(lab.catalog, Self.files, options: Self.patient)
      let writer = OtherWriter(catalog: lab.catalog)
      var events = table.events.makeAsyncIterator()
      try writer.write([])
      #expect(try await table.refresh().isEmpty)
      try await lab.catalog.save(SavedSearch(name: "all", query: Query()))
      try writer.write([.modify("tree", at: 7)])
      #expect(try await table.refresh().isEmpty)
      // The snapshot has followed, silently.
      #expect(try await table.snapshot.isCurrent())
      try writer.write([.remove("0.file")])
      #expect(try await table.refresh() == TableDiff(deletions: [0]))
      // The first event of all is the first change of a row.
      #expect(try await nextChange(&events).diff == TableDiff(deletions: [0]))
      await table.cancel()
    }
  }

  @Test("while writing goes on and on, changes are told all the same", .feature("JB-24"))
  func endlessWrites() async throws {
    try await withHundredFiles { lab in
      var options = Self.quick
      options.delay = .seconds(30)
      options.maximumDelay = .milliseconds(300)
      let table = try await ObservedTable(lab.catalog, Self.files, options: options)
      var events = table.events.makeAsyncIterator()
      let writing = Task {
        for index in 0..<100 where !Task.isCancelled {
          try OtherWriter(catalog: lab.catalog).write([.modify("\(index).file", at: 7)])
        }
      }
      let first = try await nextChange(&events)
      #expect(!first.diff.updates.isEmpty)
      writing.cancel()
      try await writing.value
      await table.cancel()
    }
  }

  @Test("an observer that is slow is told everything in one difference")
  func slowObserver() async throws {
    try await withHundredFiles { lab in
      let table = try await ObservedTable(lab.catalog, Self.files, options: Self.quick)
      let writer = OtherWriter(catalog: lab.catalog)
      for index in 0..<5 {
        try writer.write([.remove("\(index).file")])
        try await table.refresh()
      }
      var events = table.events.makeAsyncIterator()
      #expect(try await nextChange(&events).diff == TableDiff(deletions: Array(0..<5)))
      await table.cancel()
    }
  }

  @Test("after cancelling there is nothing, not even what was due", .feature("JB-23"))
  func cancelling() async throws {
    try await withHundredFiles { lab in
      let table = try await ObservedTable(lab.catalog, Self.files, options: Self.quick)
      let waiting = Task {
        var count = 0
        for await _ in table.events { count += 1 }
        return count
      }
      try await Task.sleep(for: .milliseconds(50))
      await table.cancel()
      try OtherWriter(catalog: lab.catalog).write([.remove("0.file")])
      #expect(await waiting.value == 0)
      var events = table.events.makeAsyncIterator()
      #expect(await events.next() == nil)
    }
  }

  @Test("whoever listens does not keep the table alive", .feature("JB-31"))
  func noLeak() async throws {
    try await withHundredFiles { lab in
      weak var observed: ObservedTable?
      let waiting: Task<Int, Never>
      do {
        let table = try await ObservedTable(lab.catalog, Self.files, options: Self.quick)
        observed = table
        let events = table.events
        waiting = Task {
          var count = 0
          for await _ in events { count += 1 }
          return count
        }
        try await Task.sleep(for: .milliseconds(50))
      }
      #expect(await waiting.value == 0)
      #expect(observed == nil)
      try lab.catalog.close()
    }
  }

  @Test("a table that cannot be read is a failure and no deletion", .feature("JB-28"))
  func failure() async throws {
    try await withLaboratory([.file("d/a"), .file("d/b"), .file("e")]) { lab in
      try await lab.scan()
      let directory = lab.tree.path.appending("d")
      let table = try await ObservedTable(
        lab.catalog, TableRequest(in: .children(of: directory), order: SortOrder()),
        options: Self.quick)
      var events = table.events.makeAsyncIterator()
      try OtherWriter(catalog: lab.catalog).write([.rename("d", to: "f")])
      guard case .failed(let error) = await events.next() else {
        Issue.record("not a failure")
        return
      }
      #expect(error.code == .notInCatalog)
      #expect(await table.snapshot.count == 2)
      // Back again, there is nothing to tell.
      try OtherWriter(catalog: lab.catalog).write([.rename("f", to: "d")])
      #expect(try await table.refresh().isEmpty)
      await table.cancel()
    }
  }
}
