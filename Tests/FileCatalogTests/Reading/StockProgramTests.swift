import FileCatalog
import FileSystem
import SystemPackage
import TestSupport
import Testing

@Suite("The stock sqlite3 program", .enabled(if: CommandRunner.exists("sqlite3")))
struct StockProgramTests {
  private func query(_ file: FilePath, _ sql: String) throws -> [String] {
    let outcome = try CommandRunner("sqlite3").run(["-readonly", file.string, sql])
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(sql): \(outcome.errors)")
    return outcome.text.split(separator: "\n").map(String.init)
  }

  @Test("it reads every view, with the columns that are promised")
  func readsEveryView() async throws {
    try await withLaboratory(ReadingFixture.pieces) { lab in
      try await lab.scan()
      let views = try query(lab.catalog.path, "SELECT name FROM sqlite_master WHERE type = 'view'")
      let promised = [
        "files", "directories", "types", "type_conformance", "type_tags", "scans", "scan_errors",
      ]
      #expect(Set(views).isSuperset(of: promised))
      for view in views {
        let count = try query(lab.catalog.path, "SELECT count(*) FROM (SELECT * FROM \(view))")
        #expect(count.first.flatMap { Int($0) } != nil)
      }
      for (view, columns) in Self.columns {
        let found = try query(lab.catalog.path, "SELECT name FROM pragma_table_info('\(view)')")
        #expect(
          Set(found).isSuperset(of: columns.split(separator: " ").map(String.init)), "\(view)")
      }
    }
  }

  private static let columns = [
    "files":
      """
    id root_id root parent_id directory name path kind type extension size allocated created \
    modified changed accessed created_ns modified_ns changed_ns accessed_ns mode uid gid owner \
    group_name inode device links flags is_hidden is_package link_target depth first_seen_scan \
    last_changed_scan
    """,
    "directories":
      """
    id root_id path depth files directories size allocated total_files total_directories \
    total_size total_allocated newest_modified state error
    """,
    "types": "identifier description is_package is_dynamic source",
    "type_conformance": "identifier ancestor",
    "type_tags": "identifier class tag rank",
    "scans":
      "id root_id root started_at finished_at state entries added removed modified moved errors "
      + "seconds",
    "scan_errors": "scan_id path operation errno message",
  ]

  @Test("it says the same as the library")
  func saysTheSame() async throws {
    try await withLaboratory(Fixture.pieces) { lab in
      try await lab.scan()
      let lines = try query(lab.catalog.path, "SELECT path FROM files ORDER BY path")
      let entries = try await lab.catalog.entries(matching: Query())
      #expect(lines == entries.map(\.path.string))
      #expect(try query(lab.catalog.path, "PRAGMA integrity_check") == ["ok"])
      #expect(try query(lab.catalog.path, "PRAGMA foreign_key_check").isEmpty)
      let reflexive = try query(
        lab.catalog.path,
        """
        SELECT count(*) FROM types t WHERE NOT EXISTS (SELECT 1 FROM type_conformance c
          WHERE c.identifier = t.identifier AND c.ancestor = t.identifier)
        """)
      #expect(reflexive == ["0"])
    }
  }
}
