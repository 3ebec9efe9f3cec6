import FileCatalog
import FileSystem
import SystemPackage
import TestSupport
import Testing

@Suite("Large and hostile queries")
struct QueryLimitTests {
  /// `(… OR n1) n0`, with so many parentheses within each other.
  private func nested(_ depth: Int) -> Filter {
    (0..<depth).reduce(Filter.name(.substring("a"))) { inner, step in
      .all([.not(.name(.exact("x\(step)"))), .any([inner, .size(>1.gigabytes)])])
    }
  }

  @Test("as deep as a query may be, it is answered", arguments: [1, 10, 30, 60, 100, 199])
  func deep(_ depth: Int) async throws {
    try await withLaboratory([.file("abc"), .file("x3"), .file("b")]) { lab in
      try await lab.scan()
      let query = Query(nested(depth) && .kind(.file))
      let names = try await lab.catalog.entries(matching: query).map(\.name)
      #expect(names == ["abc"])
      #expect(try await lab.catalog.count(of: query) == 1)
      let text = (0..<depth).reduce("a") { inner, step in "(\(inner) OR size:>1G) !x\(step)" }
      let typed = try Query(parsing: text + " kind:file")
      #expect(try await lab.catalog.entries(matching: typed).map(\.name) == ["abc"])
      let negated = Query(
        (0..<depth).reduce(Filter.name("abc")) { inner, step in
          .not(.any([inner, .name(.exact("y\(step)"))]))
        } && .kind(.file))
      #expect(
        try await lab.catalog.entries(matching: negated).map(\.name)
          == (depth.isMultiple(of: 2) ? ["abc"] : ["b", "x3"]))
    }
  }

  @Test("as many terms as a query may have are answered")
  func many() async throws {
    try await withLaboratory([.file("n7"), .file("b")]) { lab in
      try await lab.scan()
      let terms = (0..<Query.Limits.terms).map { Filter.name(.exact("n\($0)")) }
      #expect(try await lab.catalog.entries(matching: Query(.any(terms))).map(\.name) == ["n7"])
    }
  }

  @Test("more than that is an error, typed or built")
  func tooLarge() async throws {
    try await withLaboratory([.file("a")]) { lab in
      try await lab.scan()
      let words = (0..<10_000).map { "n\($0)" }
      #expect(throws: QueryError.self) { try Query(parsing: words.joined(separator: " OR ")) }
      #expect(throws: QueryError.self) {
        try Query(
          parsing: String(repeating: "(", count: 1000) + "a" + String(repeating: ")", count: 1000))
      }
      let built = [
        Filter.any(words.map { .name(.exact($0)) }),
        .extensions(words), nested(1000),
      ]
      for filter in built {
        try await expectError(.invalidArgument) {
          _ = try await lab.catalog.count(of: Query(filter))
        }
        try await expectError(.invalidArgument) {
          _ = try await lab.catalog.snapshot(of: TableRequest(Query(filter)))
        }
      }
    }
  }

  static let hostile = [
    "'; DROP TABLE _entries; --", "\" OR 1=1 --", "1); DELETE FROM _roots; --", "%' OR '1'='1",
    "x' UNION SELECT * FROM sqlite_master --", "\\'; VACUUM; --", "a\u{0}b", "?1", ":name", "$x",
    "[x'y\"z]", "`x`", "/*", "\u{FFFF}'", "' OR '1'='1", "%", "_", "\"", ":a", "x') OR 1 --",
    "\u{0}",
    "\\",
  ]

  @Test("no text is ever taken for SQL", arguments: hostile)
  func injection(_ text: String) async throws {
    try await withLaboratory([.file("a"), .file("d/b")]) { lab in
      try await lab.scan()
      let catalog = lab.catalog
      let filters: [Filter] = [
        .name(.substring(text)), .name(.exact(text)), .path(.substring(text)),
        .extensions([text]), .type(text), .conforms(to: text), .owner(text), .group(text),
        .tag(text),
      ]
      for filter in filters {
        for sensitivity in [CaseSensitivity.sensitive, .insensitive] {
          let query = Query(filter, caseSensitivity: sensitivity)
          #expect(try await catalog.count(of: query) == 0, "\(query)")
          #expect(try await catalog.count(of: Query(.not(filter))) == 4, "\(query)")
          #expect(try await catalog.snapshot(of: TableRequest(query)).isEmpty)
          #expect(try await catalog.entries(matching: query).isEmpty)
        }
      }
      let path = FilePath("/" + text.replacing("\u{0}", with: ""))
      for scope in [TableRequest.Scope.children(of: path), .subtree(of: path)] {
        try await expectError(.notInCatalog) { _ = try await catalog.count(of: Query(), in: scope) }
      }
      #expect(try await catalog.entry(at: path) == nil)
      #expect(throws: SortOrder.ParseError.self) { try SortOrder(parsing: text) }
      #expect(throws: CatalogError.self) { try TableColumn.parse(text) }
      #expect(throws: CatalogError.self) { try PageCursor(parsing: text) }
      #expect(throws: CatalogError.self) { try SavedSearch(name: text + " ", query: Query()) }
      try await expectError(.searchNotFound) { _ = try await catalog.savedSearch(named: text) }
      try await expectError(.searchNotFound) { try await catalog.deleteSavedSearch(named: text) }
      let query = Query(.name(.exact(text)))
      if text.contains("\u{0}") {
        #expect(throws: CatalogError.self) { try SavedSearch(name: "x", query: query) }
      } else {
        let search = try SavedSearch(name: "x", query: query, directories: [path])
        try await catalog.save(search)
        #expect(try await catalog.savedSearch(named: "x") == search)
      }
      try await expectSound(catalog)
    }
  }
}
