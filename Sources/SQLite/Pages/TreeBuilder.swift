/// A b-tree that grows at its right end: leaves as they fill, the levels above at the end.
///
/// Between two neighbours of a level stands a divider. On a table leaf it is the last rowid of the
/// left one; in an index it is the cell between the two, which is on neither (file format, 1.6).
/// One level up, dividers are the cells, each behind the number of the page to its left. What fits
/// on no page there divides that level. So the levels of both kinds of tree are built alike.
struct TreeBuilder: ~Copyable {
  let writer: PageWriter
  private let root: UInt32
  private var leaves: PageRun
  private var dividers = CellList()
  /// The leaf that fills up.
  var leaf: PageBuilder
  /// Whether there is no leaf at all so far.
  private(set) var isEmpty = true

  init(_ kind: PageKind, root: UInt32, writer: PageWriter) {
    self.root = root
    self.writer = writer
    leaves = PageRun(kind, writer: writer)
    leaf = .none(leaves.memory, kind: kind)
    writer.openTrees += 1
  }

  // MARK: - Leaves that fill up

  /// Begins a leaf, where none is filling up.
  mutating func beginLeaf() throws(PageLoaderError) {
    leaf = try leaves.nextPage()
    isEmpty = false
  }

  /// Begins the next leaf behind a divider of `size` bytes, which `write` fills.
  ///
  /// The leaf must get a cell: only a root may be without.
  mutating func nextLeaf(
    dividerSize size: Int, _ write: (UnsafeMutableRawPointer) -> Void
  ) throws(PageLoaderError) {
    dividers.append(size: size, write)
    if leaf.isPage { leaf.close() }
    try beginLeaf()
  }

  /// Appends a key of an index; where the leaf is full, its last one divides it from the next.
  @inline(__always)
  mutating func place(key size: Int) throws(PageLoaderError) -> UnsafeMutableRawPointer {
    if let place = leaf.place(size) { return place }
    return try placeOnNextLeaf(key: size)
  }

  @inline(never)
  private mutating func placeOnNextLeaf(
    key size: Int
  ) throws(PageLoaderError) -> UnsafeMutableRawPointer {
    if leaf.isPage {
      dividers.append(leaf.lastCell)
      leaf.removeLastCell()
      leaf.close()
    }
    try beginLeaf()
    // The local maximum is such that four cells fit on a leaf.
    return leaf.place(size).unsafelyUnwrapped
  }

  // MARK: - Leaves that are in the file

  /// Ends the leaf that fills up, if there is one, with the divider behind it.
  mutating func endLeaf(divider: UnsafeRawBufferPointer) {
    if leaf.isPage { leaf.close() }
    leaf = .none(leaves.memory, kind: leaf.kind)
    dividers.append(divider)
  }

  /// Appends a leaf as it is in the file. None may be filling up.
  mutating func adopt(_ page: UInt32) throws(PageLoaderError) {
    try leaves.adopt(page)
    isEmpty = false
  }

  // MARK: - The end

  /// Leaves the tree in the file as it is. Nothing was written.
  consuming func abandon() {
    writer.openTrees -= 1
  }

  /// Writes everything that is not in the file yet.
  consuming func finish() throws(PageLoaderError) {
    if isEmpty { try beginLeaf() }
    if leaf.isPage { leaf.close() }
    let parent = leaf.kind.parent
    let (writer, root) = (writer, root)
    var level = Level(dividers: dividers, pages: try leaves.finish(root: root))
    while level.pages.count > 1 {
      level = try level.parents(parent, root: root, writer: writer)
    }
    writer.finishTree(root, at: level.pages[0])
  }
}

/// The pages of a level, and the dividers between them.
private struct Level {
  var dividers: CellList
  var pages: [UInt32]

  /// Builds the level above.
  func parents(
    _ kind: PageKind, root: UInt32, writer: PageWriter
  ) throws(PageLoaderError) -> Level {
    var run = PageRun(kind, writer: writer)
    var raised = CellList()
    var page = try run.nextPage()
    var index = 0
    while index < dividers.count {
      if let cell = page.place(4 + dividers.size(index)) {
        cell.storeBigEndian(pages[index])
        dividers.copy(index, to: cell + 4)
        index += 1
        continue
      }
      if index == dividers.count - 1 {
        // The last page would have a child but no cell, which only SQLite's roots may.
        page.removeLastCell()
        index -= 1
      }
      page.close(rightChild: pages[index])
      raised.append(index, of: dividers)
      page = try run.nextPage()
      index += 1
    }
    page.close(rightChild: pages[index])
    return Level(dividers: raised, pages: try run.finish(root: root))
  }
}
