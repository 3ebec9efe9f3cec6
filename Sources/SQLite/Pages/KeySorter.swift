/// Sorts byte strings of a ``KeyArena``: by windows of seven bytes, the equal ones by the next.
///
/// Common prefixes cost one pass per window however many keys share them, and long ones need no
/// stack.
struct KeySorter: ~Copyable {
  private var items: UnsafeMutableBufferPointer<SortItem>
  private var scratch: UnsafeMutableBufferPointer<SortItem>
  private(set) var count = 0
  private var pending: [Run] = []

  /// Items that are equal up to `depth`.
  private struct Run {
    var range: Range<Int>
    var depth: Int
  }

  init() {
    items = .allocate(capacity: 256)
    scratch = .allocate(capacity: 256)
  }

  deinit {
    items.deallocate()
    scratch.deallocate()
  }

  mutating func removeAll() {
    count = 0
  }

  /// Adds the key at an offset.
  @inline(__always)
  mutating func append(_ offset: UInt64, of arena: borrowing KeyArena) {
    if count == items.count { grow() }
    items[count] = SortItem(key: arena.key(at: offset).window(at: 0), value: offset)
    count += 1
  }

  /// The offset of a key in the order.
  @inline(__always)
  subscript(index: Int) -> UInt64 { items[index].value }

  /// Brings the keys in order; equal ones stay in that in which they were added.
  ///
  /// - Parameter duplicate: Called for each key that equals the one before it.
  @inline(__always)
  mutating func sort(_ arena: borrowing KeyArena, duplicate: (Int) -> Void) {
    guard count > 1 else { return }
    pending.append(Run(range: 0..<count, depth: 0))
    while let run = pending.popLast() {
      sort(run, arena, duplicate: duplicate)
    }
  }

  private mutating func sort(
    _ run: Run, _ arena: borrowing KeyArena, duplicate: (Int) -> Void
  ) {
    let items = UnsafeMutableBufferPointer(rebasing: items[run.range])
    items.sortByKey(scratch: scratch)
    var start = 0
    while start < items.count - 1 {
      let key = items[start].key
      var end = start + 1
      while end < items.count, items[end].key == key { end += 1 }
      if end - start > 1 {
        if StoredKey.isEnd(key) {
          for index in start + 1..<end { duplicate(run.range.lowerBound + index) }
        } else {
          let depth = run.depth + StoredKey.windowSize
          for index in start..<end {
            items[index].key = arena.key(at: items[index].value).window(at: depth)
          }
          let offset = run.range.lowerBound
          pending.append(Run(range: offset + start..<offset + end, depth: depth))
        }
      }
      start = end
    }
  }

  @inline(never)
  private mutating func grow() {
    let larger = UnsafeMutableBufferPointer<SortItem>.allocate(capacity: 2 * items.count)
    _ = larger.update(fromContentsOf: items)
    items.deallocate()
    items = larger
    scratch.deallocate()
    scratch = .allocate(capacity: larger.count)
  }
}
