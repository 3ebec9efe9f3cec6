internal import TextMatching

/// A test of a value that is stored with an entry under a key: an extended attribute, or what another
/// resource value provider has said.
struct ValueTest: Hashable, Sendable {
  /// What is asked of the value.
  enum Question: Hashable, Sendable {
    /// Whether there is one.
    case presence
    /// Whether it is a text that matches as a whole, or the number that the text says. The pattern is
    /// an exact one or a glob.
    case text(TextPattern)
    /// Whether it is a number in a range.
    case number(Filter.ValueRange<Filter.Number>)
  }

  let key: ExactString
  let question: Question

  init(_ key: String, _ question: Question) {
    self.key = ExactString(key)
    self.question = question
  }

  /// The number that the value may be instead of the text.
  var number: Filter.Number? {
    guard case .text(let pattern) = question, pattern.form == .exact else { return nil }
    return Filter.Number(typed: pattern.text)
  }

  /// The extended attribute that it is about; `nil` for tests of other values, and of numbers, which no
  /// extended attribute is.
  fileprivate var attribute: String? {
    if case .number = question { return nil }
    return ExtendedAttributeValues.attribute(ofKey: key.text)
  }
}

// MARK: - Filters

extension Filter {
  /// Returns a filter for entries with a value of this key, as in the column `key` of the SQL view
  /// `resource_values`.
  public static func value(_ key: String) -> Filter { Filter(.value(ValueTest(key, .presence))) }

  /// Returns a filter for entries whose value of this key is a text, or the number that the text says.
  public static func value(_ key: String, is text: String) -> Filter {
    Filter(.value(ValueTest(key, .text(.exact(text)))))
  }

  /// Returns a filter for entries whose value of this key is a text that a glob matches as a whole.
  public static func value(_ key: String, matches glob: String) -> Filter {
    Filter(.value(ValueTest(key, .text(.glob(glob)))))
  }

  /// Returns a filter for entries whose value of this key is a number in this range:
  /// `.value("width", >=4000)`.
  public static func value(_ key: String, _ range: ValueRange<Number>) -> Filter {
    Filter(.value(ValueTest(key, .number(range))))
  }

  /// Returns a filter for entries with this extended attribute, such as `user.project`.
  public static func extendedAttribute(_ name: String) -> Filter {
    .value(ExtendedAttributeValues.key(of: name))
  }

  /// Returns a filter for entries with this text as an extended attribute.
  public static func extendedAttribute(_ name: String, is text: String) -> Filter {
    .value(ExtendedAttributeValues.key(of: name), is: text)
  }

  /// Returns a filter for entries with a text as an extended attribute that a glob matches as a whole.
  public static func extendedAttribute(_ name: String, matches glob: String) -> Filter {
    .value(ExtendedAttributeValues.key(of: name), matches: glob)
  }
}

// MARK: - Numbers

extension Filter {
  /// A number that values are compared with, whole or not. It is compared exactly, however large it is.
  public struct Number: Hashable, Sendable {
    /// A number has one of the two forms only: reals are those that are no 64-bit integers.
    enum Form: Hashable, Sendable {
      case integer(Int64)
      case real(Double)
    }

    let form: Form

    /// A whole number.
    public init(_ value: Int64) { form = .integer(value) }

    /// A number, or `nil` for one that is infinite or none.
    public init?(_ value: Double) {
      guard value.isFinite else { return nil }
      form = Int64(exactly: value).map { .integer($0) } ?? .real(value)
    }

    /// Reads `4000`, `-1.5` and `1e6`; `nil` for anything else.
    init?(typed text: String) {
      guard text.utf8.allSatisfy({ Self.characters.contains($0) }) else { return nil }
      if let integer = Int64(text) {
        self.init(integer)
      } else {
        guard let real = Double(text) else { return nil }
        self.init(real)
      }
    }

    private static let characters = Set("0123456789+-.eE".utf8)

    /// The number that is the farthest from 0 below it.
    static let lowest = Number(form: .real(-.greatestFiniteMagnitude))

    private init(form: Form) { self.form = form }
  }
}

extension Filter.Number: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
  /// A whole number.
  public init(integerLiteral value: Int64) { self.init(value) }

  /// A number with a fraction.
  public init(floatLiteral value: Double) {
    form = Int64(exactly: value).map { .integer($0) } ?? .real(value)
  }
}

extension Filter.Number: Comparable {
  /// Whether a number is smaller than another.
  public static func < (left: Self, right: Self) -> Bool {
    switch (left.form, right.form) {
    case (.integer(let a), .integer(let b)): a < b
    case (.real(let a), .real(let b)): a < b
    case (.integer(let a), .real(let b)): isLess(a, than: b)
    case (.real(let a), .integer(let b)): !isLess(b, than: a)
    }
  }

  /// Whether an integer is smaller than a real, which is never equal to it.
  private static func isLess(_ integer: Int64, than real: Double) -> Bool {
    Int64(exactly: real.rounded(.down)).map { integer <= $0 } ?? (real > 0)
  }
}

