import FileCatalog
import FileCoordination
import FileSystem
import SystemPackage
import TestSupport
import TestTraits
import Testing

/// A program that writes through a coordinator knows what it wrote.
@Suite("What one has written oneself", .timeLimit(.minutes(20)))
struct EchoTests {
  private let mine = ChangeOrigin.unique()

  /// Reads nothing but by asking.
  private static let patient = ObservedTable.Options(
    delay: .seconds(600), maximumDelay: .seconds(600))

  private static let files = TableRequest(Query(.kind(.file)), order: SortOrder())

  /// Ten files, `0.file` to `9.file`, and a coordinator of the catalog.
  private func withTenFiles(
    _ body: (Laboratory, FileCoordinator) async throws -> Void
  ) async throws {
    try await withLaboratory((0..<10).map { .file(FilePath("\($0).file")) }) { lab in
      try await lab.scan()
      try await body(lab, lab.catalog.coordinator(origin: mine, writeConcern: .fast))
    }
  }

  private func nextChange(
    _ table: ObservedTable, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> ObservedTable.Update {
    var events = table.events.makeAsyncIterator()
    let event = await events.next()
    guard case .changed(let change) = event else {
      Issue.record("\(String(describing: event))", sourceLocation: sourceLocation)
      throw CancellationError()
    }
    return change
  }

  private func names(_ table: ObservedTable) async throws -> [String] {
    let snapshot = await table.snapshot
    return try await snapshot.rows(in: 0..<snapshot.count).map(\.name)
  }

  @Test(
    "is in an observed table without an event, and what others do after it is told exactly",
    .feature("JB-32"))
  func laterChanges() async throws {
    try await withTenFiles { lab, coordinator in
      let table = try await ObservedTable(
        lab.catalog, Self.files, leavingOut: mine, options: Self.patient)
      let place = lab.tree.path
      try await coordinator.write([1, 2, 3], to: place.appending("3.file"))
      try await coordinator.write([1], to: place.appending("45.file"))
      try await coordinator.delete(place.appending("5.file"), .permanent)
      try await coordinator.move(place.appending("7.file"), to: place.appending("95.file"))
      let own = try await table.refresh()
      #expect(own.updates.contains(3) && own.deletions == [5] && own.insertions == [8])
      let now = ["0", "1", "2", "3", "4", "6", "8", "9", "45", "95"].map { "\($0).file" }
      #expect(try await names(table) == now)

      try lab.tree.make(.file("2.file", bytes: 7))
      try lab.tree.remove("9.file")
      try await lab.scan()
      try await table.refresh()
      let change = try await nextChange(table)
      #expect(change.diff == TableDiff(deletions: [7], updates: [2]))
      #expect(change.old.count == 10 && change.new.count == 9)
      await table.cancel()
    }
  }

  @Test("is left out of what one scan finds of several")
  func sameScan() async throws {
    try await withTenFiles { lab, coordinator in
      let table = try await ObservedTable(
        lab.catalog, Self.files, leavingOut: mine, options: Self.patient)
      let first = try #require(try await lab.catalog.roots().first?.lastScan)
      // The scan that follows the write reads the directory, and finds these as well.
      try lab.tree.make([.file("1.file", bytes: 9), .file("foreign")])
      try await coordinator.write([1], to: lab.tree.path.appending("2.file"))
      #expect(try await table.refresh().changeCount == 3)
      let change = try await nextChange(table)
      #expect(change.diff == TableDiff(insertions: [10], updates: [1]))

      let strangers = Set(["1.file", "foreign"].map { lab.tree.path.appending($0) })
      for try await set in lab.catalog.changeSets(since: first, leavingOut: mine) {
        #expect(strangers.isSubset(of: set.changes.map(\.path)))
        #expect(!set.changes.map(\.path).contains(lab.tree.path.appending("2.file")))
        break
      }
      for try await set in lab.catalog.changeSets(since: first) where set.origin == mine {
        #expect(set.changes.map(\.path) == [lab.tree.path.appending("2.file")])
        break
      }
      let last = try #require(try await lab.catalog.roots().first?.lastScan)
      #expect(try await lab.catalog.changes(since: last).isEmpty)
      try await expectSound(lab.catalog)
      #expect(try await lab.scan().modified == 0)
      await table.cancel()
    }
  }

  @Test("does not hide what others have done to the same file")
  func sameFile() async throws {
    try await withTenFiles { lab, coordinator in
      let table = try await ObservedTable(
        lab.catalog, Self.files, leavingOut: mine, options: Self.patient)
      for order in 0..<2 {
        if order == 0 { try await coordinator.write([1], to: lab.tree.path.appending("4.file")) }
        try lab.tree.make(.file("4.file", bytes: 20 + order))
        try await lab.scan()
        if order == 1 { try await coordinator.write([2], to: lab.tree.path.appending("4.file")) }
        try await table.refresh()
        #expect(try await nextChange(table).diff == TableDiff(updates: [4]))
      }
      await table.cancel()
    }
  }

  @Test("takes its place among the rows silently, in any order, and with what is inside it")
  func places() async throws {
    let pieces: [Piece] = [
      .file("a", bytes: 1), .file("b", bytes: 2), .file("c", bytes: 3), .file("d/x", bytes: 4),
      .file("d/y", bytes: 5), .file("e", bytes: 6),
    ]
    try await withLaboratory(pieces) { lab in
      try await lab.scan()
      let coordinator = lab.catalog.coordinator(origin: mine, writeConcern: .fast)
      var bySize = Self.files
      bySize.order = SortOrder([SortOrder.Term(.size, .descending)])
      var byPath = Self.files
      byPath.order = SortOrder([SortOrder.Term(.path)])
      let sizes = try await ObservedTable(
        lab.catalog, bySize, leavingOut: mine, options: Self.patient)
      let paths = try await ObservedTable(
        lab.catalog, byPath, leavingOut: mine, options: Self.patient)
      // To the end, to the front, and a directory whose files are elsewhere then.
      try await coordinator.write([], to: lab.tree.path.appending("e"))
      try await coordinator.write([UInt8](repeating: 0, count: 9), to: lab.tree.path.appending("a"))
      try await coordinator.move(lab.tree.path.appending("d"), to: lab.tree.path.appending("0"))
      for table in [sizes, paths] { try await table.refresh() }
      #expect(try await names(sizes) == ["a", "y", "x", "c", "b", "e"])
      #expect(try await names(paths) == ["x", "y", "a", "b", "c", "e"])

      try lab.tree.make(.file("b", bytes: 20))
      try await lab.scan()
      for table in [sizes, paths] { try await table.refresh() }
      let moved = TableDiff(updates: [4], moves: [TableDiff.Move(from: 4, to: 0)])
      #expect(try await nextChange(sizes).diff == moved)
      #expect(try await nextChange(paths).diff == TableDiff(updates: [3]))
      for table in [sizes, paths] { await table.cancel() }
    }
  }

  @Test("is left out of any mixture, and nothing else is")
  func mixtures() async throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededRandom(seed: seed)
    try await withTenFiles { lab, coordinator in
      var request = Self.files
      request.order = SortOrder([SortOrder.Term(.size), SortOrder.Term(.name)])
      let table = try await ObservedTable(
        lab.catalog, request, leavingOut: mine, options: Self.patient)
      /// The files that were changed since a scan, by oneself or by others.
      func changed(since last: ScanID, _ origin: String) throws -> Set<EntryID> {
        let ids = try lab.catalog.texts(
          """
          SELECT DISTINCT CAST(c.entry_id AS TEXT) FROM _change_log c
          JOIN _scan_log s ON s.id = c.scan_id
          WHERE c.scan_id > \(last.rawValue) AND c.entry_kind = 1 AND s.origin \(origin)
          """)
        return Set(ids.compactMap { Int64($0) }.map { EntryID(rawValue: $0) })
      }
      let (isMine, isForeign) = ("IS '\(mine.rawValue)'", "IS NOT '\(mine.rawValue)'")
      var last = try #require(try await lab.catalog.roots().first?.lastScan)
      for round in 0..<25 {
        for _ in 0..<Int.random(in: 1...6, using: &random) {
          let name = FilePath("\(Int.random(in: 0..<20, using: &random)).file")
          let size = Int.random(in: 0..<100, using: &random)
          switch Int.random(in: 0..<8, using: &random) {
          case 0...1:
            try await coordinator.write(
              [UInt8](repeating: 1, count: size), to: lab.tree.path.pushing(name))
          case 2: _ = try? await coordinator.delete(lab.tree.path.pushing(name), .permanent)
          case 3: try lab.tree.make(.file(name, bytes: size))
          case 4: try? lab.tree.remove(name)
          case 5: try await lab.scan()
          default:
            try await table.refresh()
            // Where there is nothing to tell, all of this is known.
            if try changed(since: last, isForeign).isEmpty {
              last = try #require(try await lab.catalog.roots().first?.lastScan)
            }
          }
        }
        // Something that is certainly to be told.
        try lab.tree.make(.file("certain", bytes: 1000 + round))
        try await lab.scan()
        try await table.refresh()
        let change = try await nextChange(table)
        let own = try changed(since: last, isMine)
        let foreign = try changed(since: last, isForeign)
        last = try #require(try await lab.catalog.roots().first?.lastScan)
        let diff = change.diff
        let told =
          try (diff.deletions + diff.updates).map { try change.old.id(at: $0) }
          + diff.insertions.map { try change.new.id(at: $0) }
        let moved = try diff.moves.map { try change.old.id(at: $0.from) }
        #expect(foreign.isSuperset(of: told), "seed \(seed), round \(round)")
        // Of two that change places, either has moved; but never one's own.
        #expect(own.subtracting(foreign).isDisjoint(with: moved), "seed \(seed), round \(round)")
        let before = try (0..<change.old.count).map { try change.old.id(at: $0) }
        let after = try (0..<change.new.count).map { try change.new.id(at: $0) }
        #expect(diff.applied(to: before) { after[$0] } == after, "seed \(seed), round \(round)")
      }
      await table.cancel()
    }
  }

