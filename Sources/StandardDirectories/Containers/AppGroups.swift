public import SystemPackage

/// The app groups of a machine by identifier.
///
/// macOS knows them itself; elsewhere they are what the configuration says.
public struct AppGroups: Hashable, Sendable {
  /// The root of each group's container.
  public var roots: [String: FilePath]

  /// The groups with these roots.
  public init(_ roots: [String: FilePath] = [:]) {
    self.roots = roots
  }

  /// The container of a group.
  ///
  /// - Throws: ``DirectoryError/unknownAppGroup(_:)`` for a group that is not configured.
  public func container(_ identifier: String) throws(DirectoryError) -> Container {
    guard let root = roots[identifier] else { throw .unknownAppGroup(identifier) }
    return Container(.appGroup, root: root, identifier: identifier)
  }
}
