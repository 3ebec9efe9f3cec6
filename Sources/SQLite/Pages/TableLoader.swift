/// Fills one rowid table, row by row in ascending order of the rowid, behind the rows that it has.
///
/// ```swift
/// try entries.begin(17)
/// entries.null()  // id INTEGER PRIMARY KEY, which is the rowid
/// entries.integer(4)
/// entries.text(name)
/// try entries.end()
/// ```
///
/// A row names its values in the order of the table's columns; trailing columns that are left out
/// have their default. The column that is the rowid is ``null()``. Nothing is converted: a value
/// must have the type that the column's affinity would give it, and text must be valid UTF-8.
package struct TableLoader: ~Copyable {
  private var record = RecordEncoder()
  private var tree: TreeBuilder
  private let localMaximum: Int
  private var rowid: Int64 = 0
  /// The highest rowid; `nil` where there is no row.
  package private(set) var lastRowid: Int64?
  /// How many rows were added.
  package private(set) var count = 0
  /// The pages that the tree has above its leaves so far, and none of the new one is.
  private var oldPages: [UInt32] = []

  init(root: UInt32, writer: PageWriter) throws(PageLoaderError) {
    tree = TreeBuilder(.leafTable, root: root, writer: writer)
    localMaximum = writer.format.tableLocalMaximum
    if writer.isLive { try adoptRows(from: root, writer) }
  }

  /// Takes in the leaves that are in the file.
  private mutating func adoptRows(
    from root: UInt32, _ writer: PageWriter
  ) throws(PageLoaderError) {
    var leaves = try TreeLeaves(root: root, .leafTable, of: writer)
    var last: UInt32?
    while let leaf = try leaves.next() {
      guard let divider = leaf.divider else {
        last = leaf.page
        break
      }
      try tree.adopt(leaf.page)
      divider.withUnsafeBytes { tree.endLeaf(divider: $0) }
    }
    oldPages = leaves.interiorPages
    guard let last else { throw writer.error(.malformedTree(page: root)) }
    let page = try writer.read(last)
    let cells = page.number(at: 3, size: 2) ?? 0
    guard page[0] == PageKind.leafTable.rawValue, cells > 0 || tree.isEmpty else {
      throw writer.error(.malformedTree(page: last))
    }
    if cells == 0 {
      oldPages.append(last)
      return
    }
    guard let cell = page.number(at: PageKind.leafTable.headerSize + 2 * (cells - 1), size: 2),
      cell < page.count, let size = Varint.read(page[cell...]),
      let rowid = Varint.read(page[(cell + size.size)...])
    else { throw writer.error(.malformedTree(page: last)) }
    lastRowid = Int64(bitPattern: rowid.value)
    try tree.adopt(last)
  }

  // MARK: - Rows

  /// Begins a row.
  ///
  /// - Throws: ``PageLoaderError/Reason/rowidNotAscending(_:after:)``.
  package mutating func begin(_ rowid: Int64) throws(PageLoaderError) {
    if let lastRowid, rowid <= lastRowid {
      throw tree.writer.error(.rowidNotAscending(rowid, after: lastRowid))
    }
    self.rowid = rowid
    record.reset()
  }

  package mutating func null() {
    record.null()
  }

  package mutating func integer(_ value: Int64) {
    record.integer(value)
  }

  /// NaN becomes NULL, as in SQLite.
  package mutating func real(_ value: Double) {
    record.real(value)
  }

  /// The bytes must be valid UTF-8.
  package mutating func text(_ bytes: UnsafeBufferPointer<UInt8>) {
    record.text(UnsafeRawBufferPointer(bytes))
  }

  package mutating func text(_ string: String) {
    var string = string
    string.withUTF8 { record.text(UnsafeRawBufferPointer($0)) }
  }

  package mutating func blob(_ bytes: UnsafeBufferPointer<UInt8>) {
    record.blob(UnsafeRawBufferPointer(bytes))
  }

  /// Ends the row.
  package mutating func end() throws(PageLoaderError) {
    record.seal()
    let size = record.size
    let rowidBits = UInt64(bitPattern: rowid)
    if size <= localMaximum {
      var place = try place(
        Varint.size(of: UInt64(size)) + Varint.size(of: rowidBits) + size)
      place = Varint.write(UInt64(size), to: place)
      place = Varint.write(rowidBits, to: place)
      record.copy(to: place)
    } else {
      let payload = try SplitPayload(record, maximum: localMaximum, writer: tree.writer)
      var place = try place(
        Varint.size(of: UInt64(size)) + Varint.size(of: rowidBits) + payload.localSize)
      place = Varint.write(UInt64(size), to: place)
      place = Varint.write(rowidBits, to: place)
      payload.copy(to: place)
    }
    lastRowid = rowid
    count += 1
  }

  /// Room on this leaf or the next; the last rowid divides them.
  @inline(__always)
  private mutating func place(
    _ size: Int
  ) throws(PageLoaderError) -> UnsafeMutableRawPointer {
    if let place = tree.leaf.place(size) { return place }
    return try placeOnNextLeaf(size)
  }

  @inline(never)
  private mutating func placeOnNextLeaf(
    _ size: Int
  ) throws(PageLoaderError) -> UnsafeMutableRawPointer {
    if let lastRowid {
      let divider = UInt64(bitPattern: lastRowid)
      try tree.nextLeaf(dividerSize: Varint.size(of: divider)) {
        _ = Varint.write(divider, to: $0)
      }
    } else {
      try tree.beginLeaf()
    }
    // The local maximum is such that every cell fits on an empty leaf.
    return tree.leaf.place(size).unsafelyUnwrapped
  }

  // MARK: - The end

  /// Writes the rest of the table.
  package consuming func finish() throws(PageLoaderError) {
    if tree.writer.isLive, count == 0 { return tree.abandon() }
    tree.writer.release(oldPages)
    try tree.finish()
  }
}