  @Test("is never heard by the watch of the same catalog", .feature("JB-32"))
  func watching() async throws {
    try await withLaboratory([.file("a"), .file("d/b")]) { lab in
      let coordinator = lab.catalog.coordinator(
        origin: mine, trash: Trash(home: lab.tree.path.appending("Trash")))
      // The directories of a trash are made with the first item.
      try await lab.scan()
      try lab.tree.make(.file("rubbish"))
      try await coordinator.delete(lab.tree.path.appending("rubbish"))
      try await lab.scan()

      let stranger = lab.tree.path.appending("stranger")
      let (started, start) = AsyncStream<Void>.makeStream()
      let watching = Task {
        var heard: [FilePath] = []
        var isFirst = true
        var filter = ChangeFilter()
        filter.directories = .included
        for try await event in lab.catalog.watch([lab.tree.path]) {
          guard case .scanned(let summary) = event else { continue }
          let before = heard.count
          try lab.catalog.forEachChange(ofScan: summary.scanID, filter: filter) {
            heard.append($0.path)
          }
          #expect(isFirst || heard.count > before, "told of a scan that found nothing")
          isFirst = false
          start.yield()
          if heard.contains(stranger) { break }
        }
        return heard
      }
      for await _ in started { break }
      let scans = try lab.catalog.number("SELECT count(*) FROM scans") ?? 0
      try await coordinator.write([1, 2], to: lab.tree.path.appending("a"))
      try await coordinator.write([1], to: lab.tree.path.appending("d/new"))
      try await coordinator.write(
        DocumentPackage(["TXT.rtf": .file([1])]), to: lab.tree.path.appending("Notes.rtfd"))
      try await coordinator.delete(lab.tree.path.appending("d/b"))
      // The watch has looked, too.
      while try lab.catalog.number("SELECT count(*) FROM scans") ?? 0 < scans + 5 {
        try await Task.sleep(for: .milliseconds(50))
      }
      try lab.tree.make(.file("stranger"))
      let heard = try await Set(watching.value)
      #expect(heard == [lab.tree.path, stranger])
      try await expectSound(lab.catalog)
    }
  }

