/// Reads the rows of a Parquet file from the first to the last, some at a time.
///
/// ```swift
/// let file = try ParquetFile(size: size) { try descriptor.readAll(at: $0, into: $1) }
/// var reader = try ParquetReader(file, columns: [0, 2])
/// while try reader.next() {
///   for row in 0..<reader.rows.count { print(reader.rows.columns[0].integer(row) ?? 0) }
/// }
/// ```
///
/// What is held in memory is, of each column that is read, a page and its dictionary, and the values of a
/// thousand rows. Whatever the bytes are, there are rows or a ``ParquetError``; the checksums of pages are
/// looked at.
package struct ParquetReader: ~Copyable {
  /// So many rows are read at once.
  package static let step = 1024

  /// The rows that were read last.
  package private(set) var rows: ParquetRows

  private let file: ParquetFile
  private let selection: [Int]
  private let decompressor: PageDecompressor
  private var chunks: [ChunkReader] = []
  private var group = 0
  /// How many rows of the group are still to come.
  private var left: Int64 = 0

  /// - Parameter columns: the places of the columns that are read, in the order in which `rows` has them.
  /// - Throws: ``ParquetError``.
  package init(_ file: ParquetFile, columns: [Int]) throws(ParquetError) {
    self.file = file
    selection = columns
    rows = ParquetRows(columns.map { ParquetValues(file.columns[$0]) })
    decompressor = try PageDecompressor()
  }

  /// Reads further rows.
  ///
  /// - Returns: `false` when there are none.
  /// - Throws: ``ParquetError``, and whatever the file's source throws.
  package mutating func next() throws -> Bool {
    if left == 0 {
      for chunk in chunks { try chunk.requireEnd() }
      guard group < file.rowGroups.count else {
        rows.removeAll()
        return false
      }
      let description = file.rowGroups[group]
      chunks = selection.map {
        ChunkReader(file.columns[$0], description.chunks[$0], rows: description.rows)
      }
      left = description.rows
      group += 1
    }
    let count = Int(min(left, Int64(Self.step)))
    for index in chunks.indices {
      rows.columns[index].removeAll()
      try chunks[index].read(count, into: &rows.columns[index], decompressor, file.source)
    }
    rows.count = count
    left -= Int64(count)
    return true
  }
}

/// Some rows that were read.
package struct ParquetRows: Sendable {
  /// How many there are.
  package fileprivate(set) var count = 0
  /// The values of each column.
  package fileprivate(set) var columns: [ParquetValues]

  fileprivate init(_ columns: [ParquetValues]) { self.columns = columns }

  fileprivate mutating func removeAll() {
    count = 0
    for index in columns.indices { columns[index].removeAll() }
  }
}

/// The values of a column in some rows, each found by the number of its row.
package struct ParquetValues: Sendable {
  package let column: ParquetColumn

  /// A byte a row: whether it has a value.
  private var presence: [UInt8] = []
  /// The values of types that take eight bytes at most; 0 where there is none.
  private var words: [Int64] = []
  /// All others, one behind the other, and where each ends.
  private(set) package var bytes: [UInt8] = []
  private var ends: [Int] = []

  fileprivate init(_ column: ParquetColumn) { self.column = column }

  /// Whether a row has a value.
  @inline(__always)
  package func hasValue(_ row: Int) -> Bool { presence[row] != 0 }

  /// The number of a row, 0 or 1 for a truth, or the bits of a double; `nil` where the row has none.
  @inline(__always)
  package func integer(_ row: Int) -> Int64? { presence[row] != 0 ? words[row] : nil }

  /// Where the text of a row is among ``bytes``; `nil` where the row has none.
  @inline(__always)
  package func text(_ row: Int) -> Range<Int>? {
    presence[row] != 0 ? (row == 0 ? 0 : ends[row - 1])..<ends[row] : nil
  }

  // MARK: - Filling

  /// How many bytes the texts have.
  var byteCount: Int { bytes.count }

  @inline(__always)
  mutating func append(_ word: Int64) {
    presence.append(1)
    words.append(word)
  }

  @inline(__always)
  mutating func append(_ text: UnsafeRawBufferPointer) {
    presence.append(1)
    bytes.append(contentsOf: text)
    ends.append(bytes.count)
  }

  @inline(__always)
  mutating func appendNull() {
    presence.append(0)
    if column.type.isText { ends.append(bytes.count) } else { words.append(0) }
  }

  fileprivate mutating func removeAll() {
    presence.removeAll(keepingCapacity: true)
    words.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
  }
}
