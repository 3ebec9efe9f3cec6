internal import FileSystem
internal import SQLite
internal import StandardDirectories

/// Turns a ``Query`` into a condition on the view `entry_rows`.
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

  /// - Throws: ``CatalogError/Code/invalidArgument`` for a query beyond ``Query/Limits``, and for a
  ///   pattern that is malformed.
  static func compile(_ query: Query, now: Int64 = Clock.now) throws -> SQL {
    try query.filter.checkSize()
    let compiler = QueryCompiler(caseSensitivity: query.caseSensitivity, now: now)
    return compiler.deep.completing(try compiler.compile(query.filter))
  }

  // A straight list of what each condition means; longer than a screen, but of one thing.
  func compile(_ filter: Filter) throws -> SQL {
    switch filter {
    case .all: SQL("1")
    case .and(let filters): try joined(filters, by: "AND")
    case .or(let filters): try joined(filters, by: "OR")
    // What is unknown of an entry does not meet a condition, but meets its opposite.
    case .not(let filter):
      SQL("((") + deep.shallow(try compile(filter)) + SQL(") IS NOT TRUE)")
    case .name(let pattern): try matches("filecat_matches(name, ?)", pattern, syntax: .name)
    case .path(let pattern):
      try matches("filecat_matches_below(path, root, ?)", pattern, syntax: .path)
    case .extensions(let extensions):
      SQL(
        "filecat_has_extension(name, ?)",
        [.object(ExtensionSet(extensions, caseSensitivity: caseSensitivity))])
    case .kinds(let kinds): SQL.joined(kinds.map(compile)[...], by: "OR")
    case .type(let identifier):
      SQL(
        "type_id IN (SELECT id FROM uniform_types WHERE identifier = ?)", [.text(identifier.text)])
    case .conformsTo(let identifier): conforms(to: identifier.text)
    case .size(let range): compare("size", range)
    case .allocated(let range): compare("allocated", range)
    case .date(let field, let range): compare("\(field.rawValue)_ns", range.resolved(now: now))
    case .owner(let name): equal("owner", name)
    case .group(let name): equal("group_name", name)
    case .uid(let range): compare("uid", range)
    case .gid(let range): compare("gid", range)
    case .mode(let test): compile(test)
    case .depth(let range): compare("depth", range)
    case .links(let range): compare("links", range)
    case .flag(let flag): compile(flag)
    case .tag(let tag): compile(tag: tag)
    case .role(let name): compile(place: "r.name = ?", try ContainerTerms.role(name.text))
    case .container(let name): compile(container: name)
    case .backup(let policy):
      compile(place: "r.backup = ?", try ContainerTerms.backup(policy.text))
    case .scale(let scale): compile(asset: "a.scale = ?", .real(scale))
    case .idiom(let idiom):
      compile(asset: "a.idiom = ?", .text(try ContainerTerms.idiom(idiom.text).rawValue))
    }
  }

  private func joined(_ filters: [Filter], by word: String) throws -> SQL {
    let conditions = try filters.map { deep.shallow(try compile($0)) }
    return SQL.joined(conditions[...], by: word)
  }

  private func compile(
    place condition: String, _ value: (some RawRepresentable<String>)?
  ) -> SQL {
    SQL(
      """
      place_id IN (SELECT p.id FROM places p JOIN role_policies r ON r.id = p.role_id
        WHERE \(condition))
      """, value.map { [.text($0.rawValue)] } ?? [])
  }

  private func compile(container name: ExactString) -> SQL {
    SQL(
      """
      place_id IN (SELECT p.id FROM places p JOIN known_containers c ON c.id = p.container_id
        WHERE c.path = ? OR
      """, [.text(name.text)])
      + SQL(" ") + equal("c.name", name) + SQL(" OR ")
      + equal("c.identifier", name) + SQL(")")
  }

  private func compile(
    asset condition: String, _ value: Binding
  ) -> SQL {
    SQL(
      "kind_id IN (1, 3, 4) AND id IN (SELECT a.id FROM assets a WHERE \(condition))", [value])
  }

  private func matches(
    _ call: String, _ pattern: TextPattern, syntax: Glob.Syntax
  ) throws -> SQL {
    do throws(PatternError) {
      let matcher = try TextMatcher(pattern, caseSensitivity: caseSensitivity, syntax: syntax)
      return SQL(call, [.object(matcher)])
    } catch {
      throw CatalogError(
        .invalidArgument, "\(pattern): \(error.message); expected \(error.expected)")
    }
  }

  private func compile(_ kind: QueryKind) -> SQL {
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
      type_id IN (SELECT c.type_id FROM uniform_type_conformance c
        WHERE c.ancestor_id = (SELECT id FROM uniform_types WHERE identifier = ?))
      """, [.text(identifier)])
  }

  private func compare(_ column: String, _ range: ValueRange<Int64>) -> SQL {
    var conditions: [SQL] = []
    switch range.lower {
    case .unbounded: break
    case .inclusive(let value): conditions.append(SQL("\(column) >= ?", [.integer(value)]))
    case .exclusive(let value): conditions.append(SQL("\(column) > ?", [.integer(value)]))
    }
    switch range.upper {
    case .unbounded: break
    case .inclusive(let value): conditions.append(SQL("\(column) <= ?", [.integer(value)]))
    case .exclusive(let value): conditions.append(SQL("\(column) < ?", [.integer(value)]))
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

  private func compile(_ test: ModeTest) -> SQL {
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

  private func compile(_ flag: FileFlag) -> SQL {
    switch flag {
    case .empty:
      SQL(
        """
        CASE kind_id
          WHEN 1 THEN size = 0
          WHEN 2 THEN (SELECT t.files + t.directories = 0 AND t.state = 0
            FROM folder_totals t WHERE t.id = entry_rows.id)
          WHEN 3 THEN size = 0
          ELSE 0
        END
        """)
    case .hidden: SQL("is_hidden")
    case .broken: SQL("(traits & 2) <> 0")
    case .purgeable: compile(place: "r.purge <> 'never'", Role?.none)
    }
  }

  /// Tags as Linux desktops keep them (`user.xdg.tags`, separated by commas).
  private func compile(tag: ExactString) -> SQL {
    SQL(
      """
      EXISTS (SELECT 1 FROM entry_values v WHERE v.entry_id = entry_rows.id
        AND v.key = 'xattr:user.xdg.tags'
        AND filecat_has_tag(v.value, ?, ?))
      """, [.text(tag.text), .integer(caseSensitivity == .sensitive ? 0 : 1)])
  }
}
