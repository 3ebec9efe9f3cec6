/// Integers of one to nine bytes, seven bits a byte and eight in the ninth (file format, 1.6).
enum Varint {
  static let maximumSize = 9

  /// The number of bytes that `value` takes.
  @inline(__always)
  static func size(of value: UInt64) -> Int {
    if value < 0x80 { return 1 }
    return min((70 - value.leadingZeroBitCount) / 7, maximumSize)
  }

  /// Writes `value` and returns the place after it.
  @inline(__always)
  static func write(
    _ value: UInt64, to place: UnsafeMutableRawPointer
  ) -> UnsafeMutableRawPointer {
    if value < 0x80 {
      place.storeBytes(of: UInt8(truncatingIfNeeded: value), as: UInt8.self)
      return place + 1
    }
    if value < 0x4000 {
      let bytes = (value << 1) & 0x7f00 | value & 0x7f | 0x8000
      place.storeBigEndian(UInt16(truncatingIfNeeded: bytes))
      return place + 2
    }
    return writeLong(value, to: place)
  }

  private static func writeLong(
    _ value: UInt64, to place: UnsafeMutableRawPointer
  ) -> UnsafeMutableRawPointer {
    let size = size(of: value)
    var rest = value
    var index = size - 1
    if size == maximumSize {
      place.storeBytes(of: UInt8(truncatingIfNeeded: rest), toByteOffset: index, as: UInt8.self)
      rest >>= 8
      index -= 1
    }
    var continues: UInt8 = size == maximumSize ? 0x80 : 0
    while index >= 0 {
      let byte = UInt8(truncatingIfNeeded: rest & 0x7f) | continues
      place.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
      continues = 0x80
      rest >>= 7
      index -= 1
    }
    return place + size
  }

  /// Reads the integer at the start of `bytes`; nil when they end too early.
  static func read(_ bytes: ArraySlice<UInt8>) -> (value: UInt64, size: Int)? {
    bytes.withUnsafeBytes { read($0, at: 0) }
  }

  /// Reads the integer at a place of `bytes`; nil when they end too early.
  @inline(__always)
  static func read(_ bytes: UnsafeRawBufferPointer, at place: Int) -> (value: UInt64, size: Int)? {
    guard place < bytes.count else { return nil }
    if bytes[place] < 0x80 { return (UInt64(bytes[place]), 1) }
    return readLong(bytes, at: place)
  }

  private static func readLong(
    _ bytes: UnsafeRawBufferPointer, at place: Int
  ) -> (value: UInt64, size: Int)? {
    var value: UInt64 = 0
    for index in 0..<min(maximumSize, bytes.count - place) {
      let byte = bytes[place + index]
      if index == maximumSize - 1 { return (value << 8 | UInt64(byte), maximumSize) }
      value = value << 7 | UInt64(byte & 0x7f)
      if byte < 0x80 { return (value, index + 1) }
    }
    return nil
  }
}
