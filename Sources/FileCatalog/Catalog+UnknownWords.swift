internal import FileSystem
internal import SQLite
internal import TextMatching

extension Query {
  /// A word of a query that stands for something which a catalog does not know, so that no entry has it.
  public struct UnknownWord: Sendable, Hashable {
    /// The term: `type`, `is`, `owner`, `group`, `container` or `role`.
    public let term: String
    /// The word after its colon.
    public let word: String
    /// The known word that was probably meant.
    public let nearest: String?
    /// Words that the catalog knows; a few of them where there are many.
    public let known: [String]
  }
}

extension Catalog {
  /// The words of a query that nothing in the catalog can have: types and roles that are not declared, owners, groups
  /// and containers that were never met.
  ///
  /// Such a query is no mistake as such: an owner may come with the next scan.
  ///
  /// - Complexity: linear in the number of known words; nothing is read for a query without such terms.
  public func unknownWords(in query: Query) async throws -> [Query.UnknownWord] {
    let words = query.filter.namingWords
    guard !words.isEmpty else { return [] }
    return try await read { db in
      try words.compactMap { field, word in
        let known = try KnownWords(of: field, in: db)
        return known.contains(word, query.caseSensitivity)
          ? nil : known.unknownWord(word, of: field.rawValue)
      }
    }
  }
}

extension Filter {
  /// The words that stand for something of which a catalog has a list, each once.
  fileprivate var namingWords: [(WordField, String)] {
    var found: [(WordField, String)] = []
    var seen: Set<Condition> = []
    var pending = [self]
    while let filter = pending.popLast() {
      switch filter.condition {
      case .all(let filters), .any(let filters): pending += filters.reversed()
      case .not(let filter): pending.append(filter)
      case .word(let field, let word) where KnownWords.exist(for: field):
        if seen.insert(filter.condition).inserted { found.append((field, word.text)) }
      default: break
      }
    }
    return found
  }
}

/// The words that a catalog knows for a term.
private struct KnownWords {
  private let words: [String]
  private let ignoresCase: Bool

  static func exist(for field: Filter.WordField) -> Bool { statement(for: field) != nil }

  init(of field: Filter.WordField, in db: Connection) throws {
    ignoresCase = [.type, .conformsTo, .role].contains(field)
    var words: [String] = []
    if let statement = Self.statement(for: field) {
      try db.forEach(SQL(statement)) { words.append($0.text(0)) }
    }
    self.words = words
  }

  private static func statement(for field: Filter.WordField) -> String? {
    switch field {
    case .type, .conformsTo: "SELECT identifier FROM _uniform_types ORDER BY id"
    case .owner: "SELECT DISTINCT name FROM _users ORDER BY name"
    case .group: "SELECT DISTINCT name FROM _groups ORDER BY name"
    case .container:
      """
      SELECT name FROM _known_containers UNION SELECT path FROM _known_containers
      UNION SELECT identifier FROM _known_containers WHERE identifier IS NOT NULL ORDER BY 1
      """
    case .role: "SELECT name FROM _role_policies ORDER BY id"
    case .tag, .backup, .idiom: nil
    }
  }

  func contains(_ word: String, _ caseSensitivity: CaseSensitivity) -> Bool {
    let caseSensitivity = ignoresCase ? CaseSensitivity.insensitive : caseSensitivity
    let wanted = caseSensitivity.comparable(Array(word.utf8))
    return words.contains { caseSensitivity.comparable(Array($0.utf8)) == wanted }
  }

  func unknownWord(_ word: String, of term: String) -> Query.UnknownWord {
    // People leave out the beginning of an identifier.
    let ending = "." + word.lowercased()
    let nearest =
      Spelling.nearest(to: word, in: words) ?? words.first { $0.lowercased().hasSuffix(ending) }
    return Query.UnknownWord(
      term: term, word: word, nearest: nearest, known: Array(words.prefix(8)))
  }
}
