import FileSystem
import StandardDirectories
import SystemPackage
import TestSupport
import Testing

@testable import FileCatalog

@Suite("Queries about containers and variants")
struct ContainerQueryTests {
  @Test("random conditions find what a look at the columns of every entry finds")
  func randomConditions() async throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededRandom(seed: seed)
    var pieces = ContainerTree.all[0].pieces(at: "app") + ContainerTree.all[4].pieces(at: "pak")
    let names = ["i.png", "i@2x.png", "i~ipad.png", "i@2x~ipad.png", "i@1.5x.png", "i@1x~mac.png"]
    for directory in ["app/tmp", "app/Library/Caches", "pak/data", "other"] {
      pieces += names.map { .file(FilePath(directory).appending($0), bytes: 1) }
      pieces.append(.directory(FilePath(directory).appending("Sub@2x")))
    }
    try await withLaboratory(pieces) { lab in
      let app = Container(.appleSandbox, root: lab.tree.path.appending("app"))
      let pak = Container(
        .flatpak, root: lab.tree.path.appending("pak"), identifier: "org.example.App")
      try await lab.scan([app, pak])
      let rows = try FilesView(lab.catalog).rows
      for _ in 0..<100 {
        let filter = condition(&random, app.root.string, depth: 2)
        let expected = Set(rows.filter { matches($0, filter) }.map(\.id))
        let found = try await lab.catalog.entries(matching: Query(filter))
        #expect(Set(found.map(\.id.rawValue)) == expected, "\(Query(filter)), seed \(seed)")
        let parsed = try Query(parsing: Query(filter).description)
        #expect(try await lab.catalog.count(of: parsed) == expected.count, "\(parsed)")
      }
    }
  }

  private func condition(_ random: inout SeededRandom, _ path: String, depth: Int) -> Filter {
    func one(_ words: [String], _ random: inout SeededRandom) -> String {
      words.randomElement(using: &random) ?? ""
    }
    switch Int.random(in: 0..<(depth > 0 ? 9 : 6), using: &random) {
    case 0: return .role(one(Role.standard.map(\.name) + ["Caches"], &random))
    case 1: return .container(one([path, "org.example.App", "ORG.example.app", "none"], &random))
    case 2: return .backup(one(["included", "excluded", "yes", "no"], &random))
    case 3: return .flag(.purgeable)
    case 4: return .scale([1, 1.5, 2, 3].randomElement(using: &random) ?? 1)
    case 5: return .idiom(one(["ipad", "pad", "mac", "tv"], &random))
    case 6: return .not(condition(&random, path, depth: depth - 1))
    case 7:
      return .all((0..<2).map { _ in condition(&random, path, depth: depth - 1) })
    default:
      return .any((0..<2).map { _ in condition(&random, path, depth: depth - 1) })
    }
  }

  private func matches(_ row: FilesView.Row, _ filter: Filter) -> Bool {
    switch filter.condition {
    case .word(.role, let name): row["role"].string == name.text.lowercased()
    case .word(.container, let name):
      row["container"].string?.lowercased() == name.text.lowercased()
    case .word(.backup, let word):
      row["backup_policy"].string
        == (["included", "yes"].contains(word.text) ? "included" : "excluded")
    case .flag: row["purgeable"].integer == 1
    case .scale(let scale): row["asset_scale"].printed.flatMap(Double.init) == scale
    case .word(.idiom, let word): row["asset_idiom"].string == Idiom(named: word.text)?.rawValue
    case .not(let filter): !matches(row, filter)
    case .all(let filters): filters.allSatisfy { matches(row, $0) }
    case .any(let filters): filters.contains { matches(row, $0) }
    default: false
    }
  }

  @Test(
    "a word that a term does not know is shown with what was likely meant",
    arguments: [
      ("role:document", "documents"), ("role:cache", "caches"), ("backup:exclude", "excluded"),
      ("idiom:ipads", "ipad"),
    ])
  func unknownWords(_ query: String, _ suggestion: String) {
    do throws(QueryError) {
      _ = try Query(parsing: query)
      Issue.record("nothing was thrown")
    } catch {
      #expect(error.suggestion == suggestion, "\(error)")
    }
  }
}
