import FileCatalog
import Foundation
import Migrations
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
}
