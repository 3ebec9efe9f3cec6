internal import StandardDirectories
internal import TextMatching

/// A term of the query language: what stands before the colon, what it asks for, and how its
/// values are read and printed.
///
/// This is all that the language knows of a term: ``Query/init(parsing:timeZone:)`` and
/// ``Query/description`` go by ``all``, and so does help.
package struct QueryTerm: Sendable {
  /// What stands before the colon.
  package let key: String
  /// Another word for ``key``.
  package let synonym: String?
  /// What the term asks for, as a fragment: "Bytes of content.".
  package let meaning: String
  /// What a value looks like, as a fragment.
  package let expected: String
  /// Terms as a user writes them.
  package let examples: [String]

  /// Reads the filter for a value.
  let read: @Sendable (QueryWord) throws(QueryError) -> Filter
  /// The value for a condition, quoted where need be; `nil` for conditions of other terms.
  let write: @Sendable (Filter.Condition) -> String?

  /// - Parameters:
  ///   - condition: makes the condition for a value.
  ///   - value: finds the value in a condition of this term.
  init<Value>(
    _ key: String, _ meaning: String, _ form: WrittenForm<Value>, examples: [String],
    synonym: String? = nil, condition: @escaping @Sendable (Value) -> Filter.Condition,
    value: @escaping @Sendable (Filter.Condition) -> Value?
  ) {
    self.key = key
    self.synonym = synonym
    self.meaning = meaning
    self.examples = examples
    expected = form.expected
    read = { word throws(QueryError) in Filter(condition(try form.read(word))) }
    write = { value($0).map(form.write) }
  }
}

extension QueryTerm {
  /// All terms that make a filter, in the order in which help shows them.
  package static let all: [QueryTerm] =
    [
      .pattern(
        "name", "The name, or a part of it; with a / in it the path.", .name,
        examples: ["name:*.swift", "name:=README", "name:src/*.{c,h}"]),
      .pattern(
        "path", "The path below the root, or a part of it; after a leading / the whole path.",
        .path,
        examples: ["path:src/**", "path:/usr/include/*.h"]),
      .regex("regex", "The name, by a regular expression.", .name, examples: ["regex:^IMG_[0-9]+"]),
      .regex(
        "pathregex", "The path, by a regular expression.", .path, examples: ["pathregex:^src/"]),
      QueryTerm(
        "ext", "The text after the last dot of the name.", .extensions,
        examples: ["ext:png,jpg", "ext:tar.gz"], synonym: "extension",
        condition: { .extensions($0) },
        value: { if case .extensions(let list) = $0 { list } else { nil } }),
      QueryTerm(
        "kind", "What the entry is.", .kinds, examples: ["kind:file", "kind:image,video"],
        condition: { .kinds($0) }, value: { if case .kinds(let kinds) = $0 { kinds } else { nil } }),
      .word(.type, "The type, exactly.", .typeIdentifier, examples: ["type:public.jpeg"]),
      .word(
        .conformsTo, "A type that the entry's conforms to.", .typeIdentifier,
        examples: ["is:public.image"]),

      .number(.size, "Bytes of content.", .sizes, examples: ["size:>10M", "size:1k..4k"]),
      .number(.allocated, "Bytes taken on disk.", .sizes, examples: ["allocated:>1G"]),
      .date(.modified, "When the content was last changed.", examples: ["modified:<7d"]),
      .date(.created, "When the entry was made.", examples: ["created:2026-01"]),
      .date(.accessed, "When the content was last read.", examples: ["accessed:>1y"]),
      .date(.changed, "When the metadata was last changed.", examples: ["changed:today"]),

      .word(.owner, "The name of the owning user.", .text("a name"), examples: ["owner:root"]),
      .word(.group, "The name of the owning group.", .text("a name"), examples: ["group:staff"]),
      .number(.uid, "The number of the owning user.", .numbers, examples: ["uid:1000.."]),
      .number(.gid, "The number of the owning group.", .numbers, examples: ["gid:0"]),
      QueryTerm(
        "mode", "The permission bits: exactly these, all of these (-), or any of these (/).", .mode,
        examples: ["mode:644", "mode:-022", "mode:/022"], condition: { .mode($0) },
        value: { if case .mode(let test) = $0 { test } else { nil } }),

      .number(.depth, "Steps below the root.", .numbers, examples: ["depth:1", "depth:>3"]),
      .number(.links, "The number of hard links.", .numbers, examples: ["links:>1"]),
      .flag(.empty, "Whether a file has no bytes, or a directory no entries."),
      .flag(.hidden, "Whether the entry is hidden."),
      .flag(.broken, "Whether a symbolic link has no target."),

      .word(
        .role, "The role of the directory that holds the entry.",
        .word(of: .role, ContainerWord.roles, "a role such as caches") {
          ContainerWord.role($0) != nil
        }, examples: ["role:caches"]),
      .word(
        .container, "The container that holds the entry.", .text("the name of a container"),
        examples: ["container:org.example.App"]),
      .word(
        .backup, "Whether the entry belongs into a backup.",
        .word(of: .backup, ContainerWord.policies, "included or excluded") {
          ContainerWord.backup($0) != nil
        }, examples: ["backup:excluded"]),
      .flag(.purgeable, "Whether the system may delete the entry when space is short."),
      .flag(.offline, "Whether the entry's root cannot be reached now."),
      QueryTerm(
        "scale", "The scale in an asset's name.", .scale, examples: ["scale:2"],
        condition: { .scale($0) }, value: { if case .scale(let scale) = $0 { scale } else { nil } }),
      .word(
        .idiom, "The idiom in an asset's name.",
        .word(of: .idiom, ContainerWord.idioms, "an idiom such as ipad") {
          ContainerWord.idiom($0) != nil
        }, examples: ["idiom:ipad"]),
      .word(.tag, "A tag of the entry.", .text("a tag"), examples: ["tag:draft"]),
    ] + values

