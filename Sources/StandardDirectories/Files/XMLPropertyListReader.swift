/// Reads property lists in XML, as Apple's programs write them.
///
/// It is no reader of XML at large: the elements are those of property lists, attributes mean
/// nothing, and there are no entities but the five of XML itself and numbers of characters.
struct XMLPropertyListReader {
  private let bytes: [UInt8]
  private var position = 0
  private var budget = PropertyListBudget()

  static func read(_ bytes: [UInt8]) throws(PropertyListError) -> PropertyList {
    var reader = XMLPropertyListReader(try utf8(bytes))
    return try reader.document()
  }

  private init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The bytes without a byte order mark, which may say that they are UTF-16.
  private static func utf8(_ bytes: [UInt8]) throws(PropertyListError) -> [UInt8] {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return Array(bytes.dropFirst(3)) }
    let isBigEndian = bytes.starts(with: [0xFE, 0xFF])
    guard isBigEndian || bytes.starts(with: [0xFF, 0xFE]) else { return bytes }
    let units = stride(from: 2, to: bytes.count - 1, by: 2).lazy.map { index in
      let (high, low) = isBigEndian ? (index, index + 1) : (index + 1, index)
      return UInt16(bytes[high]) << 8 | UInt16(bytes[low])
    }
    guard let text = String(validating: units, as: UTF16.self) else { throw .malformed }
    return Array(text.utf8)
  }

  // MARK: - Structure

  private mutating func document() throws(PropertyListError) -> PropertyList {
    try skipMiscellany()
    if take("<!DOCTYPE") { try skipDocumentType() }
    try skipMiscellany()
    let root = try tag()
    let value: PropertyList
    if root.name == "plist", root.form == .opening {
      try skipMiscellany()
      value = try element(try tag(), depth: 1)
      try skipMiscellany()
      guard try tag() == Tag(name: "plist", form: .closing) else { throw .malformed }
    } else {
      value = try element(root, depth: 1)
    }
    try skipMiscellany()
    guard position == bytes.count else { throw .malformed }
    return value
  }

  private mutating func element(
    _ tag: Tag, depth: Int
  ) throws(PropertyListError) -> PropertyList {
    guard tag.form != .closing else { throw .malformed }
    try budget.enter(depth)
    let isEmpty = tag.form == .empty
    switch tag.name {
    case "dict": return .dictionary(isEmpty ? [:] : try entries(depth: depth))
    case "array": return .array(isEmpty ? [] : try elements(depth: depth))
    case "string": return .string(isEmpty ? "" : try text(of: tag))
    case "integer": return try number(isEmpty ? "" : try text(of: tag))
    case "real":
      guard let value = Double(Self.trimmed(isEmpty ? "" : try text(of: tag))) else {
        return .other
      }
      return Int(exactly: value).map { .number($0) } ?? .other
    case "true", "false":
      let content = isEmpty ? "" : try text(of: tag)
      guard Self.trimmed(content).isEmpty else { throw .malformed }
      return .boolean(tag.name == "true")
    case "date", "data":
      _ = isEmpty ? "" : try text(of: tag)
      return .other
    default: throw .malformed
    }
  }

  private mutating func entries(depth: Int) throws(PropertyListError) -> [String: PropertyList] {
    var result: [String: PropertyList] = [:]
    while true {
      try skipMiscellany()
      let key = try tag()
      if key == Tag(name: "dict", form: .closing) { return result }
      guard key.name == "key", key.form != .closing else { throw .malformed }
      let name = key.form == .empty ? "" : try text(of: key)
      try skipMiscellany()
      result[name] = try element(try tag(), depth: depth + 1)
    }
  }

  private mutating func elements(depth: Int) throws(PropertyListError) -> [PropertyList] {
    var result: [PropertyList] = []
    while true {
      try skipMiscellany()
      let next = try tag()
      if next == Tag(name: "array", form: .closing) { return result }
      result.append(try element(next, depth: depth + 1))
    }
  }

  /// A decimal number, or a hexadecimal one after `0x`; one that is too large is no number here.
  private func number(_ text: String) throws(PropertyListError) -> PropertyList {
    let digits = Self.trimmed(text)
    if let value = Int(digits) { return .number(value) }
    let isNegative = digits.hasPrefix("-")
    let magnitude = digits.drop { $0 == "-" || $0 == "+" }
    if magnitude.hasPrefix("0x") || magnitude.hasPrefix("0X") {
      let value = Int((isNegative ? "-" : "") + magnitude.dropFirst(2), radix: 16)
      return value.map { .number($0) } ?? .other
    }
    guard !magnitude.isEmpty, magnitude.utf8.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) else {
      throw .malformed
    }
    return .other
  }

  private static func trimmed(_ text: String) -> Substring {
    let start = text.drop { $0.isWhitespace }
    return start.lastIndex { !$0.isWhitespace }.map { start[...$0] } ?? ""
  }

  // MARK: - Tags

  private struct Tag: Equatable {
    enum Form { case opening, closing, empty }

    let name: String
    let form: Form
  }

  private mutating func tag() throws(PropertyListError) -> Tag {
    guard take("<") else { throw .malformed }
    let isClosing = take("/")
    let start = position
    while let byte = next, Self.isNameByte(byte) { position += 1 }
    guard position > start, position - start <= Self.longestName else { throw .malformed }
    let name = String(decoding: bytes[start..<position], as: UTF8.self)
    try skipAttributes()
    let isEmpty = bytes[position - 2] == UInt8(ascii: "/")
    guard !(isClosing && isEmpty) else { throw .malformed }
    return Tag(name: name, form: isClosing ? .closing : isEmpty ? .empty : .opening)
  }

  private static let longestName = "integer".utf8.count

  private static func isNameByte(_ byte: UInt8) -> Bool {
    (byte | 0x20) &- UInt8(ascii: "a") < 26
  }

  /// Goes on past the end of the tag; what stands in quotes may be anything.
  private mutating func skipAttributes() throws(PropertyListError) {
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: ">"): return
      case UInt8(ascii: "\""), UInt8(ascii: "'"): try skip(past: [byte])
      case UInt8(ascii: "<"): throw .malformed
      default: break
      }
    }
    throw .malformed
  }

  // MARK: - Text

  /// The text up to the closing tag of an element that holds nothing else.
  private mutating func text(of element: Tag) throws(PropertyListError) -> String {
    var content: [UInt8] = []
    while let byte = next {
      switch byte {
      case UInt8(ascii: "<"):
        if take("<!--") {
          try skip(past: Array("-->".utf8))
        } else if take("<![CDATA[") {
          let start = position
          try skip(past: Array("]]>".utf8))
          content += bytes[start..<position - 3]
        } else if take("<?") {
          try skip(past: Array("?>".utf8))
        } else {
          guard try tag() == Tag(name: element.name, form: .closing) else { throw .malformed }
          try budget.spend(text: content.count)
          guard let text = String(validating: content, as: UTF8.self) else { throw .malformed }
          return text
        }
      case UInt8(ascii: "&"):
        position += 1
        content += UTF8.encode(try character()) ?? UTF8.encodedReplacementCharacter
      default:
        content.append(byte)
        position += 1
      }
    }
    throw .malformed
  }

  /// The character that a reference stands for: `amp;`, `#10;`, `#x1F600;`.
  private mutating func character() throws(PropertyListError) -> Unicode.Scalar {
    let longest = 10
    guard
      let end = bytes[position...].prefix(longest).firstIndex(of: UInt8(ascii: ";"))
    else { throw .malformed }
    let name = String(decoding: bytes[position..<end], as: UTF8.self)
    position = end + 1
    switch name {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "quot": return "\""
    case "apos": return "'"
    default:
      let isHexadecimal = name.hasPrefix("#x")
      guard name.hasPrefix("#"),
        let value = UInt32(name.dropFirst(isHexadecimal ? 2 : 1), radix: isHexadecimal ? 16 : 10),
        let scalar = Unicode.Scalar(value)
      else { throw .malformed }
      return scalar
    }
  }

  // MARK: - What is passed over

  /// White space, comments and processing instructions.
  private mutating func skipMiscellany() throws(PropertyListError) {
    while let byte = next {
      if byte == 0x20 || (0x09...0x0D).contains(byte) {
        position += 1
      } else if take("<!--") {
        try skip(past: Array("-->".utf8))
      } else if take("<?") {
        try skip(past: Array("?>".utf8))
      } else {
        return
      }
    }
  }

  /// The name of the document type and where its definition is, which is not looked at.
  private mutating func skipDocumentType() throws(PropertyListError) {
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: ">"): return
      case UInt8(ascii: "\""), UInt8(ascii: "'"): try skip(past: [byte])
      case UInt8(ascii: "["): throw .declaresEntities
      default: break
      }
    }
    throw .malformed
  }

  private mutating func skip(past end: [UInt8]) throws(PropertyListError) {
    while position + end.count <= bytes.count {
      if bytes[position] == end[0], bytes[position...].starts(with: end) {
        position += end.count
        return
      }
      position += 1
    }
    throw .malformed
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func take(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard bytes.count - position >= count else { return false }
    for index in 0..<count where bytes[position + index] != text.utf8Start[index] { return false }
    position += count
    return true
  }
}
