/// A key column's value that SQLite compares byte by byte.
package struct KeyBytes {
  let bytes: UnsafeRawBufferPointer
  let storage: Storage

  /// The storage classes in the order in which SQLite sorts them.
  enum Storage: UInt8 {
    case null, text, blob
  }

  package static var null: Self {
    Self(bytes: UnsafeRawBufferPointer(start: nil, count: 0), storage: .null)
  }

  /// The bytes must be valid UTF-8.
  package static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> Self {
    Self(bytes: UnsafeRawBufferPointer(bytes), storage: .text)
  }

  package static func blob(_ bytes: UnsafeBufferPointer<UInt8>) -> Self {
    Self(bytes: UnsafeRawBufferPointer(bytes), storage: .blob)
  }

  /// How many bytes an integer takes in a key of several.
  static let integerSize = MemoryLayout<UInt64>.size

  /// Calls `body` with four integers as one key: bytes that have their order.
  package static func withIntegers<Result>(
    _ a: Int64, _ b: Int64, _ c: Int64, _ d: Int64, _ body: (Self) throws -> Result
  ) rethrows -> Result {
    let ordered = (
      UInt64(ordering: a).bigEndian, UInt64(ordering: b).bigEndian,
      UInt64(ordering: c).bigEndian, UInt64(ordering: d).bigEndian
    )
    return try withUnsafeBytes(of: ordered) { try body(Self(bytes: $0, storage: .blob)) }
  }

  /// One of the integers of a key.
  static func integer(of bytes: UnsafeRawBufferPointer, at place: Int) -> Int64 {
    let ordered = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
    return Int64(ordering: UInt64(bigEndian: ordered))
  }
}
