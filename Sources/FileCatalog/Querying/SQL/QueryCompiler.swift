internal import FileSystem
internal import SQLite
internal import StandardDirectories
internal import TextMatching

/// Turns a ``Query`` into a condition on the view `_entry_rows`.
///
/// The text language, the builder and saved searches all make the same value, so this is the only
/// place where conditions become SQL. Every text goes in as a parameter.
struct QueryCompiler {
  private let caseSensitivity: CaseSensitivity
  /// From when ages count, in nanoseconds since 1970.
  private let now: Int64
  private let deep = DeepConditions()

  init(caseSensitivity: CaseSensitivity, now: Int64 = Clock.now) {
    self.caseSensitivity = caseSensitivity
    self.now = now
  }

  /// - Throws: ``/CatalogStore/CatalogError/Code/invalidArgument`` for a query beyond ``Query/Limits``, and for a
  ///   pattern that is malformed.
  static func compile(_ query: Query, now: Int64 = Clock.now) throws -> SQL {
    try query.filter.checkSize()
    let compiler = QueryCompiler(caseSensitivity: query.caseSensitivity, now: now)
    return compiler.deep.completing(try compiler.compile(query.filter))
  }

  // A straight list of what each condition means; longer than a screen, but of one thing.
  func compile(_ filter: Filter) throws -> SQL {
    switch filter.condition {
    case .everything: SQL("1")
    case .all(let filters): try joined(filters, by: "AND")
    case .any(let filters): try joined(filters, by: "OR")
    // What is unknown of an entry does not meet a condition, but meets its opposite.
    case .not(let filter):
      SQL("((") + deep.shallow(try compile(filter)) + SQL(") IS NOT TRUE)")
    case .text(let field, let pattern): try compile(TextComparison(field, pattern))
    case .extensions(let extensions): compile(extensions)
    case .kinds(let kinds): SQL.joined(kinds.map(compile)[...], by: "OR")
    // Roots are found by the index of what is in a directory.
    case .number(.depth, .exactly(0)): SQL("parent_id IS NULL")
    case .number(let field, let range): compare(field.rawValue, range)
    case .date(let field, let range): compare("\(field.rawValue)_ns", range.resolved(now: now))
    case .word(let field, let word): try compile(field, word)
    case .mode(let test): compile(test)
    case .scale(let scale): compile(asset: "a.scale = ?", .real(scale))
    case .flag(let flag): compile(flag)
    case .value(let test): try compile(test)
    }
  }

  /// There are few extensions: whether one is wanted is asked once for each, and not for each entry.
  private func compile(_ extensions: [ExactString]) -> SQL {
    let wanted = Binding.object(ExtensionSet(extensions, caseSensitivity: caseSensitivity))
    if extensions.contains(where: \.isEndingOfSeveralParts) {
      return SQL("filecat_has_extension(name, ?)", [wanted])
    }
    let known = SQL(
      """
      extension_id IN (SELECT x.id FROM _extensions x
        WHERE filecat_has_extension('x.' || x.exact_name, ?))
      """, [wanted])
    guard extensions.contains(where: \.text.isEmpty) else { return known }
    return SQL("(extension_id IS NULL OR ") + known + SQL(")")
  }

  private func compile(_ field: Filter.WordField, _ word: ExactString) throws -> SQL {
    switch field {
    case .type:
      SQL(
        "type_id IN (SELECT id FROM _uniform_types WHERE identifier = ?)", [.text(word.text)])
    case .conformsTo: conforms(to: word.text)
    // Names are compared once, and not for each entry.
    case .owner:
      SQL("uid IN (SELECT u.uid FROM _users u WHERE ") + equal("u.name", word) + SQL(")")
    case .group:
      SQL("gid IN (SELECT g.gid FROM _groups g WHERE ") + equal("g.name", word) + SQL(")")
    case .tag: compile(tag: word)
    case .container: compile(container: word)
    case .role:
      compile(
        place: "r.name = ?",
        try known(word, field, ContainerWord.roles, ContainerWord.role))
    case .backup:
      compile(
        place: "r.backup = ?",
        try known(word, field, ContainerWord.policies, ContainerWord.backup).rawValue)
    case .idiom:
      compile(
        asset: "a.idiom = ?",
        .text(try known(word, field, ContainerWord.idioms, ContainerWord.idiom).rawValue))
    }
  }

