import FileCatalog
import FileSystem
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("Conditions on entries")
struct FilterTests {
  @Test("random conditions find what a plain look at every row finds")
  func randomConditions() async throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededRandom(seed: seed)
    try await withLaboratory(ReadingFixture.pieces) { lab in
      try await lab.scan()
      let entries = try await lab.catalog.entries(matching: Query())
      let totals = Dictionary(
        try await lab.catalog.totals(below: nil, depth: 100).map { ($0.id, $0) },
        uniquingKeysWith: { first, _ in first })
      for _ in 0..<150 {
        let query = Query(
          condition(&random, entries, depth: 2),
          caseSensitivity: random.below(2) == 0 ? .sensitive : .insensitive)
        let evaluation = FilterEvaluation(
          root: lab.tree.path, caseSensitivity: query.caseSensitivity, totals: totals,
          broken: [lab.tree.path.appending("dangling.txt")],
          now: 1_000_000_000 * Int64(Date().timeIntervalSince1970))
        let expected = try entries.filter { try evaluation.matches($0, query.filter) }
        let found = try await lab.catalog.entries(matching: query)
        #expect(found.map(\.path) == expected.map(\.path), "\(query), seed \(seed)")
        #expect(try await lab.catalog.count(of: query) == expected.count, "\(query)")
      }
    }
  }

  /// A condition of which the values are near those that entries have.
  private func condition(
    _ random: inout SeededRandom, _ entries: [Entry], depth: Int
  ) -> Filter {
    let entry = entries[random.below(entries.count)]
    switch random.below(depth > 0 ? 22 : 18) {
    case 0, 1: return .name(pattern(&random, entry.name))
    case 2:
      return .path(
        pattern(&random, entry.path.string.split(separator: "/").suffix(2).joined(separator: "/")))
    case 3:
      let texts = [
        "", "txt", "TXT", "png", "tar.gz", "gz", "unknown", "d", entry.pathExtension ?? "",
      ]
      return .extensions((0..<random.below(4)).map { _ in ExactString(texts[random.below(9)]) })
    case 4:
      return .kinds(
        (0..<random.below(3)).map { _ in QueryKind.allCases[random.below(QueryKind.allCases.count)]
        })
    case 5: return .type(ExactString(entry.type))
    case 6:
      let types = ["public.text", "public.data", "public.image", "public.item", "no.such.type"]
      return .conformsTo(ExactString(types[random.below(types.count)]))
    case 7: return .size(range(&random, entry.size ?? 0))
    case 8: return .allocated(range(&random, entry.allocated ?? 0))
    case 9, 10:
      let field = DateField.allCases[random.below(4)]
      if random.below(3) == 0 {
        let age = Age.days(UInt32(random.below(20_000)))
        return .date(field, random.below(2) == 0 ? .youngerThan(age) : .olderThan(age))
      }
      return .date(field, .times(from: .instant(entry.modified ?? 0), until: nil))
    case 11: return .owner(ExactString(["root", "ROOT", "nobody"][random.below(3)]))
    case 12: return .group(ExactString(["root", "Root", "nogroup"][random.below(3)]))
    case 13: return random.below(2) == 0 ? .uid(range(&random, 0)) : .gid(range(&random, 0))
    case 14:
      let bits = UInt16([0o644, 0o022, 0o111, 0o4000, 0, 0o600][random.below(6)])
      return .mode([.exactly(bits), .all(bits), .any(bits)][random.below(3)])
    case 15: return .depth(range(&random, Int64(entry.depth)))
    case 16: return .links(range(&random, Int64(entry.links ?? 1)))
    case 17: return .flag(FileFlag.allCases[random.below(4)])
    case 18: return .not(condition(&random, entries, depth: depth - 1))
    case 19, 20:
      return .and((0..<random.below(4)).map { _ in condition(&random, entries, depth: depth - 1) })
    default:
      return .or((0..<random.below(4)).map { _ in condition(&random, entries, depth: depth - 1) })
    }
  }

  private func range(_ random: inout SeededRandom, _ value: Int64) -> ValueRange<Int64> {
    [
      .exactly(value), .atLeast(value), .moreThan(value), .atMost(value), .lessThan(value),
      ValueRange(value...value + 2000), ValueRange(lower: .exclusive(value), upper: .exclusive(0)),
    ][random.below(7)]
  }

  private func pattern(_ random: inout SeededRandom, _ text: String) -> TextPattern {
    let escaped = text.map { "\\*?[]{}".contains($0) ? "\\\($0)" : String($0) }.joined()
    switch random.below(5) {
    case 0: return .substring(ExactString(String(text.dropFirst(random.below(3)).prefix(4))))
    case 1: return .exact(ExactString(text))
    case 2: return .glob(ExactString(escaped))
    case 3: return .glob(["*.txt", "*", "?*.[pj]*", "**", "docs/*", "*/**"][random.below(6)])
    default: return .regex(["^[a-f]", "\\.txt$", "file[0-9]+", "s", "^$", "é"][random.below(6)])
    }
  }

  @Test(
    "texts are values, whatever they contain",
    arguments: [
      "'; DROP TABLE entries; --", "' OR '1'='1", "%", "_", "\"", "?1", ":a", "x') OR 1 --",
      "\u{0}", "\\", "a\u{0}b",
    ])
  func textsAreValues(_ text: String) async throws {
    try await withLaboratory([.file("a.txt"), .file("b")]) { lab in
      try await lab.scan()
      let exact = ExactString(text)
      let filters: [Filter] = [
        .name(.substring(exact)), .name(.exact(exact)), .path(.exact(exact)), .extensions([exact]),
        .type(exact), .conformsTo(exact), .owner(exact), .group(exact), .tag(exact),
      ]
      for filter in filters {
        #expect(try await lab.catalog.entries(matching: Query(filter)).isEmpty, "\(filter)")
        #expect(try await lab.catalog.count(of: Query(!filter)) == 3, "\(filter)")
      }
      let path = lab.tree.path.string + "/" + text.filter { $0 != "\u{0}" } + "x"
      #expect(try await lab.catalog.entry(at: FilePath(path)) == nil)
      try await expectSound(lab.catalog)
    }
  }

  @Test(
    "words that a term does not know are an error",
    arguments: [Filter.role("cache"), .backup("x"), .idiom("watch")])
  func unknownWords(_ filter: Filter) async throws {
    try await withTemporaryCatalog { catalog in
      try await expectError(.invalidArgument) {
        _ = try await catalog.entries(matching: Query(filter))
      }
    }
  }
}
