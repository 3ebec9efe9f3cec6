import FileCatalog
import FileSystem
import Foundation
import Migrations
import StandardDirectories
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("The schema")
struct SchemaTests {
  private var directory: URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Migrations")
  }

  private func sqlite(_ file: FilePath, _ statement: String) throws -> String {
    let run = try CommandRunner("sqlite3").run([file.string, statement])
    try #require(run.status == 0, "\(run.errors)")
    return run.text
  }

  /// The lines that the stock program prints for a statement about a catalog.
  private func texts(_ sql: String, _ catalog: Catalog) throws -> [String] {
    try sqlite(catalog.path, sql).split(separator: "\n").map { String($0) }
  }

  @Test("is what the files in the directory say, which the binary carries, in order")
  func filesAreListed() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: directory.path)
      .filter { $0.hasSuffix(".sql") }.sorted()
    #expect(files == Migrations.all.map { $0.name + ".sql" } + ["views.sql"])
    for (number, migration) in zip(1..., Migrations.all) {
      let file = directory.appendingPathComponent(migration.name + ".sql")
      #expect(try String(contentsOf: file, encoding: .utf8) == migration.sql)
      #expect(migration.name.hasPrefix(String(format: "%04d-", number)))
    }
    let views = directory.appendingPathComponent("views.sql")
    #expect(try String(contentsOf: views, encoding: .utf8) == Migrations.views)
    #expect(
      Migrations.all.map(\.version)
        == Array(Migrations.unreleasedVersions + 1...Migrations.currentVersion))
  }

  @Test("marks a new catalog, which has the newest version")
  func newCatalogIsMarked() async throws {
    try await withTemporaryCatalog { catalog in
      #expect(
        try catalog.number("PRAGMA application_id") == Int64(Migrations.applicationID))
      #expect(try catalog.number("PRAGMA user_version") == Int64(Migrations.currentVersion))
      try await expectSound(catalog)
    }
  }

  @Test("knows the kinds of entries by the numbers and words of the library")
  func kindsAreThoseOfTheLibrary() async throws {
    try await withTemporaryCatalog { catalog in
      _ = try await catalog.roots()
      let kinds = try texts("SELECT id || ' ' || name FROM _kinds ORDER BY id", catalog)
      let known = EntryKind.allCases.map { "\($0.rawValue) \($0.name)" }
      #expect(kinds == known)
    }
  }

  // MARK: - Other versions

  @Test(
    "of versions that were never released is refused, and the file stays as it was",
    arguments: 1...Migrations.unreleasedVersions)
  func unreleasedVersion(version: Int) async throws {
    try await withTemporaryDirectory { directory in
      let file = directory("old.sqlite")
      _ = try sqlite(
        file,
        """
        CREATE TABLE _entries (id INTEGER PRIMARY KEY);
        PRAGMA application_id = \(Migrations.applicationID);
        PRAGMA user_version = \(version);
        """)
      let before = try Data(contentsOf: URL(fileURLWithPath: file.string))
      for operation in ["open", "scan"] {
        let error = await #expect(throws: CatalogError.self) {
          let catalog = try Catalog(at: file)
          if operation == "scan" { _ = try await catalog.scan([directory.path]) }
          _ = try await catalog.roots()
        }
        #expect(error?.code == .olderSchema)
        #expect(error?.path == file)
      }
      #expect(try Data(contentsOf: URL(fileURLWithPath: file.string)) == before)
    }
  }

  private static let pieces: [Piece] = [
    .file("a", bytes: 3), .file("d/e/b", bytes: 5), .hardLink("d/linked", to: "a"),
    .symlink("link", to: "d"), .file("Notes.rtfd/TXT.rtf", bytes: 7), .file("icon@2x.png"),
  ]

  @Test("of views is that of today wherever an older build has made them, and nothing else changes")
  func viewsOfAnOlderBuild() async throws {
    try await withLaboratory(Self.pieces) { lab in
      try await lab.scan()
      let rows = try lab.catalog.rows("SELECT * FROM files ORDER BY id")
      try lab.catalog.close()
      _ = try sqlite(
        lab.catalog.path,
        """
        DROP VIEW files; DROP VIEW usage_by_age;
        CREATE VIEW files AS SELECT id, 'old' AS path FROM _entries;
        CREATE VIEW of_a_user AS SELECT count(*) AS entries FROM _entries;
        """)
      // Somebody who only reads has them made anew as well as somebody who scans.
      for operation in ["read", "scan"] {
        let catalog = try Catalog(at: lab.catalog.path)
        if operation == "scan" { #expect(try await catalog.scan().first?.modified == 0) }
        #expect(try await catalog.roots().count == 1)
        #expect(try catalog.rows("SELECT * FROM files ORDER BY id") == rows)
        #expect(try catalog.number("SELECT count(*) FROM usage_by_age") == 1)
        #expect(try catalog.number("SELECT entries FROM of_a_user") == Int64(rows.count))
        try await expectSound(catalog)
        try catalog.close()
        _ = try sqlite(lab.catalog.path, "DROP VIEW files")
      }
    }
  }

  @Test("takes no name in the file for a statement")
  func hostileViewName() async throws {
    try await withLaboratory(Self.pieces) { lab in
      try await lab.scan()
      try lab.catalog.close()
      let name = #"x"; DROP TABLE _entries; --"#
      _ = try sqlite(
        lab.catalog.path,
        """
        CREATE VIEW "\(name.replacingOccurrences(of: "\"", with: "\"\""))" AS SELECT 1;
        DROP VIEW files;
        UPDATE _catalog_settings
        SET value = json_insert(value, '$[#]', '\(name)') WHERE key = 'view_names';
        """)
      let catalog = try Catalog(at: lab.catalog.path)
      #expect(try await catalog.roots().count == 1)
      try await expectSound(catalog)
      #expect(
        try texts("SELECT count(*) FROM sqlite_master WHERE name LIKE 'x%'", catalog) == ["0"])
      try catalog.close()
    }
  }

  @Test("stays as it was where its views cannot be made")
  func failedRefresh() async throws {
    try await withLaboratory(Self.pieces) { lab in
      try await lab.scan()
      let count = try FilesView(lab.catalog).rows.count
      try lab.catalog.close()
      // A table of somebody else in the way of a view of ours.
      _ = try sqlite(
        lab.catalog.path,
        """
        DROP VIEW files; DROP VIEW usage_by_age; CREATE TABLE usage_by_age (x)
        """)
      await #expect(throws: CatalogError.self) {
        try await Catalog(at: lab.catalog.path).roots()
      }
      let state = try sqlite(
        lab.catalog.path,
        """
        SELECT count(*) FROM sqlite_schema WHERE name = 'files'; PRAGMA integrity_check;
        SELECT count(*) FROM _entries;
        """)
      #expect(state == "0\nok\n\(count)\n")
    }
  }

  // MARK: - What rescans and first scans write

  private static let containerPieces: [Piece] =
    ContainerTree.all[0].pieces(at: "box")
    + [
      "icon.png", "icon@2x.png", "icon@2x~ipad.png", "icon-hd-568h@1.5x~mac.tar.gz", "lone@3x.nib",
      "user@box.txt", "Mr. Smith", "plain", "a.b c.gz", ".hidden.txt", "dot.", "ä@2x.pñg",
    ].map { .file(FilePath("box/Documents/art").appending($0), bytes: 3) }
    + [
      .file(FilePath(bytes: Array("box/tmp/".utf8) + [0xFF] + Array("@2x.png".utf8))),
      .file("box/Documents/x\u{202E}.y"), .directory("box/Documents/dir@2x"),
    ]

  /// What follows from names and places.
  private static let questions = [
    """
    SELECT path, extension, is_hidden, container, role, backup_policy, purgeable, asset_stem,
      asset_scale, asset_idiom, asset_height, asset_hd FROM files ORDER BY CAST(path AS BLOB)
    """,
    "SELECT path, asset_key FROM _entry_rows JOIN _entries USING (id) ORDER BY CAST(path AS BLOB)",
    """
    SELECT path, path_bytes, stem, extension, idiom, height, hd, scales, missing_scales, has_plain
    FROM asset_gaps ORDER BY path, stem, extension, idiom, height, hd
    """,
    "SELECT * FROM usage_by_extension ORDER BY extension",
    "SELECT * FROM usage_by_role ORDER BY role",
    """
    SELECT container, role, backup_policy, purgeable, entries, files, size, allocated
    FROM usage_by_container ORDER BY container, role
    """,
    "SELECT count(*) FROM _directory_paths WHERE place_id IS NULL",
    "SELECT * FROM roles ORDER BY role",
    "SELECT path, mark, role FROM backup_marks",
  ]

  private func expectSameAnswers(
    _ catalog: Catalog, _ fresh: Catalog, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    for question in Self.questions {
      let (found, expected) = (try catalog.rows(question), try fresh.rows(question))
      #expect(found == expected, "\(question)", sourceLocation: sourceLocation)
    }
    for query in ["role:caches", "purgeable:yes", "backup:included", "scale:2", "idiom:ipad"] {
      let query = try Query(parsing: query)
      let (found, expected) = (
        try await catalog.entries(matching: query), try await fresh.entries(matching: query)
      )
      #expect(found.map(\.path) == expected.map(\.path), "\(query)", sourceLocation: sourceLocation)
      #expect(found.map(\.role) == expected.map(\.role), sourceLocation: sourceLocation)
    }
    let device = AssetLookup.Device(idiom: .pad, scale: .two)
    for name in ["icon", "lone.nib", "plain", "Mr. Smith"] as [FilePath] {
      let (found, expected) = (
        try await catalog.assets(named: name, on: device),
        try await fresh.assets(named: name, on: device)
      )
      #expect(found.map(\.path) == expected.map(\.path), "\(name)", sourceLocation: sourceLocation)
    }
    #expect(try await catalog.usageByRole() == fresh.usageByRole(), sourceLocation: sourceLocation)
    try await expectSound(catalog, sourceLocation: sourceLocation)
  }

  @Test("is filled by rescans as by a first scan, with what follows from names and places")
  func rescansFillAsFirstScans() async throws {
    let signature = Array("Signature: 8a477f597d28d172789f06886806bc55\n".utf8)
    try await withLaboratory { lab in
      try await lab.scan()
      for piece in Self.containerPieces { try lab.tree.make(piece) }
      try lab.tree.write(signature, to: "box/Documents/art/CACHEDIR.TAG")
      let box = Container(.appleSandbox, root: lab.tree.path.appending("box"))
      try await lab.catalog.register([box])
      try await lab.scan()
      func expectSameAsFresh() async throws {
        try await withTemporaryCatalog { fresh in
          _ = try await fresh.scan([lab.tree.path])
          try await fresh.register([box])
          try await expectSameAnswers(lab.catalog, fresh)
        }
      }
      try await expectSameAsFresh()
      #expect(try await lab.catalog.count(of: Query(parsing: "role:caches")) > 3)
      try lab.tree.rename("box/Documents/art", to: "box/Library/Caches/art")
      try lab.tree.rename("box/Library/Caches/art/plain", to: "box/Library/Caches/art/.p@3x.txt")
      try await lab.scan()
      try await expectSameAsFresh()
    }
  }

  // MARK: - The data dictionary

  @Test(
    "is described column by column, as SQLite has it, and no description is of nothing",
    .feature("P-47"))
  func everyColumnIsDescribed() async throws {
    try await withTemporaryCatalog { catalog in
      _ = try await catalog.roots()
      let views = try SchemaView.all()
      #expect(views.contains { $0.name == "files" })
      let known = try texts("SELECT name FROM sqlite_master WHERE type = 'view'", catalog)
      #expect(Set(views.map(\.name)) == Set(known.filter { !$0.hasPrefix("_") }))
      for view in views {
        let columns = try texts("SELECT name FROM pragma_table_info('\(view.name)')", catalog)
        #expect(view.columns.map(\.name) == columns)
        #expect(view.summary.hasSuffix(".") && view.summary.count > 10, "\(view.name)")
        for column in view.columns {
          #expect(column.meaning.hasSuffix("."), "\(view.name).\(column.name)")
        }
      }
      let names = Set(views.flatMap { $0.columns.map(\.name) })
      let qualified = Set(views.flatMap { view in view.columns.map { "\(view.name).\($0.name)" } })
      for term in SchemaView.glossary {
        #expect(names.contains(term) || qualified.contains(term), "\(term)")
      }
    }
  }

  @Test("has the columns of files that the library and the command know, in the same order")
  func columnsOfFiles() throws {
    let files = try #require(try SchemaView.all().first { $0.name == "files" })
    #expect(files.columns.map(\.name) == EntryColumn.allCases.map(\.rawValue) + ["rowid"])
    #expect(files.columns.dropLast().map(\.form) == EntryColumn.allCases.map(\.form))
  }

  @Test("has a view for every report, with its columns")
  func reportsAreViews() throws {
    let views = try SchemaView.all()
    for report in Report.all where report.isView {
      let view = try #require(views.first { $0.name == report.name }, "\(report.name)")
      #expect(report.abstract == view.summary)
      for column in report.columns {
        #expect(view.columns.contains { $0.name == column.name && $0.form == column.form })
      }
    }
  }

  @Test("stores numbers and texts as the dictionary says", arguments: ["files", "directories"])
  func storageIsAsDescribed(name: String) async throws {
    try await withLaboratory(Self.pieces) { lab in
      try await lab.scan()
      let view = try #require(try SchemaView.all().first { $0.name == name })
      for column in view.columns {
        let classes = try texts(
          "SELECT DISTINCT upper(typeof(\(column.name))) FROM \(name)", lab.catalog)
        for storage in classes where storage != "NULL" {
          let expected = column.form.storage
          // Numbers that are whole are stored as such.
          #expect(
            expected.contains(storage) || (expected, storage) == ("REAL", "INTEGER"),
            "\(name).\(column.name): \(storage), not \(expected)")
        }
      }
    }
  }

  @Test("keeps what names say in few bytes: the key of an asset in three, all else in one")
  func namesTakeFewBytes() async throws {
    let names = (0..<400).map { "picture-\($0)@2x.png" } + [".hidden", ".h.txt", "plain", "dot."]
    try await withLaboratory(names.map { .file(FilePath($0)) }) { lab in
      try await lab.scan()
      let isSmall = "name_shape BETWEEN 0 AND 127 AND asset_key BETWEEN -0x800000 AND 0x7fffff"
      #expect(
        try lab.catalog.number("SELECT count(*) FROM _entries WHERE \(isSmall)")
          == Int64(names.count + 1))
      // The bits of the key are all in use: names do not fall together.
      #expect(try lab.catalog.number("SELECT count(DISTINCT asset_key) FROM _entries") ?? 0 > 400)
      #expect(
        try lab.catalog.number("SELECT count(DISTINCT asset_key >> 16) FROM _entries") ?? 0 > 150)
    }
  }

  @Test("of tables is what rows are written by", arguments: SchemaView.writtenTables)
  func tablesAreAsWritten(table: String, columns: [String]) async throws {
    try await withTemporaryCatalog { catalog in
      _ = try await catalog.roots()
      let stored = try texts("SELECT name FROM pragma_table_info('\(table)')", catalog)
      // A package's place is written by itself.
      #expect(Array(stored.prefix(columns.count)) == columns)
      #expect(stored.dropFirst(columns.count).allSatisfy { $0 == "place_id" })
    }
  }
}
