public import SystemPackage

/// Tells the container and the role of directories, one step down a tree at a time.
///
/// A role belongs to a directory, and what is in it inherits the role. A walk therefore asks once a
/// directory and never for files:
///
/// ```swift
/// let map = RoleMap([container])
/// let root = map.place(of: "/home/me")
/// let cache = name.withUnsafeBytes { map.place(ofChild: $0, of: root) }
/// cache.role
/// ```
///
/// The longest rule that matches at whole components counts, names are compared byte for byte, and
/// a container inside another is subject to its own rules only. Paths are compared as they are
/// written: roots must be free of symbolic links where those of the walk are.
public struct RoleMap: Sendable {
  /// What is known of a directory: a value of a few bytes, to be kept while its children are read.
  public struct Place: Hashable, Sendable {
    /// Where the directory is among the rules; `nil` beyond them.
    fileprivate var node: Int32?
    /// The index of the innermost container among ``RoleMap/containers``.
    public fileprivate(set) var container: Int?
    /// The role of the directory and of the files in it.
    public fileprivate(set) var role: Role?
    /// Whether the directory is the root of its container.
    public fileprivate(set) var isContainerRoot = false
  }

  /// The containers, in the order in which they were given.
  public let containers: [Container]
  private let nodes: [RoleMapNode]

  /// A map of these containers. Of two with one root the first counts.
  public init(_ containers: [Container]) {
    self.containers = containers
    var builder = RoleMapBuilder()
    let rules = containers.enumerated().flatMap { index, container in
      container.rules.map { OwnedRule(rule: $0, container: index) }
    }
    _ = builder.add(rules, depth: 0)
    nodes = builder.nodes
  }

  /// The root of the file system.
  public var top: Place { arrive(0, from: Place(node: nil, container: nil, role: nil)) }

  /// The place of a directory by its absolute path. A relative path has no place, hence no role.
  public func place(of path: FilePath) -> Place {
    guard path.isAbsolute else { return Place(node: nil, container: nil, role: nil) }
    return path.components.reduce(top) { place, component in
      component.withBytes { self.place(ofChild: $0, of: place) }
    }
  }

  /// The place of a directory by the bytes of its name and the place of its parent.
  ///
  /// - Complexity: logarithmic in the number of names that rules know here; beyond the rules
  ///   constant and without a look at the name.
  public func place(ofChild name: UnsafeBufferPointer<UInt8>, of parent: Place) -> Place {
    var child = parent
    child.isContainerRoot = false
    child.node = nil
    guard let node = parent.node, let next = nodes[Int(node)].child(name) else { return child }
    return arrive(next, from: child)
  }

  private func arrive(_ node: Int32, from parent: Place) -> Place {
    var place = parent
    place.node = node
    guard let mark = nodes[Int(node)].mark else { return place }
    place.container = mark.container
    place.role = mark.role
    place.isContainerRoot = mark.role == nil
    return place
  }
}

extension Container {
  /// The role of a path inside the container, given relative to its root.
  ///
  /// To ask for many, make one ``RoleMap``.
  public func role(of relative: FilePath) -> Role? {
    RoleMap([self]).place(of: root.pushing(relative)).role
  }
}
