internal import CSQLite

/// The values of some rows, column by column, in plain memory that is used again.
///
/// For who makes something of very many rows: what is to be done with a value is looked up once for all values of
/// a column, and each value is asked for once.
package final class RowBuffer {
  /// How many rows it can have.
  package let capacity: Int
  /// How many columns these have.
  package let columnCount: Int
  /// How many rows there are.
  package private(set) var count = 0

  // Of each column all rows, then of the next one.
  private let classes: UnsafeMutablePointer<Row.StorageClass>
  private let words: UnsafeMutablePointer<Int64>
  private let lengths: UnsafeMutablePointer<Int>
  /// The bytes of TEXT and BLOBs; their words say where.
  private var texts: UnsafeMutableRawBufferPointer
  private var textsCount = 0

  package init(columns: Int, capacity: Int = 512) {
    self.capacity = capacity
    columnCount = columns
    classes = .allocate(capacity: columns * capacity)
    classes.initialize(repeating: .null, count: columns * capacity)
    words = .allocate(capacity: columns * capacity)
    words.initialize(repeating: 0, count: columns * capacity)
    lengths = .allocate(capacity: columns * capacity)
    lengths.initialize(repeating: 0, count: columns * capacity)
    texts = .allocate(byteCount: 64 * capacity, alignment: 16)
  }

  deinit {
    classes.deallocate()
    words.deallocate()
    lengths.deallocate()
    texts.deallocate()
  }

  package var isFull: Bool { count == capacity }

  package func removeAll() {
    count = 0
    textsCount = 0
  }

  /// Appends a row, which has the columns. There must be room for it.
  package func append(_ row: Row) {
    precondition(count < capacity)
    var place = count
    for column in 0..<Int32(truncatingIfNeeded: columnCount) {
      switch row.stored(column) {
      case .null: classes[place] = .null
      case .integer(let number):
        classes[place] = .integer
        words[place] = number
      case .real(let number):
        classes[place] = .real
        words[place] = Int64(bitPattern: number.bitPattern)
      case .text(let bytes):
        classes[place] = .text
        append(bytes, at: place)
      case .blob(let bytes):
        classes[place] = .blob
        append(bytes, at: place)
      }
      place += capacity
    }
    count += 1
  }

  /// Appends a row of numbers.
  package func append(_ numbers: [Int64?]) {
    precondition(count < capacity && numbers.count == columnCount)
    for (column, number) in numbers.enumerated() {
      let place = column * capacity + count
      classes[place] = number == nil ? .null : .integer
      words[place] = number ?? 0
    }
    count += 1
  }

  @inline(__always)
  private func append(_ bytes: UnsafeRawBufferPointer, at place: Int) {
    if textsCount + bytes.count > texts.count { grow(by: bytes.count) }
    words[place] = Int64(textsCount)
    lengths[place] = bytes.count
    if let start = bytes.baseAddress {
      texts.baseAddress?.advanced(by: textsCount).copyMemory(from: start, byteCount: bytes.count)
    }
    textsCount += bytes.count
  }

  private func grow(by count: Int) {
    let larger = UnsafeMutableRawBufferPointer.allocate(
      byteCount: 2 * (textsCount + count), alignment: 16)
    larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: texts[..<textsCount]))
    texts.deallocate()
    texts = larger
  }

  /// The values of a column, which are lent until rows are appended or removed.
  package func values(_ column: Int) -> Values {
    precondition(column < columnCount)
    let first = column * capacity
    return Values(
      classes: classes + first, words: words + first, lengths: lengths + first,
      texts: UnsafeRawBufferPointer(rebasing: texts[..<textsCount]))
  }

  /// The values of a column, by their rows.
  package struct Values {
    @usableFromInline let classes: UnsafeMutablePointer<Row.StorageClass>
    @usableFromInline let words: UnsafeMutablePointer<Int64>
    @usableFromInline let lengths: UnsafeMutablePointer<Int>
    @usableFromInline let texts: UnsafeRawBufferPointer

    @inlinable
    package func storageClass(_ row: Int) -> Row.StorageClass { classes[row] }

    /// An integer, or the bits of a real number.
    @inlinable
    package func word(_ row: Int) -> Int64 { words[row] }

    /// The bytes of a TEXT or BLOB.
    @inlinable
    package func bytes(_ row: Int) -> UnsafeRawBufferPointer {
      let start = Int(truncatingIfNeeded: words[row])
      return UnsafeRawBufferPointer(rebasing: texts[start..<start + lengths[row]])
    }
  }
}
