/// What a name or a path is compared with.
///
/// ```swift
/// let sources = TextPattern.glob("*.swift")
/// let copies = TextPattern.substring(" copy")
/// ```
///
/// A pattern does not say whether letter case counts: whoever compares does, such as a query.
/// Patterns are equal only if their texts have the same Unicode scalars.
public struct TextPattern: Hashable, Sendable {
  /// How the text of a pattern is meant.
  package enum Form: Hashable, Sendable {
    case substring, exact, glob, regex
  }

  /// How ``text`` is meant.
  package let form: Form
  /// The text of the pattern.
  package let text: ExactString

  package init(_ form: Form, _ text: ExactString) {
    self.form = form
    self.text = text
  }

  /// Returns a pattern for texts in which another one occurs.
  public static func substring(_ text: String) -> TextPattern {
    TextPattern(.substring, ExactString(text))
  }

  /// Returns a pattern for one text alone.
  public static func exact(_ text: String) -> TextPattern {
    TextPattern(.exact, ExactString(text))
  }

  /// Returns a pattern with wildcards that stands for a whole text.
  ///
  /// | pattern | matches |
  /// | --- | --- |
  /// | `*` | any run of characters; within one component in a path |
  /// | `**` | in a path any run of characters, slashes included; `**/` any number of whole directories, also none |
  /// | `?` | one scalar, or one byte that is not UTF-8; no slash in a path |
  /// | `[a-z]`, `[!a-z]`, `[^a-z]` | one scalar of a set, or not of it; no slash in a path |
  /// | `\` | the next character itself |
  ///
  /// A leading dot is a character like others. Composed and decomposed forms of a letter differ.
  public static func glob(_ text: String) -> TextPattern {
    TextPattern(.glob, ExactString(text))
  }

  /// Returns a pattern for texts in which a regular expression matches somewhere.
  ///
  /// The syntax is the common one: `.`, sets with ranges and `[:alpha:]`, `^`, `$`, `\b`, `\B`,
  /// groups, `|`, `*`, `+`, `?`, `{2,5}`, `\d`, `\w`, `\s` (of ASCII) and their opposites, `\t`,
  /// `\n`, `\r`, `\x41`, `\x{1F600}`. There are no references back and no looking around, so that
  /// matching takes time linear in the length of a text.
  public static func regex(_ text: String) -> TextPattern {
    TextPattern(.regex, ExactString(text))
  }
}

extension TextPattern {
  /// The pattern a user means by a text as typed: a glob if it has an unescaped `*`, `?` or `[`,
  /// else a substring, from which the backslashes that escape are removed.
  ///
  /// - Throws: ``PatternError`` if the glob is malformed or the text ends in a lone backslash.
  package init(typed text: String, syntax: Glob.Syntax = .name) throws(PatternError) {
    let glob = try Glob(text, syntax: syntax, caseSensitivity: .sensitive)
    self = glob.literalText.map { .substring($0) } ?? .glob(text)
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
