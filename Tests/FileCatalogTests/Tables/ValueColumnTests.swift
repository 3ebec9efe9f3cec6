import FileCatalog
import FileSystem
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("Further values as columns and sort keys", .feature("P-49"))
struct ValueColumnTests {
  private static let stored = StoredValues([
    "a": ["width": .integer(4000), "kind": .text("photo"), "xattr:user.project": .text("alpha")],
    "b": ["width": .real(0.5)], "c": ["width": .text("wide"), "raw": .bytes([0x41, 0xFF])],
    "d": ["it's": .integer(1), "a,b\\": .integer(2)],
  ])

  private func withValues(_ body: (Laboratory) async throws -> Void) async throws {
    let pieces = ["a", "b", "c", "d", "e"].map { Piece.file(FilePath("x/\($0)")) }
    try await withLaboratory(pieces, providers: [Self.stored]) { lab in
      try await lab.scan(StoredValues.options)
      try await body(lab)
    }
  }

  @Test("entries have the values that are asked for, typed, and no others")
  func typed() async throws {
    try await withValues { lab in
      let plain = try await lab.catalog.entries(matching: Query())
      #expect(plain.allSatisfy { $0.values.isEmpty })
      let found = try await lab.catalog.entries(
        matching: Query(.kind(.file)), values: ["width", "kind", "raw", "it's", "none"])
      #expect(
        found.map(\.values) == [
          ["width": .integer(4000), "kind": .text("photo")], ["width": .real(0.5)],
          ["width": .text("wide"), "raw": .bytes([0x41, 0xFF])], ["it's": .integer(1)], [:],
        ])
      #expect(found[0].values["width"]?.integer == 4000)
      #expect(found[0].values["width"]?.real == 4000)
      #expect(found[1].values["width"]?.real == 0.5 && found[1].values["width"]?.integer == nil)
      #expect(found[2].values["width"]?.text == "wide" && found[2].values["width"]?.bytes == nil)
      #expect(found[2].values["raw"]?.bytes == [0x41, 0xFF])
      // What they are sorted by is asked for.
      let sorted = try await lab.catalog.children(
        of: lab.tree("x"), order: SortOrder(parsing: "-xattr:user.project"), values: ["width"])
      #expect(
        sorted.first?.values == [
          .extendedAttribute("user.project"): .text("alpha"), "width": .integer(4000),
        ])
      let one = try await lab.catalog.entry(at: lab.tree("x/b"), values: ["width", "width"])
      #expect(one?.values == ["width": .real(0.5)])
      let snapshot = try await lab.catalog.snapshot(
        of: TableRequest(Query(.kind(.file)), values: ["raw"]))
      #expect(try await snapshot.row(at: 2).values == ["raw": .bytes([0x41, 0xFF])])
    }
  }

  @Test("rows have them in the columns that are asked for")
  func rows() async throws {
    try await withValues { lab in
      var request = TableRequest(Query(.kind(.file)))
      request.columns = [.value("width"), .entry(.name), .value("it's"), .value("width")]
      var rows: [[ColumnValue]] = []
      try lab.catalog.forEachRow(of: request) { rows.append($0) }
      let wide = ColumnValue.text(Array("wide".utf8))
      #expect(rows.map(\.first) == [.integer(4000), .real(0.5), wide, .null, .null])
      #expect(rows.map(\.last) == rows.map(\.first))
      #expect(rows.map { $0[1].string } == ["a", "b", "c", "d", "e"])
      #expect(rows[3][2] == .integer(1))
    }
  }

  static let names: [(String, ValueKey, String)] = [
    ("value:width", "width", "value:width"), ("VALUE:Width", "Width", "value:Width"),
    ("xattr:user.project", .extendedAttribute("user.project"), "xattr:user.project"),
    ("value:xattr:user.project", .extendedAttribute("user.project"), "xattr:user.project"),
    (#"value:a\,b"#, "a,b", #"value:a\,b"#), (#"value:a\\"#, #"a\"#, #"value:a\\"#),
    (#"value:a\b"#, #"a\b"#, #"value:a\\b"#), ("value:a:b", "a:b", "value:a:b"),
    ("value:it's", "it's", "value:it's"), ("value:-x", "-x", "value:-x"),
  ]

  @Test("a name means its key, alone, among others and descending, and is printed in one way")
  func parsed() throws {
    for (text, key, canonical) in Self.names {
      #expect(try TableColumn.parse("size,\(text)") == [.entry(.size), .value(key)], "\(text)")
      #expect(TableColumn.text(of: [.value(key), .entry(.size)]) == "\(canonical),size")
      let order = try SortOrder(parsing: "-\(text),name")
      #expect(
        order == SortOrder([.init(.value(key), .descending), .init(.name)]), "\(text)")
      #expect(order.description == "-\(canonical),name")
      #expect(try SortOrder(parsing: order.description) == order)
    }
  }

  @Test("what names no key is refused, with the nearest that there is")
  func refused() {
    for text in ["value:", "xattr:", "values:x", "value", ":", "size,", "value:a,,b"] {
      #expect(throws: CatalogError.self, "\(text)") { try TableColumn.parse(text) }
      #expect(throws: SortOrder.ParseError.self, "\(text)") { try SortOrder(parsing: text) }
    }
    #expect(throws: SortOrder.ParseError.self) {
      try SortOrder(parsing: "value:xattr:a,-xattr:a")
    }
    let error = #expect(throws: CatalogError.self) { try TableColumn.parse("value:x,sise") }
    #expect(error?.code == .unknownColumn && error?.nearest == "size")
  }

  @Test("keys that differ in nothing but composition are two")
  func composition() async throws {
    let first = StoredValues(["a": ["\u{E9}": .integer(1)]], key: "first")
    let second = StoredValues(["a": ["e\u{301}": .integer(2)]], key: "second")
    try await withLaboratory([.file("a")], providers: [first, second]) { lab in
      var options = ScanOptions()
      options.resourceValues = ["first", "second"]
      try await lab.scan(options)
      let entry = try await lab.catalog.entry(
        at: lab.tree("a"), values: ["\u{E9}", "e\u{301}"])
      #expect(entry?.values["\u{E9}"] == .integer(1))
      #expect(entry?.values["e\u{301}"] == .integer(2))
    }
  }

  @Test("keys under which nobody has a value are told, with the nearest that somebody has")
  func unknown() async throws {
    try await withValues { lab in
      func words(
        _ request: TableRequest
      ) async throws -> [String] {
        try await lab.catalog.unknownWords(in: request).map {
          "\($0.term):\($0.word) \($0.nearest ?? "-")"
        }
      }
      let order = try SortOrder(parsing: "xattr:user.projekt,value:width")
      #expect(
        try await words(TableRequest(order: order, values: ["widht", "raw", "a:b"]))
          == ["value:widht width", "value:a:b -", "xattr:user.projekt user.project"])
      let query = try Query(parsing: "!value:kin xattr:width=5 OR value:width>=4000")
      #expect(
        try await words(TableRequest(query)) == ["value:kin kind", "xattr:width value:width"])
      #expect(
        try await words(TableRequest(values: ["user.project"])) == [
          "value:user.project xattr:user.project"
        ])
      #expect(try await words(TableRequest(order: SortOrder())) == [])
    }
  }

  @Test("who has read a value in the content of a file is known of each", .feature("FS-16"))
  func providers() async throws {
    let stored = StoredValues(["a": ["width": .integer(1)]])
    try await withLaboratory([.file("a")], providers: [stored]) { lab in
      var options = StoredValues.options
      options.contentValues = ["hash"]
      try await lab.scan(options)
      let values = try await lab.catalog.details(of: lab.tree("a")).values
      #expect(values.map(\.key) == ["sha256", "width"])
      #expect(values.map(\.provider) == ["hash", nil])
      #expect(values.last?.value == .integer(1))
    }
  }
}

