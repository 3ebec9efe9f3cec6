import FileCatalog
import FileSystem
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("Views of one's own, and indexes of values")
struct ViewTests {
  @Test(
    "a statement with a name is read by any program, and taken away by its name", .feature("FS-33"))
  func lifecycle() async throws {
    try await withLaboratory([.file("a.txt", bytes: 3), .file("b.txt", bytes: 5)]) { lab in
      try await lab.scan()
      try await lab.catalog.addView(
        "sizes", as: "  SELECT path, size FROM files WHERE kind = 'file';\n")
      #expect(
        try await lab.catalog.ownViews().map { [$0.name, $0.statement] }
          == [["sizes", "SELECT path, size FROM files WHERE kind = 'file'"]])
      #expect(try lab.catalog.number("SELECT sum(size) FROM sizes") == 8)
      if CommandRunner.exists("sqlite3") {
        let stock = try CommandRunner("sqlite3").run(
          ["-readonly", lab.catalog.path.string, "SELECT sum(size) FROM sizes"])
        #expect(stock.text == "8\n")
      }
      // It stays when the catalog is opened and scanned again.
      try lab.catalog.close()
      let again = try Catalog(at: lab.catalog.path)
      _ = try await again.scan([lab.tree.path])
      try await expectSound(again)
      #expect(try again.number("SELECT count(*) FROM sizes") == 2)
      try await again.removeView("sizes")
      #expect(try await again.ownViews().isEmpty)
      try again.close()
    }
  }

  @Test(
    "what is no name, or no statement that reads, is refused, and nothing is added",
    arguments: [
      ("", "SELECT 1", CatalogError.Code.invalidArgument), ("1a", "SELECT 1", .invalidArgument),
      ("_a", "SELECT 1", .invalidArgument), ("sqlite_a", "SELECT 1", .invalidArgument),
      ("a b", "SELECT 1", .invalidArgument), ("a\"b", "SELECT 1", .invalidArgument),
      ("files", "SELECT 1", .invalidArgument), ("FILES", "SELECT 1", .invalidArgument),
      ("a", "SELEC 1", .invalidSQL), ("a", "SELECT * FROM nothing", .invalidSQL),
      ("a", "SELECT filecat_folded(name) FROM files", .invalidSQL),
      ("a", "SELECT 1; DROP TABLE _entries", .invalidSQL), ("a", "", .invalidSQL),
      ("a", "DELETE FROM _entries", .notReadOnlySQL), ("a", "SELECT ?", .invalidSQL),
    ])
  func refusals(_ name: String, _ statement: String, _ code: CatalogError.Code) async throws {
    try await withLaboratory([.file("x")]) { lab in
      try await lab.scan()
      try await expectError(code) { try await lab.catalog.addView(name, as: statement) }
      #expect(try await lab.catalog.ownViews().isEmpty)
      try await expectSound(lab.catalog)
    }
  }

  @Test("a view that is not there is told with the nearest that is")
  func unknown() async throws {
    try await withLaboratory([.file("x")]) { lab in
      try await lab.scan()
      try await lab.catalog.addView("photos", as: "SELECT 1 AS one")
      let error = await #expect(throws: CatalogError.self) {
        try await lab.catalog.removeView("photo")
      }
      #expect(error?.code == .viewNotFound && error?.nearest == "photos")
      await #expect(throws: CatalogError.self) { try await lab.catalog.removeView("files") }
      try await expectSound(lab.catalog)
    }
  }

  @Test(
    "queries that compare values go through the index of their key, and answer the same",
    .feature("P-49"))
  func indexes() async throws {
    struct Numbers: ResourceValueProvider {
      let key = "numbers"
      func values(of entry: ScannedEntry) throws -> [String: ResourceValue] {
        let number = Int64(entry.path.lastComponent?.string.dropFirst() ?? "") ?? 0
        return ["it's": .integer(number % 100), "other": .integer(number)]
      }
    }
    let pieces = (0..<500).map { Piece.file(FilePath("f\($0)")) }
    try await withLaboratory(pieces, providers: [Numbers()]) { lab in
      var options = ScanOptions()
      options.resourceValues = ["numbers"]
      try await lab.scan(options)
      func found() async throws -> Int {
        try await lab.catalog.count(of: Query(parsing: "value:it's>=98"))
      }
      let before = try await found()
      #expect(before == 10)
      try await lab.catalog.indexValues(of: "it's")
      try await lab.catalog.indexValues(of: "it's")
      #expect(try await lab.catalog.indexedValues() == ["it's"])
      #expect(try await found() == before)
      let plan = try lab.catalog.rows(
        "EXPLAIN QUERY PLAN SELECT entry_id FROM _entry_values WHERE key = 'it''s' AND value >= 98")
      #expect(plan.contains { $0["detail"]?.string?.contains("values_of_it's") == true })
      // It is a part of the catalog as any other, and follows rescans.
      try lab.tree.make([.file("f998")])
      try await lab.scan()
      #expect(try await found() == before + 1)
      #expect(try await lab.catalog.removeIndex(ofValues: "it's"))
      #expect(try await !lab.catalog.removeIndex(ofValues: "it's"))
      #expect(try await found() == before + 1)
    }
  }
}
