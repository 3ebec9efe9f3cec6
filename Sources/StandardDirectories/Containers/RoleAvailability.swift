public import SystemPackage

/// Whether and where a container has a directory for a role.
public enum RoleAvailability: Hashable, Sendable {
  /// Inside the container, at this path relative to its root.
  case inside(FilePath)
  /// Somewhere else: the system's temporary directory, or what the environment says.
  case outside(FilePath)
  /// Nowhere.
  case unavailable
}

extension Container {
  /// Whether and where the container has a directory for a role, by its style and not by the disk.
  public func availability(of role: Role) -> RoleAvailability {
    guard let path = answers(for: role).first else { return .unavailable }
    return relative(path).map(RoleAvailability.inside) ?? .outside(path)
  }
}