@Suite("Tables in the order of further values", .feature("P-49"))
struct ValueOrderTests {
  private static let orders = [
    "value:k", "-value:k", "value:k,-value:j", "-value:j,size,value:k",
    "directories-first,-value:k", "-size,value:k",
  ]

  /// What tables are compared with: the truth about values, and plain sorting.
  private struct Model {
    let stored: StoredValues

    /// Entries that are in the order of their names, in another order.
    func sorted(_ entries: [Entry], by order: SortOrder) -> [Entry] {
      let rows = entries.enumerated().map { offset, entry in
        let stored = stored[entry.name]
        let values = order.terms.map { term -> ResourceValue? in
          if case .value(let key) = term.key { return stored[key.text] }
          return entry.size.map { .integer($0) }
        }
        return (offset: offset, entry: entry, values: values)
      }
      return rows.sorted { first, second in
        let isDirectory = (first.entry.isDirectory, second.entry.isDirectory)
        if order.directories == .first, isDirectory.0 != isDirectory.1 { return isDirectory.0 }
        for (index, term) in order.terms.enumerated() {
          let values = (first.values[index], second.values[index])
          if let decision = precedes(values.0, values.1, term.direction) { return decision }
        }
        return first.offset < second.offset
      }.map(\.entry)
    }

    /// `nil` where that is left open.
    private func precedes(
      _ first: ResourceValue?, _ second: ResourceValue?, _ direction: SortOrder.Direction
    ) -> Bool? {
      guard let first, let second else {
        return first == nil && second == nil ? nil : second == nil
      }
      let (isFirst, isSecond) = (first.precedes(second), second.precedes(first))
      guard isFirst || isSecond else { return nil }
      return (direction == .ascending) == isFirst
    }
  }

