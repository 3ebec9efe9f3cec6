/// Directories to read again, of bounded number.
package struct DirtySet: Sendable {
  package typealias Extent = DirtyDirectories.Extent

  private var extents: [TreePath: Extent] = [:]
  private var deepCount = 0
  private let limit: Int
  /// Counts all marks, also those that added nothing.
  package private(set) var marks = 0

  package init(limit: Int) {
    self.limit = max(1, limit)
  }

  package var isEmpty: Bool { extents.isEmpty }

  package mutating func mark(_ path: TreePath, _ extent: Extent) {
    marks &+= 1
    switch extents[path] {
    case .deep: return
    case .shallow where extent == .shallow: return
    default: break
    }
    guard !isBelowDeep(path) else { return }
    if extent == .deep { deepCount += 1 }
    extents[path] = extent
    if extents.count > limit {
      extents = [.root: .deep]
      deepCount = 1
    }
  }

  package mutating func merge(_ other: DirtySet) {
    for (path, extent) in other.extents { mark(path, extent) }
  }

  /// Empties the set and returns what was in it, without what lies below a deep directory.
  package mutating func take() -> [TreePath: Extent] {
    let taken = deepCount == 0 ? extents : extents.filter { !isBelowDeep($0.key) }
    extents = [:]
    deepCount = 0
    return taken
  }

  private func isBelowDeep(_ path: TreePath) -> Bool {
    guard deepCount > 0 else { return false }
    var ancestor = path.parent
    while let current = ancestor {
      if extents[current] == .deep { return true }
      ancestor = current.parent
    }
    return false
  }
}
