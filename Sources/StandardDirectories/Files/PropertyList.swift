/// The tree of a property list or of JSON, as far as this package reads them.
///
/// Such files lie in trees that somebody else has made, so nothing in them is believed: depth, the
/// number of values and the length of texts are bounded, references that lead back or multiply
/// included. Reading takes time and memory in proportion to the file and to these bounds.
package enum PropertyList: Hashable, Sendable {
  case string(String)
  case number(Int)
  case boolean(Bool)
  case array([PropertyList])
  case dictionary([String: PropertyList])
  /// Dates, data, fractions, null.
  case other

  /// Reads a property list, XML or binary.
  package init(decoding bytes: [UInt8]) throws(PropertyListError) {
    if bytes.starts(with: BinaryPropertyListReader.magic) {
      self = try BinaryPropertyListReader.read(bytes)
    } else {
      self = try XMLPropertyListReader.read(bytes)
    }
  }

  /// Reads a property list or JSON, told apart by the first byte that is no white space.
  package init(decodingListOrJSON bytes: [UInt8]) throws(PropertyListError) {
    let first = bytes.first { $0 > 0x20 }
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
      self = try JSONReader.read(bytes)
    } else {
      self = try PropertyList(decoding: bytes)
    }
  }
}

/// Why some bytes are not read as a property list.
package enum PropertyListError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The bytes are none, or break off.
  case malformed
  /// The document type declares elements or entities of its own, which are a way to make much of
  /// little.
  case declaresEntities
  /// A binary list contains itself.
  case circular
  case tooDeep(limit: Int)
  case tooManyValues(limit: Int)
  case tooMuchText(limit: Int)

  /// What is wrong, to follow the name of a file.
  package var description: String {
    switch self {
    case .malformed: "neither a property list nor JSON"
    case .declaresEntities: "its document type has declarations of its own"
    case .circular: "it contains itself"
    case .tooDeep(let limit): "it is nested more than \(limit) levels deep"
    case .tooManyValues(let limit): "it has more than \(limit) values"
    case .tooMuchText(let limit): "it has more than \(limit) bytes of text"
    }
  }
}

/// What is left of the bounds while a list is read.
///
/// A value counts as often as it is met: the same object of a binary list, referred to a thousand
/// times, is a thousand values to whoever walks the tree.
struct PropertyListBudget {
  static let depth = 64
  static let values = 250_000
  static let text = 16 << 20

  private var values = Self.values
  private var text = Self.text

  /// Accounts for a value at a depth, from 1.
  mutating func enter(_ depth: Int) throws(PropertyListError) {
    guard depth <= Self.depth else { throw .tooDeep(limit: Self.depth) }
    values -= 1
    guard values >= 0 else { throw .tooManyValues(limit: Self.values) }
  }

  /// Accounts for a text before it is made.
  mutating func spend(text count: Int) throws(PropertyListError) {
    guard count <= text else { throw .tooMuchText(limit: Self.text) }
    text -= count
  }
}

extension PropertyList {
  /// The value of a key; `nil` without one, and for what is no dictionary.
  package subscript(key: String) -> PropertyList? {
    guard case .dictionary(let values) = self else { return nil }
    return values[key]
  }

  /// The string; `nil` for everything else.
  package var text: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  /// The elements of an array; `nil` for everything else.
  package var array: [PropertyList]? {
    guard case .array(let values) = self else { return nil }
    return values
  }

  /// The integer, which may be written as text, as `UTTypeVersion` often is.
  package var integer: Int? {
    switch self {
    case .number(let value): value
    case .string(let text): Int(text)
    default: nil
    }
  }

  /// Whether the value is true in any of the ways property lists write Booleans.
  package var isTrue: Bool {
    switch self {
    case .boolean(let value): value
    case .number(let value): value != 0
    case .string(let text): ["true", "yes", "1"].contains(text.lowercased())
    default: false
    }
  }

  /// A string, or the elements of an array of nothing but strings; `nil` for everything else.
  package var strings: [String]? {
    switch self {
    case .string(let text): return [text]
    case .array(let values):
      let texts = values.compactMap(\.text)
      return texts.count == values.count ? texts : nil
    default: return nil
    }
  }
}
