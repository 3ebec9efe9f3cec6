internal import FileSystem
internal import SQLite
internal import TextMatching

extension Query {
  /// A word of a query that stands for something which a catalog does not know, so that no entry has it.
  public struct UnknownWord: Sendable, Hashable {
    /// The term: `type`, `is`, `owner`, `group`, `container`, `role`, `value` or `xattr`.
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
  /// The words of a query that nothing in the catalog can have: types and roles that are not declared, owners,
  /// groups and containers that were never met, keys under which no entry has a value.
  ///
  /// Such a query is no mistake as such: an owner may come with the next scan.
  ///
  /// - Complexity: linear in the number of known words, and of values where a key is unknown; nothing is read
  ///   for a query without such terms.
  public func unknownWords(in query: Query) async throws -> [Query.UnknownWord] {
    try await unknownWords(in: TableRequest(query))
  }

  /// The words of a request that nothing in the catalog can have: those of its query, and the keys of columns
  /// and of its order under which no entry has a value.
  ///
  /// - Complexity: as for a query.
  public func unknownWords(in request: TableRequest) async throws -> [Query.UnknownWord] {
    let (words, keys) = request.query.filter.namingWords
    let allKeys = keys + request.valueKeys.filter { !keys.contains($0) }
    guard !words.isEmpty || !allKeys.isEmpty else { return [] }
    let caseSensitivity = request.query.caseSensitivity
    return try await read { db in
      let unknown = try words.compactMap { field, word in
        let known = try KnownWords(of: field, in: db)
        return known.contains(word, caseSensitivity)
          ? nil : known.unknownWord(word, of: field.rawValue)
      }
      let unknownKeys = try allKeys.filter {
        try db.integer("SELECT EXISTS (SELECT 1 FROM \($0.values))") == 0
      }
      guard !unknownKeys.isEmpty else { return unknown }
      let known = try KnownKeys(in: db)
      return unknown + unknownKeys.map { known.unknownWord($0) }
    }
  }
}

extension Filter {
  /// The words that stand for something of which a catalog has a list, and the keys of values, each once.
  fileprivate var namingWords: (words: [(WordField, String)], keys: [ValueKey]) {
    var found: [(WordField, String)] = []
    var keys: [ValueKey] = []
    var seen: Set<Condition> = []
    var pending = [self]
    while let filter = pending.popLast() {
      switch filter.condition {
      case .all(let filters), .any(let filters): pending += filters.reversed()
      case .not(let filter): pending.append(filter)
      case .word(let field, let word) where KnownWords.exist(for: field):
        if seen.insert(filter.condition).inserted { found.append((field, word.text)) }
      case .value(let test):
        let key = ValueKey(test.key.text)
        if !keys.contains(key) { keys.append(key) }
      default: break
      }
    }
    return (found, keys)
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

/// The keys under which entries have values, as the terms know them.
private struct KnownKeys {
  private var words: [String: [String]] = [:]

  init(in db: Connection) throws {
    try db.forEach("SELECT DISTINCT key FROM _entry_values ORDER BY key") { row in
      let (term, word) = Self.term(of: ValueKey(row.text(0)))
      words[term, default: []].append(word)
    }
  }

  /// How a query names a key.
  private static func term(of key: ValueKey) -> (term: String, word: String) {
    let name = key.name
    let term = name.prefix { $0 != ":" }
    return (String(term), String(name.dropFirst(term.count + 1)))
  }

  func unknownWord(_ key: ValueKey) -> Query.UnknownWord {
    let (term, word) = Self.term(of: key)
    let known = words[term] ?? []
    // One that the other term knows.
    let other = words.first { $0.key != term && $0.value.contains(word) }
    let nearest = other.map { "\($0.key):\(word)" } ?? Spelling.nearest(to: word, in: known)
    return Query.UnknownWord(
      term: term, word: word, nearest: nearest, known: Array(known.prefix(8)))
  }
}
