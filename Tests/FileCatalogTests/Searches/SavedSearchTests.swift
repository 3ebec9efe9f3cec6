import FileCatalog
import FileSystem
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("Saved searches")
struct SavedSearchTests {
  @Test("a search is saved, listed, replaced and deleted", .feature("P-34"))
  func lifeCycle() async throws {
    try await withTemporaryCatalog { catalog in
      #expect(try await catalog.savedSearches().isEmpty)
      let big = try SavedSearch(
        name: "big", query: Query(parsing: "size:>1G kind:video"),
        directories: ["/srv/films", "/home/films"], levels: Filter.ValueRange(1...3),
        order: SortOrder(parsing: "directories-first,-size"))
      let all = try SavedSearch(name: "a.l-l_1", query: Query())
      try await catalog.save(big)
      try await catalog.save(all)
      #expect(try await catalog.savedSearches() == [all, big])
      #expect(try await catalog.savedSearch(named: "big") == big)
      let bigger = try SavedSearch(name: "big", query: Query(parsing: "size:>2G"))
      try await catalog.save(bigger)
      #expect(try await catalog.savedSearches() == [all, bigger])
      #expect(try catalog.rows("SELECT path FROM search_directories").isEmpty)
      try await catalog.deleteSavedSearch(named: "big")
      #expect(try await catalog.savedSearches() == [all])
      try await expectError(.searchNotFound) { try await catalog.deleteSavedSearch(named: "big") }
      try await expectError(.searchNotFound) { _ = try await catalog.savedSearch(named: "big") }
    }
  }

  @Test("every query comes back as it was saved")
  func roundTrip() async throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededRandom(seed: seed)
    try await withTemporaryCatalog { catalog in
      var saved = 0
      for _ in 0..<300 {
        let query = Query(
          random.filter(depth: 3),
          caseSensitivity: random.below(2) == 0 ? .sensitive : .insensitive)
        // Patterns that are not well formed cannot be saved.
        guard let search = try? SavedSearch(name: "q", query: query) else { continue }
        try await catalog.save(search)
        #expect(try await catalog.savedSearch(named: "q").query == query, "seed \(seed)")
        saved += 1
      }
      #expect(saved > 150, "seed \(seed)")
    }
  }

  @Test("stock SQLite reads them, and a directory keeps its bytes")
  func inSQL() async throws {
    try await withTemporaryCatalog { catalog in
      let directory = FilePath(bytes: Array("/a".utf8) + [0xFF])
      try await catalog.save(
        try SavedSearch(
          name: "x", query: Query(.name("*.swift") && .size(>10.kibibytes)),
          directories: [directory, "/b"]))
      let rows = try catalog.rows("SELECT name, query, sort FROM searches")
      #expect(rows.count == 1)
      #expect(rows.first?["query"]?.string == "name:*.swift size:>10K")
      #expect(
        try await catalog.savedSearch(named: "x").directories.map(\.bytes)
          == [directory, "/b"].map(\.bytes))
      let directories = try catalog.rows("SELECT path FROM search_directories ORDER BY rowid")
      #expect(directories.map { $0["path"]?.string } == ["/a\u{fffd}", "/b"])
      let first = try catalog.rows("SELECT directory FROM searches")
      #expect(first.map { $0["directory"]?.string } == ["/a\u{fffd}"])
    }
  }

  @Test(
    "a name that nobody could type is refused",
    arguments: [
      "", " ", "a b", "a'b", "\"", "@x", "a/b", "x;", "\n", String(repeating: "n", count: 101),
    ])
  func names(_ name: String) {
    let error = #expect(throws: CatalogError.self) { try SavedSearch(name: name, query: Query()) }
    #expect(error?.code == .invalidArgument)
  }

  @Test("what is too large to be read again is not saved")
  func tooLarge() {
    let query = Query(.any((0..<3000).map { .name(.exact("n\($0)")) }))
    #expect(throws: CatalogError.self) { try SavedSearch(name: "x", query: query) }
  }

  @Test("further conditions are added to those that were saved")
  func combining() throws {
    let search = try SavedSearch(name: "x", query: Query(parsing: "a OR b"))
    #expect(search.query(and: try Query(parsing: "c")) == (try Query(parsing: "(a OR b) c")))
    #expect(search.query(and: Query()) == search.query)
    #expect(search.query(and: try Query(parsing: "c case:yes")).caseSensitivity == .sensitive)
  }
}
