public import SystemPackage

extension RoleMap {
  /// A rule that gives a directory, and all that is in it, a role.
  public struct Rule: Hashable, Sendable {
    /// What a component of a path must be.
    public enum Component: Hashable, Sendable {
      /// This name, byte for byte.
      case name(FilePath.Component)
      /// Any name: the directory of some application.
      case any
      /// The names that a declared role's directory can have.
      case pattern(DirectoryPattern.Component)
      /// The directory of a snap's revision: a number, `x` and a number, or `current`.
      case revision
    }

    /// The components of the absolute path.
    public let components: [Component]
    /// How many of them name the container's root, or the directory that is elsewhere.
    public let rootDepth: Int
    /// The role; `nil` for the container's root.
    public let role: Role?
    /// Whether the directory is outside of the container's root, as the environment can demand.
    public let isElsewhere: Bool

    /// The absolute path, where no names but fixed ones stand in it.
    public var path: FilePath? {
      var path = FilePath("/")
      for component in components {
        guard case .name(let name) = component else { return nil }
        path.append(name)
      }
      return path
    }

    /// How the rule is shown: the path below the root, or the absolute path of a directory
    /// elsewhere, with `*` for any name and `<revision>`.
    public var pattern: String {
      let shown = components.dropFirst(isElsewhere ? 0 : rootDepth).map { component in
        switch component {
        case .name(let name): name.string
        case .any: "*"
        case .pattern(let pattern): pattern.text
        case .revision: "<revision>"
        }
      }
      return (isElsewhere ? "/" : "") + shown.joined(separator: "/")
    }
  }
}

extension RoleMap.Rule {
  /// The values of the parameters in the names of a path; `nil` where the rule does not match.
  fileprivate func values(in names: [FilePath.Component]) -> DirectoryPattern.Values? {
    var values: DirectoryPattern.Values = [:]
    for (component, name) in zip(components, names) {
      switch component {
      case .name(let known): guard known == name else { return nil }
      case .any: break
      case .revision: guard isRevision(name.bytes) else { return nil }
      case .pattern(let pattern):
        guard let read = pattern.values(in: name) else { return nil }
        values.merge(read) { first, _ in first }
      }
    }
    return values
  }
}

extension Container {
  /// The rules by which directories get their roles.
  ///
  /// Of several that match a path the longest counts. The system's directory for temporary files
  /// is shared by all programs, so no rule gives it to a container.
  public var rules: [RoleMap.Rule] {
    var seen: Set<[RoleMap.Rule.Component]> = []
    return allRules.filter { seen.insert($0.components).inserted }
  }

  private var allRules: [RoleMap.Rule] {
    var rules = [rule(root, role: nil)] + customRoles.flatMap { self.rules(of: $0) }
    // Directories that were narrowed or set can coincide; the more particular role comes first.
    let particularFirst: [Role] = [
      .resources, .temporary, .offlineData, .caches, .preferences, .state, .documents,
      .applicationSupport, .library,
    ]
    for role in particularFirst {
      for path in answers(for: role) where role != .temporary || relative(path) != nil {
        rules.append(rule(path, role: role))
        for nested in nestedDirectories(role) {
          rules.append(rule(path, then: [.name(nested.name)], role: nested.role))
          if style.isHome {
            rules.append(rule(path, then: [.any, .name(nested.name)], role: nested.role))
          }
        }
      }
    }
    return rules
  }

  /// Those of a declared role: they come before those of standard ones, which did not know of it.
  private func rules(of role: CustomRole) -> [RoleMap.Rule] {
    let (anchor, components) = role.anchor
    let inner = components.map { component in
      component.fixedName.map(RoleMap.Rule.Component.name) ?? .pattern(component)
    }
    let bases = anchor.map { answers(for: $0) } ?? [root]
    return bases.filter { anchor != .temporary || relative($0) != nil }
      .map { rule($0, then: inner, role: .custom(role)) }
  }

  /// The values that the parameters of its role have in a path, which is absolute.
  ///
  /// It is empty where the role has no parameters, and where the path is in no declared role.
  public func parameters(of path: FilePath) -> DirectoryPattern.Values {
    let own = RoleMap([self])
    guard case .custom(let role)? = own.place(of: path).role else { return [:] }
    let names = Array(path.components)
    for rule in rules where rule.role == .custom(role) && rule.components.count <= names.count {
      if let values = rule.values(in: names) { return values }
    }
    return [:]
  }

  /// What is inside the directory of a role, of each application in a home.
  private func nestedDirectories(_ role: Role) -> [(name: FilePath.Component, role: Role)] {
    switch role {
    case .applicationSupport: [("Offline Data", .offlineData)]
    case .caches: [("Temporary Files", .temporary)]
    default: []
    }
  }

  private func rule(
    _ path: FilePath, then inner: [RoleMap.Rule.Component] = [], role: Role?
  ) -> RoleMap.Rule {
    var components = path.components.map(RoleMap.Rule.Component.name)
    let isInside = relative(path) != nil
    let rootDepth = isInside ? root.components.count : components.count
    if style == .snap, isInside, components.count > rootDepth,
      components[rootDepth] == .name("current")
    {
      components[rootDepth] = .revision
    }
    return RoleMap.Rule(
      components: components + inner, rootDepth: rootDepth, role: role,
      isElsewhere: !isInside)
  }
}
