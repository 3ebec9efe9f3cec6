internal import FileCoordination
internal import StandardDirectories
internal import SystemPackage

/// Whether what roles protect may be deleted.
public enum RoleProtection: Sendable, Hashable {
  /// It is refused.
  case respected
  /// It is deleted like anything else.
  case lifted
}

/// Keeps from being deleted what roles protect: the one rule for all that deletes with a catalog.
///
/// An item is protected by the role of its directory, and by the directories of protected roles that are in it.
struct ProtectedPlaces: DeletionGuard {
  private let map: RoleMap
  private let rules: [[RoleMap.Rule.Component]]

  init(_ containers: [Container]) {
    map = RoleMap(containers)
    rules = containers.flatMap(\.rules)
      .filter { $0.role?.policy.isProtected ?? false }.map(\.components)
  }

  func permitsDeletion(of item: FilePath) -> Bool {
    if rules.isEmpty { return true }
    if map.place(of: item).role?.policy.isProtected ?? false { return false }
    let names = Array(item.components)
    return !rules.contains { rule in
      rule.count > names.count && zip(rule, names).allSatisfy { $0.mayBe($1) }
    }
  }
}

/// The same by the containers that a catalog has when something is to be deleted.
struct CatalogProtection: DeletionGuard {
  let containers: @Sendable () throws -> [Container]

  func permitsDeletion(of item: FilePath) -> Bool {
    // Who does not know what is protected does not delete.
    guard let containers = try? containers() else { return false }
    return ProtectedPlaces(containers).permitsDeletion(of: item)
  }
}

extension RoleMap.Rule.Component {
  fileprivate func mayBe(_ name: FilePath.Component) -> Bool {
    switch self {
    case .name(let own): own == name
    case .any, .revision: true
    case .pattern(let pattern): pattern.values(in: name) != nil
    }
  }
}
