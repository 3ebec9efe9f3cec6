import FileCatalog
import FileSystem
import Foundation
import SystemPackage
import TestSupport
import TestTraits
import Testing

@Suite("Conditions on entries")
struct FilterTests {
  /// Values of all forms, of some entries and not of others.
  private struct Lengths: ResourceValueProvider {
    let key = "lengths"

    func values(of entry: ScannedEntry) throws -> [String: ResourceValue] {
      let name = entry.path.lastComponent?.string ?? ""
      let length = name.utf8.count
      var values: [String: ResourceValue] = ["name": .text(name)]
      if length % 2 == 0 { values["length"] = .integer(Int64(length)) }
      if length % 3 == 0 { values["length"] = .real(Double(length) / 2) }
      if length % 5 == 0 { values["length"] = .text("\(length)") }
      return values
    }
  }

  @Test("random conditions find what a plain look at every row finds", .feature("FS-31"))
  func randomConditions() async throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededRandom(seed: seed)
    try await withLaboratory(ReadingFixture.pieces, providers: [Lengths()]) { lab in
      var options = ScanOptions()
      options.resourceValues = ["lengths"]
      try await lab.scan(options)
      let entries = try await lab.catalog.entries(matching: Query())
      var values: [EntryID: [ValueKey: ResourceValue]] = [:]
      for entry in entries {
        let stored = try await lab.catalog.details(of: entry.path).values
        values[entry.id] = Dictionary(stored.map { ($0.key, $0.value) }) { $1 }
      }
      let totals = Dictionary(
        try await lab.catalog.totals(below: nil, depth: 100).map { ($0.id, $0) },
        uniquingKeysWith: { first, _ in first })
      for _ in 0..<150 {
        let query = Query(
          condition(&random, entries, depth: 2),
          caseSensitivity: random.below(2) == 0 ? .sensitive : .insensitive)
        let evaluation = FilterEvaluation(
          root: lab.tree.path, caseSensitivity: query.caseSensitivity, totals: totals,
          broken: [lab.tree.path.appending("dangling.txt")], values: values,
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
    switch random.below(depth > 0 ? 24 : 20) {
    case 0: return .name(pattern(&random, entry.name))
    case 1:
      let components = entry.path.string.split(separator: "/")
      let end = components.suffix(1 + random.below(components.count + 1)).joined(separator: "/")
      let text = (random.below(3) == 0 ? "/" : "") + end
      return random.below(2) == 0 ? .name(pattern(&random, text)) : .path(pattern(&random, text))
    case 2:
      return .path(
        pattern(&random, entry.path.string.split(separator: "/").suffix(2).joined(separator: "/")))
    case 3:
      let texts = [
        "", "txt", "TXT", "png", "tar.gz", "gz", "unknown", "d", entry.pathExtension ?? "",
      ]
      return .extensions((0..<random.below(4)).map { _ in texts[random.below(9)] })
    case 4:
      return .kinds(
        (0..<random.below(3)).map { _ in
          Filter.Kind.allCases[random.below(Filter.Kind.allCases.count)]
        })
    case 5: return .type(entry.type)
    case 6:
      let types = ["public.text", "public.data", "public.image", "public.item", "no.such.type"]
      return .conforms(to: types[random.below(types.count)])
    case 7: return .size(range(&random, entry.size ?? 0))
    case 8: return .allocated(range(&random, entry.allocated ?? 0))
    case 9, 10:
      let field = Filter.DateField.allCases[random.below(4)]
      if random.below(3) == 0 {
        let age = Filter.Age.days(UInt32(random.below(20_000)))
        return .date(field, random.below(2) == 0 ? .youngerThan(age) : .olderThan(age))
      }
      return .date(field, .times(from: .instant(entry.modified ?? 0), until: nil))
    case 11: return .owner(["root", "ROOT", "nobody"][random.below(3)])
    case 12: return .group(["root", "Root", "nogroup"][random.below(3)])
    case 13: return random.below(2) == 0 ? .uid(range(&random, 0)) : .gid(range(&random, 0))
    case 14:
      let bits = UInt16([0o644, 0o022, 0o111, 0o4000, 0, 0o600][random.below(6)])
      return .mode([.exactly(bits), .all(bits), .any(bits)][random.below(3)])
    case 15: return .depth(range(&random, Int64(entry.depth)))
    case 16: return .links(range(&random, Int64(entry.links ?? 1)))
    case 17: return .flag(Filter.Flag.allCases[random.below(4)])
    case 18:
      let length = entry.name.utf8.count
      let numbers: [Filter.ValueRange<Filter.Number>] = [
        .exactly(Filter.Number(Int64(length))), .moreThan(Filter.Number(Double(length) / 2) ?? 0),
        .lessThan(7.25), Filter.ValueRange(2.0...8.0), .atMost(0),
      ]
      return random.below(2) == 0
        ? .value("length", numbers[random.below(5)])
        : .value("length", is: ["\(length)", "\(Double(length) / 2)", "x"][random.below(3)])
    case 19:
      return [
        .value(["length", "name", "none"][random.below(3)]), .value("name", is: entry.name),
        .value("name", matches: ["*.TXT", "f*", "*é*", "[a-f]*"][random.below(4)]),
      ][random.below(3)]
    case 20: return .not(condition(&random, entries, depth: depth - 1))
    case 21, 22:
      return .all((0..<random.below(4)).map { _ in condition(&random, entries, depth: depth - 1) })
    default:
      return .any((0..<random.below(4)).map { _ in condition(&random, entries, depth: depth - 1) })
    }
  }

  private func range(_ random: inout SeededRandom, _ value: Int64) -> Filter.ValueRange<Int64> {
    [
      .exactly(value), .atLeast(value), .moreThan(value), .atMost(value), .lessThan(value),
      Filter.ValueRange(value...value + 2000),
      Filter.ValueRange(lower: .exclusive(value), upper: .exclusive(0)),
    ][random.below(7)]
  }

  private func pattern(_ random: inout SeededRandom, _ text: String) -> TextPattern {
    let escaped = text.map { "\\*?[]{}".contains($0) ? "\\\($0)" : String($0) }.joined()
    switch random.below(5) {
    case 0: return .substring(String(text.dropFirst(random.below(3)).prefix(4)))
    case 1: return .exact(text)
    case 2: return .glob(escaped)
    case 3:
      return .glob(
        ["*.txt", "*", "?*.[pj]*", "**", "docs/*", "{docs,src}/*.{txt,png}"][random.below(6)])
    default: return .regex(["^[a-f]", "\\.txt$", "file[0-9]+", "s", "^$", "é"][random.below(6)])
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
