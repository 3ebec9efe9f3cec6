/// Reads binary property lists, the format `bplist00` of Apple's programs.
///
/// A header, objects, a table with the place of each object, and a trailer that says where the
/// table is. Arrays and dictionaries refer to their elements by number. The numbers may lead back,
/// which is refused, and to the same object many times, which is common and counts each time.
struct BinaryPropertyListReader {
  static let magic = Array("bplist".utf8)

  private let bytes: [UInt8]
  private let objectCount: Int
  private let offsetSize: Int
  private let referenceSize: Int
  /// Where the table of offsets begins, which is where the objects end.
  private let table: Int
  private var budget = PropertyListBudget()
  /// The numbers of the objects that the one being read is in.
  private var path: [Int] = []

  static func read(_ bytes: [UInt8]) throws(PropertyListError) -> PropertyList {
    let trailer = bytes.count - 32
    guard trailer > magic.count,
      let objectCount = number(bytes, at: trailer + 8, size: 8),
      let top = number(bytes, at: trailer + 16, size: 8),
      let table = number(bytes, at: trailer + 24, size: 8), (magic.count..<trailer).contains(table)
    else { throw .malformed }
    let offsetSize = Int(bytes[trailer + 6])
    let referenceSize = Int(bytes[trailer + 7])
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
      objectCount <= (trailer - table) / offsetSize
    else { throw .malformed }
    var reader = BinaryPropertyListReader(
      bytes, objectCount: objectCount, offsetSize: offsetSize, referenceSize: referenceSize,
      table: table)
    return try reader.object(top)
  }

  private init(
    _ bytes: [UInt8], objectCount: Int, offsetSize: Int, referenceSize: Int, table: Int
  ) {
    self.bytes = bytes
    self.objectCount = objectCount
    self.offsetSize = offsetSize
    self.referenceSize = referenceSize
    self.table = table
  }

  // MARK: - Objects

  private mutating func object(_ reference: Int) throws(PropertyListError) -> PropertyList {
    guard reference < objectCount,
      let offset = Self.number(bytes, at: table + reference * offsetSize, size: offsetSize),
      (Self.magic.count..<table).contains(offset)
    else { throw .malformed }
    guard !path.contains(reference) else { throw .circular }
    try budget.enter(path.count + 1)
    path.append(reference)
    defer { path.removeLast() }
    let marker = bytes[offset]
    switch marker >> 4 {
    case 0x0:
      switch marker {
      case 0x08: return .boolean(false)
      case 0x09: return .boolean(true)
      default: return .other
      }
    case 0x1: return try integer(marker, at: offset)
    case 0x2: return try fraction(marker, at: offset)
    // Dates, data and the references of archives; where they end does not matter.
    case 0x3, 0x4, 0x8: return .other
    case 0x5, 0x7: return .string(try text(at: offset))
    case 0x6: return .string(try wideText(at: offset))
    case 0xA, 0xB, 0xC:
      return .array(try elements(try references(at: offset)))
    case 0xD: return .dictionary(try entries(try references(at: offset, perElement: 2)))
    default: throw .malformed
    }
  }

  private mutating func elements(_ list: References) throws(PropertyListError) -> [PropertyList] {
    var result: [PropertyList] = []
    for index in 0..<list.count { result.append(try object(try reference(list, index))) }
    return result
  }

  private mutating func entries(
    _ list: References
  ) throws(PropertyListError) -> [String: PropertyList] {
    var result: [String: PropertyList] = [:]
    // All keys come before all values.
    for index in 0..<list.count {
      guard case .string(let key) = try object(try reference(list, index)) else {
        throw .malformed
      }
      result[key] = try object(try reference(list, list.count + index))
    }
    return result
  }

  // MARK: - Numbers

  private func integer(_ marker: UInt8, at offset: Int) throws(PropertyListError) -> PropertyList {
    let size = 1 << Int(marker & 0x0F)
    guard size <= 16, offset + 1 + size <= table else { throw .malformed }
    var value: UInt64 = 0
    var fits = true
    for byte in bytes[offset + 1..<offset + 1 + size] {
      if value >> 56 != 0 { fits = false }
      value = value << 8 | UInt64(byte)
    }
    // Of eight bytes the highest bit is the sign, shorter numbers have none.
    if size == 8 { return .number(Int(Int64(bitPattern: value))) }
    guard fits, let number = Int(exactly: value) else { return .other }
    return .number(number)
  }

  private func fraction(
    _ marker: UInt8, at offset: Int
  ) throws(PropertyListError) -> PropertyList {
    let size = 1 << Int(marker & 0x0F)
    guard offset + 1 + size <= table else { throw .malformed }
    let bits = bytes[offset + 1..<offset + 1 + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let value: Double
    switch size {
    case 4: value = Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
    case 8: value = Double(bitPattern: bits)
    default: throw .malformed
    }
    return Int(exactly: value).map { .number($0) } ?? .other
  }

  // MARK: - Text

  private mutating func text(at offset: Int) throws(PropertyListError) -> String {
    let (start, count) = try extent(at: offset, unit: 1)
    try budget.spend(text: count)
    guard let text = String(validating: bytes[start..<start + count], as: UTF8.self) else {
      throw .malformed
    }
    return text
  }

  /// A text in UTF-16, the higher byte first.
  private mutating func wideText(at offset: Int) throws(PropertyListError) -> String {
    let (start, count) = try extent(at: offset, unit: 2)
    try budget.spend(text: count * 3)
    let units = (0..<count).lazy.map { [bytes] index in
      UInt16(bytes[start + 2 * index]) << 8 | UInt16(bytes[start + 2 * index + 1])
    }
    guard let text = String(validating: units, as: UTF16.self) else { throw .malformed }
    return text
  }

  // MARK: - Places

  /// Where the references of an array or a dictionary are, and how many elements it has.
  private struct References {
    let start: Int
    let count: Int
  }

  private func references(
    at offset: Int, perElement: Int = 1
  ) throws(PropertyListError) -> References {
    let (start, count) = try extent(at: offset, unit: referenceSize * perElement)
    return References(start: start, count: count)
  }

  private func reference(_ list: References, _ index: Int) throws(PropertyListError) -> Int {
    let place = list.start + index * referenceSize
    guard let number = Self.number(bytes, at: place, size: referenceSize) else {
      throw .malformed
    }
    return number
  }

  /// Where the content of an object begins and how many units it has, all of which are there. The
  /// count is in the marker, or, from fifteen, in an integer that follows it.
  private func extent(
    at offset: Int, unit: Int
  ) throws(PropertyListError) -> (start: Int, count: Int) {
    var start = offset + 1
    var count = Int(bytes[offset] & 0x0F)
    if count == 0x0F {
      guard start < table, bytes[start] >> 4 == 1 else { throw .malformed }
      let size = 1 << Int(bytes[start] & 0x0F)
      guard size <= 8, start + 1 + size <= table,
        let long = Self.number(bytes, at: start + 1, size: size)
      else { throw .malformed }
      count = long
      start += 1 + size
    }
    guard count <= (table - start) / unit else { throw .malformed }
    return (start, count)
  }

  /// An unsigned number, the highest byte first; `nil` if it is none that counts bytes.
  private static func number(_ bytes: [UInt8], at offset: Int, size: Int) -> Int? {
    guard offset >= 0, offset + size <= bytes.count else { return nil }
    let value = bytes[offset..<offset + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Int(exactly: value)
  }
}
