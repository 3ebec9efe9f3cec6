/// Reads XML as documents hold it: elements with their attributes, and text, one after the other.
///
/// It takes what such files have, comments and document types among them, and believes none of it: nothing is
/// declared, no entity stands for more than a character, no element is deeper than a bound, and nothing
/// outside the text is read. [XML 1.0](https://www.w3.org/TR/xml/), without checking what does not matter here.
struct MarkupScanner {
  enum Token: Hashable, Sendable {
    /// The beginning of an element, its name without that of its namespace.
    case start(String, attributes: [String: String])
    case text(String)
    case end(String)
  }

  private static let deepest = 64
  private static let mostAttributes = 64
  private static let longestEntity = 10

  private let bytes: ArraySlice<UInt8>
  private var position: Int
  private var path: [String] = []
  private var pending: Token?

  init(_ bytes: ArraySlice<UInt8>) {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    self.bytes = bytes.starts(with: mark) ? bytes.dropFirst(3) : bytes
    position = self.bytes.startIndex
  }

  /// The next piece; `nil` at the end of the text, wherever that is: it may have been cut.
  mutating func next() throws(FormatError) -> Token? {
    if let token = pending {
      pending = nil
      return token
    }
    while position < bytes.endIndex {
      guard bytes[position] == UInt8(ascii: "<") else { return .text(text()) }
      if take("<!--") {
        skip(past: "-->")
      } else if take("<![CDATA[") {
        let start = position
        skip(past: "]]>")
        let end = position < bytes.endIndex ? position - 3 : position
        return .text(String(decoding: bytes[start..<max(start, end)], as: UTF8.self))
      } else if take("<?") {
        skip(past: "?>")
      } else if take("<!") {
        skipDeclaration()
      } else if take("</") {
        let name = name()
        skip(past: ">")
        guard path.popLast() == name else { throw Self.malformed }
        return .end(name)
      } else {
        position += 1
        return try start()
      }
    }
    return nil
  }

  private static let malformed = FormatError.malformed("its XML makes no sense")

  // MARK: - Elements

  private mutating func start() throws(FormatError) -> Token? {
    let name = name()
    guard !name.isEmpty, path.count < Self.deepest else { throw Self.malformed }
    var attributes: [String: String] = [:]
    while position < bytes.endIndex {
      switch bytes[position] {
      case UInt8(ascii: ">"):
        position += 1
        path.append(name)
        return .start(name, attributes: attributes)
      case UInt8(ascii: "/"):
        position += 1
        guard take(">") else { continue }
        pending = .end(name)
        return .start(name, attributes: attributes)
      case UInt8(ascii: "<"): throw Self.malformed
      case let byte where Self.isOfName(byte):
        let key = self.name()
        skipSpace()
        guard take("=") else { continue }
        skipSpace()
        guard let value = quoted() else { throw Self.malformed }
        if attributes.count < Self.mostAttributes, attributes[key] == nil {
          attributes[key] = Self.decoded(value)
        }
      default: position += 1
      }
    }
    // It was cut within the element.
    return nil
  }

  private mutating func quoted() -> ArraySlice<UInt8>? {
    guard position < bytes.endIndex else { return nil }
    let quote = bytes[position]
    guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
      let end = bytes[(position + 1)...].firstIndex(of: quote)
    else { return nil }
    defer { position = end + 1 }
    return bytes[position + 1..<end]
  }

  /// A name without the part up to its last colon.
  private mutating func name() -> String {
    let end = bytes[position...].firstIndex { !Self.isOfName($0) } ?? bytes.endIndex
    let whole = bytes[position..<end]
    position = end
    let colon = whole.lastIndex(of: UInt8(ascii: ":")).map { $0 + 1 } ?? whole.startIndex
    return String(decoding: whole[colon...], as: UTF8.self)
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
      UInt8(ascii: "."), UInt8(ascii: ":"), 0x80...:
      true
    default: false
    }
  }

  // MARK: - Text

  private mutating func text() -> String {
    let end = bytes[position...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.endIndex
    defer { position = end }
    return Self.decoded(bytes[position..<end])
  }

  /// With characters in the place of what stands for them. What stands for none stays as it is.
  private static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
    var rest = bytes
    var result: [UInt8] = []
    while let mark = rest.firstIndex(of: UInt8(ascii: "&")) {
      result += rest[..<mark]
      rest = rest[(mark + 1)...]
      guard let end = rest.prefix(longestEntity).firstIndex(of: UInt8(ascii: ";")),
        let character = character(String(decoding: rest[..<end], as: UTF8.self))
      else {
        result.append(UInt8(ascii: "&"))
        continue
      }
      result += String(character).utf8
      rest = rest[(end + 1)...]
    }
    return String(decoding: result + rest, as: UTF8.self)
  }

  private static func character(_ entity: String) -> Unicode.Scalar? {
    switch entity {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "quot": return "\""
    case "apos": return "'"
    default:
      let isHexadecimal = entity.hasPrefix("#x")
      guard entity.hasPrefix("#") else { return nil }
      return UInt32(entity.dropFirst(isHexadecimal ? 2 : 1), radix: isHexadecimal ? 16 : 10)
        .flatMap(Unicode.Scalar.init)
    }
  }

  // MARK: - What is passed over

  private mutating func skipSpace() {
    while position < bytes.endIndex, bytes[position] <= 0x20 { position += 1 }
  }

  /// A document type, with what it declares in brackets.
  private mutating func skipDeclaration() {
    var depth = 0
    while position < bytes.endIndex {
      let byte = bytes[position]
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        guard quoted() != nil else {
          position = bytes.endIndex
          return
        }
        continue
      case UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: ">") where depth <= 0:
        position += 1
        return
      default: break
      }
      position += 1
    }
  }

  /// Goes on behind the next such text, or to the end.
  private mutating func skip(past ending: String) {
    guard let first = ending.utf8.first else { return }
    while let next = bytes[position...].firstIndex(of: first) {
      position = next
      if bytes[next...].starts(with: ending.utf8) {
        position += ending.utf8.count
        return
      }
      position += 1
    }
    position = bytes.endIndex
  }

  private mutating func take(_ text: StaticString) -> Bool {
    guard bytes[position...].begins(with: text) else { return false }
    position += text.utf8CodeUnitCount
    return true
  }
}
