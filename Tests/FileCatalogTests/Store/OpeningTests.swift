import CatalogStore
import FileCatalog
import FileSystem
import Foundation
import SQLite
import Synchronization
import SystemPackage
import TestSupport
import TestTraits
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("Opening a catalog")
struct OpeningTests {
  /// Everything in a directory: names and bytes.
  private func content(of directory: FilePath) throws -> [String: Data] {
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.string)
    return Dictionary(
      uniqueKeysWithValues: try names.map {
        ($0, try Data(contentsOf: URL(fileURLWithPath: directory.appending($0).string)))
      })
  }

  /// Expects that opening fails with this code and changes nothing in the directory.
  private func expectRefusal(
    _ code: CatalogError.Code, of file: FilePath, in directory: FilePath,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let before = try content(of: directory)
    for access in [Catalog.Access.existing, .create] {
      let error = #expect(throws: CatalogError.self, sourceLocation: sourceLocation) {
        try Catalog(at: file, access: access)
      }
      #expect(error?.code == code, "\(error as Any)", sourceLocation: sourceLocation)
      #expect(
        error?.description.contains(file.string) == true, sourceLocation: sourceLocation)
    }
    let after = try content(of: directory)
    #expect(after.keys.sorted() == before.keys.sorted(), sourceLocation: sourceLocation)
    #expect(after == before, "a file was changed", sourceLocation: sourceLocation)
  }

  @Test("A catalog that grows meanwhile is not taken for damaged")
  func growing() async throws {
    try await withTemporaryDirectory { directory in
      let file = try await makeCatalog(in: directory.path)
      let isDone = Mutex(false)
      let writing = Task.detached {
        defer { isDone.withLock { $0 = true } }
        for round in 0..<60 {
          // Closing merges the log into the file, and takes it away.
          let db = try Connection(path: file, .readWrite)
          try db.execute(
            """
            PRAGMA journal_mode = WAL;
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 200)
            INSERT OR REPLACE INTO _users (uid, name)
              SELECT 1000000 + \(round) * 200 + i, printf('%.2000c', 'x') FROM n
            """)
          try db.close()
        }
      }
      while !isDone.withLock({ $0 }) {
        for _ in 0..<200 {
          if case .truncated = try FileHeader(reading: file) {
            Issue.record("a sound catalog is said to be cut off")
          }
        }
        await Task.yield()
      }
      try await writing.value
      try Catalog(at: file, access: .existing).close()
    }
  }

  /// A catalog of a small tree, closed.
  private func makeCatalog(in directory: FilePath) async throws -> FilePath {
    let file = directory.appending("catalog.sqlite")
    try await withTree(Fixture.pieces) { tree in
      let catalog = try Catalog(at: file)
      _ = try await catalog.scan([tree.path])
      try catalog.close()
    }
    // Whatever is still in the journal becomes part of the file.
    let outcome = try CommandRunner("sqlite3").run([
      file.string, "PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA journal_mode = DELETE",
    ])
    #expect(outcome.status == 0, "\(outcome.errors)")
    return file
  }

  @Test(
    "an SQLite file of somebody else is refused and left as it is",
    .enabled(if: CommandRunner.exists("sqlite3")), arguments: ["DELETE", "WAL"])
  func foreignDatabase(_ journal: String) async throws {
    try withTemporaryDirectory { directory in
      let file = directory("other.sqlite")
      try CommandRunner("sqlite3").run([
        file.string, "PRAGMA journal_mode = \(journal); CREATE TABLE t(x); INSERT INTO t VALUES(1)",
      ])
      try expectRefusal(.notACatalog, of: file, in: directory.path)
    }
  }

  @Test(
    "files that are not SQLite are refused and left as they are",
    arguments: [
      "x", "hello, world\n", "SQLite format 3", String(repeating: "\u{0}", count: 5000),
      "SQLite format 3\u{0}" + String(repeating: "\u{1}", count: 4080),
    ])
  func notADatabase(_ text: String) async throws {
    try withTemporaryDirectory { directory in
      let file = directory("notes.txt")
      try directory.write(Array(text.utf8), to: "notes.txt")
      let error = #expect(throws: CatalogError.self) { try Catalog(at: file) }
      try expectRefusal(try #require(error?.code), of: file, in: directory.path)
      #expect([.notACatalog, .corrupt].contains(try #require(error?.code)))
    }
  }

  @Test("a name that is longer than any scan finds is told as damage by what reads it")
  func longName() async throws {
    try await withTemporaryDirectory { directory in
      let file = try await makeCatalog(in: directory.path)
      let writer = try Connection(
        path: file, .readWrite, limits: .untrusted(valueBytes: 64 << 20))
      try writer.execute(
        "UPDATE _entries SET name = hex(zeroblob(10000000)) WHERE id = (SELECT max(id) FROM _entries)"
      )
      try writer.close()
      let catalog = try Catalog(at: file, access: .existing)
      try await expectError(.corrupt) { _ = try await catalog.reportPage() }
      try await expectError(.corrupt) { _ = try await catalog.entries(matching: Query()) }
      try catalog.close()
    }
  }

  @Test("a catalog of a newer version is refused and left as it is")
  func newerVersion() async throws {
    try await withTemporaryDirectory { directory in
      let file = try await makeCatalog(in: directory.path)
      var bytes = try Data(contentsOf: URL(fileURLWithPath: file.string))
      // The user version is the big-endian number at offset 60.
      bytes[60] = 0x7F
      try bytes.write(to: URL(fileURLWithPath: file.string))
      try expectRefusal(.newerSchema, of: file, in: directory.path)
    }
  }

  @Test(
    "a catalog that has lost its end is refused and left as it is", arguments: [1, 4096, 50_000])
  func truncatedCatalog(_ lost: Int) async throws {
    try await withTemporaryDirectory { directory in
      let file = try await makeCatalog(in: directory.path)
      let bytes = try Data(contentsOf: URL(fileURLWithPath: file.string))
      try bytes.dropLast(lost).write(to: URL(fileURLWithPath: file.string))
      try expectRefusal(.corrupt, of: file, in: directory.path)
    }
  }

  /// Schemas that a sound catalog does not have, and what the error names.
  static let schemas: [(sql: String, names: String)] = [
    ("CREATE TRIGGER t AFTER DELETE ON _entries BEGIN SELECT 1; END", "trigger t"),
    ("CREATE TABLE mine (a)", "table mine"),
    ("CREATE INDEX mine ON _entries(size)", "index mine"),
    ("CREATE VIRTUAL TABLE mine USING fts5(a)", "table mine"),
    ("DROP INDEX entries_by_type", "index entries_by_type"),
    ("DROP INDEX entries_by_type; CREATE INDEX entries_by_type ON _users(name)", "entries_by_type"),
    ("ALTER TABLE _users ADD COLUMN more AS (1)", "table _users"),
    ("DROP VIEW scans; CREATE TABLE scans (a)", "table scans"),
    (
      "ALTER TABLE _users RENAME TO other; CREATE VIEW _users AS SELECT * FROM other", "table other"
    ),
    (
      """
      PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage =
      (SELECT rootpage FROM sqlite_schema WHERE name = '_users') WHERE name = '_groups'
      """, "_groups"
    ),
  ]

  @Test(
    "a catalog with another schema is refused and left as it is",
    .enabled(if: CommandRunner.exists("sqlite3")), arguments: schemas)
  func foreignSchema(_ sql: String, _ names: String) async throws {
    try await withTemporaryDirectory { directory in
      let file = try await makeCatalog(in: directory.path)
      let run = try CommandRunner("sqlite3").run([
        "-cmd", ".dbconfig defensive off", file.string, sql,
      ])
      try #require(run.status == 0, "\(run.errors)")
      let before = try content(of: directory.path)
      let reading = #expect(throws: CatalogError.self) { try Catalog(at: file, access: .existing) }
      let writing = await #expect(throws: CatalogError.self) { try await Catalog(at: file).scan() }
      for error in [reading, writing] {
        #expect(error?.code == .wrongSchema)
        #expect(error?.path == file)
        #expect(error?.description.contains(names) == true, "\(error as Any)")
        // What was only taken away or changed has no name that could be dropped.
        let foreign = error?.foreign.map { "\($0.kind) \($0.name)" }
        #expect(foreign == nil || foreign == names)
        #expect((foreign == nil) == (error?.description.contains("none that") == false))
      }
      #expect(try content(of: directory.path) == before)
    }
  }

  @Test(
    "views of somebody's own stay, and what ANALYZE has found",
    .enabled(if: CommandRunner.exists("sqlite3")))
  func ownViews() async throws {
    try await withTemporaryDirectory { directory in
      let file = try await makeCatalog(in: directory.path)
      try CommandRunner("sqlite3").run([
        file.string, "CREATE VIEW mine AS SELECT count(*) AS n FROM files; ANALYZE",
      ])
      let catalog = try Catalog(at: file)
      #expect(try await catalog.roots().count == 1)
      #expect(try catalog.number("SELECT n FROM mine") == 26)
      try catalog.close()
    }
  }

  @Test("a damaged catalog is told from a sound one, and never crashes", .feature("P-66"))
  func damagedCatalog() async throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededRandom(seed: seed)
    try await withTemporaryDirectory { directory in
      let file = try await makeCatalog(in: directory.path)
      let sound = try Data(contentsOf: URL(fileURLWithPath: file.string))
      for _ in 0..<12 {
        var bytes = sound
        for _ in 0..<200 { bytes[100 + random.below(bytes.count - 100)] = UInt8(random.below(256)) }
        try bytes.write(to: URL(fileURLWithPath: file.string))
        do {
          let catalog = try Catalog(at: file)
          // Whatever is damaged is an error or a finding; it may also lie in unused bytes.
          _ = try? await catalog.check()
          _ = try? await catalog.entries(matching: Query())
          _ = try? await catalog.roots()
          try? catalog.close()
        } catch is CatalogError {
        }
        for ending in ["-wal", "-shm"] {
          try? TemporaryDirectory.remove(FilePath(file.string + ending))
        }
      }
    }
  }

  @Test("a new catalog can be read by its owner only, with its journal")
  func privateFile() async throws {
    try await withTree([.file("a")]) { tree in
      let file = tree.path.appending("new/directory/catalog.sqlite")
      let catalog = try Catalog(at: file)
      _ = try await catalog.scan([tree.path])
      // Reading opens the file that the scan has made.
      _ = try await catalog.roots()
      let directory = file.removingLastComponent()
      let entries = try IndependentWalk.entries(of: directory).values.filter { !$0.isDirectory }
      #expect(entries.count == 3)
      #expect(entries.allSatisfy { $0.status.st_mode & 0o7777 == 0o600 })
      #expect(
        try IndependentWalk.entries(of: directory)[directory.bytes]?.status.st_mode == 0o40700)
      try catalog.close()
    }
  }

  @Test("a missing catalog is made only where that is wanted")
  func missingCatalog() async throws {
    try await withTemporaryDirectory { directory in
      let file = directory("none.sqlite")
      let error = #expect(throws: CatalogError.self) { try Catalog(at: file, access: .existing) }
      #expect(error?.code == .catalogNotFound)
      #expect(try content(of: directory.path).isEmpty)
      let catalog = try Catalog(at: file)
      #expect(try content(of: directory.path).isEmpty, "it is made with its first use")
      #expect(try await catalog.roots().isEmpty)
      try catalog.close()
      try Catalog(at: file, access: .existing).close()
    }
  }

  @Test("places where no catalog can be are errors that name them")
  func impossiblePlaces() async throws {
    try await withTree([.file("file"), .directory("directory"), .symlink("loop", to: "loop")]) {
      tree in
      for place in ["file/catalog.sqlite", "directory", "loop", "loop/catalog.sqlite"] {
        let file = tree.path.pushing(FilePath(place))
        let error = #expect(throws: CatalogError.self, "\(place)") { try Catalog(at: file) }
        #expect(error?.description.contains(file.string) == true, "\(error as Any)")
        #expect(error?.description.contains("\n") == false)
      }
      #expect(throws: CatalogError.self) { try Catalog(at: "/proc/no/catalog.sqlite") }
    }
  }

  @Test("two openings of one file see each other's scans", .feature("P-01"))
  func openedTwice() async throws {
    try await withLaboratory(Fixture.pieces) { lab in
      let other = try Catalog(at: lab.catalog.path)
      try await lab.scan()
      #expect(try await other.count(of: Query()) == 26)
      try lab.tree.make(.file("more"))
      _ = try await other.scan()
      #expect(try await lab.catalog.count(of: Query()) == 27)
      try other.close()
      #expect(try await lab.catalog.count(of: Query()) == 27)
    }
  }
}
