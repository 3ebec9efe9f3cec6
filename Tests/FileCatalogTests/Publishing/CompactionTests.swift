import FileCatalog
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Fleet

@Suite("History of many publications in few files", .enabled(if: Clients.areInstalled))
struct CompactionTests {
  /// A lake of two machines, of which each can change something and publish it.
  private struct Shore {
    let directory: TemporaryDirectory
    let labs: [(host: String, lab: Laboratory)]
    let lake: Lake

    /// Changes something on each machine, and publishes it.
    func publish(
      rounds: Int = 1, _ extent: Catalog.Publication.Extent = .asNeeded,
      _ change: (Int, Laboratory) throws -> Void
    ) async throws {
      for round in 0..<rounds {
        for (host, lab) in labs {
          try change(round, lab)
          try await lab.scan(loss: .accepted)
          _ = try await published(lab.catalog, to: lake, by: host, extent)
        }
      }
    }

    func compact(
      _ arguments: [String] = [], duckdbIn place: FilePath? = nil
    ) throws -> CommandResult {
      try compaction(of: lake, arguments, duckdbIn: place)
    }

    /// A directory with a program `duckdb` that does something before it is DuckDB.
    func duckdb(after lines: String) throws -> FilePath {
      try directory.write(
        "#!/bin/sh\n\(lines)\nexec \"$DUCKDB\" \"$@\"\n", to: "bin/duckdb", mode: 0o755)
      return directory("bin")
    }

    func expectEqual(
      _ place: String = "", by engine: FleetDialect = .duckdb,
      sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      try FileCatalogTests.expectEqual(
        lake, labs.map { ($0.host, $0.lab.catalog) }, by: engine, place,
        sourceLocation: sourceLocation)
    }

    /// How many files of single publications tell of changes.
    func looseFiles() throws -> Int {
      let store = try lake.store()
      return try store.files(in: "changes", levels: 3).count
    }

    func file(_ place: FilePath) -> FilePath { FilePath(lake(place)) }
  }

  private func withShore(_ body: (Shore) async throws -> Void) async throws {
    let pieces: [Piece] = (0..<40).map { .file(FilePath("\($0)"), bytes: $0) }
    try await withLaboratory(pieces) { here in
      try await withLaboratory([.file("it's", bytes: 3)] + pieces) { there in
        for lab in [here, there] { try await lab.scan() }
        try await withTemporaryDirectory { directory in
          try await body(
            Shore(
              directory: directory, labs: [("here", here), ("l'autre", there)],
              lake: Lake(directory("a lake"))))
        }
      }
    }
  }

  private static let engines: [String] = ["duckdb"] + (Clients.hasSpark ? ["spark"] : [])
  private static let day: Int64 = 86_400

