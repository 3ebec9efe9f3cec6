/// Writes the b-tree of an index from its keys in order, with those that it has already.
struct IndexBuilder: ~Copyable {
  /// The key under construction.
  private var record = RecordEncoder()
  private var tree: TreeBuilder
  private var old: OldKeys?
  private let columns: IndexSlot.Columns
  private let localMaximum: Int

  init(_ slot: IndexSlot) throws(PageLoaderError) {
    old = slot.writer.isLive ? try OldKeys(slot) : nil
    tree = TreeBuilder(.leafIndex, root: slot.root, writer: slot.writer)
    columns = slot.columns
    localMaximum = slot.writer.format.indexLocalMaximum
  }

  /// Appends the key of an index on one integer.
  @inline(__always)
  mutating func append(_ integer: Int64?, rowid: Int64) throws(PageLoaderError) {
    try old?.pass(
      below: OldKeys.NewKey(integer: integer, key: nil, rowid: rowid), to: &tree)
    record.reset()
    if let integer { record.integer(integer) } else { record.null() }
    record.integer(rowid)
    try append()
  }

  /// Appends the key in ``record``.
  @inline(__always)
  private mutating func append() throws(PageLoaderError) {
    record.seal()
    let size = record.size
    guard size <= localMaximum else { return try appendLong(size) }
    let place = try tree.place(key: Varint.size(of: UInt64(size)) + size)
    record.copy(to: Varint.write(UInt64(size), to: place))
  }

  @inline(never)
  private mutating func appendLong(_ size: Int) throws(PageLoaderError) {
    let payload = try SplitPayload(record, maximum: localMaximum, writer: tree.writer)
    let place = try tree.place(key: Varint.size(of: UInt64(size)) + payload.localSize)
    payload.copy(to: Varint.write(UInt64(size), to: place))
  }

  consuming func finish() throws(PageLoaderError) {
    try old?.passRest(to: &tree)
    tree.writer.release(old?.released ?? [])
    try tree.finish()
  }
}

extension IndexBuilder: SortedKeySink {
  @inline(__always)
  mutating func append(_ integer: Int64?, _ key: StoredKey) throws(PageLoaderError) {
    try old?.pass(
      below: OldKeys.NewKey(integer: integer, key: key, rowid: key.rowid), to: &tree)
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
    if columns.contains(.integers) {
      let bytes = key.value.bytes
      for place in stride(from: 0, to: bytes.count, by: KeyBytes.integerSize) {
        record.integer(KeyBytes.integer(of: bytes, at: place))
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
    /// Four, none of them NULL; see ``KeyBytes/withIntegers(_:_:_:_:_:)``.
    static let integers = Columns(rawValue: 4)
  }
}
