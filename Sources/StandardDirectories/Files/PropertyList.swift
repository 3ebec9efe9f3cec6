#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The tree of a property list or of JSON, as far as this package reads them.
///
/// The decoders are the only part of Foundation in use here; no other file imports it.
package enum PropertyList: Sendable {
  case string(String)
  case number(Int)
  case boolean(Bool)
  case array([PropertyList])
  case dictionary([String: PropertyList])
  /// Dates, data, fractions, null.
  case other

  /// Decodes a property list, XML or binary.
  ///
  /// - Throws: `DecodingError` for other bytes.
  package init(decoding bytes: [UInt8]) throws {
    self = try PropertyListDecoder().decode(PropertyList.self, from: Data(bytes))
  }

  /// Decodes a property list or JSON, told apart by the first byte that is no white space.
  ///
  /// - Throws: `DecodingError` for other bytes.
  package init(decodingListOrJSON bytes: [UInt8]) throws {
    let first = bytes.first { $0 > 0x20 }
    guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else {
      self = try PropertyList(decoding: bytes)
      return
    }
    self = try JSONDecoder().decode(PropertyList.self, from: Data(bytes))
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

extension PropertyList: Decodable {
  /// Decodes the tree, whatever its form.
  package init(from decoder: any Decoder) throws {
    if let container = try? decoder.container(keyedBy: AnyKey.self) {
      var result: [String: PropertyList] = [:]
      for key in container.allKeys {
        result[key.stringValue] = try container.decode(PropertyList.self, forKey: key)
      }
      self = .dictionary(result)
    } else if var container = try? decoder.unkeyedContainer() {
      var result: [PropertyList] = []
      while !container.isAtEnd { result.append(try container.decode(PropertyList.self)) }
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
}
