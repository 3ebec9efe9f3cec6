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
/// The longest rule that matches at whole components counts. Where the names of several declared
/// roles could mean one directory, it is that with the most fixed bytes, and what the others have
/// inside theirs is not looked for there. Names are compared byte for byte, and a container inside
/// another is subject to its own rules only. Paths are compared as they are
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
  /// - Complexity: Logarithmic in the number of names that rules know here; beyond the rules
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

/// A rule, and the container whose it is.
struct OwnedRule {
  let rule: RoleMap.Rule
  let container: Int
}

/// What begins at a directory.
struct RoleMark {
  let container: Int
  /// `nil` at a container's root.
  let role: Role?
}

/// A directory that rules know, or a kind of directories that they treat alike.
struct RoleMapNode {
  var mark: RoleMark?
  /// Children by name, in the order of their bytes.
  var names: [[UInt8]] = []
  var children: [Int32] = []
  /// Children by the patterns of their names, of which the first that matches counts.
  var patterns: [Pattern] = []
  var revision: Int32?
  var any: Int32?

  struct Pattern {
    let component: DirectoryPattern.Component
    let child: Int32
    /// The child for names that a revision could have as well.
    let revision: Int32
  }

  /// The node of a child; `nil` when no rule concerns it.
  func child(_ name: UnsafeBufferPointer<UInt8>) -> Int32? {
    var low = 0
    var high = names.count
    while low < high {
      let middle = (low + high) / 2
      if names[middle].lexicographicallyPrecedes(name) { low = middle + 1 } else { high = middle }
    }
    if low < names.count, names[low].elementsEqual(name) { return children[low] }
    if let pattern = patterns.first(where: { $0.component.matches(name) }) {
      return isRevision(name) ? pattern.revision : pattern.child
    }
    if let revision, isRevision(name) { return revision }
    return any
  }
}

/// Whether a snap could call the directory of a revision so.
func isRevision(_ name: some BidirectionalCollection<UInt8>) -> Bool {
  if name.elementsEqual("current".utf8) { return true }
  let digits = name.first == NameByte.x ? name.dropFirst() : name[...]
  return !digits.isEmpty && digits.allSatisfy(NameByte.isDigit)
}

/// Makes one automaton of all rules, so that a step needs no memory of rules that might still match.
struct RoleMapBuilder {
  private(set) var nodes: [RoleMapNode] = []

  /// Adds the node at which these rules, all of which match so far, have come together.
  ///
  /// Every child gets all rules that its name matches, also those with wildcards, so that a path
  /// never has to be tried twice.
  mutating func add(_ rules: [OwnedRule], depth: Int) -> Int32 {
    let index = nodes.count
    nodes.append(RoleMapNode())
    var node = RoleMapNode()
    let ending = rules.filter { $0.rule.components.count == depth }
    let innermost = ending.map(\.rule.rootDepth).max() ?? 0
    let best =
      ending.first(where: { $0.rule.rootDepth == innermost && $0.rule.isExact })
      ?? ending.first(where: { $0.rule.rootDepth == innermost })
    node.mark = best.map { RoleMark(container: $0.container, role: $0.rule.role) }
    var going = rules.filter { $0.rule.components.count > depth }
    // Where a container begins, the rules of those around it end, and of a second one as well.
    if let best, innermost == depth {
      going.removeAll {
        $0.rule.rootDepth < depth
          || $0.rule.rootDepth == depth && $0.container != best.container
      }
    }
    addChildren(of: &node, going, depth: depth)
    nodes[index] = node
    return Int32(index)
  }

  private mutating func addChildren(
    of node: inout RoleMapNode, _ rules: [OwnedRule], depth: Int
  ) {
    let byComponent = Dictionary(grouping: rules.indices) { rules[$0].rule.components[depth] }
    let any = byComponent[.any] ?? []
    let revision = byComponent[.revision] ?? []
    // Rules stay in the order of their containers, of which the first counts.
    func select(_ indices: [Int]...) -> [OwnedRule] { indices.joined().sorted().map { rules[$0] } }
    var named: [(name: [UInt8], rules: [OwnedRule])] = []
    var patterns: [(component: DirectoryPattern.Component, rules: [Int])] = []
    for case (.pattern(let component), let indices) in byComponent {
      patterns.append((component, indices))
    }
    patterns.sort { $0.component.precedes($1.component) }
    for case (.name(let component), let indices) in byComponent {
      let name = component.bytes
      let pattern = name.withUnsafeBufferPointer { name in
        patterns.first { $0.component.matches(name) }
      }
      named.append(
        (name, select(indices, pattern?.rules ?? [], any, isRevision(name) ? revision : [])))
    }
    for (name, rules) in named.sorted(by: { $0.name.lexicographicallyPrecedes($1.name) }) {
      node.names.append(name)
      node.children.append(add(rules, depth: depth + 1))
    }
    for (component, rules) in patterns {
      let child = add(select(rules, any), depth: depth + 1)
      let both =
        revision.isEmpty ? child : add(select(rules, revision, any), depth: depth + 1)
      node.patterns.append(RoleMapNode.Pattern(component: component, child: child, revision: both))
    }
    if !revision.isEmpty { node.revision = add(select(revision, any), depth: depth + 1) }
    if !any.isEmpty { node.any = add(select(any), depth: depth + 1) }
  }
}

extension DirectoryPattern.Component {
  /// Which of two patterns counts where both match: the one with more fixed bytes.
  fileprivate func precedes(_ other: Self) -> Bool {
    let (own, others) = (fixedBytes.count, other.fixedBytes.count)
    return own == others ? text < other.text : own > others
  }
}

extension RoleMap.Rule {
  fileprivate var isExact: Bool {
    components.allSatisfy { if case .name = $0 { true } else { false } }
  }
}

extension FilePath.Component {
  /// The bytes of the name.
  var bytes: [UInt8] { withBytes { Array($0) } }

  func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    withPlatformString { name in
      let name = UnsafeRawPointer(name)
      var count = 0
      while name.load(fromByteOffset: count, as: UInt8.self) != 0 { count += 1 }
      return body(
        UnsafeBufferPointer(start: name.assumingMemoryBound(to: UInt8.self), count: count))
    }
  }
}
