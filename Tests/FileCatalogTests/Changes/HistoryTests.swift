import FileCatalog
import FileSystem
import Foundation
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("The history")
struct HistoryTests {
  @Test("begins with the first scan, and goes on with each further one", .feature("P-21"))
  func sinceAScan() async throws {
    try await withLaboratory([.file("a"), .file("d/b")]) { lab in
      let first = try await lab.scan()
      #expect(first.isFirst)
      #expect(try await lab.catalog.changes(since: .scan(ScanID(rawValue: 0))).isEmpty)
      try lab.tree.make(.file("a", bytes: 5))
      let second = try await lab.scan()
      try lab.tree.remove("d/b")
      let third = try await lab.scan()
      let all = try await lab.catalog.changes(since: first.scanID)
      #expect(all.map(\.kind) == [.modified, .removed])
      #expect(all[0].fields.contains(.size))
      #expect((all[0].oldSize, all[0].size) == (0, 5))
      #expect(try await lab.catalog.changes(since: second.scanID).map(\.kind) == [.removed])
      #expect(try await lab.catalog.changes(since: third.scanID).isEmpty)
      #expect(try await lab.catalog.changes(since: HistoryPoint(parsing: "1d")).count == 2)
    }
  }

  @Test("of the first scan is everything it found, when one asks for that scan")
  func ofTheFirstScan() async throws {
    try await withLaboratory([.file("a"), .file("d/b")]) { lab in
      let first = try await lab.scan()
      var paths: [FilePath] = []
      try lab.catalog.forEachChange(ofScan: first.scanID) { change in
        #expect(change.kind == .added)
        paths.append(change.path)
      }
      #expect(paths == ["", "a", "d", "d/b"].map { lab.tree.path.pushing(FilePath($0)) })
    }
  }

