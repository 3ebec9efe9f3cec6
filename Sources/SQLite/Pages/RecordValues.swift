/// The values of a record, one after the other (file format, 2.1).
struct RecordValues {
  enum Value {
    case null
    case integer(Int64)
    case real
    case text(UnsafeRawBufferPointer)
    case blob(UnsafeRawBufferPointer)
  }

  private let record: UnsafeRawBufferPointer
  private var type: Int
  private let types: Int
  private var body: Int

  /// `nil` where the bytes cannot be a record.
  @inline(__always)
  init?(_ record: UnsafeRawBufferPointer) {
    guard let header = Varint.read(record, at: 0), header.value <= record.count,
      header.value >= header.size
    else { return nil }
    self.record = record
    type = header.size
    types = Int(header.value)
    body = types
  }

  /// The next value; `nil` behind the last, and where the record ends too early.
  @inline(__always)
  mutating func next() -> Value? {
    guard type < types, let next = Varint.read(record, at: type) else { return nil }
    type += next.size
    switch next.value {
    case 0: return .null
    case 1...4: return integer(Int(next.value))
    case 5: return integer(6)
    case 6: return integer(8)
    case 7: return take(8) == nil ? nil : .real
    case 8, 9: return .integer(Int64(next.value) - 8)
    case 12...:
      guard let bytes = take(Int(clamping: (next.value - 12) / 2)) else { return nil }
      return next.value & 1 == 0 ? .blob(bytes) : .text(bytes)
    default: return nil
    }
  }

  @inline(__always)
  private mutating func integer(_ size: Int) -> Value? {
    guard let bytes = take(size) else { return nil }
    var value = Int64(Int8(bitPattern: bytes[0]))
    for index in 1..<size { value = value << 8 | Int64(bytes[index]) }
    return .integer(value)
  }

  @inline(__always)
  private mutating func take(_ size: Int) -> UnsafeRawBufferPointer? {
    guard size <= record.count - body else { return nil }
    defer { body += size }
    return UnsafeRawBufferPointer(rebasing: record[body..<body + size])
  }
}
