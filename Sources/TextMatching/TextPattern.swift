/// What a name or a path is compared with.
///
/// ```swift
/// let sources = TextPattern.glob("*.swift")
/// let copies = TextPattern.substring(" copy")
/// ```
///
/// A pattern does not say whether letter case counts: whoever compares does, such as a query.
/// Patterns are equal only if they consist of the same bytes: to `String`, é and e with an accent
/// behind it are the same, and to most file systems of Linux two names.
public struct TextPattern: Hashable, Sendable {
  /// How the text of a pattern is meant.
  package enum Form: Hashable, Sendable {
    case substring, exact, glob, regex
  }

  /// How ``bytes`` are meant.
  package let form: Form
  /// The pattern; not in UTF-8 where it looks for bytes that are not.
  package let bytes: [UInt8]

  package init(_ form: Form, _ bytes: some Sequence<UInt8>) {
    self.form = form
    self.bytes = Array(bytes)
  }

  /// The pattern as text, with U+FFFD for what is not UTF-8.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Returns a pattern for texts in which another one occurs.
  public static func substring(_ text: String) -> TextPattern {
    TextPattern(.substring, text.utf8)
  }

  /// Returns a pattern for one text alone.
  public static func exact(_ text: String) -> TextPattern {
    TextPattern(.exact, text.utf8)
  }

  /// Returns a pattern for one name or path alone, whose bytes need not be UTF-8.
  public static func exact(bytes: some Sequence<UInt8>) -> TextPattern {
    TextPattern(.exact, bytes)
  }

  /// Returns a pattern with wildcards that stands for a whole text.
  ///
  /// | pattern | matches |
  /// | --- | --- |
  /// | `*` | any run of characters; within one component in a path |
  /// | `**` | in a path any run of characters, slashes included; `**/` any number of whole directories, also none |
  /// | `?` | one scalar, or one byte that is not UTF-8; no slash in a path |
  /// | `[a-z]`, `[!a-z]`, `[^a-z]` | one scalar of a set, or not of it; no slash in a path |
  /// | `{jpg,png}` | one of several texts, which may have wildcards |
  /// | `\` | the next character itself; with `n`, `r`, `t` a control character, with `u{1b}` the scalar of this number, with `xff` this byte |
  ///
  /// A leading dot is a character like others. Braces without a comma stand for themselves.
  public static func glob(_ text: String) -> TextPattern {
    TextPattern(.glob, text.utf8)
  }

  /// Returns a pattern for texts in which a regular expression matches somewhere.
  ///
  /// The syntax is the common one: `.`, sets with ranges and `[:alpha:]`, `^`, `$`, `\b`, `\B`,
  /// groups, `|`, `*`, `+`, `?`, `{2,5}`, `\d`, `\w`, `\s` (of ASCII) and their opposites, `\t`,
  /// `\n`, `\r`, `\x41`, `\x{1F600}`, and `\xff` for a byte that is not UTF-8. There are no references
  /// back and no looking around, so that matching takes time linear in the length of a text.
  public static func regex(_ text: String) -> TextPattern {
    TextPattern(.regex, text.utf8)
  }
}

extension TextPattern {
  /// The pattern a user means by a text as typed: a glob if it has an unescaped `*`, `?`, `[` or `{a,b}`,
  /// else a substring, in which escapes stand for what they mean.
  ///
  /// - Throws: ``PatternError`` if the glob is malformed, or a backslash escapes nothing.
  package init(typed text: String, syntax: Glob.Syntax = .name) throws(PatternError) {
    self =
      try Self.literal(of: text, syntax: syntax).map { TextPattern(.substring, $0) } ?? .glob(text)
  }

  /// What a glob matches if it has no wildcard.
  ///
  /// - Throws: ``PatternError`` if it is malformed.
  package static func literal(
    of glob: String, syntax: Glob.Syntax = .name
  ) throws(PatternError) -> [UInt8]? {
    let literal = try Glob(glob, syntax: syntax, caseSensitivity: .sensitive).literal
    return try Glob.alternatives(in: glob).count > 1 ? nil : literal
  }
}

/// Why a glob or a regular expression is malformed, and where.
package struct PatternError: Error, Hashable, Sendable {
  /// What is wrong, without a full stop.
  package let message: String
  /// Where it is wrong, in UTF-8 bytes from the start of the pattern.
  package let range: Range<Int>
  /// What would have been right there.
  package let expected: String

  init(_ message: String, at range: Range<Int>, expected: String) {
    self.message = message
    self.range = range
    self.expected = expected
  }
}

extension PatternError: CustomStringConvertible {
  /// The message, the place and what was expected, on one line.
  package var description: String {
    "\(message) (at byte \(range.lowerBound)); expected \(expected)"
  }
}

/// A text that is equal only to the same Unicode scalars.
///
/// `String` compares by canonical equivalence, so `é` as one scalar equals `e` followed by a
/// combining accent. On most Linux file systems these are two different names, and two queries
/// that look for them are two different queries.
package struct ExactString: Hashable, Sendable {
  /// The text itself.
  package let text: String

  /// Wraps a text.
  package init(_ text: String) {
    self.text = text
  }

  /// Whether the text has no characters.
  package var isEmpty: Bool { text.isEmpty }

  /// Whether both texts consist of the same scalars.
  package static func == (left: ExactString, right: ExactString) -> Bool {
    left.text.utf8.elementsEqual(right.text.utf8)
  }

  /// Hashes the UTF-8 bytes of the text.
  package func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
    hasher.combine(text.utf8.count)
  }
}