  private func known<Value>(
    _ word: ExactString, _ field: Filter.WordField, _ words: [String], _ find: (String) -> Value?
  ) throws(CatalogError) -> Value {
    guard let value = find(word.text) else {
      throw CatalogError(
        .invalidArgument,
        "\(field.rawValue): has no “\(word.text)”; expected \(words.joined(separator: ", "))")
    }
    return value
  }

  private func joined(_ filters: [Filter], by word: String) throws -> SQL {
    let conditions = try filters.map { deep.shallow(try compile($0)) }
    return SQL.joined(conditions[...], by: word)
  }

  private func compile(place condition: String, _ value: String? = nil) -> SQL {
    SQL(
      """
      place_id IN (SELECT p.id FROM _places p JOIN _role_policies r ON r.id = p.role_id
        WHERE \(condition))
      """, value.map { [.text($0)] } ?? [])
  }

  private func compile(container name: ExactString) -> SQL {
    SQL(
      """
      place_id IN (SELECT p.id FROM _places p JOIN _known_containers c ON c.id = p.container_id
        WHERE c.exact_path = ? OR
      """, [.text(name.text)])
      + SQL(" ") + equal("c.exact_name", name) + SQL(" OR ")
      + equal("c.identifier", name) + SQL(")")
  }

  private func compile(
    asset condition: String, _ value: Binding
  ) -> SQL {
    SQL(
      "kind_id IN (1, 3, 4) AND id IN (SELECT a.id FROM _assets a WHERE \(condition))", [value])
  }

  private func compile(_ comparison: TextComparison) throws -> SQL {
    let call =
      switch comparison.subject {
      case .name: "filecat_matches(name, ?)"
      case .path: "filecat_matches(path, ?)"
      case .pathBelowRoot: "filecat_matches_below(path, root, ?)"
      }
    return SQL(call, [.object(try comparison.matcher(caseSensitivity))])
  }

  private func compile(_ kind: Filter.Kind) -> SQL {
    switch kind.test {
    case .structure(let word):
      SQL("kind_id = ?", [.integer(Int64(EntryKind(name: word)?.rawValue ?? 0))])
    case .conformance(let identifiers):
      SQL.joined(identifiers.map(conforms)[...], by: "OR")
    }
  }

  private func conforms(to identifier: String) -> SQL {
    SQL(
      """
      type_id IN (SELECT c.type_id FROM _uniform_type_conformance c
        WHERE c.ancestor_id = (SELECT id FROM _uniform_types WHERE identifier = ?))
      """, [.text(identifier)])
  }

  private func compare(_ column: String, _ range: Filter.ValueRange<Int64>) -> SQL {
    compare(column, range) { .integer($0) }
  }

  private func compare<Value>(
    _ column: String, _ range: Filter.ValueRange<Value>, _ binding: (Value) -> Binding
  ) -> SQL {
    var conditions: [SQL] = []
    switch range.lower {
    case .unbounded: break
    case .inclusive(let value): conditions.append(SQL("\(column) >= ?", [binding(value)]))
    case .exclusive(let value): conditions.append(SQL("\(column) > ?", [binding(value)]))
    }
    switch range.upper {
    case .unbounded: break
    case .inclusive(let value): conditions.append(SQL("\(column) <= ?", [binding(value)]))
    case .exclusive(let value): conditions.append(SQL("\(column) < ?", [binding(value)]))
    }
    guard !conditions.isEmpty else { return SQL("\(column) IS NOT NULL") }
    return SQL.joined(conditions[...], by: "AND")
  }

  private func equal(_ column: String, _ text: ExactString) -> SQL {
    if caseSensitivity == .sensitive { return SQL("\(column) = ?", [.text(text.text)]) }
    // SQLite folds ASCII by itself, and fast.
    if text.text.utf8.allSatisfy({ $0 < 0x80 }) {
      return SQL("\(column) = ? COLLATE NOCASE", [.text(text.text)])
    }
    return SQL("filecat_folded(\(column)) = filecat_folded(?)", [.text(text.text)])
  }

  private func compile(_ test: Filter.ModeTest) -> SQL {
    switch test {
    case .exactly(let bits): SQL("mode & 4095 = ?", [.integer(Int64(bits & 0o7777))])
    case .all(let bits):
      SQL(
        "mode & ? = ?", [.integer(Int64(bits & 0o7777)), .integer(Int64(bits & 0o7777))])
    case .any(let bits):
      bits & 0o7777 == 0
        ? SQL("mode IS NOT NULL")
        : SQL("mode & ? <> 0", [.integer(Int64(bits & 0o7777))])
    }
  }