  @Test("engines read the same as before, and after the old files have gone", arguments: engines)
  func compacting(engine: String) async throws {
    try await withShore { shore in
      let start = UInt64.random(in: 0 ... .max)
      var random = SeededRandom(seed: start)
      let seed = "seed \(start)"
      func edit(_ round: Int, _ lab: Laboratory) throws {
        try lab.tree.make(.file(FilePath("new\(round)"), bytes: random.below(5000)))
        try lab.tree.make(
          .file(FilePath(bytes: [0xff, UInt8(ascii: "a") + UInt8(round)]), bytes: round))
        try lab.tree.remove(FilePath("\(random.below(10) + 10 * (round % 4))"))
        for (number, name) in ["x", "d/y"].enumerated() {
          try lab.tree.make(.file(FilePath("\(name)\(round)"), bytes: number))
        }
      }
      try await shore.publish(.full) { _, _ in }
      try await shore.publish(rounds: 3) { try edit($0, $1) }
      let first = try shore.compact(["--engine", engine])
      #expect(first.status == 0 && first.errorLines.isEmpty, "\(first.errors)")
      #expect(first.text.hasPrefix("compacted 8 publications: "), "\(first.text)")
      try shore.expectEqual(seed)
      #expect(try shore.compact().text == "nothing to compact\n")
      // What comes later is told from its own files, until it is compacted as well.
      try await shore.publish(rounds: 2, .full) { round, lab in try edit(round + 4, lab) }
      try shore.expectEqual(seed)
      let second = try shore.compact(["--format", "ndjson"])
      #expect(second.text.hasPrefix(#"{"outcome":"compacted","compaction":2,"publications":4,"#))
      try shore.expectEqual(seed)
      #expect(try shore.lake.verify { Issue.record("\($0)") } == 12 * FleetTable.allCases.count + 4)
      // The last full publication of each stays whole.
      let now = Int64(Date().timeIntervalSince1970)
      #expect(try shore.lake.expire(Lake.Retention(), now: now).files == 0)
      #expect(try shore.lake.expire(Lake.Retention(), now: now + 2 * Self.day).files == 2 * 2 * 5)
      #expect(try shore.looseFiles() == 2)
      #expect(try FleetStatus(of: shore.lake).leftovers.isEmpty)
      #expect(try shore.lake.verify { Issue.record("\($0)") } > 0)
      try shore.expectEqual(seed)
      try shore.expectEqual(seed, by: .clickhouse)
      // In the end nothing is left of what has been replaced, but for the history.
      #expect(try shore.lake.expire(Lake.Retention(), now: now + 9 * Self.day).files == 2 * 5 * 5)
      #expect(
        try shore.lake.verify { Issue.record("\($0)") } == 2 * FleetTable.allCases.count + 4)
      try shore.expectEqual(seed)
      // History that is forgotten takes its compactions along.
      _ = try shore.lake.expire(Lake.Retention(), now: now + 60 * Self.day)
      #expect(try shore.lake.store().compactionNumbers() == [0])
      let status = try FleetStatus(of: shore.lake)
      #expect(status.members.map(\.known) == [6, 6] && status.leftovers.isEmpty)
      #expect(try shore.lake.verify { Issue.record("\($0)") } == 2 * FleetTable.allCases.count)
    }
  }

  @Test("of two that are made at the same time one counts, and nothing is told twice")
  func together() async throws {
    try await withShore { shore in
      try await shore.publish(rounds: 2) { round, lab in
        try lab.tree.make(.file(FilePath("new\(round)"), bytes: 3))
      }
      // Another one is whole while this one works.
      let place = try shore.duckdb(
        after: """
          "$DUCKDB" "$@"
          [ -e "$LAKE/begun" ] || { touch "$LAKE/begun"
          "\(try #require(CommandRunner.filecat).program)" fleet compact --lake "$LAKE" >&2; }
          exit 0
          """)
      let run = try shore.compact(duckdbIn: place)
      #expect(run.status == 4 && run.errorLines.count == 1, "\(run.errors)")
      #expect(run.errors.contains("meanwhile"), "\(run.errors)")
      #expect(try shore.lake.store().compactionNumbers() == [0, 1])
      #expect(try FleetStatus(of: shore.lake).leftovers.isEmpty)
      try shore.expectEqual()
    }
  }

  @Test("one that is killed changes nothing, and what it leaves goes after a day")
  func killed() async throws {
    try await withShore { shore in
      try await shore.publish(rounds: 2) { round, lab in
        try lab.tree.make(.file(FilePath("new\(round)"), bytes: 3))
      }
      let place = try shore.duckdb(after: "\"$DUCKDB\" \"$@\"; kill -9 $PPID; exit 0")
      let run = try shore.compact(duckdbIn: place)
      #expect(run.status != 0)
      try shore.expectEqual()
      let leftovers = try FleetStatus(of: shore.lake).leftovers
      #expect(leftovers.count == 2, "\(leftovers)")
      let now = Int64(Date().timeIntervalSince1970)
      #expect(try shore.lake.expire(Lake.Retention(), now: now).files == 0)
      #expect(try shore.lake.expire(Lake.Retention(), now: now + 2 * Self.day).files == 2)
      #expect(try shore.compact().status == 0)
      try shore.expectEqual()
    }
  }

  @Test("where a file of a publication is missing nothing is compacted")
  func missing() async throws {
    try await withShore { shore in
      try await shore.publish(rounds: 2) { round, lab in
        try lab.tree.make(.file(FilePath("new\(round)"), bytes: 3))
      }
      let catalog = try #require(try shore.lake.catalogs().first)
      let file = shore.file(Lake.place(of: .changes, catalog, 2))
      #expect(try CommandRunner("rm").run([file.string]).status == 0)
      let run = try shore.compact()
      #expect(run.status == 4 && run.errorLines.count == 1, "\(run.errors)")
      #expect(run.errors.contains("other rows than records tell of"), "\(run.errors)")
      #expect(try shore.lake.store().compactionNumbers() == [0])
      #expect(try FleetStatus(of: shore.lake).leftovers.isEmpty)
    }
  }

  @Test("what follows a record that cannot be read is not compacted")
  func unreadable() async throws {
    try await withShore { shore in
      try await shore.publish(rounds: 3) { round, lab in
        try lab.tree.make(.file(FilePath("new\(round)"), bytes: 3))
      }
      let catalog = try #require(try shore.lake.catalogs().first)
      try Data("{}\n".utf8).write(
        to: URL(fileURLWithPath: shore.file(Lake.place(ofCommit: 2, catalog)).string))
      let run = try shore.compact()
      #expect(run.status == 3 && run.text.hasPrefix("compacted 4 publications: "), "\(run.text)")
      #expect(run.errorLines.count == 1, "\(run.errors)")
      // Of the catalog nothing is removed, of the other what is compacted.
      let now = Int64(Date().timeIntervalSince1970) + 2 * Self.day
      let expired = try shore.lake.expire(Lake.Retention(), now: now)
      #expect(expired.faults.count == 1)
    }
  }

  @Test(
    "records of compactions that are none are told, and nothing is compacted after them",
    arguments: [
      ("", FleetError.Code.invalidRecord), ("no JSON\n", .invalidRecord),
      (#"{"version":2}"#, .newerVersion),
      (#"{"version":1,"compaction":"..","made":0,"newest":0,"files":[]}"#, .invalidRecord),
      (
        #"{"version":1,"compaction":"0123456789abcdef0123456789abcdef","made":0,"newest":0,"files":[{"table":"changes","name":"../x.parquet","size":1,"hash":"00"}]}"#,
        .invalidRecord
      ),
      (
        #"{"version":1,"compaction":"0123456789abcdef0123456789abcdef","made":0,"newest":0,"files":[]}"#
          + "\n" + #"{"compaction":"0123456789abcdef0123456789abcdef","catalog":"x"}"#,
        .invalidRecord
      ),
    ])
  func strangeRecords(_ text: String, _ code: FleetError.Code) async throws {
    try await withShore { shore in
      try await shore.publish(rounds: 2) { round, lab in
        try lab.tree.make(.file(FilePath("new\(round)"), bytes: 3))
      }
      try Data(text.utf8).write(
        to: URL(fileURLWithPath: shore.file(Lake.place(ofCompaction: 1)).string))
      let status = try FleetStatus(of: shore.lake)
      #expect(status.faults.map(\.code) == [code] && status.members.count == 2)
      let run = try shore.compact()
      #expect(run.status == 4 && run.errorLines.count == 1, "\(run.errors)")
      var problems: [FleetProblem] = []
      _ = try shore.lake.verify { problems.append($0) }
      #expect(problems.map(\.fault) == [.unreadable])
      let now = Int64(Date().timeIntervalSince1970) + 2 * Self.day
      #expect(try shore.lake.expire(Lake.Retention(), now: now).faults.map(\.code) == [code])
    }
  }

  @Test("ClickHouse is refused, as it cannot write what others read")
  func refused() async throws {
    try await withShore { shore in
      try await shore.publish(rounds: 2) { round, lab in
        try lab.tree.make(.file(FilePath("new\(round)"), bytes: 3))
      }
      let run = try shore.compact(["--engine", "chdb"])
      #expect(run.status == 64 && run.errors.contains("duckdb"), "\(run.errors)")
    }
  }
}
