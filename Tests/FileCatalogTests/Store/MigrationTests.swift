import FileCatalog
import FileSystem
import Foundation
import Migrations
import StandardDirectories
import SystemPackage
import TestSupport
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

  /// Makes a catalog of an older version with the content of one of today.
  private func makeCatalog(
    ofVersion version: Int, from catalog: Catalog, at path: FilePath
  ) throws {
    func sqlite(_ file: FilePath, _ statement: String) throws -> String {
      let run = try CommandRunner("sqlite3").run([file.string, statement])
      try #require(run.status == 0, "\(run.errors)")
      return run.text
    }
    let migrations = Migrations.all.prefix(version)
    let names = migrations.map { "('\($0.name)')" }.joined(separator: ", ")
    _ = try sqlite(
      path,
      """
      PRAGMA journal_mode = WAL;
      \(migrations.map(\.sql).joined(separator: "\n"))
      PRAGMA application_id = \(Migrations.applicationID);
      PRAGMA user_version = \(version);
      CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
      INSERT INTO grdb_migrations VALUES \(names);
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
    // What a migration has put in is replaced.
    let copies = tables.map {
      "DELETE FROM main.\($0.prefix { $0 != "(" }); INSERT INTO main.\($0);"
    }.joined()
    _ = try sqlite(path, "ATTACH '\(catalog.path.string)' AS today; \(copies)")
  }

  private static let pieces: [Piece] = [
    .file("a", bytes: 3), .file("d/e/b", bytes: 5), .hardLink("d/linked", to: "a"),
    .symlink("link", to: "d"), .file("Notes.rtfd/TXT.rtf", bytes: 7), .file("icon@2x.png"),
  ]

  @Test(
    "of an older catalog keep ids and scans, and the next scan finds nothing changed",
    arguments: 1..<Migrations.currentVersion)
  func olderCatalog(version: Int) async throws {
    try await withLaboratory(Self.pieces) { lab in
      try await lab.scan()
      let columns = "SELECT id, path, size, first_seen_scan FROM files ORDER BY id"
      let rows = try lab.catalog.rows(columns)
      try await withTemporaryDirectory { directory in
        let file = directory("old.sqlite")
        try makeCatalog(ofVersion: version, from: lab.catalog, at: file)
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

  private static let containerPieces: [Piece] =
    ContainerTree.all[0].pieces(at: "box")
    + [
      "icon.png", "icon@2x.png", "icon@2x~ipad.png", "icon-hd-568h@1.5x~mac.tar.gz", "lone@3x.nib",
      "user@box.txt", "Mr. Smith", "plain", "a.b c.gz",
    ].map { .file(FilePath("box/Documents/art").appending($0), bytes: 3) }
    + [
      .file(FilePath(bytes: Array("box/tmp/".utf8) + [0xFF] + Array("@2x.png".utf8))),
      .file("box/Documents/x\u{202E}.y"), .directory("box/Documents/dir@2x"),
    ]

  /// Of entries all that a catalog of before containers did not know.
  private static let containerAnswers = [
    """
    SELECT path, container, role, backup_policy, purgeable, asset_stem, asset_scale, asset_idiom,
      asset_height, asset_hd FROM files ORDER BY id
    """,
    "SELECT id, asset_key FROM entries ORDER BY id", "SELECT * FROM assets ORDER BY id",
    "SELECT * FROM asset_gaps ORDER BY path, stem, extension, idiom, height, hd",
    "SELECT * FROM usage_by_role ORDER BY role",
    """
    SELECT container, role, backup_policy, purgeable, entries, files, size, allocated
    FROM usage_by_container ORDER BY container, role
    """,
    "SELECT count(*) FROM folders WHERE place_id IS NULL", "SELECT * FROM roles ORDER BY role",
  ]

  private func expectSameAnswers(
    _ migrated: Catalog, _ fresh: Catalog, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    for question in Self.containerAnswers {
      let (found, expected) = (try migrated.rows(question), try fresh.rows(question))
      #expect(found == expected, "\(question)", sourceLocation: sourceLocation)
    }
    for query in ["role:caches", "purgeable:yes", "backup:included", "scale:2", "idiom:ipad"] {
      let query = try Query(parsing: query)
      let (found, expected) = (
        try await migrated.entries(matching: query), try await fresh.entries(matching: query)
      )
      #expect(found.map(\.id) == expected.map(\.id), "\(query)", sourceLocation: sourceLocation)
      #expect(found.map(\.role) == expected.map(\.role), sourceLocation: sourceLocation)
    }
    let device = AssetLookup.Device(idiom: .pad, scale: .two)
    for name in ["icon", "lone.nib", "plain", "Mr. Smith"] {
      let (found, expected) = (
        try await migrated.assets(named: name, on: device),
        try await fresh.assets(named: name, on: device)
      )
      #expect(found == expected, "\(name)", sourceLocation: sourceLocation)
    }
    try await expectSound(migrated, sourceLocation: sourceLocation)
  }

  /// Variants at once, roles when the container is registered, tags of caches after the next scan.
  @Test("of a catalog of before containers have it answer like a first scan")
  func catalogOfBeforeContainers() async throws {
    let signature = Array("Signature: 8a477f597d28d172789f06886806bc55\n".utf8)
    try await withLaboratory(Self.containerPieces) { lab in
      try lab.tree.write(signature, to: "box/Documents/art/CACHEDIR.TAG")
      try await lab.scan()
      try await withTemporaryDirectory { directory in
        let file = directory("old.sqlite")
        try makeCatalog(ofVersion: 4, from: lab.catalog, at: file)
        let old = try CommandRunner("sqlite3").run([file.string, "SELECT count(*) FROM files"])
        #expect(old.text == "\(try FilesView(lab.catalog).rows.count)\n")
        let catalog = try Catalog(at: file)
        try await expectSameAnswers(catalog, lab.catalog)
        #expect(try await catalog.assets(named: "icon", on: AssetLookup.Device()).count == 2)

        let box = Container(.appleSandbox, root: lab.tree.path.appending("box"))
        try await catalog.register([box])
        try await lab.catalog.register([box])
        try await expectSameAnswers(catalog, lab.catalog)
        #expect(try await catalog.count(of: Query(parsing: "role:caches")) > 3)

        let marks = "SELECT path, mark, role FROM backup_marks"
        #expect(try catalog.rows(marks).isEmpty)
        #expect(try await catalog.scan().first?.modified == 0)
        #expect(try catalog.rows(marks).count == 1)
        #expect(try catalog.rows(marks) == lab.catalog.rows(marks))
        #expect(try await catalog.usageByRole() == lab.catalog.usageByRole())

        try lab.tree.rename("box/Documents/art", to: "box/Library/Caches/art")
        try lab.tree.rename("box/tmp/file", to: "box/tmp/file@3x")
        for catalog in [catalog, lab.catalog] { _ = try await catalog.scan() }
        try await expectSameAnswers(catalog, lab.catalog)
        try catalog.close()
      }
    }
  }

  @Test("that fail leave the old file as it was")
  func failedMigration() async throws {
    try await withLaboratory(Self.pieces) { lab in
      try await lab.scan()
      try await withTemporaryDirectory { directory in
        let file = directory("old.sqlite")
        try makeCatalog(ofVersion: 1, from: lab.catalog, at: file)
        // A table of somebody else in the way of ours.
        _ = try CommandRunner("sqlite3").run([file.string, "CREATE TABLE change_log (x)"])
        await #expect(throws: CatalogError.self) { try await Catalog(at: file).roots() }
        let state = try CommandRunner("sqlite3").run([
          file.string, "PRAGMA user_version; PRAGMA integrity_check; SELECT count(*) FROM files;",
        ])
        #expect(state.text == "1\nok\n\(try FilesView(lab.catalog).rows.count)\n")
      }
    }
  }
}