  @Test("belongs to its writer, whichever scan is the first to see it", .timeLimit(.minutes(20)))
  func racingScans() async throws {
    try await withTenFiles { lab, _ in
      let trash = Trash(home: lab.tree.path.appending("Trash"))
      let coordinator = lab.catalog.coordinator(origin: mine, writeConcern: .fast, trash: trash)
      // The directories of a trash are made with the first item.
      try await coordinator.delete(lab.tree.path.appending("0.file"))
      try await lab.scan()
      let first = try #require(try await lab.catalog.roots().first?.lastScan)
      let scanning = Task {
        while !Task.isCancelled { _ = try await lab.catalog.scan([lab.tree.path]) }
      }
      for round in 0..<40 {
        let path = lab.tree.path.appending("\(round % 10).file")
        if round % 4 == 3 {
          try await coordinator.delete(path, round % 8 == 3 ? .permanent : .toTrash)
        } else {
          try await coordinator.write([UInt8](repeating: 1, count: round), to: path)
        }
      }
      scanning.cancel()
      _ = await scanning.result
      let end = lab.tree.path.appending("end")
      try lab.tree.make(.file("end"))
      try await lab.scan()
      for try await set in lab.catalog.changeSets(since: first) {
        let paths = set.changes.map(\.path).filter { $0 != lab.tree.path && $0 != end }
        #expect(set.origin == mine || paths.isEmpty, "\(paths)")
        if set.changes.contains(where: { $0.path == end }) { break }
      }
    }
  }
}
