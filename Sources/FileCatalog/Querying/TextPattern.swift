/// What a name or a path is compared with.
///
/// ```swift
/// let sources = TextPattern.glob("*.swift")
/// let copies = TextPattern.substring(" copy")
/// ```
///
/// Whether letter case counts is not part of the pattern but of the query: see
/// ``Query/caseSensitivity``. ``TextMatcher`` does the comparing.
public enum TextPattern: Hashable, Sendable {
  /// The text occurs anywhere.
  case substring(ExactString)
  /// The text is the whole name or path. In a query: `name:=README`.
  case exact(ExactString)
  /// A ``Glob`` that must match the whole name or path.
  case glob(ExactString)
  /// A ``RegularExpression`` that matches anywhere unless it is anchored.
  case regex(ExactString)
}

extension TextPattern {
  /// The pattern a user means by a text as typed: a glob if it has an unescaped `*`, `?` or `[`,
  /// else a substring, from which the backslashes that escape are removed.
  ///
  /// - Throws: ``PatternError`` if the glob is malformed or the text ends in a lone backslash.
  public init(typed text: String, syntax: Glob.Syntax = .name) throws(PatternError) {
    let glob = try Glob(text, syntax: syntax, caseSensitivity: .sensitive)
    self = glob.literalText.map { .substring(ExactString($0)) } ?? .glob(ExactString(text))
  }
}
