import Console
import FileCatalog
import Foundation
import SystemPackage
import TestSupport
import TestTraits
import Testing

@testable import Fleet

@Suite("Publishing into a lake")
struct PublishingTests {
  /// Runs `body` with a laboratory and an empty lake.
  private func withLake(
    _ pieces: [Piece] = [.file("a.txt", bytes: 5), .file("d/b.png", bytes: 7), .file("d/e/c")],
    _ body: (Laboratory, Lake) async throws -> Void
  ) async throws {
    try await withLaboratory(pieces) { lab in
      try await lab.scan()
      try await withTemporaryDirectory { directory in
        try await body(lab, Lake(directory("lake")))
      }
    }
  }

  private func expectError(
    _ code: FleetError.Code, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
  ) async {
    do {
      try await body()
      Issue.record("nothing was thrown", sourceLocation: sourceLocation)
    } catch let error as FleetError {
      #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
      #expect(!error.description.contains("\n"), sourceLocation: sourceLocation)
    } catch {
      Issue.record("another error: \(error)", sourceLocation: sourceLocation)
    }
  }

  // MARK: - What is there

  @Test("a first publication has everything, a second one of the same state is none")
  func first() async throws {
    try await withLake { lab, lake in
      let record = try await published(lab.catalog, to: lake)
      #expect(record.publication == 1 && record.kind == .full && record.host == "here")
      #expect(record.entries == 6 && record.files.first { $0.table == .entries }?.rows == 6)
      #expect(try await publish(lab.catalog, to: lake) == .upToDate(record))
      let status = try FleetStatus(of: lake)
      #expect(status.members.map(\.last) == [record])
      #expect(status.members.first?.known == 1)
      #expect(status.leftovers.isEmpty && status.faults.isEmpty)
      #expect(try lake.verify { Issue.record("\($0)") } == FleetTable.allCases.count)
    }
  }

  @Test("what follows has what has changed, until so much has that everything follows")
  func deltas() async throws {
    try await withLake((0..<40).map { .file(FilePath("\($0)"), bytes: $0) }) { lab, lake in
      let first = try await published(lab.catalog, to: lake)
      try lab.tree.make(.file("new", bytes: 3))
      try lab.tree.remove("7")
      try await lab.scan()
      let second = try await published(lab.catalog, to: lake)
      #expect(second.kind == .delta && second.catalog == first.catalog)
      // The new one, the root, and the one that is gone.
      #expect(second.files.first { $0.table == .entries }?.rows == 3)
      // A scan that finds nothing says that the state is of today.
      try await lab.scan()
      let third = try await published(lab.catalog, to: lake)
      #expect(third.kind == .delta && third.scan > second.scan)
      #expect(third.files.first { $0.table == .entries }?.rows == 0)
      for number in 0..<30 { try lab.tree.make(.file(FilePath("more\(number)"))) }
      try await lab.scan()
      #expect(try await published(lab.catalog, to: lake).kind == .full)
      // And after so many deltas.
      var kinds: [CommitRecord.Kind] = []
      for _ in 0..<8 {
        try await lab.scan()
        kinds.append(try await published(lab.catalog, to: lake).kind)
      }
      #expect(kinds.firstIndex(of: .full) == 6)
      #expect(try await published(lab.catalog, to: lake, .full).kind == .full)
    }
  }

  @Test("a root that is dropped, and a container that comes, are told in full")
  func otherStates() async throws {
    try await withLake { lab, lake in
      try await withTree([.file("x", bytes: 1)]) { other in
        _ = try await lab.catalog.scan([other.path])
        _ = try await published(lab.catalog, to: lake)
        try await lab.catalog.forget(other.path)
        let record = try await published(lab.catalog, to: lake)
        #expect(record.kind == .full && record.entries == 6)
        try await lab.catalog.register([Container(.appleSandbox, root: lab.tree.path)])
        #expect(try await published(lab.catalog, to: lake).kind == .full)
      }
    }
  }

