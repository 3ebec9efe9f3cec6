/// Which watch belongs to which directory of the tree.
///
/// A directory may have several places, because its file system is mounted twice in the tree, or
/// because it was met at its new place before the event of its move was read.
struct WatchTree {
  typealias Index = Int32

  private struct Node {
    var name: [UInt8]
    /// -1 for the root.
    var parent: Index
    var watch: Int32
    /// Another place of the same directory; -1 for none.
    var next: Index
    var children: [[UInt8]: Index]
  }

  private var nodes: [Node] = []
  private var unused: [Index] = []
  private var places: [Int32: Index] = [:]
  private static let none: Index = -1

  /// The number of watched directories.
  var watchCount: Int { places.count }

  /// Adds a directory. One of the same name in the same parent is no longer its child, but still
  /// there to be removed.
  mutating func insert(_ name: [UInt8], watch: Int32, in parent: Index?) -> Index {
    let node = Node(
      name: name, parent: parent ?? Self.none, watch: watch, next: places[watch] ?? Self.none,
      children: [:])
    let index: Index
    if let reused = unused.popLast() {
      index = reused
      nodes[Int(index)] = node
    } else {
      index = Index(nodes.count)
      nodes.append(node)
    }
    places[watch] = index
    if let parent { nodes[Int(parent)].children[name] = index }
    return index
  }

  /// Removes a directory with all below it. Returns the watches of directories that have no other
  /// place.
  mutating func remove(_ index: Index) -> [Int32] {
    let parent = nodes[Int(index)].parent
    let name = nodes[Int(index)].name
    if parent != Self.none, nodes[Int(parent)].children[name] == index {
      nodes[Int(parent)].children[name] = nil
    }
    var orphans: [Int32] = []
    var waiting = [index]
    while let current = waiting.popLast() {
      waiting += nodes[Int(current)].children.values
      nodes[Int(current)].children = [:]
      if unlink(current) { orphans.append(nodes[Int(current)].watch) }
      unused.append(current)
    }
    return orphans
  }

  /// Takes a place away from its watch. Returns whether it was the last one.
  private mutating func unlink(_ index: Index) -> Bool {
    let watch = nodes[Int(index)].watch
    let next = nodes[Int(index)].next
    guard var current = places[watch] else { return false }
    if current == index {
      places[watch] = next == Self.none ? nil : next
      return next == Self.none
    }
    while nodes[Int(current)].next != Self.none {
      if nodes[Int(current)].next == index {
        nodes[Int(current)].next = next
        break
      }
      current = nodes[Int(current)].next
    }
    return false
  }

  func places(of watch: Int32) -> [Index] {
    var result: [Index] = []
    var current = places[watch] ?? Self.none
    while current != Self.none {
      result.append(current)
      current = nodes[Int(current)].next
    }
    return result
  }

  func children(of parent: Index) -> [Index] { Array(nodes[Int(parent)].children.values) }

  func child(_ name: [UInt8], of parent: Index) -> Index? {
    nodes[Int(parent)].children[name]
  }

  func watch(of index: Index) -> Int32 { nodes[Int(index)].watch }

  func isRoot(_ index: Index) -> Bool { nodes[Int(index)].parent == Self.none }

  /// The directory at a path, counted from `root`.
  func find(_ path: TreePath, from root: Index) -> Index? {
    var current = root
    for name in path.names {
      guard let next = child(Array(name), of: current) else { return nil }
      current = next
    }
    return current
  }

  /// Whether the directory of this watch is `index` or above it.
  func isInside(_ index: Index, watch: Int32) -> Bool {
    var current = index
    while current != Self.none {
      if nodes[Int(current)].watch == watch { return true }
      current = nodes[Int(current)].parent
    }
    return false
  }

  func path(of index: Index) -> TreePath {
    var names: [[UInt8]] = []
    var current = index
    while nodes[Int(current)].parent != Self.none {
      names.append(nodes[Int(current)].name)
      current = nodes[Int(current)].parent
    }
    return TreePath(bytes: Array(names.reversed().joined(separator: [UInt8(ascii: "/")])))
  }
}