  private func change(
    _ stored: StoredValues, _ count: Int, _ lab: Laboratory, _ random: inout SeededRandom
  ) throws {
    for _ in 0..<count {
      let name = "f\(random.below(40))"
      var values: [String: ResourceValue] = [:]
      for key in ["k", "j"] where random.below(4) > 0 { values[key] = .random(using: &random) }
      stored[name] = values
      // Else nobody would look.
      try lab.tree.make(
        .times(Self.path(of: name), accessed: 0, modified: 1 + random.below(1_000_000_000)))
    }
  }

  private static func path(of name: String) -> FilePath {
    FilePath("d\((Int(name.dropFirst()) ?? 0) % 3)/\(name)")
  }

  private func withRandomValues(
    _ body: (Laboratory, StoredValues, inout SeededRandom, Comment) async throws -> Void
  ) async throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededRandom(seed: seed)
    let stored = StoredValues()
    let pieces = (0..<40).map {
      Piece.file(Self.path(of: "f\($0)"), bytes: random.below(3))
    }
    try await withLaboratory(pieces, providers: [stored]) { lab in
      try change(stored, 120, lab, &random)
      try await lab.scan(StoredValues.options)
      try await body(lab, stored, &random, "seed \(seed)")
    }
  }

  @Test("random values of all kinds are in order, as lists, pages and snapshots", arguments: orders)
  func models(_ text: String) async throws {
    let order = try SortOrder(parsing: text)
    try await withRandomValues { lab, stored, random, seed in
      for round in 0..<2 {
        if round == 1 { try await lab.catalog.indexValues(of: "k") }
        let requests = [
          TableRequest(order: order), TableRequest(Query(.kind(.file)), order: order),
          TableRequest(Query(.value("k")), in: .subtree(of: lab.tree.path), order: order),
          TableRequest(in: .children(of: lab.tree("d1")), order: order),
        ]
        for request in requests {
          let unsorted = try await lab.catalog.entries(
            matching: request.query, in: request.scope, order: SortOrder())
          let expected = Model(stored: stored).sorted(unsorted, by: order).map(\.path)
          let found = try await lab.catalog.entries(
            matching: request.query, in: request.scope, order: order)
          #expect(found.map(\.path) == expected, seed)
          for entry in found {
            for (key, value) in entry.values {
              #expect(value == stored[entry.name][key.text], seed)
            }
          }
          let snapshot = try await lab.catalog.snapshot(of: request)
          #expect(try await snapshot.rows(in: 0..<100).map(\.path) == expected, seed)
          for _ in 0..<6 {
            let (offset, limit) = (random.below(50), random.below(20))
            let page = try await lab.catalog.entries(
              matching: request.query, in: request.scope, order: order, limit: limit,
              offset: offset)
            #expect(
              page.map(\.path) == Array(expected.dropFirst(offset).prefix(limit)),
              "\(seed), \(offset), \(limit)")
          }
        }
        try change(stored, 10, lab, &random)
        _ = try await lab.catalog.scan([lab.tree.path])
      }
    }
  }

  @Test(
    "cursors lead on through changes: what has not moved comes once and in order",
    arguments: orders)
  func cursors(_ text: String) async throws {
    let order = try SortOrder(parsing: text)
    try await withRandomValues { lab, stored, random, seed in
      func all() async throws -> [Entry] {
        try await lab.catalog.entries(matching: Query(), order: order, values: ["k", "j"])
      }
      for _ in 0..<2 {
        let before = try await all()
        var request = TableRequest(order: order, limit: 5 + random.below(9))
        request.columns = [.entry(.id)]
        var found: [Int64] = []
        var start = Catalog.PageStart.beginning
        while true {
          let next = try lab.catalog.forEachRow(of: request, from: start) { row in
            found.append(row[0].integer ?? 0)
          }
          guard let next else { break }
          start = .cursor(try PageCursor(parsing: next.description))
          try change(stored, random.below(3), lab, &random)
          _ = try await lab.catalog.scan([lab.tree.path])
        }
        let after = Dictionary(
          try await all().map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let unmoved = before.filter { entry in
          after[entry.id]?.values == entry.values && after[entry.id]?.size == entry.size
        }.map(\.id.rawValue)
        #expect(found.filter(Set(unmoved).contains) == unmoved, seed)
      }
    }
  }

  @Test("what changes is told: diffs turn what was observed into what is", arguments: orders)
  func diffs(_ text: String) async throws {
    let order = try SortOrder(parsing: text)
    try await withRandomValues { lab, stored, random, seed in
      let request = TableRequest(Query(.kind(.file)), order: order, values: ["k"])
      for shape in TableDiff.Shape.allCases {
        let table = try await ObservedTable(
          lab.catalog, request,
          options: .init(shape: shape, delay: .seconds(600), maximumDelay: .seconds(600)))
        var before = try await table.snapshot.rows(in: 0..<100)
        for _ in 0..<5 {
          try change(stored, 1 + random.below(4), lab, &random)
          try await lab.scan()
          let diff = try await table.refresh()
          let after = try await table.snapshot.rows(in: 0..<100)
          #expect(diff.applied(to: before) { after[$0] } == after, seed)
          for index in diff.updates {
            #expect(!after.contains(before[index]), seed)
          }
          before = after
        }
        await table.cancel()
      }
    }
  }

  @Test("many rows are in order, too, and of many one that changes is told")
  func manyRows() async throws {
    let stored = StoredValues()
    let names = (0..<10_500).map { "f\($0)" }
    for (index, name) in names.enumerated() where index % 10 != 0 {
      let isNumber = index % 3 == 0
      stored[name] = ["k": isNumber ? .integer(Int64(index % 100)) : .text("\(index % 1000)")]
    }
    try await withLaboratory(names.map { .file(FilePath("d/\($0)")) }, providers: [stored]) { lab in
      try await lab.scan(StoredValues.options)
      let query = Query(.kind(.file))
      let request = TableRequest(query, order: try SortOrder(parsing: "-value:k"))
      // As sqlite3 sorts them.
      let rows = try lab.catalog.rows(
        """
        SELECT f.id FROM files f LEFT JOIN resource_values v ON v.entry_id = f.id
        WHERE f.kind = 'file' ORDER BY v.value DESC, CAST(substr(f.name, 2) AS INTEGER)
        """)
      let expected = rows.compactMap { $0["id"]?.integer.map { EntryID(rawValue: $0) } }
      let old = try await lab.catalog.snapshot(of: request)
      #expect(try (0..<old.count).map { try old.id(at: $0) } == expected)
      let page = try await lab.catalog.entries(
        matching: query, order: request.order, limit: 50, offset: 9420)
      #expect(page.map(\.id) == Array(expected[9420..<9470]))
      let plain = TableRequest(query, order: SortOrder())
      let first = try await lab.catalog.snapshot(of: plain)

      stored["f77"] = ["k": .real(-7)]
      try lab.tree.make(.times("d/f5", accessed: 0, modified: 1000))
      _ = try await lab.catalog.scan([lab.tree.path])
      let diff = old.diff(to: try await lab.catalog.snapshot(of: request))
      let changed = [try await lab.entry("d/f5").id, try await lab.entry("d/f77").id]
      #expect(Set(try diff.updates.map { try old.id(at: $0) }) == Set(changed))
      #expect(diff.moves.count == 1 && diff.insertions.isEmpty && diff.deletions.isEmpty)
      // Here nobody has asked for the value.
      #expect(first.diff(to: try await lab.catalog.snapshot(of: plain)).updates.count == 1)
    }
  }
}

