internal import SQLite
internal import StandardDirectories

/// What the word at a place of a query may be completed to.
package struct QueryCompletion: Sendable, Hashable {
  /// A word that may stand there.
  package struct Word: Sendable, Hashable {
    package var text: String
    /// What it stands for.
    package var note: String
  }

  /// The part of the text that a word replaces, in Unicode scalars.
  package let range: Range<Int>
  /// The words, the likeliest first.
  package let words: [Word]
}

extension Catalog {
  /// What the word at a place of a query may be completed to: terms, and their values as far as they are
  /// fixed ones or the catalog knows them.
  ///
  /// - Parameters:
  ///   - position: the place, in Unicode scalars.
  ///   - limit: at most so many words.
  package func completion(
    of text: String, at position: Int, limit: Int
  ) async throws -> QueryCompletion {
    let typed = TypedTerm(Array(text.unicodeScalars.prefix(position)))
    guard let key = typed.key else {
      let keys =
        QueryTerm.all.map { QueryCompletion.Word(text: $0.key + ":", note: $0.meaning) }
        + [QueryCompletion.Word(text: QueryTerm.caseKey + ":", note: "Whether case counts.")]
      return typed.completion(of: keys, limit)
    }
    let known = try await read { try KnownValues($0).words(of: key, beginning: typed.word, limit) }
    return typed.completion(of: known, limit)
  }
}

/// The term that somebody is typing.
private struct TypedTerm {
  /// What stands before the colon; `nil` without one.
  let key: String?
  /// What is to be completed.
  let word: String
  private let range: Range<Int>

  init(_ scalars: [Unicode.Scalar]) {
    var start = 0
    var isQuoted = false
    for (index, scalar) in scalars.enumerated() {
      if scalar == "\"" { isQuoted.toggle() }
      if !isQuoted, scalar.isQuerySpace || ["(", ")", "|", "!"].contains(scalar) {
        start = index + 1
      }
    }
    if start < scalars.count, scalars[start] == "-" { start += 1 }
    let term = scalars[start...]
    guard let colon = term.firstIndex(of: ":") else {
      key = nil
      word = Self.text(term)
      range = start..<scalars.count
      return
    }
    key = Self.text(term[..<colon]).lowercased()
    let values = term[(colon + 1)...]
    let last = values.lastIndex(of: ",").map { $0 + 1 } ?? values.startIndex
    word = Self.text(values[last...].drop { $0 == "\"" })
    range = last..<scalars.count
  }

  private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars)
    return String(text)
  }

  func completion(of words: [QueryCompletion.Word], _ limit: Int) -> QueryCompletion {
    let beginning = word.lowercased()
    let fitting = words.filter { $0.text.lowercased().hasPrefix(beginning) }
    return QueryCompletion(
      range: range,
      words: fitting.prefix(limit).map {
        QueryCompletion.Word(text: Self.quoted($0.text), note: $0.note)
      })
  }

  /// A word as the language takes it for one.
  private static func quoted(_ word: String) -> String {
    let isPlain = !word.unicodeScalars.contains {
      $0.isQuerySpace || ["(", ")", "|", "\"", "\\", ","].contains($0)
    }
    if isPlain { return word }
    return "\"" + word.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}

/// The values of terms.
private struct KnownValues {
  private let db: Connection

  init(_ db: Connection) throws { self.db = db }

  func words(
    of key: String, beginning: String, _ limit: Int
  ) throws -> [QueryCompletion.Word] {
    if key == QueryTerm.caseKey || Filter.Flag(rawValue: key) != nil {
      return fixed(["yes", "no"])
    }
    if Filter.DateField(rawValue: key) != nil {
      return [
        ("today", "since midnight"), ("yesterday", "the day before"), ("<7d", "within 7 days"),
        (">1y", "more than a year ago"),
      ].map { QueryCompletion.Word(text: $0.0, note: $0.1) }
    }
    switch key {
    case "kind": return fixed(Filter.Kind.allCases.map(\.rawValue))
    case "role":
      let known = Role.standard + (try RoleTable(db).stored()).roles.map(Role.custom)
      return fixed(known.map(\.name))
    case "idiom": return fixed(Idiom.allCases.map(\.rawValue))
    case "backup": return fixed(Role.Policy.Backup.allCases.map(\.rawValue))
    case "type", "is":
      return try found(
        "SELECT identifier, ifnull(description, '') FROM _uniform_types WHERE identifier LIKE ?1 ESCAPE '\\' ORDER BY id LIMIT ?2",
        beginning, limit)
    case "owner":
      return try found(
        "SELECT name, 'uid ' || uid FROM _users WHERE name LIKE ?1 ESCAPE '\\' ORDER BY name LIMIT ?2",
        beginning, limit)
    case "group":
      return try found(
        "SELECT name, 'gid ' || gid FROM _groups WHERE name LIKE ?1 ESCAPE '\\' ORDER BY name LIMIT ?2",
        beginning, limit)
    case "container":
      return try found(
        "SELECT DISTINCT name, path FROM _known_containers WHERE name LIKE ?1 ESCAPE '\\' ORDER BY name LIMIT ?2",
        beginning, limit)
    case "ext", "extension":
      return try found(
        """
        SELECT x.exact_name, sum(u.entries) || ' entries' FROM _usage_sums u
          JOIN _extensions x ON x.id = u.extension_id
        WHERE x.exact_name LIKE ?1 ESCAPE '\\' GROUP BY x.id ORDER BY sum(u.entries) DESC LIMIT ?2
        """, beginning, limit)
    default: return []
    }
  }

  private func fixed(_ words: [String]) -> [QueryCompletion.Word] {
    words.map { QueryCompletion.Word(text: $0, note: "") }
  }

  private func found(
    _ statement: String, _ beginning: String, _ limit: Int
  ) throws -> [QueryCompletion.Word] {
    var pattern = ""
    for character in beginning {
      if ["%", "_", "\\"].contains(character) { pattern += "\\" }
      pattern.append(character)
    }
    var words: [QueryCompletion.Word] = []
    try db.forEach(SQL(statement, [.text(pattern + "%"), .integer(Int64(limit))])) { row in
      guard let text = row.optionalText(0), !text.unicodeScalars.contains(where: { $0 < " " })
      else {
        return
      }
      words.append(QueryCompletion.Word(text: text, note: row.text(1)))
    }
    return words
  }
}
