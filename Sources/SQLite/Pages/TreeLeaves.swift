/// The leaves of a tree that is in the file, from left to right, with what divides them.
///
/// Only the pages above the leaves are read. The file is that of a catalog, which anybody may have
/// damaged: what cannot be in a sound one is refused.
struct TreeLeaves: ~Copyable {
  /// One leaf, and what stands between it and the next: nothing behind the last.
  struct Leaf {
    let page: UInt32
    let divider: ArraySlice<UInt8>?
  }

  /// A page above the leaves, and which of its children comes next.
  private struct Step {
    let number: UInt32
    let page: [UInt8]
    let cellCount: Int
    var next = 0
  }

  private let writer: PageWriter
  private let kind: PageKind
  private let root: UInt32
  /// From the root down to the page above the present leaf.
  private var path: [Step] = []
  /// How many levels are above the leaves.
  private let depth: Int
  private var isAtEnd = false
  /// The pages above the leaves that were passed so far.
  private(set) var interiorPages: [UInt32] = []

  /// SQLite's own limit.
  private static let maximumDepth = 20

  /// - Parameter kind: Of the leaves.
  init(root: UInt32, _ kind: PageKind, of writer: PageWriter) throws(PageLoaderError) {
    self.writer = writer
    self.kind = kind
    self.root = root
    var depth = 0
    var number = root
    while true {
      let page = try writer.read(number)
      if page[0] == kind.rawValue { break }
      let step = try Self.step(number, page, below: kind, writer)
      depth += 1
      guard depth <= Self.maximumDepth else { throw writer.error(.malformedTree(page: number)) }
      number = try Self.child(0, of: step, writer)
    }
    self.depth = depth
  }

  /// The next leaf, `nil` behind the last.
  mutating func next() throws(PageLoaderError) -> Leaf? {
    if isAtEnd { return nil }
    if depth == 0 {
      isAtEnd = true
      return Leaf(page: root, divider: nil)
    }
    if path.isEmpty { try enter(root) }
    while let last = path.indices.last {
      guard path[last].next <= path[last].cellCount else {
        path.removeLast()
        continue
      }
      let child = try Self.child(path[last].next, of: path[last], writer)
      path[last].next += 1
      if path.count == depth { return Leaf(page: child, divider: try divider()) }
      try enter(child)
    }
    isAtEnd = true
    return nil
  }

  private mutating func enter(_ number: UInt32) throws(PageLoaderError) {
    guard interiorPages.count < writer.oldPageCount else {
      throw writer.error(.malformedTree(page: number))
    }
    path.append(try Self.step(number, try writer.read(number), below: kind, writer))
    interiorPages.append(number)
  }

  private static func step(
    _ number: UInt32, _ page: [UInt8], below kind: PageKind, _ writer: PageWriter
  ) throws(PageLoaderError) -> Step {
    guard page[0] == kind.parent.rawValue, let count = page.number(at: 3, size: 2) else {
      throw writer.error(.malformedTree(page: number))
    }
    return Step(number: number, page: page, cellCount: count)
  }

  private static func child(
    _ index: Int, of step: Step, _ writer: PageWriter
  ) throws(PageLoaderError) -> UInt32 {
    let place =
      index == step.cellCount
      ? 8 : step.page.number(at: PageKind.interiorTable.headerSize + 2 * index, size: 2)
    guard let place, let child = step.page.number(at: place, size: 4),
      child >= 2, child <= Int(writer.oldPageCount)
    else { throw writer.error(.malformedTree(page: step.number)) }
    return UInt32(child)
  }

  /// What stands behind the leaf that was passed last.
  private func divider() throws(PageLoaderError) -> ArraySlice<UInt8>? {
    for step in path.reversed() where step.next <= step.cellCount {
      let pointer = PageKind.interiorTable.headerSize + 2 * (step.next - 1)
      guard let place = step.page.number(at: pointer, size: 2), place + 4 < step.page.count,
        let number = Varint.read(step.page[(place + 4)...])
      else { throw writer.error(.malformedTree(page: step.number)) }
      var size = number.size
      if kind == .leafIndex {
        guard let payload = writer.format.localIndexSize(ofPayload: number.value) else {
          throw writer.error(.malformedTree(page: step.number))
        }
        size += payload
      }
      guard place + 4 + size <= step.page.count else {
        throw writer.error(.malformedTree(page: step.number))
      }
      return step.page[place + 4..<place + 4 + size]
    }
    return nil
  }
}

extension PageFormat {
  /// How many bytes of a key of that size are in its cell, with the number of the page where the rest
  /// begins; nil where no key is as large.
  func localIndexSize(ofPayload size: UInt64) -> Int? {
    guard size <= SplitPayload.maximumSize else { return nil }
    let local = localSize(ofPayload: Int(size), maximum: indexLocalMaximum)
    return local < Int(size) ? local + 4 : local
  }
}
