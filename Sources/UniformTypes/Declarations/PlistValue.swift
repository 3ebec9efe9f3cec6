#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The tree of a property list or of JSON, as far as declarations use it.
enum PlistValue: Decodable, Sendable {
  case string(String)
  case number(Int)
  case boolean(Bool)
  case array([PlistValue])
  case dictionary([String: PlistValue])
  /// Dates, data, fractions, null: nothing a declaration needs.
  case other

  init(from decoder: any Decoder) throws {
    if let container = try? decoder.container(keyedBy: AnyKey.self) {
      var result: [String: PlistValue] = [:]
      for key in container.allKeys {
        result[key.stringValue] = try container.decode(PlistValue.self, forKey: key)
      }
      self = .dictionary(result)
    } else if var container = try? decoder.unkeyedContainer() {
      var result: [PlistValue] = []
      while !container.isAtEnd { result.append(try container.decode(PlistValue.self)) }
      self = .array(result)
    } else {
      let container = try decoder.singleValueContainer()
      if let value = try? container.decode(String.self) {
        self = .string(value)
      } else if let value = try? container.decode(Bool.self) {
        self = .boolean(value)
      } else if let value = try? container.decode(Int.self) {
        self = .number(value)
      } else {
        self = .other
      }
    }
  }

  private struct AnyKey: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// Reads a property list (XML or binary) or JSON, told apart by their first bytes.
  static func parse(_ data: Data) throws -> PlistValue {
    let first = data.first { $0 > 0x20 }
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
      return try JSONDecoder().decode(PlistValue.self, from: data)
    }
    return try PropertyListDecoder().decode(PlistValue.self, from: data)
  }

  // MARK: - Access

  subscript(key: String) -> PlistValue? {
    guard case .dictionary(let values) = self else { return nil }
    return values[key]
  }

  var text: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  var array: [PlistValue]? {
    guard case .array(let values) = self else { return nil }
    return values
  }

  /// An integer, or one written as text, which is how UTTypeVersion often is.
  var integer: Int? {
    switch self {
    case .number(let value): value
    case .string(let text): Int(text)
    default: nil
    }
  }

  /// A Boolean in any of the ways property lists write them.
  var isTrue: Bool {
    switch self {
    case .boolean(let value): value
    case .number(let value): value != 0
    case .string(let text): ["true", "yes", "1"].contains(text.lowercased())
    default: false
    }
  }

  /// A string, or an array of nothing but strings.
  var strings: [String]? {
    switch self {
    case .string(let text): return [text]
    case .array(let values):
      let texts = values.compactMap(\.text)
      return texts.count == values.count ? texts : nil
    default: return nil
    }
  }
}
