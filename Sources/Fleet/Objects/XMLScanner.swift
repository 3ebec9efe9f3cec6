/// Reads the XML that servers of objects answer with: elements and text, one after the other.
///
/// It may come from anybody. What such answers do not need is refused: declarations of types and entities,
/// comments, sections of characters, and elements within elements beyond a depth.
struct XMLScanner {
  enum Token: Sendable, Hashable {
    case start(String)
    /// Text, with what stands for characters put in its place.
    case text(String)
    case end(String)
  }

  /// The text is none that a server of objects can have written.
  struct Malformed: Error {}

  private static let deepest = 16
  private static let longestEntity = 8

  private var rest: ArraySlice<UInt8>
  private var path: [String] = []
  private var isBegun = false
  /// The end of an element that has ended where it began.
  private var pending: Token?

  init(_ bytes: [UInt8]) {
    rest = bytes[...]
    if rest.starts(with: [0xef, 0xbb, 0xbf]) { rest.removeFirst(3) }
  }

  /// The next piece; `nil` at the end, where all elements are closed.
  mutating func next() throws(Malformed) -> Token? {
    if let token = pending {
      pending = nil
      return token
    }
    while let first = rest.first {
      guard first == UInt8(ascii: "<") else {
        let text = try self.text()
        if !path.isEmpty { return .text(text) }
        guard text.allSatisfy(\.isWhitespace) else { throw Malformed() }
        continue
      }
      rest.removeFirst()
      switch rest.first {
      case UInt8(ascii: "?") where path.isEmpty && !isBegun: try skip(to: "?>")
      case UInt8(ascii: "/"): return try end()
      default: return try start()
      }
    }
    guard path.isEmpty, isBegun else { throw Malformed() }
    return nil
  }

  // MARK: - Elements

  private mutating func start() throws(Malformed) -> Token {
    guard path.count < Self.deepest, !(path.isEmpty && isBegun) else { throw Malformed() }
    isBegun = true
    let name = try self.name()
    var isEmpty = false
    // Attributes say nothing to us; what is in quotes may have any character.
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        guard let end = rest.firstIndex(of: byte) else { throw Malformed() }
        rest = rest[(end + 1)...]
        isEmpty = false
      case UInt8(ascii: "/"): isEmpty = true
      case UInt8(ascii: "<"): throw Malformed()
      case UInt8(ascii: ">"):
        if isEmpty { pending = .end(name) } else { path.append(name) }
        return .start(name)
      default: isEmpty = false
      }
    }
    throw Malformed()
  }

  private mutating func end() throws(Malformed) -> Token {
    rest.removeFirst()
    let name = try self.name()
    try skip(to: ">")
    guard path.popLast() == name else { throw Malformed() }
    return .end(name)
  }

  private mutating func name() throws(Malformed) -> String {
    let end = rest.firstIndex { !Self.isOfName($0) } ?? rest.endIndex
    guard end > rest.startIndex else { throw Malformed() }
    defer { rest = rest[end...] }
    return String(decoding: rest[..<end], as: UTF8.self)
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
      UInt8(ascii: "."), UInt8(ascii: ":"):
      true
    default: false
    }
  }

  private mutating func skip(to ending: String) throws(Malformed) {
    guard let last = ending.utf8.last else { return }
    guard let end = rest.firstIndex(of: last),
      rest[...end].suffix(ending.utf8.count).elementsEqual(ending.utf8)
    else { throw Malformed() }
    rest = rest[(end + 1)...]
  }

  // MARK: - Text

  private mutating func text() throws(Malformed) -> String {
    let end = rest.firstIndex(of: UInt8(ascii: "<")) ?? rest.endIndex
    var raw = rest[..<end]
    rest = rest[end...]
    var bytes: [UInt8] = []
    while let mark = raw.firstIndex(of: UInt8(ascii: "&")) {
      bytes += raw[..<mark]
      raw = raw[(mark + 1)...]
      guard let stop = raw.prefix(Self.longestEntity + 1).firstIndex(of: UInt8(ascii: ";")) else {
        throw Malformed()
      }
      bytes += try Self.character(String(decoding: raw[..<stop], as: UTF8.self))
      raw = raw[(stop + 1)...]
    }
    return String(decoding: bytes + raw, as: UTF8.self)
  }

  private static let named: [String: UInt8] = [
    "amp": UInt8(ascii: "&"), "lt": UInt8(ascii: "<"), "gt": UInt8(ascii: ">"),
    "quot": UInt8(ascii: "\""), "apos": UInt8(ascii: "'"),
  ]

  /// What stands between `&` and `;`.
  private static func character(_ entity: String) throws(Malformed) -> [UInt8] {
    if let byte = named[entity] { return [byte] }
    let number =
      entity.hasPrefix("#x")
      ? UInt32(entity.dropFirst(2), radix: 16)
      : entity.hasPrefix("#") ? UInt32(entity.dropFirst()) : nil
    guard let scalar = number.flatMap(Unicode.Scalar.init), scalar.value != 0 else {
      throw Malformed()
    }
    return Array(String(scalar).utf8)
  }
}
