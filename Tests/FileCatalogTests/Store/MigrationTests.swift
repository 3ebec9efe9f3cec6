import FileCatalog
import Foundation
import Migrations
import SystemPackage
import Testing

@Suite("Migrations")
struct MigrationTests {
  private var folder: URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Migrations")
  }

  @Test("the files in the folder are those that the binary carries, in order")
  func filesAreListed() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".sql") }.sorted()
    #expect(files == Migrations.all.map { $0.name + ".sql" })
    for migration in Migrations.all {
      let file = folder.appendingPathComponent(migration.name + ".sql")
      #expect(try String(contentsOf: file, encoding: .utf8) == migration.sql)
      #expect(migration.name.hasPrefix(String(format: "%04d-", migration.version)))
    }
    #expect(Migrations.all.map(\.version) == Array(1...Migrations.currentVersion))
  }

  @Test("a new catalog is marked, and has the newest version")
  func newCatalogIsMarked() async throws {
    try await withTemporaryCatalog { catalog in
      #expect(
        try catalog.number("PRAGMA application_id") == Int64(Migrations.applicationID))
      #expect(try catalog.number("PRAGMA user_version") == Int64(Migrations.currentVersion))
      try await expectSound(catalog)
    }
  }

  // MARK: - Older catalogs

  /// Makes a catalog of the first version with the content of one of today.
  private func makeFirstVersion(of catalog: Catalog, at path: FilePath) throws {
    func sqlite(_ file: FilePath, _ statement: String) throws -> String {
      let run = try Subprocess.run("sqlite3", [file.string, statement])
      try #require(run.status == 0, "\(run.errors)")
      return run.output
    }
    let first = try #require(Migrations.all.first)
    _ = try sqlite(
      path,
      """
      PRAGMA journal_mode = WAL;
      \(first.sql)
      PRAGMA application_id = \(Migrations.applicationID);
      PRAGMA user_version = 1;
      CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
      INSERT INTO grdb_migrations VALUES ('\(first.name)');
      """)
    let tables = try sqlite(
      path,
      """
      SELECT m.name || '(' || group_concat(c.name) || ')' || ' SELECT ' || group_concat(c.name)
        || ' FROM today.' || m.name
      FROM sqlite_master m JOIN pragma_table_info(m.name) c
      WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name <> 'grdb_migrations'
      GROUP BY m.name
      """
    ).split(separator: "\n")
    let copies = tables.map { "INSERT INTO \($0);" }.joined()
    _ = try sqlite(path, "ATTACH '\(catalog.path.string)' AS today; \(copies)")
  }

  private static let pieces: [Piece] = [
    .file("a", bytes: 3), .file("d/e/b", bytes: 5), .hardLink("d/linked", to: "a"),
    .symlink("link", to: "d"), .file("Notes.rtfd/TXT.rtf", bytes: 7), .file("icon@2x.png"),
  ]

  @Test("of an older catalog keep ids and scans, and the next scan finds nothing changed")
  func olderCatalog() async throws {
    try await withLaboratory(Self.pieces) { lab in
      try await lab.scan()
      let columns = "SELECT id, path, size, first_seen_scan FROM files ORDER BY id"
      let rows = try lab.catalog.rows(columns)
      try await withTemporaryFolder { folder in
        let file = folder.appending("old.sqlite")
        try makeFirstVersion(of: lab.catalog, at: file)
        let catalog = try Catalog(at: file)
        #expect(try await catalog.roots().first?.lastScan == ScanID(rawValue: 1))
        #expect(try catalog.number("PRAGMA user_version") == Int64(Migrations.currentVersion))
        try await expectSound(catalog)
        for _ in 1...2 {
          let summary = try #require(try await catalog.scan().first)
          let changes = summary.added + summary.removed + summary.modified + summary.moved
          #expect(changes == 0)
          #expect(!summary.isFirst)
        }
        #expect(try catalog.rows(columns) == rows)
        #expect(try catalog.number("SELECT count(*) FROM scans") == 3)
        try lab.tree.rename("d/e", to: "f")
        #expect(try await catalog.scan().first?.moved == 1)
        try await expectSound(catalog)
        try catalog.close()
      }
    }
  }

  @Test("that fail leave the old file as it was")
  func failedMigration() async throws {
    try await withLaboratory(Self.pieces) { lab in
      try await lab.scan()
      try await withTemporaryFolder { folder in
        let file = folder.appending("old.sqlite")
        try makeFirstVersion(of: lab.catalog, at: file)
        // A table of somebody else in the way of ours.
        _ = try Subprocess.run("sqlite3", [file.string, "CREATE TABLE change_log (x)"])
        await #expect(throws: CatalogError.self) { try await Catalog(at: file).roots() }
        let state = try Subprocess.run(
          "sqlite3",
          [
            file.string,
            "PRAGMA user_version; PRAGMA integrity_check; SELECT count(*) FROM files;",
          ])
        #expect(state.output == "1\nok\n\(try FilesView(lab.catalog).rows.count)\n")
      }
    }
  }
}
