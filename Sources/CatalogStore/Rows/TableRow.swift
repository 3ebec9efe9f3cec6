public import FileSystem
package import SQLite

/// A table of the catalog: its name and its columns, in their order.
///
/// Whatever writes or reads whole rows makes its statement of this list, so that a column is named
/// once, beside the code that encodes and reads it. A test compares it with the schema.
package struct Table: Sendable {
  package let name: String
  /// All columns, the one that is the rowid first.
  package let columns: [String]

  package init(_ name: String, _ columns: [String]) {
    self.name = name
    self.columns = columns
  }

  /// The columns of the table under an alias, for a list of results.
  package func columns(of alias: String) -> String {
    columns.map { "\(alias).\($0)" }.joined(separator: ", ")
  }

  /// Inserts a row: a parameter for each column.
  package var insertion: String {
    """
    INSERT INTO \(name) (\(columns.joined(separator: ", ")))
    VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))
    """
  }

  /// Inserts a row or, where there is one with its rowid, puts all columns but that in its place.
  package var replacement: String {
    let rest = columns.dropFirst()
    return """
      \(insertion)
      ON CONFLICT (\(columns[0])) DO UPDATE
      SET \(rest.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
      """
  }

  /// Changes some columns of the row whose rowid is the parameter after theirs.
  package func update(_ changed: [String]) -> String {
    """
    UPDATE \(name) SET \(changed.map { "\($0) = ?" }.joined(separator: ", "))
    WHERE \(columns[0]) = ?
    """
  }

  /// Removes the row with a rowid.
  package var deletion: String { "DELETE FROM \(name) WHERE \(columns[0]) = ?" }
}

/// One row of a table, as it is written.
///
/// There are two ways to write: pages of a new file, and statements. Both take the values that
/// ``encode(into:)`` gives them, so they cannot differ.
package protocol TableRow {
  static var table: Table { get }
  /// The rowid, which is the first column.
  var id: Int64 { get }
  /// Gives the values of all columns behind the first, in the order of ``Table/columns``.
  func encode<Encoder: RowEncoder & ~Copyable>(into encoder: inout Encoder)
}

/// What takes the values of a row, one column after the other.
@usableFromInline
package protocol RowEncoder: ~Copyable {
  mutating func null()
  mutating func integer(_ value: Int64)
  mutating func real(_ value: Double)
  /// The bytes must be UTF-8, and must live until the row is written.
  mutating func text(_ bytes: UnsafeBufferPointer<UInt8>)
  /// The bytes must live until the row is written.
  mutating func blob(_ bytes: UnsafeBufferPointer<UInt8>)
  mutating func text(_ string: String)
}

extension RowEncoder where Self: ~Copyable {
  @inlinable @inline(__always)
  package mutating func integer(_ value: Int64?) {
    if let value { integer(value) } else { null() }
  }

  /// Nanoseconds; NULL for a time that is not known.
  @inlinable @inline(__always)
  package mutating func time(_ time: Int64) {
    if time == FileStatus.unknownTime { null() } else { integer(time) }
  }

  /// A path as TEXT, with U+FFFD for what is not UTF-8; ``oddBytes(_:)`` belongs to it.
  package mutating func shown(_ bytes: UnsafeBufferPointer<UInt8>) {
    if UTF8Validity.isValid(bytes) {
      text(bytes)
    } else {
      text(String(decoding: bytes, as: UTF8.self))
    }
  }

  /// The bytes of a path that is not UTF-8; NULL for others.
  package mutating func oddBytes(_ bytes: UnsafeBufferPointer<UInt8>) {
    if UTF8Validity.isValid(bytes) { null() } else { blob(bytes) }
  }

  /// A name: TEXT where it is UTF-8, else a BLOB with the exact bytes.
  @inlinable @inline(__always)
  package mutating func name(_ bytes: UnsafeBufferPointer<UInt8>, isText: Bool) {
    if isText { text(bytes) } else { blob(bytes) }
  }
}

/// Reads the columns of a row one after the other, in the order of its ``Table``. What cannot be in one
/// is refused, as the row does it.
package struct RowDecoder {
  private let row: Row
  private var position: Int32

  /// - Parameter first: the position of the first column to read.
  package init(_ row: Row, from first: Int32 = 0) {
    self.row = row
    position = first
  }

  private mutating func next() -> Int32 {
    defer { position += 1 }
    return position
  }

  /// 0 for NULL.
  package mutating func integer() -> Int64 { row.integer(next()) }
  package mutating func optionalInteger() -> Int64? { row.optionalInteger(next()) }
  /// The number of a row of some table.
  package mutating func id() -> Int64 { row.id(next()) }
  /// A number of bytes or of things; 0 for NULL.
  package mutating func count() -> Int64 { row.count(next()) }

  /// A number that was stored of a smaller type; 0 for NULL.
  package mutating func number<Number: FixedWidthInteger>(_ type: Number.Type) -> Number {
    let column = next()
    if let number = Number(exactly: row.integer(column)) { return number }
    row.refuse(column)
    return 0
  }

  /// A number that stands for something; `nil` where it stands for nothing, which is refused.
  package mutating func value<Value: RawRepresentable>(_ type: Value.Type) -> Value?
  where Value.RawValue: FixedWidthInteger {
    let column = next()
    let value = Value.RawValue(exactly: row.integer(column)).flatMap { Value(rawValue: $0) }
    if value == nil { row.refuse(column) }
    return value
  }

  /// Nanoseconds; ``FileStatus/unknownTime`` for NULL.
  package mutating func time() -> Int64 { optionalInteger() ?? FileStatus.unknownTime }
  /// Valid until the next step of the statement.
  package mutating func bytes() -> UnsafeBufferPointer<UInt8> {
    row.bytes(next()).assumingMemoryBound(to: UInt8.self)
  }
  package mutating func optionalText() -> String? { row.optionalText(next()) }
  package mutating func skip() { position += 1 }
}