  /// The key of the term that sets ``Query/caseSensitivity``, which makes no filter.
  package static let caseKey = "case"

  /// The term for a key as typed, in any letter case.
  static func named(_ key: String) -> QueryTerm? { byKey[key.lowercased()] }

  /// Whether a word as typed is the key of a term, be it ``caseKey``.
  package static func isKey(_ word: String) -> Bool {
    named(word) != nil || word.lowercased() == caseKey
  }

  private static let byKey: [String: QueryTerm] = {
    var terms: [String: QueryTerm] = [:]
    for term in all {
      terms[term.key] = term
      if let synonym = term.synonym { terms[synonym] = term }
    }
    return terms
  }()
}

// MARK: - Terms of a sort

extension QueryTerm {
  private static func pattern(
    _ key: String, _ meaning: String, _ field: Filter.TextField, examples: [String]
  ) -> QueryTerm {
    text(key, meaning, field, .pattern(field == .path ? .path : .name), examples) { $0 != .regex }
  }

  private static func regex(
    _ key: String, _ meaning: String, _ field: Filter.TextField, examples: [String]
  ) -> QueryTerm {
    text(key, meaning, field, .regex, examples) { $0 == .regex }
  }

  private static func text(
    _ key: String, _ meaning: String, _ field: Filter.TextField, _ form: WrittenForm<TextPattern>,
    _ examples: [String], of isMeant: @escaping @Sendable (TextPattern.Form) -> Bool
  ) -> QueryTerm {
    QueryTerm(
      key, meaning, form, examples: examples, condition: { .text(field, $0) },
      value: {
        if case .text(field, let pattern) = $0, isMeant(pattern.form) { pattern } else { nil }
      })
  }

  private static func number(
    _ field: Filter.NumberField, _ meaning: String, _ form: WrittenForm<Filter.ValueRange<Int64>>,
    examples: [String]
  ) -> QueryTerm {
    QueryTerm(
      field.rawValue, meaning, form, examples: examples, condition: { .number(field, $0) },
      value: { if case .number(field, let range) = $0 { range } else { nil } })
  }

  private static func date(
    _ field: Filter.DateField, _ meaning: String, examples: [String]
  ) -> QueryTerm {
    QueryTerm(
      field.rawValue, meaning, .dates, examples: examples, condition: { .date(field, $0) },
      value: { if case .date(field, let range) = $0 { range } else { nil } })
  }

  private static func word(
    _ field: Filter.WordField, _ meaning: String, _ form: WrittenForm<ExactString>,
    examples: [String]
  ) -> QueryTerm {
    QueryTerm(
      field.rawValue, meaning, form, examples: examples, condition: { .word(field, $0) },
      value: { if case .word(field, let word) = $0 { word } else { nil } })
  }

  private static func flag(_ flag: Filter.Flag, _ meaning: String) -> QueryTerm {
    QueryTerm(
      flag.rawValue, meaning, .truth, examples: ["\(flag.rawValue):yes"],
      condition: { $0 ? .flag(flag) : .not(.flag(flag)) },
      value: {
        switch $0 {
        case .flag(flag): true
        case .not(.flag(flag)): false
        default: nil
        }
      })
  }
}

/// The words of the terms `role:`, `backup:` and `idiom:`.
///
/// They are a few fixed ones, so that a mistyped one is an error and not a query that finds
/// nothing. Roles can be declared, but not with a name that could be a standard one mistyped.
enum ContainerWord {
  static let roles = Role.standard.map(\.name)
  static let policies = Role.Policy.Backup.allCases.map(\.rawValue)
  static let idioms = Idiom.allCases.map(\.rawValue)

  /// The name of a role: a standard one, or a word that may be one which was declared.
  static func role(_ word: String) -> String? {
    let name = word.lowercased()
    return Role(standard: name) != nil || Role.couldBeCustom(name) ? name : nil
  }

  /// The policy, or yes and no for it.
  static func backup(_ word: String) -> Role.Policy.Backup? {
    switch word.lowercased() {
    case "yes": .included
    case "no": .excluded
    case let word: Role.Policy.Backup(rawValue: word)
    }
  }

  static func idiom(_ word: String) -> Idiom? { Idiom(named: word) }
}