  // MARK: - What engines read

  @Test(
    "engines read what the catalog holds, after any edits", .enabled(if: Clients.areInstalled),
    arguments: [UInt64.random(in: 0 ... .max)])
  func randomEdits(seed: UInt64) async throws {
    try await withLaboratory { lab in
      try await withTemporaryDirectory { directory in
        let lake = Lake(directory("it's a lake"))
        var random = SeededRandom(seed: seed)
        var editor = TreeEditor(lab.tree, random: SeededRandom(seed: random.next()), isWide: false)
        for _ in 0..<100 { editor.edit() }
        // Enough for little to have changed.
        for number in 0..<400 {
          try lab.tree.make(.file(FilePath("many/\(number)"), bytes: number))
        }
        _ = try await lab.catalog.scan([lab.tree.path])
        var kinds: Set<CommitRecord.Kind> = []
        for round in 0..<8 {
          kinds.insert(try await published(lab.catalog, to: lake).kind)
          try expectEqual(lake, [("here", lab.catalog)], "round \(round), seed \(seed)")
          if round == 5 {
            // So many that one more is little, whatever was removed.
            for number in 0..<100 {
              try lab.tree.make(.file(FilePath("again/\(number)"), bytes: number))
            }
          } else if round == 6 {
            _ = try await published(lab.catalog, to: lake, .full)
            try lab.tree.make(.file("one more", bytes: 3))
          } else {
            for _ in 0..<[1, 3, 10, 40][random.below(4)] { editor.edit() }
          }
          try await lab.scan(loss: .accepted)
        }
        #expect(kinds == [.full, .delta], "seed \(seed)")
        #expect(try lake.verify { Issue.record("\($0)") } > 0)
      }
    }
  }

  private static let engines: [FleetDialect] =
    (Clients.areInstalled ? [.duckdb, .clickhouse] : []) + (Clients.hasSpark ? [.spark] : [])

