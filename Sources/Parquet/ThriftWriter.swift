/// Writes what describes a Parquet file: structs in the
/// [compact protocol](https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md)
/// of Thrift.
///
/// Fields are written in ascending order of their numbers, which `parquet.thrift` gives them.
struct ThriftWriter {
  private(set) var bytes: [UInt8] = []
  /// The number of the field before, in the struct that is being written.
  private var lastField: Int16 = 0

  private enum Kind: UInt8 {
    case yes = 1
    case no = 2
    case int32 = 5
    case int64 = 6
    case binary = 8
    case list = 9
    case structure = 12
  }

  // MARK: - Fields

  mutating func field(_ number: Int16, _ value: Int32) {
    header(number, .int32)
    LEB128.append(zigzag: Int64(value), to: &bytes)
  }

  mutating func field(_ number: Int16, _ value: Int64) {
    header(number, .int64)
    LEB128.append(zigzag: value, to: &bytes)
  }

  mutating func field(_ number: Int16, _ value: Bool) {
    header(number, value ? .yes : .no)
  }

  mutating func field(_ number: Int16, _ value: some Collection<UInt8>) {
    header(number, .binary)
    binary(value)
  }

  mutating func field(_ number: Int16, _ body: (inout ThriftWriter) -> Void) {
    header(number, .structure)
    structure(body)
  }

  mutating func field(_ number: Int16, listOf values: [Int32]) {
    listHeader(number, .int32, values.count)
    for value in values { LEB128.append(zigzag: Int64(value), to: &bytes) }
  }

  mutating func field(_ number: Int16, listOf value: String) {
    listHeader(number, .binary, 1)
    binary(value.utf8)
  }

  mutating func field<Element>(
    _ number: Int16, listOf elements: some Collection<Element>,
    _ body: (inout ThriftWriter, Element) -> Void
  ) {
    listHeader(number, .structure, elements.count)
    for element in elements { structure { body(&$0, element) } }
  }

  /// A list of structs that are written already, one behind the other.
  mutating func field(_ number: Int16, listOf count: Int, written structures: [UInt8]) {
    listHeader(number, .structure, count)
    bytes += structures
  }

  // MARK: - Structs

  /// Writes a struct: all of it, or an element of a list.
  mutating func structure(_ body: (inout ThriftWriter) -> Void) {
    let outer = lastField
    lastField = 0
    body(&self)
    bytes.append(0)
    lastField = outer
  }

  private mutating func header(_ number: Int16, _ kind: Kind) {
    // No field of Parquet is further from the one before than fits into four bits, but for a field of a
    // later version.
    let step = number - lastField
    if step > 0, step <= 15 {
      bytes.append(UInt8(step) << 4 | kind.rawValue)
    } else {
      bytes.append(kind.rawValue)
      LEB128.append(zigzag: Int64(number), to: &bytes)
    }
    lastField = number
  }

  private mutating func listHeader(_ number: Int16, _ kind: Kind, _ count: Int) {
    header(number, .list)
    if count < 15 {
      bytes.append(UInt8(count) << 4 | kind.rawValue)
    } else {
      bytes.append(0xF0 | kind.rawValue)
      LEB128.append(UInt64(count), to: &bytes)
    }
  }

  private mutating func binary(_ value: some Collection<UInt8>) {
    LEB128.append(UInt64(value.count), to: &bytes)
    bytes.append(contentsOf: value)
  }
}

/// Numbers of any length: seven bits a byte, the lowest first, as Thrift and Parquet have them.
enum LEB128 {
  static func append(_ value: UInt64, to bytes: inout [UInt8]) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Small negative numbers are short, too.
  static func append(zigzag value: Int64, to bytes: inout [UInt8]) {
    append(UInt64(bitPattern: value << 1 ^ value >> 63), to: &bytes)
  }
}
