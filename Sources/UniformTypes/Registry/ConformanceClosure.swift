/// Computes all supertypes of all types from the direct ones.
///
/// A depth-first walk with an explicit stack, so that a deep declaration cannot exhaust the
/// thread's stack. An edge back to a type that is still being visited would close a cycle; loading
/// refuses such declarations beforehand, and here the edge counts for nothing, so the walk always
/// ends.
struct ConformanceClosure {
  private let types: [TypeRecord]
  private let parentPool: [TypeIndex]
  /// Supertypes, sorted, one run after the other.
  private(set) var pool: [TypeIndex] = []
  /// The run of each type in `pool`.
  private(set) var runs: [Run]

  /// Used again for every type.
  private var scratch: [TypeIndex] = []

  private enum Mark { case unseen, open, done }

  init(types: [TypeRecord], parentPool: [TypeIndex]) {
    self.types = types
    self.parentPool = parentPool
    runs = Array(repeating: Run(), count: types.count)
    pool.reserveCapacity(types.count * 5)
  }

  mutating func run() {
    var marks = [Mark](repeating: .unseen, count: types.count)
    var stack: [(type: Int, next: Int)] = []
    for root in types.indices where marks[root] == .unseen {
      marks[root] = .open
      stack.append((root, 0))
      while let top = stack.last {
        let parents = types[top.type].parents
        if top.next < Int(parents.count) {
          stack[stack.count - 1].next += 1
          let parent = parentPool[Int(parents.start) + top.next].position
          if marks[parent] == .unseen {
            marks[parent] = .open
            stack.append((parent, 0))
          }
        } else {
          stack.removeLast()
          close(top.type, done: { marks[$0] == .done })
          marks[top.type] = .done
        }
      }
    }
  }

  private mutating func close(_ type: Int, done: (Int) -> Bool) {
    scratch.removeAll(keepingCapacity: true)
    for parent in parentPool[types[type].parents.range] where done(parent.position) {
      scratch.append(parent)
      scratch.append(contentsOf: pool[runs[parent.position].range])
    }
    if scratch.count > 1 { scratch.sort() }
    let start = pool.count
    for ancestor in scratch where ancestor.position != type {
      if pool.count > start, pool[pool.count - 1] == ancestor { continue }
      pool.append(ancestor)
    }
    runs[type] = Run(start: UInt32(start), count: UInt32(pool.count - start))
  }
}