  private func compile(_ flag: Filter.Flag) -> SQL {
    switch flag {
    case .empty:
      SQL(
        """
        CASE kind_id
          WHEN 1 THEN size = 0
          WHEN 2 THEN (SELECT t.files + t.directories = 0 AND t.state = 0
            FROM _directory_totals t WHERE t.id = _entry_rows.id)
          WHEN 3 THEN size = 0
          ELSE 0
        END
        """)
    case .hidden: SQL("is_hidden")
    case .broken: SQL("(traits & 2) <> 0")
    case .purgeable: compile(place: "r.purge <> 'never'")
    case .offline: SQL("root_id IN (SELECT r.id FROM _roots r WHERE r.state = 'offline')")
    }
  }

  /// The values of all entries are looked through once: there are few beside the entries, or they are of use.
  private func compile(_ test: ValueTest) throws -> SQL {
    let entries = SQL(
      "id IN (SELECT v.entry_id FROM _entry_values v WHERE v.key = "
        + ValueIndex(of: test.key.text).literal)
    let condition: SQL
    switch test.question {
    case .presence: return entries + SQL(")")
    case .number(let range): condition = number(in: range)
    case .text(let pattern):
      let text = SQL(
        "typeof(v.value) IN ('text', 'blob') AND filecat_matches(v.value, ?)",
        [.object(try pattern.matcher(caseSensitivity, syntax: .name))])
      condition = test.number.map { text + SQL(" OR ") + number(in: .exactly($0)) } ?? text
    }
    return entries + SQL(" AND (") + condition + SQL("))")
  }

  private func number(in range: Filter.ValueRange<Filter.Number>) -> SQL {
    SQL("typeof(v.value) IN ('integer', 'real') AND ")
      + compare("v.value", range) { number in
        switch number.form {
        case .integer(let value): .integer(value)
        case .real(let value): .real(value)
        }
      }
  }

  /// Tags as Linux desktops keep them, separated by commas, and those of the catalog's own.
  private func compile(tag: ExactString) -> SQL {
    SQL(
      """
      id IN (SELECT v.entry_id FROM _entry_values v WHERE v.key IN (?, ?)
        AND filecat_has_tag(v.value, ?, ?))
      """,
      [
        .text(TagTable.attributeKey), .text(TagTable.ownKey), .text(tag.text),
        .integer(caseSensitivity == .sensitive ? 0 : 1),
      ])
  }
}

/// Takes conditions that are nested too deeply for SQLite's parser out of the expression.
///
/// The parser keeps a hundred symbols at most on its stack (sqlite.org/limits.html), and a condition
/// in parentheses takes up to four. What lies deeper gets a name in a `WITH` clause, where it stands
/// beside the rest and not inside it. Queries that people write never come to this.
final class DeepConditions {
  private static let deepest = 12
  private static let opening = "id IN (WITH "

  private var conditions: [SQL] = []

  /// The condition, or one that means the same and is not nested.
  func shallow(_ condition: SQL) -> SQL {
    guard condition.nesting > Self.deepest else { return condition }
    conditions.append(condition)
    return SQL("id IN \(name(conditions.count))")
  }

  /// A condition on its own, with those that were taken out of it.
  func completing(_ condition: SQL) -> SQL {
    guard !conditions.isEmpty else { return condition }
    var result = SQL(Self.opening)
    for (number, part) in zip(1..., conditions) {
      result += SQL("\(number > 1 ? ", " : "")\(name(number)) AS (")
      result += SQL("SELECT id FROM _entry_rows WHERE ") + part + SQL(")")
    }
    return result + SQL(" SELECT id FROM _entry_rows WHERE ") + condition + SQL(")")
  }

  /// Whether parts of a condition stand beside it.
  static func areTakenOut(of condition: SQL) -> Bool { condition.text.hasPrefix(opening) }

  private func name(_ number: Int) -> String { "condition_\(number)" }
}

extension ExactString {
  /// Whether it stands for the end of a name, such as `tar.gz`, of which a catalog knows the last part only.
  var isEndingOfSeveralParts: Bool { text.utf8.contains(UInt8(ascii: ".")) }
}

extension SQL {
  /// How deep parentheses are nested.
  fileprivate var nesting: Int {
    var depth = 0
    var deepest = 0
    for byte in text.utf8 {
      if byte == UInt8(ascii: "(") {
        depth += 1
        deepest = max(deepest, depth)
      } else if byte == UInt8(ascii: ")") {
        depth -= 1
      }
    }
    return deepest
  }
}
