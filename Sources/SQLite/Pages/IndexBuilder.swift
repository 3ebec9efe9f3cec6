/// Writes the b-tree of an index from its keys in order.
struct IndexBuilder: ~Copyable {
  /// The key under construction.
  var record = RecordEncoder()
  private var tree: TreeBuilder
  private let columns: IndexSlot.Columns
  private let localMaximum: Int
  private var remaining: Int

  /// - Parameter count: How many keys will come: the last must find a place on a leaf.
  init(_ slot: IndexSlot, count: Int) throws(PageLoaderError) {
    tree = try TreeBuilder(.leafIndex, root: slot.root, writer: slot.writer)
    columns = slot.columns
    localMaximum = slot.writer.format.indexLocalMaximum
    remaining = count
  }

  /// Appends the key in ``record``.
  @inline(__always)
  mutating func append() throws(PageLoaderError) {
    record.seal()
    remaining -= 1
    let size = record.size
    if size <= localMaximum {
      let cellSize = Varint.size(of: UInt64(size)) + size
      if let place = tree.leaf.place(cellSize) {
        record.copy(to: Varint.write(UInt64(size), to: place))
      } else if let place = try placeOnNextLeaf(cellSize) {
        record.copy(to: Varint.write(UInt64(size), to: place))
      } else {
        try tree.nextLeaf(dividerSize: cellSize) {
          record.copy(to: Varint.write(UInt64(size), to: $0))
        }
      }
    } else {
      try appendLong(size)
    }
  }

  @inline(never)
  private mutating func appendLong(_ size: Int) throws(PageLoaderError) {
    let payload = try SplitPayload(record, maximum: localMaximum, writer: tree.writer)
    let cellSize = Varint.size(of: UInt64(size)) + payload.localSize
    if let place = tree.leaf.place(cellSize) {
      payload.copy(to: Varint.write(UInt64(size), to: place))
    } else if let place = try placeOnNextLeaf(cellSize) {
      payload.copy(to: Varint.write(UInt64(size), to: place))
    } else {
      try tree.nextLeaf(dividerSize: cellSize) {
        payload.copy(to: Varint.write(UInt64(size), to: $0))
      }
    }
  }

  /// Room for the very last key when its leaf is full: it must stand on a leaf, so the key before
  /// it becomes the divider. Nil for every other key, which divides the leaves itself.
  private mutating func placeOnNextLeaf(
    _ cellSize: Int
  ) throws(PageLoaderError) -> UnsafeMutableRawPointer? {
    guard remaining == 0 else { return nil }
    try tree.nextLeafBehindLastCell()
    return tree.leaf.place(cellSize)
  }

  consuming func finish() throws(PageLoaderError) {
    try tree.finish()
  }
}

extension IndexBuilder: SortedKeySink {
  @inline(__always)
  mutating func append(_ integer: Int64?, _ key: StoredKey) throws(PageLoaderError) {
    record.reset()
    if columns.contains(.integer) {
      if let integer { record.integer(integer) } else { record.null() }
    }
    if columns.contains(.bytes) {
      let value = key.value
      switch value.storage {
      case .null: record.null()
      case .text: record.text(value.bytes)
      case .blob: record.blob(value.bytes)
      }
    }
    record.integer(key.rowid)
    try append()
  }
}

/// The place of an index in the file.
struct IndexSlot {
  let writer: PageWriter
  let root: UInt32
  let isUnique: Bool
  let columns: Columns

  /// What is in a key before the rowid.
  struct Columns: OptionSet {
    let rawValue: UInt8

    static let integer = Columns(rawValue: 1)
    static let bytes = Columns(rawValue: 2)
  }
}
