#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// A key in memory that something else owns: rowid (8 bytes), length (4), then that many bytes, the
/// first of which is the storage class. So plain comparison of these bytes is SQLite's order of the
/// values.
struct StoredKey {
  static let headerSize = 12
  /// Behind a key lies always this much that may be read.
  static let slack = 8

  let start: UnsafeRawPointer

  var rowid: Int64 { start.loadUnaligned(as: Int64.self) }
  /// The number of bytes, with that of the storage class.
  var length: Int { Int(start.loadUnaligned(fromByteOffset: 8, as: UInt32.self)) }

  /// How many bytes the key takes with all that belongs to it.
  var size: Int { Self.headerSize + length }

  /// Writes a key without bytes, as those of an index on integers alone are.
  static func writeEmpty(rowid: Int64, to place: UnsafeMutableRawPointer) {
    place.storeBytes(of: rowid, as: Int64.self)
    place.storeBytes(of: 0, toByteOffset: 8, as: UInt32.self)
  }

  var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: start + Self.headerSize, count: length)
  }

  var value: KeyBytes {
    KeyBytes(
      bytes: UnsafeRawBufferPointer(start: start + 13, count: length - 1),
      storage: KeyBytes.Storage(rawValue: start.load(fromByteOffset: 12, as: UInt8.self)) ?? .blob)
  }

  /// How many bytes a window shows.
  static let windowSize = 7

  /// Seven bytes from `depth` on as a number with their order, whose lowest byte tells how many
  /// are left, up to eight: in strings with the same bytes the end comes first.
  @inline(__always)
  func window(at depth: Int) -> UInt64 {
    let rest = length - depth
    // Reading on is allowed by the slack behind the keys.
    let bytes = (start + (Self.headerSize + depth)).loadBigEndian(as: UInt64.self)
    if rest >= Self.windowSize { return bytes & ~0xff | UInt64(min(rest, 8)) }
    return bytes & (~0 << UInt64(64 - 8 * rest)) | UInt64(rest)
  }

  /// Whether keys with this window in common are equal altogether.
  @inline(__always)
  static func isEnd(_ window: UInt64) -> Bool {
    window & 0xff <= UInt64(windowSize)
  }

  /// Below zero when this key comes before `other`, zero when both are equal.
  func compare(_ other: StoredKey) -> Int {
    let order = memcmp(
      start + Self.headerSize, other.start + Self.headerSize, min(length, other.length))
    return order != 0 ? Int(order) : length - other.length
  }
}
