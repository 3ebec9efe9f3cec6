/// One record: a header with the type of each value, then the values (file format, 2.1).
///
/// Both parts grow in memory of their own that lives as long as the encoder; values are written
/// without a check of the body's room, because every growth leaves room for as many integers as
/// the header can name.
struct RecordEncoder: ~Copyable {
  private var memory: UnsafeMutableRawBufferPointer
  private var headerCapacity: Int
  /// Where the next type goes; types begin behind room for the header's size.
  private var header: UnsafeMutableRawPointer
  private var headerLimit: UnsafeMutableRawPointer
  private var body: UnsafeMutableRawPointer
  /// Where texts must end, so that integers always have room behind them.
  private var bodyLimit: UnsafeMutableRawPointer
  private var headerStart: UnsafeMutableRawPointer

  /// Enough bytes for the size of a header with the 32767 columns that SQLite knows.
  private static let sizeRoom = 3

  init() {
    headerCapacity = 256
    memory = .allocate(byteCount: Self.room(header: headerCapacity, body: 2048), alignment: 16)
    let base = memory.baseAddress!
    header = base + Self.sizeRoom
    headerStart = header
    headerLimit = base + headerCapacity - Varint.maximumSize
    body = base + headerCapacity
    bodyLimit = base + memory.count - 8 * headerCapacity
  }

  deinit {
    memory.deallocate()
  }

  /// Begins an empty record.
  @inline(__always)
  mutating func reset() {
    let base = memory.baseAddress.unsafelyUnwrapped
    header = base + Self.sizeRoom
    body = base + headerCapacity
  }

  // MARK: - Values

  // Each value finds room for its type and makes room for the next at its very end, where a call
  // costs nothing until it is made.

  @inline(__always)
  mutating func null() {
    append(type: 0)
    reserveType()
  }

  /// Types 1 to 6 are integers of 1, 2, 3, 4, 6 and 8 bytes; 8 and 9 are the values 0 and 1.
  ///
  /// Flags and times, which most values of a row are, take the short ways; the size of all other
  /// integers is computed without branches that would be hard to foresee.
  @inline(__always)
  mutating func integer(_ value: Int64) {
    let magnitude = value ^ (value >> 63)
    if UInt64(bitPattern: value) <= 1 {
      append(type: 8 + UInt8(truncatingIfNeeded: value))
    } else if magnitude >> 47 != 0 {
      append(type: 6)
      body.storeBigEndian(value)
      body += 8
    } else {
      let bytes = (72 &- magnitude.leadingZeroBitCount) >> 3
      append(type: UInt8(truncatingIfNeeded: 0x55_4321 >> (bytes &* 4 &- 4)) & 15)
      let size = bytes == 5 ? 6 : bytes
      body.storeBigEndian(value &<< Int64(truncatingIfNeeded: 64 &- 8 &* size))
      body += size
    }
    reserveType()
  }

  /// Type 7. SQLite has no NaN: it becomes NULL.
  @inline(__always)
  mutating func real(_ value: Double) {
    guard !value.isNaN else { return null() }
    append(type: 7)
    body.storeBigEndian(value.bitPattern)
    body += 8
    reserveType()
  }

  @inline(__always)
  mutating func text(_ bytes: UnsafeRawBufferPointer) {
    append(bytes, type: 13 + 2 * UInt64(bytes.count))
  }

  @inline(__always)
  mutating func blob(_ bytes: UnsafeRawBufferPointer) {
    append(bytes, type: 12 + 2 * UInt64(bytes.count))
  }

  @inline(__always)
  private mutating func append(type: UInt8) {
    header.storeBytes(of: type, as: UInt8.self)
    header += 1
  }

  @inline(__always)
  private mutating func append(_ bytes: UnsafeRawBufferPointer, type: UInt64) {
    header = Varint.write(type, to: header)
    if let start = bytes.baseAddress {
      if bodyLimit - body < bytes.count { growBody(by: bytes.count) }
      body.copyMemory(from: start, byteCount: bytes.count)
      body += bytes.count
    }
    reserveType()
  }

  @inline(__always)
  private mutating func reserveType() {
    if header > headerLimit { growHeader() }
  }

  // MARK: - The whole record

  /// Writes the size of the header in front of it.
  @inline(__always)
  mutating func seal() {
    let base = memory.baseAddress.unsafelyUnwrapped
    let types = header - base - Self.sizeRoom
    var size = types + 1
    if size > 0x7f { size = types + (types + 2 > 0x3fff ? 3 : 2) }
    headerStart = header - size
    _ = Varint.write(UInt64(size), to: headerStart)
  }

  /// The size of the sealed record.
  @inline(__always)
  var size: Int {
    header - headerStart + (body - memory.baseAddress.unsafelyUnwrapped - headerCapacity)
  }

  /// Copies the sealed record.
  @inline(__always)
  func copy(to place: UnsafeMutableRawPointer) {
    let headerSize = header - headerStart
    place.copyMemory(from: headerStart, byteCount: headerSize)
    let start = memory.baseAddress.unsafelyUnwrapped + headerCapacity
    (place + headerSize).copyMemory(from: start, byteCount: body - start)
  }

  // MARK: - Growth

  private static func room(header: Int, body: Int) -> Int {
    header + body + 8 * header
  }

  @inline(never)
  private mutating func growHeader() {
    precondition(headerCapacity < 1 << 20, "more values than a table can have columns")
    resize(header: headerCapacity * 4, body: 0)
  }

  @inline(never)
  private mutating func growBody(by count: Int) {
    resize(header: headerCapacity, body: count)
  }

  /// Moves both parts to memory with room for that header and `count` more bytes of body.
  private mutating func resize(header newCapacity: Int, body count: Int) {
    let old = memory
    let base = old.baseAddress!
    let headerSize = header - base
    let bodySize = body - base - headerCapacity
    let size = Self.room(header: newCapacity, body: 2 * bodySize + count)
    memory = .allocate(byteCount: size, alignment: 16)
    let start = memory.baseAddress!
    start.copyMemory(from: base, byteCount: headerSize)
    (start + newCapacity).copyMemory(from: base + headerCapacity, byteCount: bodySize)
    header = start + headerSize
    headerStart = start + Self.sizeRoom
    headerLimit = start + newCapacity - Varint.maximumSize
    body = start + newCapacity + bodySize
    bodyLimit = start + size - 8 * newCapacity
    headerCapacity = newCapacity
    old.deallocate()
  }
}
