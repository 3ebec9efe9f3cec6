/// Why the text of a query makes no sense, and where.
///
/// ```swift
/// do {
///   _ = try Query(parsing: "sise:>10M")
/// } catch {
///   error.code        // .unknownTerm
///   error.found       // "sise:"
///   error.suggestion  // "size:"
/// }
/// ```
public struct QueryError: Error, Hashable, Sendable {
  /// The reason, for programs. More may come; handle unknown ones by ``message``.
  public struct Code: Hashable, Sendable {
    private enum Value: Hashable, Sendable {
      case unknownTerm, missingTerm, missingValue, malformedValue, malformedPattern, unknownWord
      case emptyRange, unbalanced, misplacedOption, tooLarge, leadingDash, missingColon
    }

    private let value: Value

    private init(_ value: Value) { self.value = value }

    /// There is no term of this name.
    public static let unknownTerm = Code(.unknownTerm)
    /// An operator or a parenthesis has nothing to stand for.
    public static let missingTerm = Code(.missingTerm)
    /// A term has no value, a list an empty element, or a range no ends.
    public static let missingValue = Code(.missingValue)
    /// The value is not what the term takes.
    public static let malformedValue = Code(.malformedValue)
    /// The glob or the regular expression is malformed.
    public static let malformedPattern = Code(.malformedPattern)
    /// The word is none of those that the term knows.
    public static let unknownWord = Code(.unknownWord)
    /// Nothing can be in the range.
    public static let emptyRange = Code(.emptyRange)
    /// A quote or a parenthesis has no counterpart.
    public static let unbalanced = Code(.unbalanced)
    /// What is about the whole query stands within a part of it, or contradicts itself.
    public static let misplacedOption = Code(.misplacedOption)
    /// A word begins with a dash, and neither a term nor a parenthesis follows.
    public static let leadingDash = Code(.leadingDash)
    /// A comparison stands right behind the name of a term, as in `size>10`.
    public static let missingColon = Code(.missingColon)
    /// The query is beyond ``Query/Limits``.
    public static let tooLarge = Code(.tooLarge)
  }

  /// The reason, for programs.
  public let code: Code
  /// The text that was parsed.
  public let query: String
  /// Where it is wrong, in UTF-8 bytes from the start of ``query``. Empty where something is
  /// missing.
  public let range: Range<Int>
  /// What is wrong, without a full stop.
  public let message: String
  /// What would have been right there.
  public let expected: String
  /// The known word nearest to the one at fault, if one is near.
  public let suggestion: String?

  /// The part of ``query`` that is at fault.
  public var found: String {
    String(decoding: query.utf8.dropFirst(range.lowerBound).prefix(range.count), as: UTF8.self)
  }
}

extension QueryError: CustomStringConvertible {
  /// The message and what was expected, on one line.
  public var description: String { "\(message); expected \(expected)" }
}

/// The text of a query on its way to being one.
struct QuerySource: Sendable {
  let text: String
  /// The zone of dates that name none.
  let timeZone: Query.TimeZone

  func error(
    _ code: QueryError.Code, _ message: String, at range: Range<Int>, expected: String,
    suggestion: String? = nil
  ) -> QueryError {
    QueryError(
      code: code, query: text, range: range, message: message, expected: expected,
      suggestion: suggestion)
  }
}