@Suite("Further values that change while somebody observes", .timeLimit(.minutes(20)))
struct ObservedValueTests {
  private static let quick = ObservedTable.Options(
    delay: .milliseconds(30), maximumDelay: .milliseconds(200), pollInterval: .milliseconds(10))

  private func nextChange(
    _ events: inout ObservedTable.Events.Iterator
  ) async throws -> ObservedTable.Update {
    guard case .changed(let change) = await events.next() else { throw CancellationError() }
    return change
  }

  @Test("what is read in files after a scan updates the rows that show it", .feature("P-49"))
  func content() async throws {
    let pieces = (0..<3).map { Piece.file(FilePath("\($0)"), bytes: 3 - $0) }
    try await withLaboratory(pieces) { lab in
      try await lab.scan()
      let request = TableRequest(
        Query(.kind(.file)), order: try SortOrder(parsing: "value:sha256"))
      let table = try await ObservedTable(lab.catalog, request, options: Self.quick)
      #expect(try await table.snapshot.rows(in: 0..<3).map(\.name) == ["0", "1", "2"])
      var events = table.events.makeAsyncIterator()
      var options = ScanOptions()
      options.contentValues = ["hash"]
      try await lab.scan(options)
      var updated: Set<EntryID> = []
      while updated.count < 3 {
        let change = try await nextChange(&events)
        updated.formUnion(try change.diff.updates.map { try change.old.id(at: $0) })
      }
      let rows = try await table.snapshot.rows(in: 0..<3)
      let hashes = rows.compactMap { $0.values["sha256"]?.text }
      #expect(hashes.count == 3 && hashes == hashes.sorted())
      // Ending it clears them.
      try await lab.scan(ScanOptions())
      let change = try await nextChange(&events)
      #expect(change.diff.updates.count == 3)
      #expect(try await table.snapshot.rows(in: 0..<3).allSatisfy { $0.values.isEmpty })
      await table.cancel()
    }
  }

