/// Some rows on their way into a file: for each column its values, in plain memory.
///
/// It is filled column by column or row by row, written, and filled anew, which allocates nothing once it
/// has its size:
///
/// ```swift
/// var batch = RowBatch(columns)
/// batch.columns[0].append(17)
/// batch.columns[1].appendNull()
/// try writer.write(batch)
/// batch.removeAll()
/// ```
package struct RowBatch: Sendable {
  package var columns: [ColumnValues]

  package init(_ columns: [ParquetColumn]) {
    self.columns = columns.map { ColumnValues($0) }
  }

  package mutating func removeAll() {
    for index in columns.indices { columns[index].removeAll() }
  }
}

/// The values of a column for some rows.
///
/// Each row gets one value by the method that fits the column's type, or none. What does not fit is told
/// by ``ParquetWriter/write(_:)``.
package struct ColumnValues: Sendable {
  package let column: ParquetColumn

  /// A byte a row: whether it has a value. The values of rows that have none are left out.
  @usableFromInline
  private(set) package var presence: [UInt8] = []
  /// The values of types that take eight bytes at most: numbers, 0 or 1, the bits of a double.
  @usableFromInline
  private(set) package var words: [Int64] = []
  /// The values of all other types, one behind the other, and where each ends.
  @usableFromInline
  private(set) package var bytes: [UInt8] = []
  @usableFromInline
  private(set) package var ends: [Int] = []

  package init(_ column: ParquetColumn) {
    self.column = column
  }

  /// How many rows there are.
  package var rowCount: Int { presence.count }

  /// How much memory the values take.
  package var byteCount: Int { presence.count + 8 * words.count + bytes.count + 8 * ends.count }

  @inlinable
  package mutating func append(_ value: Int64) {
    presence.append(1)
    words.append(value)
  }

  @inlinable
  package mutating func append(_ value: Int32) {
    append(Int64(value))
  }

  @inlinable
  package mutating func append(_ value: Double) {
    append(Int64(bitPattern: value.bitPattern))
  }

  @inlinable
  package mutating func append(_ value: Bool) {
    append(value ? 1 as Int64 : 0)
  }

  /// Appends a string, whose bytes must be UTF-8, or bytes.
  @inlinable
  package mutating func append(_ value: UnsafeRawBufferPointer) {
    presence.append(1)
    bytes.append(contentsOf: value)
    ends.append(bytes.count)
  }

  /// Appends a string that is made of two, with a byte between them.
  @inlinable
  package mutating func append(
    _ first: UnsafeRawBufferPointer, _ separator: UInt8, _ second: UnsafeRawBufferPointer
  ) {
    presence.append(1)
    bytes.append(contentsOf: first)
    bytes.append(separator)
    bytes.append(contentsOf: second)
    ends.append(bytes.count)
  }

  /// Appends rows with words at once.
  ///
  /// - Parameter fill: writes into memory for as many rows whether each has a value, and the values that there
  ///   are one behind the other, and returns how many these are.
  @inlinable
  package mutating func append(
    rows count: Int,
    _ fill: (
      _ presence: UnsafeMutablePointer<UInt8>, _ words: UnsafeMutablePointer<Int64>
    ) -> Int
  ) {
    let (firstRow, firstWord) = (presence.count, words.count)
    presence.append(contentsOf: repeatElement(0, count: count))
    words.append(contentsOf: repeatElement(0, count: count))
    let used = presence.withUnsafeMutableBufferPointer { presence in
      words.withUnsafeMutableBufferPointer { words in
        guard let presence = presence.baseAddress, let words = words.baseAddress else { return 0 }
        return fill(presence + firstRow, words + firstWord)
      }
    }
    words.removeLast(count - used)
  }

  /// Appends rows with the same number, or without a value.
  package mutating func append(_ value: Int64?, count: Int) {
    presence.append(contentsOf: repeatElement(value == nil ? 0 : 1, count: count))
    if let value { words.append(contentsOf: repeatElement(value, count: count)) }
  }

  /// Appends a row without a value.
  @inlinable
  package mutating func appendNull() {
    presence.append(0)
  }

  package mutating func removeAll() {
    presence.removeAll(keepingCapacity: true)
    words.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
  }

  /// Whether there is a value of the column's type for each row that has one, and each row has one where
  /// that is required.
  var isSound: Bool {
    let count = presence.reduce(0) { $0 + Int($1) }
    let (held, other) = column.type.isText ? (ends.count, words.count) : (words.count, ends.count)
    guard held == count, other == 0, column.presence == .optional || count == rowCount else {
      return false
    }
    return column.type != .int32 || words.allSatisfy { Int32(exactly: $0) != nil }
  }
}
