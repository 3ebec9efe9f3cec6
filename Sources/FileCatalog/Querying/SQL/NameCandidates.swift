internal import SQLite
internal import TextMatching

/// The entries that a query can be about at all, found by what it says of names.
///
/// Whoever reads rows compares the whole query with each of them: this only spares those that cannot
/// match.
struct NameCandidates {
  /// Of each so many entries one at most: to read more of them one by one is no gain.
  private static let share: Int64 = 8
  /// So many in any case.
  private static let fewest = 1000
  /// And no more than these, which is what one value of a statement may hold.
  private static let most = 1_000_000
  /// So many patterns of a query at most.
  private static let mostPatterns = 16

  private let index: NameIndex
  private let caseSensitivity: CaseSensitivity
  private let most: Int
  private var patternsLeft = mostPatterns

  /// - Parameter entries: among how many entries is to be looked otherwise.
  /// - Returns: `nil` where looking at names of all entries is no gain over these.
  private init?(_ query: Query, insteadOf entries: Int64?, in index: NameIndex) throws {
    let all = try index.lastID()
    if let entries, entries < all / Self.share { return nil }
    self.index = index
    caseSensitivity = query.caseSensitivity
    most = max(Self.fewest, min(Self.most, Int(clamping: all / Self.share)))
  }

  /// The condition that an entry is one of those that can match; `nil` where names say too little.
  ///
  /// - Parameter entries: among how many entries is to be looked otherwise; `nil` for all.
  static func condition(
    for query: Query, insteadOf entries: Int64?, in db: Connection
  ) throws -> SQL? {
    guard query.filter.isAboutNames,
      var candidates = try NameCandidates(query, insteadOf: entries, in: NameIndex(db)),
      let ids = try candidates.ids(query.filter)
    else { return nil }
    return .isID(in: ids)
  }

  /// How many entries match; `nil` for a query that is about more than one name.
  static func count(_ query: Query, in db: Connection) throws -> Int? {
    try search(query).map { try NameIndex(db).count($0) }
  }

  /// The first entries that match, at most so many; `nil` for a query that is about more than one name.
  static func first(_ limit: Int, of query: Query, in db: Connection) throws -> [Int64]? {
    try search(query).map { try NameIndex(db).firstIDs($0, limit: limit) }
  }

  private mutating func ids(_ filter: Filter) throws -> [Int64]? {
    switch filter.condition {
    case .text(let field, let pattern):
      guard patternsLeft > 0,
        let search = try Self.search(TextComparison(field, pattern), caseSensitivity)
      else { return nil }
      patternsLeft -= 1
      return try index.ids(search, most: most)
    case .all(let filters):
      var common: [Int64]?
      for filter in filters {
        guard let ids = try ids(filter) else { continue }
        common = common.map { Set(ids).intersection($0).sorted() } ?? ids
      }
      return common
    case .any(let filters):
      var together: Set<Int64> = []
      for filter in filters {
        guard let ids = try ids(filter) else { return nil }
        together.formUnion(ids)
      }
      return together.sorted()
    default: return nil
    }
  }

  /// - Returns: `nil` for a query that is about more than one name.
  private static func search(_ query: Query) throws(CatalogError) -> TextListSearch? {
    guard case .text(let field, let pattern) = query.filter.condition else { return nil }
    return try search(TextComparison(field, pattern), query.caseSensitivity)
  }

  /// - Returns: `nil` for what is not about names, or about those that no entry has.
  private static func search(
    _ comparison: TextComparison, _ caseSensitivity: CaseSensitivity
  ) throws(CatalogError) -> TextListSearch? {
    guard comparison.subject == .name else { return nil }
    let matcher = try comparison.matcher(caseSensitivity)
    return matcher.matches("") ? nil : TextListSearch(matcher)
  }
}

extension Filter {
  /// Whether it may say something of names that all entries satisfy.
  var isAboutNames: Bool {
    switch condition {
    case .text: true
    case .all(let filters): filters.contains(where: \.isAboutNames)
    case .any(let filters): filters.allSatisfy(\.isAboutNames)
    default: false
    }
  }
}
