internal import SystemPackage

/// A rule, and the container whose it is.
struct OwnedRule {
  let rule: RoleRule
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
  var revision: Int32?
  var any: Int32?

  /// The node of a child; `nil` when no rule concerns it.
  func child(_ name: UnsafeBufferPointer<UInt8>) -> Int32? {
    var low = 0
    var high = names.count
    while low < high {
      let middle = (low + high) / 2
      if names[middle].lexicographicallyPrecedes(name) { low = middle + 1 } else { high = middle }
    }
    if low < names.count, names[low].elementsEqual(name) { return children[low] }
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
    for case (.name(let component), let indices) in byComponent {
      let name = component.bytes
      named.append((name, select(indices, any, isRevision(name) ? revision : [])))
    }
    for (name, rules) in named.sorted(by: { $0.name.lexicographicallyPrecedes($1.name) }) {
      node.names.append(name)
      node.children.append(add(rules, depth: depth + 1))
    }
    if !revision.isEmpty { node.revision = add(select(revision, any), depth: depth + 1) }
    if !any.isEmpty { node.any = add(select(any), depth: depth + 1) }
  }
}

extension RoleRule {
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