  @Test("is asked by kind and by directory, also for where entries came from")
  func filtered() async throws {
    try await withLaboratory([.file("one/a"), .file("two/b"), .directory("three")]) { lab in
      let first = try await lab.scan()
      try lab.tree.rename("one/a", to: "three/a")
      try lab.tree.make(.file("two/b", bytes: 1))
      try await lab.scan()
      func changes(_ set: (inout ChangeFilter) -> Void) async throws -> [Change.Kind] {
        var filter = ChangeFilter()
        set(&filter)
        return try await lab.catalog.changes(since: .scan(first.scanID), filter: filter)
          .map(\.kind)
      }
      #expect(try await changes { $0.kinds = [.moved, .added] } == [.moved])
      for directory in ["one", "three"] {
        #expect(
          try await changes { $0.directory = lab.tree.path.appending(directory) } == [.moved])
      }
      #expect(try await changes { $0.directory = lab.tree.path.appending("tw") } == [])
      // The directories that the file was taken from and put into, the root among them not.
      #expect(try await changes { $0.directories = .included }.count == 4)
    }
  }

  @Test("says by how much directories have grown between any two scans", .feature("P-22"))
  func growth() async throws {
    try await withLaboratory([.file("d/a", bytes: 10), .file("e/b", bytes: 1)]) { lab in
      try await lab.scan()
      try lab.tree.make([.file("d/a", bytes: 30), .file("d/deep/c", bytes: 5)])
      let second = try await lab.scan()
      try lab.tree.remove("d/deep")
      try await lab.scan()
      func growth(after scan: Int64, _ name: String) throws -> [ColumnValue]? {
        let path = lab.tree.path.pushing(FilePath(name)).string
        return try lab.catalog.rows(
          """
          SELECT sum(total_files) AS f, sum(total_size) AS s, sum(size) AS o
          FROM growth_by_directory WHERE path = '\(path)' AND scan_id > \(scan)
          """
        ).first.map { [$0["f"] ?? .null, $0["s"] ?? .null, $0["o"] ?? .null] }
      }
      #expect(try growth(after: 0, "d") == [.integer(0), .integer(20), .integer(20)])
      #expect(
        try growth(after: second.scanID.rawValue, "d")
          == [.integer(-1), .integer(-5), .integer(0)])
      #expect(try growth(after: 0, "") == [.integer(0), .integer(20), .integer(0)])
      #expect(try growth(after: 0, "e") == [.null, .null, .null])
      #expect(try growth(after: 0, "d/deep") == [.integer(0), .integer(0), .integer(0)])
    }
  }

  @Test("is dropped by age and by number, and says so when it is asked for what is gone")
  func retention() async throws {
    try await withLaboratory([.file("a")]) { lab in
      let first = try await lab.scan()
      for size in 1...5 {
        try lab.tree.make(.file("a", bytes: size))
        try await lab.scan()
      }
      #expect(try await lab.catalog.historyHorizon() == nil)
      #expect(try await lab.catalog.historyRetention() == HistoryRetention())
      try await lab.catalog.setHistoryRetention(HistoryRetention(changes: 4))
      let horizon = try #require(try await lab.catalog.historyHorizon())
      try await expectError(.historyDropped) {
        _ = try await lab.catalog.changes(since: first.scanID)
      }
      #expect(try await !lab.catalog.changes(since: horizon).isEmpty)
      try await expectError(.historyDropped) {
        for try await _ in lab.catalog.changeSets(since: first.scanID) {}
      }
      try await lab.catalog.setHistoryRetention(HistoryRetention(days: 0))
      #expect(try lab.catalog.number("SELECT count(*) FROM changes") == 0)
      #expect(try lab.catalog.number("SELECT count(*) FROM growth_by_directory") == 0)
      // The last scan of a root stays, whatever its age.
      #expect(try lab.catalog.number("SELECT count(*) FROM scans") == 1)
      #expect(try await lab.scan().modified == 0)
    }
  }

  @Test("is dropped a step at a time by scans, and whole when one asks for it")
  func steps() async throws {
    try await withLaboratory([.file("a")]) { lab in
      try await lab.scan()
      try OtherWriter(catalog: lab.catalog).insertOldScans(2_500, changesEach: 30)
      func counts() throws -> [Int64] {
        [
          try #require(try lab.catalog.number("SELECT count(*) FROM scans")),
          try #require(try lab.catalog.number("SELECT count(*) FROM changes")),
        ]
      }
      #expect(try counts() == [2_501, 75_000])
      try lab.tree.make(.file("b"))
      try await lab.scan()
      let left = try counts()
      #expect(left[0] > 2 && left[0] < 2_502 && left[1] > 1 && left[1] < 75_001)
      try await lab.catalog.setHistoryRetention(HistoryRetention())
      // The scan that brought the root, and the one that found something.
      #expect(try counts() == [2, 1])
      #expect(try await lab.catalog.historyHorizon()?.rawValue == 2_500)
    }
  }

  @Test("is followed by programs, from where they were", .feature("P-36"))
  func following() async throws {
    try await withLaboratory([.file("a")]) { lab in
      let first = try await lab.scan()
      try lab.tree.make(.file("b"))
      let second = try await lab.scan()
      try await lab.scan()
      let follower = Task {
        var sets: [ChangeSet] = []
        for try await set in lab.catalog.changeSets(since: first.scanID) {
          sets.append(set)
          if sets.count == 2 { break }
        }
        return sets
      }
      try lab.tree.make(.file("c"))
      let last = try await lab.scan()
      let sets = try await follower.value
      #expect(sets.map(\.scan) == [second.scanID, last.scanID])
      #expect(sets.map { $0.changes.map(\.path.lastComponent?.string) } == [["b"], ["c"]])
    }
  }

  @Test("takes numbers, dates and ages", arguments: ["7d", "yesterday", "2026-01-31", "2026"])
  func points(_ text: String) throws {
    let point = try HistoryPoint(parsing: text)
    if text == "2026" {
      #expect(point == .scan(ScanID(rawValue: 2026)))
    } else {
      guard case .time(let time) = point else {
        Issue.record("\(text) is no time")
        return
      }
      #expect(time > 0)
    }
  }

  @Test(
    "refuses what is none of them", arguments: ["", "soon", "-3", "2026-13-01", "7d..1d", "(a"])
  func wrongPoints(_ text: String) {
    let error = #expect(throws: CatalogError.self) { try HistoryPoint(parsing: text) }
    #expect(error?.code == .invalidArgument)
  }
}
