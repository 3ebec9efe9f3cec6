import FileCatalog
import FileSystem
import SystemPackage
import TestSupport
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

  @Test("after a change the cursor is too old, whatever has changed")
  func tooOld() async throws {
    try await withLaboratory(pieces) { lab in
      try await lab.scan()
      let edits: [OtherWriter.Edit] = [
        .remove("3.file"), .add("00.file", like: "1.file"), .modify("9.file", at: 1),
      ]
      for edit in edits {
        let page = try names(of: request, from: .beginning, in: lab.catalog)
        let next = try #require(page.next)
        try OtherWriter(catalog: lab.catalog).write([edit])
        try await expectError(.cursorTooOld) {
          _ = try names(of: request, from: .cursor(next), in: lab.catalog)
        }
      }
      // What touches no entry does not matter.
      let next = try #require(try names(of: request, from: .beginning, in: lab.catalog).next)
      try await lab.catalog.save(SavedSearch(name: "x", query: Query()))
      #expect(try names(of: request, from: .cursor(next), in: lab.catalog).names.count == 7)
    }
  }

  @Test("while others write, pages are of one state or an error says so")
  func whileWriting() async throws {
    try await withLaboratory(pieces) { lab in
      try await lab.scan()
      let writing = Task {
        for index in 0..<20 {
          try OtherWriter(catalog: lab.catalog).write([.add("z\(index)", like: "1.file")])
        }
      }
      var complete = 0
      var tooOld = 0
      while complete < 3 || tooOld < 1, complete + tooOld < 2000 {
        do {
          var found: [String] = []
          var start = Catalog.PageStart.beginning
          while true {
            let page = try names(of: request, from: start, in: lab.catalog)
            found += page.names
            guard let next = page.next else { break }
            start = .cursor(next)
            try await Task.sleep(for: .milliseconds(2))
          }
          #expect(found.count == Set(found).count)
          let added = found.count - 30
          #expect(found == (0..<30).map { "\($0).file" } + (0..<max(0, added)).map { "z\($0)" })
          complete += 1
        } catch let error as CatalogError where error.code == .cursorTooOld {
          tooOld += 1
        }
      }
      try await writing.value
      #expect(complete >= 3)
      #expect(tooOld >= 1)
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
