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

  /// How many entries match; `nil` for a query that is about more than names.
  static func count(_ query: Query, in db: Connection) throws -> Int? {
    guard let names = try Names(query.filter, query.caseSensitivity), names.isAll else {
      return nil
    }
    return try NameIndex(db).count(names.search)
  }

  /// So many entries with the right names are looked at for what else is asked of them.
  private static let mostTried = 50_000

  /// The first entries that match, at most so many; `nil` where names do not lead to them.
  ///
  /// - Parameter matching: leaves those of some entries that match all of the query.
  static func first(
    _ limit: Int, of query: Query, in db: Connection, matching: ([Int64]) throws -> [Int64]
  ) throws -> [Int64]? {
    guard let names = try Names(query.filter, query.caseSensitivity) else { return nil }
    if names.isAll { return try NameIndex(db).firstIDs(names.search, limit: limit) }
    return try NameIndex(db).firstIDs(
      names.search, limit: limit, most: mostTried, leftBy: matching)
  }

  private mutating func ids(_ filter: Filter) throws -> [Int64]? {
    switch filter.condition {
    case .text:
      guard let names = try Names(filter, caseSensitivity) else { return nil }
      return try ids(names)
    case .all(let filters):
      // One look is enough for all that is said of the name itself.
      var common = try Names(filter, caseSensitivity).flatMap { try ids($0) }
      for filter in filters where !filter.isText {
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

  private mutating func ids(_ names: Names) throws -> [Int64]? {
    guard patternsLeft >= names.count else { return nil }
    patternsLeft -= names.count
    return try index.ids(names.search, most: most)
  }
}

/// What a filter says of the name of an entry itself.
private struct Names {
  let search: TextListSearch
  /// Of how many patterns it is.
  let count: Int
  /// Whether the filter says nothing else.
  let isAll: Bool

  /// - Returns: `nil` where it says nothing of names.
  init?(_ filter: Filter, _ caseSensitivity: CaseSensitivity) throws(CatalogError) {
    let filters = if case .all(let filters) = filter.condition { filters } else { [filter] }
    var matchers: [TextMatcher] = []
    for filter in filters {
      guard case .text(let field, let pattern) = filter.condition else { continue }
      let comparison = TextComparison(field, pattern)
      guard comparison.subject == .name else { continue }
      let matcher = try comparison.matcher(caseSensitivity)
      // What every name has, also the empty one, tells nothing.
      if !matcher.matches("") { matchers.append(matcher) }
    }
    guard !matchers.isEmpty else { return nil }
    search = TextListSearch(all: matchers)
    count = matchers.count
    isAll = count == filters.count
  }
}

extension Filter {
  fileprivate var isText: Bool { if case .text = condition { true } else { false } }

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
