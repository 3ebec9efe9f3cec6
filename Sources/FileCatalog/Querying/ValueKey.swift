/// A key under which values are stored with entries: extended attributes, and what other resource value
/// providers have said.
///
/// ```swift
/// let request = TableRequest(
///   Query(.kind(.image)), order: SortOrder([SortOrder.Term(.value("pixel_width"), .descending)]),
///   values: ["pixel_width", .extendedAttribute("user.project")])
/// ```
///
/// Two keys are the same only if their bytes are.
public struct ValueKey: Sendable, Hashable {
  private let key: ExactString

  /// The key as it stands in the SQL view `resource_values`.
  public var text: String { key.text }

  /// A key as it stands in the SQL view `resource_values`.
  public init(_ text: String) {
    key = ExactString(text)
  }

  /// The key of an extended attribute, such as `user.project`.
  public static func extendedAttribute(_ name: String) -> ValueKey {
    ValueKey(ExtendedAttributeValues.key(of: name))
  }
}

extension ValueKey: ExpressibleByStringLiteral {
  /// A key as it stands in the SQL view `resource_values`.
  public init(stringLiteral text: String) {
    self.init(text)
  }
}

// MARK: - Names

extension ValueKey {
  private static let prefix = "value:"

  /// What columns and sort keys are called that show its values: `value:pixel_width`,
  /// `xattr:user.project`.
  public var name: String {
    ExtendedAttributeValues.attribute(ofKey: text) == nil ? Self.prefix + text : text
  }

  /// Reads the name of a column or a sort key; `nil` for one that is about no values.
  ///
  /// An extended attribute may be called `value:xattr:user.project`, too.
  public init?(named name: String) {
    guard let colon = name.firstIndex(of: ":") else { return nil }
    let key = String(name[name.index(after: colon)...])
    guard !key.isEmpty else { return nil }
    switch name[...colon].lowercased() {
    case Self.prefix: self.init(key)
    case ExtendedAttributeValues.key(of: ""): self = .extendedAttribute(key)
    default: return nil
    }
  }
}

// MARK: - SQL

extension ValueKey {
  /// The key as SQL writes a text, by which an index of its values is found.
  var literal: String { ValueIndex(of: text).literal }

  /// Its value of an entry, over the view `_entry_rows`; NULL where the entry has none.
  var viewColumn: String {
    "(SELECT v.value FROM _entry_values v WHERE v.entry_id = _entry_rows.id AND v.key = \(literal))"
  }

  /// The values that there are, as `v`, behind `FROM`.
  var values: String { "_entry_values v WHERE v.key = \(literal) AND v.value IS NOT NULL" }
}

// MARK: - Lists of names

/// Names with commas between them. In a name, a backslash stands before each comma and each backslash.
enum NameList {
  static func names(in text: String) -> [String] {
    var names = [""]
    var isEscaped = false
    for scalar in text.unicodeScalars {
      let isSpecial = scalar == "," || scalar == "\\"
      // Before anything else a backslash stands for itself.
      if isEscaped, !isSpecial { names[names.count - 1] += "\\" }
      if isSpecial, !isEscaped {
        if scalar == "," { names.append("") } else { isEscaped = true }
        continue
      }
      names[names.count - 1].unicodeScalars.append(scalar)
      isEscaped = false
    }
    if isEscaped { names[names.count - 1] += "\\" }
    return names
  }

  static func text(of names: some Sequence<String>) -> String {
    names.map { EscapedText.text(of: Array($0.utf8), escaping: [","]) }.joined(separator: ",")
  }
}
