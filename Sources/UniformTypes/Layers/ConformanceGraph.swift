/// Which types the declarations of a layer conform to, with those of the layers below, as numbers.
///
/// Declarations come from anywhere, so nothing here recurses, and everything is linear in the graph
/// or bounded.
struct ConformanceGraph {
  /// The most supertypes, direct and indirect, that a type may have. Those of Apple have a dozen.
  static let mostSupertypes = 1_000
  /// The most supertypes that all types of a layer may have together: a catalog has a row for each.
  static let mostSupertypesOfAll = 1_000_000

  /// The identifiers, first those of the layer.
  private let names: [String]
  private let parents: [[Int]]
  /// How many of the types the layer itself declares.
  private let declaredCount: Int

  /// - Parameter knownParents: the direct supertypes that the layers below declare for an identifier.
  init(of declarations: [TypeDeclaration], over knownParents: (String) -> [String]) {
    var names: [String] = []
    var numbers: [String: Int] = [:]
    func number(of name: String) -> Int {
      if let number = numbers[name] { return number }
      numbers[name] = names.count
      names.append(name)
      return names.count - 1
    }
    for declaration in declarations { _ = number(of: declaration.identifier) }
    declaredCount = names.count
    var parents = [[Int]](repeating: [], count: declaredCount)
    for declaration in declarations {
      let child = number(of: declaration.identifier)
      for parent in declaration.parents { parents[child].append(number(of: parent)) }
    }
    // The list grows while it is walked: what the layers below lead to is looked up once.
    var next = 0
    while next < names.count {
      if next == parents.count { parents.append([]) }
      for parent in knownParents(names[next]) { parents[next].append(number(of: parent)) }
      next += 1
    }
    self.names = names
    self.parents = parents
  }

  // MARK: - Circles

  /// For each declared type that would conform to itself a way from it back to it.
  func circles() -> [String: [String]] {
    let components = StrongComponents(of: parents)
    var search = CircleSearch(in: parents, components)
    var circles: [String: [String]] = [:]
    for type in 0..<declaredCount
    where components.size(ofComponentOf: type) > 1 || parents[type].contains(type) {
      circles[names[type]] = search.circle(through: type).map { $0.map { names[$0] } ?? "…" }
    }
    return circles
  }

  // MARK: - Numbers of supertypes

  enum Excess {
    case tooManySupertypes
    /// The types before it have taken up what a registry holds.
    case noRoom
  }

  /// The declared types with more supertypes than a registry takes. The graph must have no circle.
  func excess() -> [String: Excess] {
    var excess: [String: Excess] = [:]
    var supertypes = [[Int32]?](repeating: nil, count: names.count)
    var marks = [Int](repeating: -1, count: names.count)
    var room = Self.mostSupertypesOfAll
    for root in 0..<names.count where supertypes[root] == nil {
      var path = [(type: root, next: 0)]
      while let (type, next) = path.last {
        if next < parents[type].count {
          path[path.count - 1].next += 1
          let parent = parents[type][next]
          if supertypes[parent] == nil { path.append((parent, 0)) }
          continue
        }
        path.removeLast()
        var found: [Int32] = []
        collect: for parent in parents[type] {
          for ancestor in [Int32(parent)] + (supertypes[parent] ?? []) {
            guard marks[Int(ancestor)] != type else { continue }
            marks[Int(ancestor)] = type
            found.append(ancestor)
            if found.count > Self.mostSupertypes { break collect }
          }
        }
        // What depends on a refused type goes with it, whatever else it conforms to.
        supertypes[type] = []
        if found.count > Self.mostSupertypes {
          if type < declaredCount { excess[names[type]] = .tooManySupertypes }
        } else if found.count > room {
          if type < declaredCount { excess[names[type]] = .noRoom }
        } else {
          room -= found.count
          supertypes[type] = found
        }
      }
    }
    return excess
  }
}

/// The strongly connected components of a graph: each the nodes that lead to each other (Tarjan's
/// algorithm, with a stack of its own in place of recursion).
struct StrongComponents {
  /// The component of each node.
  private(set) var component: [Int]
  private var sizes: [Int] = []

  func size(ofComponentOf node: Int) -> Int { sizes[component[node]] }

  init(of successors: [[Int]]) {
    let unseen = -1
    var order = [Int](repeating: unseen, count: successors.count)
    var lowest = order
    component = order
    var open: [Int] = []
    var count = 0
    for root in successors.indices where order[root] == unseen {
      var path = [(node: root, next: 0)]
      while let (node, next) = path.last {
        if next == 0 {
          order[node] = count
          lowest[node] = count
          count += 1
          open.append(node)
        }
        if next < successors[node].count {
          path[path.count - 1].next += 1
          let successor = successors[node][next]
          if order[successor] == unseen {
            path.append((successor, 0))
          } else if component[successor] == unseen {
            lowest[node] = min(lowest[node], order[successor])
          }
          // The first successor has been dealt with: the node must not be entered again.
          continue
        }
        path.removeLast()
        if let parent = path.last?.node { lowest[parent] = min(lowest[parent], lowest[node]) }
        guard lowest[node] == order[node] else { continue }
        var size = 0
        while let member = open.popLast() {
          component[member] = sizes.count
          size += 1
          if member == node { break }
        }
        sizes.append(size)
      }
    }
  }
}

/// Looks for the shortest way from a node back to it, with little effort for each: a circle of
/// thousands helps nobody more than its beginning.
private struct CircleSearch {
  /// How many edges to look at for one node.
  private static let effort = 200
  private static let longestPath = 12

  private let successors: [[Int]]
  private let components: StrongComponents
  private var previous: [Int]
  /// The node from which each node was last reached.
  private var marks: [Int]

  init(in successors: [[Int]], _ components: StrongComponents) {
    self.successors = successors
    self.components = components
    previous = Array(repeating: -1, count: successors.count)
    marks = previous
  }

  /// The nodes on the way, `nil` for those left out.
  mutating func circle(through start: Int) -> [Int?] {
    var queue = [start]
    var next = 0
    var effort = Self.effort
    while next < queue.count, effort > 0 {
      let node = queue[next]
      next += 1
      for successor in successors[node]
      where components.component[successor] == components.component[start] {
        effort -= 1
        if successor == start { return shortened(path(to: node, from: start) + [start]) }
        guard marks[successor] != start, effort > 0 else { continue }
        marks[successor] = start
        previous[successor] = node
        queue.append(successor)
      }
    }
    return beginning(of: path(to: queue[next - 1], from: start)) + [nil, start]
  }

  private func path(to end: Int, from start: Int) -> [Int] {
    var path = [end]
    while let node = path.last, node != start { path.append(previous[node]) }
    return path.reversed()
  }

  private func shortened(_ path: [Int]) -> [Int?] {
    path.count <= Self.longestPath ? path : beginning(of: path) + [nil, path.last]
  }

  private func beginning(of path: [Int]) -> [Int?] {
    path.prefix(Self.longestPath - 2).map { $0 }
  }
}
