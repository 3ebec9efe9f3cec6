/// Reads what describes a Parquet file: structs in the
/// [compact protocol](https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md)
/// of Thrift, the other way round than ``ThriftWriter``.
///
/// The bytes may be anything. Nothing is made as large as a number in them says before that many bytes are
/// there.
struct ThriftReader {
  /// What a field is: the lowest four bits of what stands before it.
  enum Kind: UInt8 {
    case yes = 1
    case no = 2
    case int8 = 3
    case int16 = 4
    case int32 = 5
    case int64 = 6
    case double = 7
    case binary = 8
    case list = 9
    case set = 10
    case map = 11
    case structure = 12
  }

  /// Structs of Parquet are in one another four times at most.
  private static let deepest = 16

  private let bytes: UnsafeRawBufferPointer
  /// How much was read.
  private(set) var offset = 0
  private var depth = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  // MARK: - Structs

  /// Reads a struct.
  ///
  /// - Parameter body: called for each field with its number; reads the field, or leaves it, for it to be
  ///   passed over.
  mutating func structure(
    _ body: (inout ThriftReader, _ field: Int16, Kind) throws(ParquetError) -> Void
  ) throws(ParquetError) {
    depth += 1
    guard depth <= Self.deepest else { throw .damaged("structs are in one another without end") }
    var number: Int16 = 0
    while true {
      let header = try byte()
      if header == 0 { break }
      guard let kind = Kind(rawValue: header & 15) else { throw Self.strange }
      let step = Int16(header >> 4)
      let next = step == 0 ? try zigzag() : Int64(number) + Int64(step)
      guard let field = Int16(exactly: next) else { throw Self.strange }
      number = field
      let start = offset
      try body(&self, field, kind)
      if offset == start { try skip(kind) }
    }
    depth -= 1
  }

  /// Reads a list of structs.
  mutating func structures(
    _ kind: Kind, _ body: (inout ThriftReader) throws(ParquetError) -> Void
  ) throws(ParquetError) {
    let (element, count) = try list(kind)
    guard count == 0 || element == .structure else { throw Self.strange }
    for _ in 0..<count { try body(&self) }
  }

  // MARK: - Values

  mutating func integer(_ kind: Kind) throws(ParquetError) -> Int64 {
    guard kind == .int32 || kind == .int64 else { throw Self.strange }
    return try zigzag()
  }

  mutating func binary(_ kind: Kind) throws(ParquetError) -> [UInt8] {
    guard kind == .binary else { throw Self.strange }
    return Array(UnsafeRawBufferPointer(rebasing: bytes[try binaryRange()]))
  }

  /// Reads a list with one text.
  mutating func onlyBinary(_ kind: Kind) throws(ParquetError) -> [UInt8] {
    let (element, count) = try list(kind)
    guard count == 1 else { throw Self.strange }
    return try binary(element)
  }

  private mutating func list(
    _ kind: Kind
  ) throws(ParquetError) -> (element: Kind, count: Int) {
    guard kind == .list, depth < Self.deepest else { throw Self.strange }
    return try elements()
  }

  private mutating func elements() throws(ParquetError) -> (element: Kind, count: Int) {
    let header = try byte()
    let count = header >> 4 == 15 ? try number() : UInt64(header >> 4)
    guard let element = Kind(rawValue: header & 15) else { throw Self.strange }
    // An element has one byte at least.
    guard count <= UInt64(bytes.count - offset) else { throw Self.short }
    return (element, Int(count))
  }

  private mutating func binaryRange() throws(ParquetError) -> Range<Int> {
    let count = try number()
    guard count <= UInt64(bytes.count - offset) else { throw Self.short }
    let start = offset
    offset += Int(count)
    return start..<offset
  }

  private mutating func byte() throws(ParquetError) -> UInt8 {
    guard offset < bytes.count else { throw Self.short }
    defer { offset += 1 }
    return bytes[offset]
  }

  private mutating func number() throws(ParquetError) -> UInt64 {
    guard let number = LEB128.read(bytes, &offset, bytes.count) else { throw Self.short }
    return number
  }

  private mutating func zigzag() throws(ParquetError) -> Int64 {
    LEB128.signed(try number())
  }

  // MARK: - What nobody asks for

  private mutating func skip(_ kind: Kind) throws(ParquetError) {
    switch kind {
    case .yes, .no: break
    case .int8: _ = try byte()
    case .int16, .int32, .int64: _ = try number()
    case .double: for _ in 0..<8 { _ = try byte() }
    case .binary: _ = try binaryRange()
    case .structure:
      try structure { (_: inout ThriftReader, _: Int16, _: Kind) throws(ParquetError) in }
    case .list, .set:
      depth += 1
      guard depth <= Self.deepest else { throw Self.strange }
      let (element, count) = try elements()
      for _ in 0..<count {
        // In a list a truth has a byte of its own.
        if element == .yes || element == .no { _ = try byte() } else { try skip(element) }
      }
      depth -= 1
    case .map: throw Self.strange
    }
  }

  private static let short = ParquetError.damaged("what describes the file ends in the middle")
  private static let strange = ParquetError.damaged("what describes the file is not as specified")
}

extension LEB128 {
  /// Reads a number that ends before `end`; `nil` where there is none that 64 bits hold.
  @inline(__always)
  static func read(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int, _ end: Int) -> UInt64? {
    var number: UInt64 = 0
    var shift: UInt64 = 0
    while offset < end, shift < 64 {
      let byte = bytes[offset]
      offset += 1
      let bits = UInt64(byte & 0x7F)
      guard shift < 63 || bits <= 1 else { return nil }
      number |= bits << shift
      if byte < 0x80 { return number }
      shift += 7
    }
    return nil
  }

  /// What ``append(zigzag:to:)`` was given.
  static func signed(_ number: UInt64) -> Int64 {
    Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
  }
}
