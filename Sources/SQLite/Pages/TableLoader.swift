/// Fills one rowid table, row by row in ascending order of the rowid.
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
  private var lastRowid: Int64 = 0
  /// How many rows the table has.
  package private(set) var count = 0

  init(root: UInt32, writer: PageWriter) throws(PageLoaderError) {
    tree = try TreeBuilder(.leafTable, root: root, writer: writer)
    localMaximum = writer.format.tableLocalMaximum
  }

  // MARK: - Rows

  /// Begins a row.
  ///
  /// - Throws: ``PageLoaderError/Reason/rowidNotAscending(_:after:)``.
  package mutating func begin(_ rowid: Int64) throws(PageLoaderError) {
    if rowid <= lastRowid, count > 0 {
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
    let divider = UInt64(bitPattern: lastRowid)
    try tree.nextLeaf(dividerSize: Varint.size(of: divider)) { _ = Varint.write(divider, to: $0) }
    // The local maximum is such that every cell fits on an empty leaf.
    return tree.leaf.place(size).unsafelyUnwrapped
  }

  // MARK: - The end

  /// Writes the rest of the table.
  package consuming func finish() throws(PageLoaderError) {
    try tree.finish()
  }
}
