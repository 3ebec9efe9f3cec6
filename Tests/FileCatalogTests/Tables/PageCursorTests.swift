import FileCatalog
import FileSystem
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("Cursors")
struct PageCursorTests {
  private func names(
    of request: TableRequest, from start: Catalog.PageStart, in catalog: Catalog
  ) throws -> (names: [String], next: PageCursor?) {
    var names: [String] = []
    let next = try catalog.forEachRow(of: request, from: start) { row in
      names.append(row.first?.string ?? "")
    }
    return (names, next)
  }

  private var request: TableRequest {
    TableRequest(Query(.kind(.file)), order: SortOrder(), columns: [.name], limit: 7)
  }

  private var pieces: [Piece] { (0..<30).map { .file(FilePath("\($0).file")) } }

  @Test("page by page, all rows come once and in order", arguments: [1, 7, 29, 30, 31])
  func allPages(_ limit: Int) async throws {
    try await withLaboratory(pieces) { lab in
      try await lab.scan()
      var request = request
      request.limit = limit
      var found: [String] = []
      var start = Catalog.PageStart.beginning
      while true {
        let page = try names(of: request, from: start, in: lab.catalog)
        found += page.names
        guard let next = page.next else { break }
        // Through the text, as another process would get it.
        start = .cursor(try PageCursor(parsing: next.description))
      }
      #expect(found == (0..<30).map { "\($0).file" })
    }
  }

  @Test("the rows left out before the first page may be named again or not", arguments: [0, 4])
  func offset(_ again: Int) async throws {
    try await withLaboratory(pieces) { lab in
      try await lab.scan()
      var request = request
      request.offset = 4
      let first = try names(of: request, from: .beginning, in: lab.catalog)
      #expect(first.names == (4..<11).map { "\($0).file" })
      request.offset = again
      let next = try #require(first.next)
      let second = try names(of: request, from: .cursor(next), in: lab.catalog)
      #expect(second.names == (11..<18).map { "\($0).file" })
    }
  }

  @Test("paths come by cursor, too")
  func paths() async throws {
    try await withLaboratory(pieces) { lab in
      try await lab.scan()
      var count = 0
      let next = try lab.catalog.forEachPath(of: request, from: .beginning) { _ in count += 1 }
      #expect(count == 7)
      #expect(next != nil)
    }
  }

  @Test("a cursor that is damaged is refused, or leads to a page")
  func damaged() async throws {
    try await withLaboratory(pieces) { lab in
      try await lab.scan()
      let seed = UInt64.random(in: .min ... .max)
      var random = SeededRandom(seed: seed)
      let next = try names(of: request, from: .beginning, in: lab.catalog).next
      let text = Array(try #require(next).description.utf8)
      for _ in 0..<300 {
        let damaged = String(
          decoding: random.damage(text, with: ["99999999999999999999", "-1", ".", "="]),
          as: UTF8.self)
        guard let cursor = try? PageCursor(parsing: damaged) else { continue }
        let page = try? names(of: request, from: .cursor(cursor), in: lab.catalog)
        #expect(page?.names.count ?? 0 <= 7, "seed \(seed): \(damaged)")
      }
    }
  }

  /// Orders with values of all classes, with and without values, and ties.
  static let orders = [
    "name", "-name", "path", "-size,name", "modified", "-modified", "kind,-name", "extension",
    "-extension", "directories-first,-size", "type,-path", "total_size", "-total_files",
    "owner,mode",
    "-depth,allocated", "-full_size",
  ]

  @Test(
    "lead on through any edits: what has not moved comes once and in order",
    .feature("X-04", "P-33"), arguments: orders)
  func edited(_ text: String) async throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededRandom(seed: seed)
    let order = try SortOrder(parsing: text)
    try await withTree([]) { other in
      try await withLaboratory(pieces) { lab in
        var editor = TreeEditor(
          lab.tree, random: SeededRandom(seed: random.next()), isWide: false)
        for _ in 0..<60 { editor.edit() }
        try await lab.scan(loss: .accepted)
        try other.make([.file("one"), .file("two/three.txt", bytes: 5)])
        for isElsewhere in [false, true] {
          var request = TableRequest(
            Query(), in: .subtree(of: lab.tree.path), order: order, columns: [.path], limit: 9)
          let columns = [EntryColumn.id, .path, .kind, .size, .modified, .lastChangedScan]
          // What directories hold changes without them.
          let isOfTotals = text.contains("total") || text.contains("full")
          func all() async throws -> [[ColumnValue]] {
            var rows: [[ColumnValue]] = []
            var whole = request
            whole.columns = columns.map { .entry($0) }
            whole.limit = nil
            _ = try lab.catalog.forEachRow(of: whole, from: .beginning) { rows.append($0) }
            return rows
          }
          let before = try await all()
          var found: [ColumnValue] = []
          var start = Catalog.PageStart.beginning
          request.columns = [.entry(.id)]
          // Edits add less than pages have rows.
          while found.count < 10_000 {
            let page = try lab.catalog.forEachRow(of: request, from: start) { found += $0 }
            guard let page else { break }
            start = .cursor(try PageCursor(parsing: page.description))
            if isElsewhere {
              try other.make([.file(FilePath("new\(found.count)"))])
              _ = try await lab.catalog.scan([other.path])
            } else if random.below(3) > 0 {
              for _ in 0..<4 { editor.edit() }
              try await lab.scan(loss: .accepted)
            }
          }
          let after = try await all()
          // Rows with the same values throughout stand in the same order among themselves.
          let same = before.filter(Set(after).contains)
          let unmoved = same.filter { !isOfTotals || isElsewhere || $0[2].string != "directory" }
            .compactMap(\.first)
          let told = found.filter(Set(unmoved).contains)
          #expect(told == unmoved, "seed \(seed), \(text), \(isElsewhere)")
          if isElsewhere { #expect(found == before.compactMap(\.first), "seed \(seed), \(text)") }
        }
      }
    }
  }

  @Test("while others write, pages have neither gaps nor repeats", .feature("X-04"))
  func whileWriting() async throws {
    try await withLaboratory(pieces) { lab in
      try await lab.scan()
      let writing = Task {
        for index in 0..<20 {
          try OtherWriter(catalog: lab.catalog).write([.add("z\(index)", like: "1.file")])
        }
      }
      for _ in 0..<5 {
        var found: [String] = []
        var start = Catalog.PageStart.beginning
        while true {
          let page = try names(of: request, from: start, in: lab.catalog)
          found += page.names
          guard let next = page.next else { break }
          start = .cursor(next)
          try await Task.sleep(for: .milliseconds(2))
        }
        let added = found.count - 30
        #expect(found == (0..<30).map { "\($0).file" } + (0..<max(0, added)).map { "z\($0)" })
      }
      try await writing.value
    }
  }

  @Test("a cursor of another table is refused")
  func otherTable() async throws {
    try await withLaboratory(pieces) { lab in
      try await lab.scan()
      let next = try #require(try names(of: request, from: .beginning, in: lab.catalog).next)
      var other = request
      other.order = SortOrder([SortOrder.Term(.size)])
      try await expectError(.foreignCursor) {
        _ = try names(of: other, from: .cursor(next), in: lab.catalog)
      }
      for text in ["", "x", "start", "MXwxfDF8MQ", "\u{0}", "🙂", next.description + "A"] {
        #expect(throws: CatalogError.self, "\(text)") {
          let cursor = try PageCursor(parsing: text)
          _ = try names(of: request, from: .cursor(cursor), in: lab.catalog)
        }
      }
    }
  }
}
