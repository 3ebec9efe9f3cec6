/// Which entries of a catalog are wanted.
///
/// A query is a plain value. The text language, the builder and saved searches all make the same
/// one, and it prints itself in canonical text:
///
/// ```swift
/// let typed = try Query(parsing: "*.swift size:>10k -hidden:yes")
/// let built = Query(
///   .name(.glob("*.swift")) && .size(.moreThan(.kibibytes(10))) && !.flag(.hidden))
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

/// Whether upper and lower case letters are told apart.
public enum CaseSensitivity: Hashable, Sendable {
  /// Letters that differ only in case are equal, by Unicode simple case folding.
  case insensitive
  /// Every byte must be equal.
  case sensitive
}
