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
}