  @Test("all engines read the same from four machines", .feature("P-62"), arguments: engines)
  func fourMachines(engine: FleetDialect) async throws {
    let same: [Piece] = [
      .file("copies/same.bin", bytes: 5000), .file("copies/same too", bytes: 70_000),
      .file("d/e/c", bytes: 12),
    ]
    let odd: [Piece] = [
      .file("sp ace\t\"é.txt", bytes: 3), .file("new\nline", bytes: 4), .file("d/it's", bytes: 5),
      .file(FilePath(bytes: Array("bad\u{1}".utf8) + [0xff, 0xfe]), bytes: 9000),
      .file("Some.app/Contents/x", bytes: 800), .symlink("l", to: "d/e/c"),
      .hardLink("other name", to: "copies/same too"), .file("copies/again/same.bin", bytes: 5000),
    ]
    try await withLake(same) { lab, lake in
      try await withLaboratory(same + odd) { odd in
        try await withLaboratory(same + (0..<300).map { .file(FilePath("n\($0)"), bytes: $0) }) {
          many in
          try await withLaboratory([.file("alone.png", bytes: 100)]) { alone in
            for lab in [odd, many, alone] { try await lab.scan() }
            _ = try await published(lab.catalog, to: lake)
            _ = try await published(odd.catalog, to: lake, by: "d'ailleurs")
            _ = try await published(many.catalog, to: lake, by: "many \"files\"")
            _ = try await published(alone.catalog, to: lake, by: "seule")
            try many.tree.make([.file("new", bytes: 30_000), .file("d/new", bytes: 5)])
            try many.tree.remove("n9")
            try await many.scan()
            #expect(
              try await published(many.catalog, to: lake, by: "many \"files\"").kind == .delta)
            #expect(try compaction(of: lake).status == 0)
            try odd.tree.make(.file("d/new", bytes: 3))
            try odd.tree.remove("new\nline")
            try await odd.scan()
            _ = try await published(odd.catalog, to: lake, by: "d'ailleurs")
            // What was written by somebody who never came to the record.
            let catalog = try #require(try lake.catalogs().first)
            try copy(
              lake.file(Lake.place(of: .entries, catalog, 1)),
              to: lake.file(Lake.place(of: .entries, catalog, 9)))
            #expect(try FleetStatus(of: lake).leftovers.count == 1)
            try expectEqual(
              lake,
              [
                ("here", lab.catalog), ("d'ailleurs", odd.catalog),
                ("many \"files\"", many.catalog),
                ("seule", alone.catalog),
              ], by: engine)
          }
        }
      }
    }
  }

  private func copy(_ file: FilePath, to copy: FilePath) throws {
    try CommandRunner("mkdir").run(["-p", copy.removingLastComponent().string])
    #expect(try CommandRunner("cp").run([file.string, copy.string]).status == 0)
  }

  @Test("what a full publication has followed goes after a time, its history later")
  func expiry() async throws {
    try await withLake((0..<30).map { .file(FilePath("\($0)"), bytes: $0) }) { lab, lake in
      _ = try await published(lab.catalog, to: lake)
      try lab.tree.make(.file("new", bytes: 3))
      try await lab.scan()
      _ = try await published(lab.catalog, to: lake)
      try await lab.scan()
      let last = try await published(lab.catalog, to: lake, .full)
      try lab.tree.make(.file("newer", bytes: 3))
      try await lab.scan()
      _ = try await published(lab.catalog, to: lake)
      let day: Int64 = 86_400
      func expire(afterDays days: Int64) throws -> Int {
        try lake.expire(Lake.Retention(), now: last.published + days * day + 1).files
      }
      #expect(try expire(afterDays: 6) == 0)
      // Four tables of two publications; their changes stay.
      #expect(try expire(afterDays: 7) == 8)
      #expect(try lake.verify { Issue.record("\($0)") } == 2 * 2 + 2 * FleetTable.allCases.count)
      if Clients.areInstalled { try expectEqual(lake, [("here", lab.catalog)]) }
      #expect(try expire(afterDays: 7) == 0)
      // The records and the rest of the two.
      #expect(try expire(afterDays: 57) == 6)
      let status = try FleetStatus(of: lake)
      #expect(status.members.first?.known == 4 && status.leftovers.isEmpty)
      #expect(try lake.verify { Issue.record("\($0)") } == 2 * FleetTable.allCases.count)
    }
  }

  // MARK: - What goes wrong

  @Test("a publication that is missing makes a gap, behind which nothing is known")
  func gap() async throws {
    try await withLake((0..<40).map { .file(FilePath("\($0)"), bytes: $0) }) { lab, lake in
      var records: [CommitRecord] = []
      for number in 0..<4 {
        records.append(try await published(lab.catalog, to: lake))
        try lab.tree.make(.file(FilePath("more\(number)")))
        try await lab.scan()
      }
      let place = lake.file(Lake.place(ofCommit: 3, records[0].catalog))
      #expect(try CommandRunner("rm").run([place.string]).status == 0)
      let member = try #require(try FleetStatus(of: lake).members.first)
      #expect(member.gaps == [3...3] && member.known == 2 && member.last == records[3])
      // An answer is about the scan whose state is known.
      #expect(member.state == records[1])
      #expect(try FleetStatus(of: lake).leftovers.count == FleetTable.allCases.count)
      // An answer is about the state that is known, and of the time of that.
      let coverage = try FleetCoverage(of: FleetStatus(of: lake), in: lake, .init(), now: 0)
      let scans = [records[1].oldestScan, records[1].newestScan].compactMap { $0 }
      #expect(coverage.scans.map { [$0.lowerBound, $0.upperBound] } == scans)
      #expect(coverage.entries == records[1].entries && records[1].entries < records[3].entries)
      // The next one is complete in itself.
      #expect(try await published(lab.catalog, to: lake).kind == .full)
      #expect(try FleetStatus(of: lake).members.first?.known == 5)
    }
  }

  @Test("files that are not what was written are found")
  func damage() async throws {
    try await withLake { lab, lake in
      let record = try await published(lab.catalog, to: lake)
      func place(_ table: FleetTable) -> FilePath {
        lake.file(Lake.place(of: table, record.catalog, 1))
      }
      try flip(20, in: place(.entries))
      try CommandRunner("truncate").run(["-s", "10", place(.directories).string])
      try CommandRunner("rm").run([place(.growth).string])
      var faults: [String: FleetProblem.Fault] = [:]
      _ = try lake.verify { faults[$0.place] = $0.fault }
      #expect(
        faults == [
          place(.entries).string: .content, place(.directories).string: .size,
          place(.growth).string: .missing,
        ])
    }
  }

  private func flip(_ offset: Int64, in file: FilePath) throws {
    let opened = try FileDescriptor.open(file, .readWrite)
    try opened.closeAfter {
      var bytes: [UInt8] = [0]
      _ = try bytes.withUnsafeMutableBytes {
        try opened.read(fromAbsoluteOffset: offset, into: $0)
      }
      try opened.writeAll(toAbsoluteOffset: offset, [bytes[0] ^ 4])
    }
  }

  @Test("one catalog is published by one at a time")
  func together() async throws {
    try await withLake { lab, lake in
      let record = try await published(lab.catalog, to: lake)
      try await lab.scan()
      let other = try LakeWriter(lake, for: record.catalog)
      await expectError(.busy) { _ = try await publish(lab.catalog, to: lake) }
      _ = consume other
      #expect(try await published(lab.catalog, to: lake).publication == 2)
    }
  }

  @Test("a copy of a catalog that goes its own way is refused, with the names of both machines")
  func copies() async throws {
    try await withLake { lab, lake in
      _ = try await published(lab.catalog, to: lake)
      try await withTemporaryDirectory { directory in
        try await lab.catalog.backUp(to: directory("copy"))
        let copy = try Catalog(at: directory("copy"))
        _ = try await copy.scan([lab.tree.path])
        _ = try await published(copy, to: lake, by: "there")
        await expectError(.diverged) { _ = try await publish(lab.catalog, to: lake) }
        try await lab.scan()
        do {
          _ = try await publish(lab.catalog, to: lake)
          Issue.record("nothing was thrown")
        } catch let error as FleetError {
          #expect(error.code == .diverged)
          #expect(error.description.contains("there") && error.description.contains("here"))
        }
        try copy.close()
      }
    }
  }

  @Test(
    "records that no publisher has written are refused",
    arguments: [
      ("", FleetError.Code.invalidRecord), ("{", .invalidRecord), ("[]", .invalidRecord),
      ("{\"version\":1}", .invalidRecord), ("{\"version\":2}", .newerVersion),
      ("{\"version\":\"1\"}", .invalidRecord),
      (String(repeating: " ", count: 100_000), .invalidRecord),
      (String(repeating: "[", count: 50_000), .invalidRecord),
    ])
  func strangeRecords(_ text: String, _ code: FleetError.Code) async throws {
    try await withLake { lab, lake in
      let record = try await published(lab.catalog, to: lake)
      let place = lake.file(Lake.place(ofCommit: 1, record.catalog))
      try replace(place, by: text)
      let status = try FleetStatus(of: lake)
      #expect(status.members.isEmpty && status.faults.map(\.code) == [code])
      try await lab.scan()
      await expectError(code) { _ = try await publish(lab.catalog, to: lake) }
      if code == .invalidRecord {
        #expect(try await published(lab.catalog, to: lake, .full).publication == 2)
      }
    }
  }

  @Test(
    "a record is that of its place, and names each table once",
    arguments: [
      ("\"publication\":1", "\"publication\":2"), ("\"catalog\":\"", "\"catalog\":\"0"),
      ("\"entries\",\"rows\"", "\"../entries\",\"rows\""), ("\"growth\"", "\"changes\""),
      ("\"rows\":", "\"rows\":-"), ("\"size\":", "\"size\":\"x\",\"y\":"),
      ("\"kind\":\"full\"", "\"kind\":\"whole\""), ("\"host\":\"here\"", "\"host\":7"),
    ])
  func changedRecords(_ old: String, _ new: String) async throws {
    try await withLake { lab, lake in
      let record = try await published(lab.catalog, to: lake)
      let text = String(decoding: record.json, as: UTF8.self)
      let range = try #require(text.range(of: old))
      try replace(
        lake.file(Lake.place(ofCommit: 1, record.catalog)),
        by: text.replacingCharacters(in: range, with: new))
      #expect(try FleetStatus(of: lake).faults.map(\.code) == [.invalidRecord])
    }
  }

  @Test("a record with the highest number there can be hides nothing, and is not followed")
  func highestNumber() async throws {
    try await withLake { lab, lake in
      let record = try await published(lab.catalog, to: lake)
      let first = lake.file(Lake.place(ofCommit: 1, record.catalog))
      try copy(first, to: lake.file(Lake.place(ofCommit: Lake.highestPublication, record.catalog)))
      let status = try FleetStatus(of: lake)
      #expect(status.members.map(\.last) == [record])
      #expect(status.members.first?.faults.map(\.code) == [.invalidRecord])
      try await lab.scan()
      await expectError(.invalidRecord) { _ = try await publish(lab.catalog, to: lake) }
      await expectError(.cannotWrite) {
        _ = try await publish(lab.catalog, to: lake, by: "here", .full)
      }
      // What else bears a number is no record.
      for name in ["9223372036854775807.json", "2.json", "-00000000001.json", "00000000000x.json"] {
        try copy(first, to: first.removingLastComponent().appending(name))
      }
      #expect(try lake.publications(of: record.catalog) == [1, Lake.highestPublication])
    }
  }

  @Test("changes are told once, also where a record among those before is none")
  func toldOnce() async throws {
    try await withLake((0..<30).map { .file(FilePath("\($0)"), bytes: $0) }) { lab, lake in
      let first = try await published(lab.catalog, to: lake)
      func change(_ name: FilePath) async throws -> Int64 {
        try lab.tree.make(.file(name))
        try await lab.scan()
        let record = try await published(lab.catalog, to: lake, .full)
        return record.files.first { $0.table == .changes }?.rows ?? 0
      }
      #expect(try await change("one") == 1)
      try replace(lake.file(Lake.place(ofCommit: 2, first.catalog)), by: "{")
      // With the change that the record had told which is none.
      #expect(try await change("two") == 2)
    }
  }

  @Test("a name that would make the record unreadable is refused")
  func longName() async throws {
    try await withLake { lab, lake in
      let name = String(repeating: "x", count: 70_000)
      await expectError(.invalidRecord) { _ = try await publish(lab.catalog, to: lake, by: name) }
      #expect(try FleetStatus(of: lake).members.isEmpty)
      _ = try await published(lab.catalog, to: lake)
    }
  }

  @Test("a publisher that is cancelled leaves nothing to be seen")
  func cancelled() async throws {
    try await withLake { lab, lake in
      try FilePath("\(lake)").makeDirectories(mode: 0o755)
      let publishing = Task { try await publish(lab.catalog, to: lake) }
      publishing.cancel()
      await #expect(throws: (any Error).self) { _ = try await publishing.value }
      let status = try FleetStatus(of: lake)
      #expect(status.members.isEmpty)
    }
  }

  private func replace(_ file: FilePath, by text: String) throws {
    let opened = try FileDescriptor.open(file, .writeOnly, options: .truncate)
    try opened.closeAfter { _ = try opened.writeAll(text.utf8) }
  }
}

extension Lake {
  /// A file of a lake in a directory.
  fileprivate func file(_ place: FilePath) -> FilePath { FilePath(self(place)) }
}
