import FileCatalog
import FileSystem
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("Sorting and paging")
struct SortingTests {
  /// What two entries are compared by, one key after the other. `nil` is smaller than anything,
  /// unless `isUnknownLast`.
  private enum Value: Equatable {
    case number(Int64?)
    case bytes([UInt8]?)

    static func precedes(_ a: Value, _ b: Value) -> Bool {
      switch (a, b) {
      case (.number(let a), .number(let b)):
        return a.map { a in b.map { a < $0 } ?? false } ?? (b != nil)
      case (.bytes(let a), .bytes(let b)):
        return a.map { a in b.map { a.lexicographicallyPrecedes($0) } ?? false } ?? (b != nil)
      default: return false
      }
    }
  }

  /// What a directory or a package holds.
  private struct Totals {
    let size: Int64?
    let allocated: Int64?
    let files: Int64?
  }

  private func totals(of entries: [Entry], in catalog: Catalog) async throws -> [EntryID: Totals] {
    var totals: [EntryID: Totals] = [:]
    for total in try await catalog.totals(below: nil, depth: 100) {
      totals[total.id] = Totals(
        size: total.totalSize, allocated: total.totalAllocated, files: Int64(total.totalFiles))
    }
    for entry in entries where entry.kind == .package {
      let files = try await catalog.details(of: entry.path).value(of: .totalFiles)?.integer
      totals[entry.id] = Totals(size: entry.size, allocated: entry.allocated, files: files)
    }
    return totals
  }

