import StandardDirectories
import SystemPackage
import TestSupport
import Testing

@Suite("Roles on random containers and paths")
struct RoleModelTests {
  /// A container told in strings, for the slow way of finding a role.
  private struct Model {
    let root: [String]
    let rules: [(parts: [RoleMap.Rule.Component], names: [String], role: Role?)]

    init(_ container: Container) {
      root = container.root.components.map(\.string)
      rules = container.rules.filter { !$0.isElsewhere }.map { rule in
        let names = rule.components.map { if case .name(let name) = $0 { name.string } else { "" } }
        return (rule.components, names, rule.role)
      }
    }

    /// The longest rule that matches, of two the one without wildcards.
    func role(of path: [String]) -> Role? {
      var best: (length: Int, isExact: Bool, role: Role?) = (-1, false, nil)
      for rule in rules where rule.parts.count <= path.count {
        let matches = rule.parts.indices.allSatisfy { index in
          switch rule.parts[index] {
          case .name: rule.names[index] == path[index]
          case .any: true
          case .revision: path[index] == "current" || path[index] == "12"
          }
        }
        let isExact = !rule.names.contains("")
        let length = rule.parts.count
        if matches, length > best.length || (length == best.length && isExact && !best.isExact) {
          best = (length, isExact, rule.role)
        }
      }
      return best.role
    }
  }

  private static let names = [
    "Library", "Caches", "Application Support", "Offline Data", "Documents", "tmp", ".cache",
    ".local", "share", "current", "12", "common", "a", "cache", "data", "Temporary Files",
  ]

  private func path(upTo count: Int, _ random: inout SeededRandom) -> [String] {
    (0..<Int.random(in: 0...count, using: &random)).map { _ in
      Self.names.randomElement(using: &random) ?? "a"
    }
  }

  @Test("are those of the innermost container's longest rule", arguments: [UInt64](1...12))
  func model(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let containers = (0..<4).map { _ in
      Container(
        Container.Style.allCases.randomElement(using: &random) ?? .xdg,
        root: FilePath("/" + path(upTo: 3, &random).joined(separator: "/")), identifier: "app")
    }
    let map = RoleMap(containers)
    let models = containers.map(Model.init)
    for _ in 0..<100 {
      let path = path(upTo: 7, &random)
      // The innermost around the path; of several with one root the first counts.
      let owner = models.indices.filter { path.starts(with: models[$0].root) }
        .max { (models[$0].root.count, -$0) < (models[$1].root.count, -$1) }
      let place = map.place(of: FilePath("/" + path.joined(separator: "/")))
      #expect(place.container == owner, "seed \(seed): \(path)")
      let role = owner.flatMap { models[$0].role(of: path) }
      #expect(place.role == role, "seed \(seed): \(path)")
    }
  }
}