extension Filter.Number: CustomStringConvertible {
  /// The number as the query language has it.
  public var description: String {
    switch form {
    case .integer(let value): value.description
    case .real(let value): value.description
    }
  }
}

// MARK: - Text

extension WrittenForm where Value == ValueTest {
  /// `KEY`, `KEY=TEXT`, `KEY>=1` and so on, `KEY=1..3`.
  static var value: WrittenForm {
    let expected = "a key such as width, width>=4000, width=1..3 or letter=a*"
    return WrittenForm(expected: expected) { word throws(QueryError) in
      let (key, comparison) = try word.splitAtComparison(expected: expected)
      guard let sign = comparison.characters.first?.scalar else {
        return ValueTest(key.text, .presence)
      }
      let operand = sign == "=" ? comparison.dropping(1) : comparison
      guard sign != "=" || operand.isNumberRange else {
        return ValueTest(key.text, .text(try operand.wholePattern()))
      }
      return ValueTest(key.text, .number(try operand.numbers()))
    } write: { test in
      key(test.key.text) + comparison(test.question)
    }
  }

  /// `NAME` and `NAME=TEXT`.
  static var attribute: WrittenForm {
    let expected = "an extended attribute such as user.project or user.project=alpha"
    return WrittenForm(expected: expected) { word throws(QueryError) in
      let (name, comparison) = try word.splitAtComparison(expected: expected)
      let key = ExtendedAttributeValues.key(of: name.text)
      switch comparison.characters.first?.scalar {
      case nil: return ValueTest(key, .presence)
      case "=": return ValueTest(key, .text(try comparison.dropping(1).wholePattern()))
      default:
        throw comparison.error(
          .malformedValue, "extended attributes are texts, which are not more or less than others",
          expected: expected)
      }
    } write: { test in
      key(test.attribute ?? test.key.text) + comparison(test.question)
    }
  }

  private static func key(_ key: String) -> String {
    quoted(EscapedText.text(of: Array(key.utf8), escaping: ["=", "<", ">"]))
  }

  private static func comparison(_ question: ValueTest.Question) -> String {
    switch question {
    case .presence: return ""
    case .text(let pattern):
      let text =
        pattern.form == .exact
        ? EscapedText.text(of: pattern.bytes, escaping: ["*", "?", "[", "{"]) : pattern.text
      // It might be taken for a range.
      return "=" + (text.contains("..") ? inQuotes(text) : quoted(text))
    case .number(let range):
      let text = range.queryValue(\.description)
      return text.hasPrefix("<") || text.hasPrefix(">") ? text : "=" + text
    }
  }
}

extension QueryWord {
  private static let comparisons: Set<Unicode.Scalar> = ["=", "<", ">"]

  /// The key at the beginning, and what stands from the sign of a comparison on.
  fileprivate func splitAtComparison(
    expected: String
  ) throws(QueryError) -> (key: ExactString, comparison: QueryWord) {
    let isSign = { (character: Character) in
      !character.isQuoted && Self.comparisons.contains(character.scalar)
    }
    let end = characters.firstIndex(where: isSign) ?? characters.count
    let key = part(0..<end)
    guard end > 0 else {
      throw key.error(.missingValue, "a key is missing", expected: expected)
    }
    return (try key.literal(), dropping(end))
  }

  /// Whether it is a range one end of which at least is a number; in quotes it is a text.
  fileprivate var isNumberRange: Bool {
    guard let (low, high) = splitAtDots(), !characters.contains(where: \.isQuoted) else {
      return false
    }
    let ends = [low.droppingMark(">"), high.droppingMark("<")]
    return ends.contains { Filter.Number(typed: $0.text) != nil }
  }

  private func droppingMark(_ mark: Unicode.Scalar) -> QueryWord {
    characters.first?.scalar == mark ? dropping(1) : self
  }

  fileprivate func numbers() throws(QueryError) -> Filter.ValueRange<Filter.Number> {
    let expected = "a number such as 4000 or -1.5"
    return try range(expected) { item throws(QueryError) in
      guard let number = Filter.Number(typed: item.text) else {
        throw item.error(
          .malformedValue, "“\(item.text)” is not a number", expected: expected)
      }
      return number
    }
  }

  /// The pattern of a whole text: a glob if there are wildcards in it.
  fileprivate func wholePattern() throws(QueryError) -> TextPattern {
    let pattern = try pattern(syntax: .name)
    return pattern.form == .substring ? .exact(bytes: pattern.bytes) : pattern
  }
}

// MARK: - Terms

extension QueryTerm {
  /// The terms about values that are stored with entries.
  static let values: [QueryTerm] = [
    QueryTerm(
      "xattr", "An extended attribute: that there is one, or its text.", .attribute,
      examples: ["xattr:user.project", "xattr:user.project=al*"],
      condition: { .value($0) },
      value: { if case .value(let test) = $0, test.attribute != nil { test } else { nil } }),
    QueryTerm(
      "value", "A value that a resource value provider has stored under a key.", .value,
      examples: ["value:width>=4000", "value:letter=a*"],
      condition: { .value($0) },
      value: { if case .value(let test) = $0, test.attribute == nil { test } else { nil } }),
  ]
}
