/// A text that is equal only to the same Unicode scalars.
///
/// `String` compares by canonical equivalence, so `é` as one scalar equals `e` followed by a
/// combining accent. On most Linux file systems these are two different names, and two queries
/// that look for them are two different queries.
public struct ExactString: Hashable, Sendable {
  /// The text itself.
  public let text: String

  /// Wraps a text.
  public init(_ text: String) {
    self.text = text
  }

  /// Whether the text has no characters.
  public var isEmpty: Bool { text.isEmpty }

  /// Whether both texts consist of the same scalars.
  public static func == (left: ExactString, right: ExactString) -> Bool {
    left.text.utf8.elementsEqual(right.text.utf8)
  }

  /// Hashes the UTF-8 bytes of the text.
  public func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
    hasher.combine(text.utf8.count)
  }
}

extension ExactString: ExpressibleByStringLiteral {
  /// Wraps a literal.
  public init(stringLiteral text: String) {
    self.init(text)
  }
}

extension ExactString: CustomStringConvertible {
  /// The text itself.
  public var description: String { text }
}
