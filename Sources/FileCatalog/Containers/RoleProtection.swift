internal import FileCoordination
public import StandardDirectories
internal import SystemPackage

extension Role.Policy {
  /// Whether nothing with the role is deleted unless that is forced: whatever the system may not delete by
  /// itself.
  public var isProtected: Bool { !isPurgeable }
}

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
  /// The containers as they are when something is to be deleted.
  let containers: @Sendable () throws -> [Container]

  func permitsDeletion(of item: FilePath) -> Bool {
    // Who does not know what is protected does not delete.
    guard let containers = try? containers() else { return false }
    return Self.role(protecting: item, in: containers) == nil
  }

  static func role(protecting item: FilePath, in containers: [Container]) -> Role? {
    if containers.isEmpty { return nil }
    if let role = RoleMap(containers).place(of: item).role, role.policy.isProtected { return role }
    let names = Array(item.components)
    return containers.lazy.flatMap(\.rules).first { rule in
      guard let role = rule.role, role.policy.isProtected else { return false }
      return rule.components.count > names.count
        && zip(rule.components, names).allSatisfy { $0.mayBe($1) }
    }?.role
  }
}

extension RoleMap.Rule.Component {
  fileprivate func mayBe(_ name: FilePath.Component) -> Bool {
    switch self {
    case .name(let own): own == name
    case .any, .revision: true
    }
  }
}
