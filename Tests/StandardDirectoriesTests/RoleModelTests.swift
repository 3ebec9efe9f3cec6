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

    /// The longest rule that matches, of two the one without wildcards. Of patterns only the one that counts
    /// at a directory matches there.
    func role(of path: [String]) -> Role? {
      var live = rules
      var role: Role?
      for depth in 0...path.count {
        let ending = live.filter { $0.parts.count == depth }
        if let best = ending.first(where: { !$0.names.contains("") }) ?? ending.first {
          role = best.role
        }
        guard depth < path.count else { break }
        live.removeAll { $0.parts.count == depth }
        let preferred = live.compactMap { pattern($0.parts[depth], matching: path[depth]) }
          .max { (fixed($0), $1.text) < (fixed($1), $0.text) }
        live = live.filter { rule in
          switch rule.parts[depth] {
          case .name: rule.names[depth] == path[depth]
          case .any: true
          case .revision: path[depth] == "current" || path[depth] == "12"
          case .pattern(let pattern): pattern == preferred
          }
        }
      }
      return role
    }

    private func pattern(
      _ part: RoleMap.Rule.Component, matching name: String
    ) -> DirectoryPattern.Component? {
      guard case .pattern(let pattern) = part, let name = FilePath.Component(name),
        pattern.values(in: name) != nil
      else { return nil }
      return pattern
    }

    /// How many letters stand outside of braces.
    private func fixed(_ pattern: DirectoryPattern.Component) -> Int {
      var isInside = false
      var count = 0
      for letter in pattern.text {
        if letter == "{" { isInside = true }
        if !isInside { count += 1 }
        if letter == "}" { isInside = false }
      }
      return count
    }
  }

  private static let names = [
    "Library", "Caches", "Application Support", "Offline Data", "Documents", "tmp", ".cache",
    ".local", "share", "current", "12", "common", "a", "cache", "data", "Temporary Files", "User-1",
    "User-x-12", "x-12", "Avatars",
  ]

  /// Declared roles whose directories meet others and each other.
  private static func roles() throws(RoleError) -> [CustomRole] {
    let user = try CustomRole("user", in: .applicationSupport, directory: "User-{id}")
    return [
      user, try CustomRole("avatars", in: .custom(user), directory: "Avatars"),
      try CustomRole("team", in: .applicationSupport, directory: "{team}-12"),
      try CustomRole("minutes", in: .applicationSupport, directory: "{name}-12/{title}/a"),
      try CustomRole("anything", directory: "{anything}"),
      try CustomRole("mine", directory: "Library/Caches"),
      try CustomRole("parts", in: .caches, directory: "User-{name}/{part}"),
    ]
  }

  private func path(upTo count: Int, _ random: inout SeededRandom) -> [String] {
    (0..<Int.random(in: 0...count, using: &random)).map { _ in
      Self.names.randomElement(using: &random) ?? "a"
    }
  }

  @Test("are those of the innermost container's longest rule", arguments: [UInt64](1...12))
  func model(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let declared = try Self.roles()
    let containers = (0..<4).map { _ in
      Container(
        Container.Style.allCases.randomElement(using: &random) ?? .xdg,
        root: FilePath("/" + path(upTo: 3, &random).joined(separator: "/")), identifier: "app"
      )
      .adding(declared.filter { _ in Bool.random(using: &random) })
    }
    let map = RoleMap(containers)
    let models = containers.map(Model.init)
    for _ in 0..<200 {
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
