/// The names that may stand before a colon.
enum QueryTermName: String, CaseIterable {
  case name, path, regex, pathregex, ext, kind, type
  case conformsTo = "is"
  case size, allocated, modified, created, accessed, changed
  case owner, group, uid, gid, mode, depth, links, empty, hidden, broken
  case role, container, backup, purgeable, scale, idiom, tag

  init?(typed name: String) {
    let name = name.lowercased()
    if let term = QueryTermName(rawValue: name == "extension" ? "ext" : name) {
      self = term
    } else {
      return nil
    }
  }
}

/// One word of a query, understood.
struct QueryTerm {
  /// The name of the term that sets ``Query/caseSensitivity``.
  static let caseName = "case"

  var filter: Filter
  /// How much the term counts towards ``Query/Limits/terms``.
  var count = 1

  init(
    _ word: QueryWord, at range: Range<Int>, in query: String, timeZone: LocalTimeZone
  ) throws(QueryError) {
    let values = QueryValues(query: query, timeZone: timeZone)
    guard let (typedName, value) = word.split() else {
      filter = .name(try values.pattern(word, syntax: .name))
      return
    }
    guard let name = QueryTermName(typed: typedName) else {
      let known = QueryTermName.allCases.map(\.rawValue) + [Self.caseName]
      let start = range.lowerBound
      throw QueryError(
        query: query, message: "unknown term “\(typedName):”",
        range: start..<start + typedName.utf8.count + 1,
        expected: "a term such as name: or size:, or quotes around a text with a colon",
        suggestion: Spelling.nearest(to: typedName, in: known).map { $0 + ":" })
    }
    guard !value.characters.isEmpty || value.hasQuotes else {
      throw values.error("\(name.rawValue): has no value", value.range, name.expectedValue)
    }
    filter = try values.filter(name, value)
    switch filter {
    case .extensions(let list): count = list.count
    case .kinds(let list): count = list.count
    default: break
    }
  }
}

extension QueryTermName {
  /// What a value of the term looks like, for messages.
  var expectedValue: String {
    switch self {
    case .name, .path: "a text or a glob such as *.swift"
    case .regex, .pathregex: "a regular expression such as ^IMG_[0-9]+"
    case .ext: "extensions such as png,jpg"
    case .kind: "a kind such as file, directory or image"
    case .type, .conformsTo: "a type identifier such as public.image"
    case .size, .allocated: "a size such as >10M, 1k..4k or 0"
    case .modified, .created, .accessed, .changed:
      "an age such as <7d or >1y, or a date such as 2026-01-31 or 2026-01-01..2026-02-01"
    case .owner, .group: "a name"
    case .uid, .gid, .depth, .links: "a number such as 0, >1 or 1..3"
    case .mode: "an octal mode such as 644, /022 or -022"
    case .empty, .hidden, .broken, .purgeable: "yes or no"
    case .role: "a role such as caches"
    case .container: "the name of a container"
    case .backup: "included or excluded"
    case .scale: "a scale such as 2"
    case .idiom: "an idiom such as ipad"
    case .tag: "a tag"
    }
  }
}

extension QueryValues {
  fileprivate func filter(
    _ name: QueryTermName, _ value: QueryWord
  ) throws(QueryError) -> Filter {
    switch name {
    case .name: .name(try namedPattern(value, syntax: .name))
    case .path: .path(try namedPattern(value, syntax: .path))
    case .regex: .name(try regex(value))
    case .pathregex: .path(try regex(value))
    case .ext: .extensions(try extensions(value))
    case .kind: .kinds(try kinds(value))
    case .type: .type(try literal(value))
    case .conformsTo: .conformsTo(try literal(value))
    case .size: .size(try sizes(value))
    case .allocated: .allocated(try sizes(value))
    case .modified: .date(.modified, try dates(value))
    case .created: .date(.created, try dates(value))
    case .accessed: .date(.accessed, try dates(value))
    case .changed: .date(.changed, try dates(value))
    case .owner: .owner(try literal(value))
    case .group: .group(try literal(value))
    case .uid: .uid(try numbers(value))
    case .gid: .gid(try numbers(value))
    case .mode: .mode(try mode(value))
    case .depth: .depth(try numbers(value))
    case .links: .links(try numbers(value))
    case .empty: try flag(.empty, value)
    case .hidden: try flag(.hidden, value)
    case .broken: try flag(.broken, value)
    case .purgeable: try flag(.purgeable, value)
    case .role: .role(try word(value, of: .role))
    case .container: .container(try literal(value))
    case .backup: .backup(try word(value, of: .backup))
    case .scale: .scale(try scale(value))
    case .idiom: .idiom(try word(value, of: .idiom))
    case .tag: .tag(try literal(value))
    }
  }

  private func flag(_ flag: FileFlag, _ value: QueryWord) throws(QueryError) -> Filter {
    try truth(value) ? .flag(flag) : .not(.flag(flag))
  }
}