  @Test(
    "extended attributes and tags update the row, and put it where it belongs",
    .enabled(if: ResourceValueTests.supportsAttributes))
  func attributes() async throws {
    let pieces: [Piece] = [
      .file("a"), .file("b"), .attribute("b", name: "user.project", value: "alpha"), .file("c"),
    ]
    try await withLaboratory(pieces) { lab in
      try await lab.scan()
      let request = TableRequest(
        Query(.kind(.file)), order: try SortOrder(parsing: "xattr:user.project"),
        values: [.extendedAttribute("user.xdg.tags")])
      let table = try await ObservedTable(lab.catalog, request, options: Self.quick)
      var events = table.events.makeAsyncIterator()
      var options = ScanOptions()
      options.resourceValues = ["xattr"]
      try await lab.scan(options)
      let first = try await nextChange(&events)
      #expect(first.diff == TableDiff(updates: [1], moves: [.init(from: 1, to: 0)]))
      #expect(try await first.new.rows(in: 0..<3).map(\.name) == ["b", "a", "c"])

      try lab.tree.make(.attribute("c", name: "user.project", value: "aaa"))
      try await lab.scan()
      let second = try await nextChange(&events)
      #expect(second.diff == TableDiff(updates: [2], moves: [.init(from: 2, to: 0)]))

      _ = try await lab.catalog.addTag(Tag("draft"), to: lab.tree("a"))
      let third = try await nextChange(&events)
      #expect(third.diff == TableDiff(updates: [2]))
      let tagged = try await third.new.row(at: 2)
      #expect(tagged.values == [.extendedAttribute("user.xdg.tags"): .text("draft")])
      await table.cancel()
    }
  }
}
