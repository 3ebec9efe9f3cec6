// Whoever imports `FileCatalog` needs nothing else.

/// Which entries of a catalog are wanted.
///
/// A query is a plain value. The text language, the builder and saved searches all make the same
/// one, and it prints itself in canonical text:
///
/// ```swift
/// let typed = try Query(parsing: "*.swift size:>10k !hidden:yes")
/// let built = Query(
///   .name("*.swift") && .size(>10.kibibytes) && !.flag(.hidden))
/// typed == built                    // true
/// typed.description                 // "name:*.swift size:>10K hidden:no"
/// ```
///
/// ``filter`` is always kept in the form of ``Filter/simplified``. Parsing ``description`` gives
/// the query back, provided that its patterns are well formed and that it stays within
/// ``Limits``.
public struct Query: Hashable, Sendable {
  /// What an entry must satisfy.
  public var filter: Filter {
    didSet { filter = filter.simplified }
  }

  /// Whether letter case counts in names, paths and other texts.
  public var caseSensitivity: CaseSensitivity

  /// Makes a query from a filter.
  public init(_ filter: Filter = .all, caseSensitivity: CaseSensitivity = .insensitive) {
    self.filter = filter.simplified
    self.caseSensitivity = caseSensitivity
  }

  /// How large the text of a query may get.
  public enum Limits {
    /// The number of terms, counting each element of a list such as `ext:png,jpg`.
    public static let terms = 2000
    /// How deep parentheses and negations may be nested.
    public static let nesting = 200
  }
}

extension Query: CustomStringConvertible {
  /// The query in canonical text, which parses to the same query.
  ///
  /// Ages and days are written as they were; dates are written in UTC, so the text means the
  /// same in every time zone. A query for everything is `*`.
  public var description: String {
    var writer = QueryWriter()
    if caseSensitivity == .sensitive { writer.text += "case:yes " }
    writer.write(filter, within: .query)
    return writer.text
  }
}

/// Writes a simplified filter.
private struct QueryWriter {
  /// What surrounds a filter, which decides whether it needs parentheses.
  enum Context {
    case query, disjunction, conjunction, negation
  }

  var text = ""

  mutating func write(_ filter: Filter, within context: Context) {
    switch filter.condition {
    case .everything: text += "*"
    case .all(let filters):
      let isEnclosed = context == .conjunction || context == .negation
      write(filters, separatedBy: " ", isEnclosed: isEnclosed, within: .conjunction)
    case .any(let filters):
      write(filters, separatedBy: " OR ", isEnclosed: context != .query, within: .disjunction)
    case let condition:
      for term in QueryTerm.all {
        guard let value = term.write(condition) else { continue }
        text += "\(term.key):\(value)"
        return
      }
      guard case .not(let negated) = condition else { return }
      text += "!"
      write(negated, within: .negation)
    }
  }

  private mutating func write(
    _ filters: [Filter], separatedBy separator: String, isEnclosed: Bool, within context: Context
  ) {
    if isEnclosed { text += "(" }
    for (index, filter) in filters.enumerated() {
      if index > 0 { text += separator }
      write(filter, within: context)
    }
    if isEnclosed { text += ")" }
  }
}