  private func value(
    of key: SortOrder.Key, _ entry: Entry, _ totals: [EntryID: Totals]
  ) -> Value {
    func text(_ text: String?) -> Value { .bytes(text.map { Array($0.utf8) }) }
    func folded(_ text: String?) -> Value {
      .bytes(text.map { $0.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 } })
    }
    switch key {
    case .name: return .bytes(naturalKey(entry))
    case .path: return .bytes(entry.path.bytes)
    case .size: return .number(entry.size)
    case .allocated: return .number(entry.allocated)
    case .modified: return .number(entry.modified)
    case .created: return .number(entry.created)
    case .changed: return .number(entry.changed)
    case .accessed: return .number(entry.accessed)
    case .kind: return text(entry.kind.name)
    case .type: return text(entry.type)
    case .extension: return folded(entry.pathExtension)
    case .owner: return folded(entry.owner)
    case .group: return folded(entry.group)
    case .mode: return .number(entry.mode.map { Int64($0 & 0o7777) })
    case .inode: return .number(entry.inode.map { Int64(bitPattern: $0) })
    case .links: return .number(entry.links.map { Int64($0) })
    case .depth: return .number(Int64(entry.depth))
    case .totalSize: return .number(totals[entry.id]?.size)
    case .totalAllocated: return .number(totals[entry.id]?.allocated)
    case .totalFiles: return .number(totals[entry.id]?.files)
    case .fullSize: return .number(totals[entry.id]?.size ?? entry.size)
    case .fullAllocated: return .number(totals[entry.id]?.allocated ?? entry.allocated)
    case .value: return .bytes(nil)
    }
  }

  private func naturalKey(_ entry: Entry) -> [UInt8] {
    (entry.path.lastComponent?.bytes ?? []).withUnsafeBytes { NaturalOrder.key(of: $0) }
  }

  private func sorted(
    _ entries: [Entry], by term: SortOrder.Term, _ totals: [EntryID: Totals]
  ) -> [Entry] {
    let unknownLast: Set<SortOrder.Key> = [
      .modified, .created, .changed, .accessed, .totalSize, .totalAllocated, .totalFiles,
    ]
    // Without optimization a key costs too much to be made for each comparison.
    let keys = Dictionary(
      entries.map { ($0.id, (natural: naturalKey($0), path: $0.path.bytes)) },
      uniquingKeysWith: { first, _ in first })
    let values = Dictionary(
      entries.map { ($0.id, value(of: term.key, $0, totals)) },
      uniquingKeysWith: { first, _ in first })
    return entries.sorted { a, b in
      guard let (naturalA, pathA) = keys[a.id], let (naturalB, pathB) = keys[b.id],
        let first = values[a.id], let second = values[b.id]
      else { return false }
      if first != second {
        if unknownLast.contains(term.key) {
          if first == .number(nil) { return false }
          if second == .number(nil) { return true }
        }
        return term.direction == .ascending
          ? Value.precedes(first, second) : Value.precedes(second, first)
      }
      return naturalA == naturalB
        ? pathA.lexicographicallyPrecedes(pathB) : naturalA.lexicographicallyPrecedes(naturalB)
    }
  }

  @Test(
    "every key gives the order of a plain sort, in both directions, page by page",
    .feature("FS-13", "JB-14", "LX-09", "P-31"))
  func everyKeySorts() async throws {
    try await withLaboratory(ReadingFixture.pieces) { lab in
      try await lab.scan()
      let entries = try await lab.catalog.entries(matching: Query())
      let totals = try await totals(of: entries, in: lab.catalog)
      for key in SortOrder.Key.allCases {
        for direction in [SortOrder.Direction.ascending, .descending] {
          let term = SortOrder.Term(key, direction)
          let order = SortOrder([term])
          let expected = sorted(entries, by: term, totals).map(\.path)
          let whole = try await lab.catalog.entries(matching: Query(), order: order)
          #expect(whole.map(\.path) == expected, "\(order)")
          var paged: [FilePath] = []
          while true {
            let page = try await lab.catalog.entries(
              matching: Query(), order: order, limit: 37, offset: paged.count)
            if page.isEmpty { break }
            paged += page.map(\.path)
          }
          #expect(paged == expected, "\(order)")
        }
      }
    }
  }

  @Test(
    "a page anywhere is that part of the whole, also among thousands of equal values",
    .feature("P-32"),
    arguments: ["size", "-size", "-modified", "created", "-links,-size", "depth", "-full_size"])
  func anyPage(_ order: String) async throws {
    var random = SeededRandom(seed: 7)
    let pieces = (0..<9_000).map { number in
      Piece.file(FilePath("\(number % 7)/\(number)"), bytes: random.below(300))
    }
    try await withLaboratory(pieces) { lab in
      try await lab.scan()
      let order = try SortOrder(parsing: order)
      let whole = try await lab.catalog.entries(matching: Query(), order: order).map(\.id)
      for offset in [0, 1, 2, 30, 4_090, 4_500, 8_191, 8_995, 9_001, 9_007, 9_008, 9_009, 20_000] {
        for limit in [1, 7, 5_000] {
          let page = try await lab.catalog.entries(
            matching: Query(), order: order, limit: limit, offset: offset)
          #expect(page.map(\.id) == Array(whole.dropFirst(offset).prefix(limit)), "\(offset)")
        }
      }
      let few = Query(.size(0...3))
      let expected = try await lab.catalog.entries(matching: few, order: order).map(\.id)
      let page = try await lab.catalog.entries(matching: few, order: order, limit: 20, offset: 30)
      #expect(page.map(\.id) == Array(expected.dropFirst(30).prefix(20)))
    }
  }

  @Test("all paths come in the order of their bytes, whatever the names are")
  func paths() async throws {
    let names = ["a", "a.txt", "a b", "a-", "ab", "a0", "\u{e9}", "Z"]
    let odd: [[UInt8]] = [
      [0x61, 0xff], [0x61, 0x2f, 0x61, 0xfe], [0x61, 0x2d, 0xfe, 0x2f, 0x61],
    ]
    let pieces =
      names.flatMap { name in
        ["\(name)/\(name)", "\(name)/x/y", "x/\(name)"].map { Piece.file(FilePath($0)) }
      } + odd.map { .file(FilePath(bytes: $0)) }
    try await withLaboratory(pieces) { lab in
      try await lab.scan()
      let expected = try await lab.catalog.entries(matching: Query(), order: SortOrder())
        .map(\.path.bytes).sorted { $0.lexicographicallyPrecedes($1) }
      var paths: [[UInt8]] = []
      try lab.catalog.forEachPath(of: TableRequest()) { paths.append(Array($0)) }
      #expect(paths == expected)
    }
  }

  @Test("several keys decide one after the other", .feature("FS-32"))
  func severalKeys() async throws {
    try await withLaboratory(ReadingFixture.pieces) { lab in
      try await lab.scan()
      let order = try SortOrder(parsing: "kind,-size,path")
      let entries = try await lab.catalog.entries(matching: Query(), order: order)
      for (a, b) in zip(entries, entries.dropFirst()) {
        let first = (a.kind.name, -(a.size ?? 0))
        let second = (b.kind.name, -(b.size ?? 0))
        #expect(first <= second)
        if first == second {
          #expect(a.path.bytes.lexicographicallyPrecedes(b.path.bytes))
        }
      }
    }
  }

  @Test("beyond the end there is an empty page", .feature("FS-28"))
  func beyondTheEnd() async throws {
    try await withLaboratory([.file("a"), .file("b")]) { lab in
      try await lab.scan()
      for offset in [3, 4, 1000, Int.max] {
        let page = try await lab.catalog.entries(matching: Query(), limit: 10, offset: offset)
        #expect(page.isEmpty)
        #expect(try await lab.catalog.entries(matching: Query(), offset: offset).isEmpty)
      }
      #expect(try await lab.catalog.entries(matching: Query(), limit: 0).isEmpty)
      #expect(try await lab.catalog.entries(matching: Query(), limit: .max).count == 3)
    }
  }

  @Test("rows come in the columns that were asked for")
  func columns() async throws {
    try await withLaboratory([.file("a.txt", bytes: 5)]) { lab in
      try await lab.scan()
      let request = TableRequest(
        Query(.kinds([.file])), columns: [.size, .name, .extension, .size])
      var rows: [[ColumnValue]] = []
      try lab.catalog.forEachRow(of: request) { rows.append($0) }
      let size = ColumnValue.integer(5)
      #expect(rows == [[size, .text(Array("a.txt".utf8)), .text(Array("txt".utf8)), size]])
      var paths: [[UInt8]] = []
      try lab.catalog.forEachPath(of: request) { paths.append(Array($0)) }
      #expect(paths == [lab.tree.path.appending("a.txt").bytes])
      #expect(throws: CatalogError.self) { try TableColumn.parse("name,sise") }
    }
  }
}
