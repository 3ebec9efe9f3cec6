import ArgumentParser
import FileCatalog
import FileSystem
import SystemPackage

/// The options of fd that say what to find. They mean what they mean there, and are conditions beside the
/// query.
struct FindOptions: ParsableArguments {
  @Option(
    name: [.customShort("e"), .customLong("extension")],
    help: ArgumentHelp("Find names with this extension (ext:). Repeatable.", valueName: "ext"))
  var extensions: [String] = []

  @Option(
    name: [.customShort("t"), .customLong("type")],
    help: ArgumentHelp(
      """
      Find f files, d directories, l symbolic links, p pipes, s sockets, b and c devices (kind:); x executable \
      ones, e empty ones. Repeatable.
      """, valueName: "type"))
  var types: [FoundType] = []

  @Option(
    name: [.customShort("S"), .customLong("size")],
    help: ArgumentHelp(
      "Find files of +10M and more, -10k and less, or just so much (size:).", valueName: "size"))
  var sizes: [FoundSize] = []

  @Option(
    name: [.customShort("d"), .long],
    help: ArgumentHelp("Look so many levels deep, below --in or the root.", valueName: "n"))
  var maxDepth: Int?

  @Option(
    help: ArgumentHelp("Look only so many levels deep, and deeper.", valueName: "n"))
  var minDepth: Int?

  @Option(
    help: ArgumentHelp("Look exactly so many levels deep.", valueName: "n"))
  var exactDepth: Int?

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp(
      "Find what belongs to a user or a group, or with ! not (owner:, group:).",
      valueName: "user:group"))
  var owner: FoundOwner?

  @Option(
    help: ArgumentHelp(
      "Find what was modified since: 2d, 1week, 2026-01-31 (modified:).", valueName: "when"))
  var changedWithin: FoundTime?

  @Option(
    help: ArgumentHelp(
      "Find what was modified before: 2d, 1week, 2026-01-31 (modified:).", valueName: "when"))
  var changedBefore: FoundTime?

  @Option(
    name: [.customShort("E"), .customLong("exclude")],
    help: ArgumentHelp(
      "Leave out what matches, and all that is in it. Repeatable.", valueName: "glob"))
  var excluded: [String] = []

  @Flag(exclusivity: .chooseLast) var syntax: WordSyntax?
  @Flag(exclusivity: .chooseLast) var letterCase: LetterCase?

  @Flag(name: [.customShort("p"), .long], help: "Compare words with whole paths.")
  var fullPath = false

  // What fd can, and a catalog cannot.
  @Flag(name: [.customShort("L"), .long], help: .hidden)
  var follow = false

  func validate() throws {
    for (name, depth) in [
      ("--max-depth", maxDepth), ("--min-depth", minDepth), ("--exact-depth", exactDepth),
    ] {
      if let depth, depth < 0 { throw ValidationError("\(name) takes a number from 0 on") }
    }
    guard exactDepth == nil || minDepth == nil && maxDepth == nil else {
      throw ValidationError("--exact-depth goes without --min-depth and --max-depth")
    }
    guard !follow else {
      throw ValidationError(
        "links are recorded and not followed, so what they lead to is found where it is; leave out -L"
      )
    }
  }

  /// How words without a term are meant.
  enum WordSyntax: EnumerableFlag {
    case glob, fixedStrings

    static func name(for value: Self) -> NameSpecification {
      [.customShort(value == .glob ? "g" : "F"), .long]
    }

    static func help(for value: Self) -> ArgumentHelp? {
      value == .glob
        ? "Take each word for a glob of the whole name."
        : "Take each word as it is, without wildcards."
    }
  }

  /// Whether letter case counts.
  enum LetterCase: EnumerableFlag {
    case caseSensitive, ignoreCase

    static func name(for value: Self) -> NameSpecification {
      [.customShort(value == .caseSensitive ? "s" : "i"), .long]
    }

    static func help(for value: Self) -> ArgumentHelp? {
      value == .caseSensitive
        ? "Let letter case count (case:yes)." : "Ignore letter case, as usual."
    }
  }
}

// MARK: - The query

extension FindOptions {
  /// How deep to look below --in or the roots; `nil` for everything.
  var levels: Filter.ValueRange<Int64>? {
    if let exactDepth { return .exactly(Int64(exactDepth)) }
    guard minDepth != nil || maxDepth != nil else { return nil }
    return Filter.ValueRange(
      lower: minDepth.map { .inclusive(Int64($0)) } ?? .unbounded,
      upper: maxDepth.map { .inclusive(Int64($0)) } ?? .unbounded)
  }

  /// The query that words and the options stand for.
  ///
  /// - Throws: `QueryError` for words that make no query.
  func query(_ words: some Sequence<String>) throws(QueryError) -> Query {
    var text: [UInt8] = []
    for word in words {
      if !text.isEmpty { text.append(UInt8(ascii: " ")) }
      text += self.text(of: word)
    }
    let typed = try Query(parsing: text)
    var query = Query(.all([typed.filter] + conditions), caseSensitivity: typed.caseSensitivity)
    switch letterCase {
    case .caseSensitive: query.caseSensitivity = .sensitive
    case .ignoreCase: query.caseSensitivity = .insensitive
    case nil: break
    }
    return query
  }

  /// A word as text of the query language.
  private func text(of word: String) -> [UInt8] {
    let bytes = RawArguments.bytes(of: word)
    guard syntax != nil || fullPath, !Self.isOfTheLanguage(word) else { return bytes }
    let typed: String = EscapedText.text(typed: bytes)
    let pattern: TextPattern
    switch syntax {
    case .fixedStrings: pattern = TextPattern(.substring, bytes)
    case .glob: pattern = .glob(typed)
    // One that is malformed is refused where the query is read.
    case nil: pattern = (try? TextPattern(typed: typed)) ?? .glob(typed)
    }
    let filter = fullPath ? Self.wholePath(pattern) : .name(pattern)
    return Array("(\(Query(filter)))".utf8)
  }

  /// Whether a word keeps its meaning whatever words without a term mean: an operator, or a term.
  private static func isOfTheLanguage(_ word: String) -> Bool {
    if ["AND", "OR", "NOT", "|", "!", "(", ")"].contains(word) { return true }
    let key = word.prefix { $0 != ":" }
    return key.count < word.count && QueryTerm.isKey(String(key))
  }

  private static func wholePath(_ pattern: TextPattern) -> Filter {
    guard pattern.form == .substring else {
      return pattern.bytes.contains(UInt8(ascii: "/")) ? .name(pattern) : .path(pattern)
    }
    let text = EscapedText.text(of: pattern.bytes, escaping: ["*", "?", "[", "{"])
    let anywhere = Filter.path(.glob("/**\(text)**"))
    // The first slash is that of the pattern itself, or one before it.
    return text.hasPrefix("/") ? .path(.glob("\(text)**")) || anywhere : anywhere
  }

  private var conditions: [Filter] {
    var filters: [Filter] = []
    if !extensions.isEmpty {
      filters.append(
        .extensions(
          extensions.flatMap { $0.split(separator: ",") }
            .map { String($0.hasPrefix(".") ? $0.dropFirst() : $0) }))
    }
    if let condition = FoundType.condition(of: types) { filters.append(condition) }
    // Directories have sizes, too, which nobody means.
    if !sizes.isEmpty { filters.append(.kinds([.file, .package])) }
    filters += sizes.map { .size($0.range) }
    if let owner { filters.append(owner.condition) }
    if let changedWithin { filters.append(changedWithin.since) }
    if let changedBefore { filters.append(changedBefore.before) }
    filters += excluded.map { !Self.isWithin(RawArguments.bytes(of: $0)) }
    return filters
  }

  /// The condition that an entry, or a directory that it is in, matches a glob.
  private static func isWithin(_ glob: [UInt8]) -> Filter {
    var text = EscapedText.text(typed: glob)
    while text.count > 1, text.hasSuffix("/") { text.removeLast() }
    guard text.contains("/") else { return .name(.glob(text)) || .path(.glob("**/\(text)/**")) }
    if !text.hasPrefix("/") { text = "**/" + text }
    return .path(.glob(text)) || .path(.glob(text + "/**"))
  }
}

// MARK: - Values

/// What `--type` takes: letters and words of fd.
enum FoundType: ExpressibleByArgument, Hashable {
  case kind(Filter.Kind)
  case executable, empty

  private static let words: [String: FoundType] = [
    "f": .kind(.file), "file": .kind(.file), "d": .kind(.directory), "dir": .kind(.directory),
    "directory": .kind(.directory), "l": .kind(.symlink), "symlink": .kind(.symlink),
    "p": .kind(.fifo), "pipe": .kind(.fifo), "fifo": .kind(.fifo), "s": .kind(.socket),
    "socket": .kind(.socket), "b": .kind(.blockDevice), "block-device": .kind(.blockDevice),
    "c": .kind(.characterDevice), "char-device": .kind(.characterDevice),
    "package": .kind(.package),
    "x": .executable, "executable": .executable, "e": .empty, "empty": .empty,
  ]

  init?(argument: String) {
    guard let type = Self.words[argument] else { return nil }
    self = type
  }

  /// The kind, where it is one.
  var kind: Filter.Kind? {
    if case .kind(let kind) = self { kind } else { nil }
  }

  /// As in fd: one of the kinds, among which executables are files; and all of the properties.
  static func condition(of types: [FoundType]) -> Filter? {
    guard !types.isEmpty else { return nil }
    var kinds = types.compactMap(\.kind)
    var conditions: [Filter] = []
    if types.contains(.executable) {
      if !kinds.contains(.file) { kinds.append(.file) }
      conditions.append(.mode(.any(0o111)))
    }
    if types.contains(.empty) { conditions.append(.flag(.empty)) }
    if !kinds.isEmpty { conditions.insert(.kinds(kinds), at: 0) }
    return .all(conditions)
  }
}

/// What `--size` takes.
struct FoundSize: ExpressibleByArgument {
  let range: Filter.ValueRange<Int64>

  init?(argument: String) {
    let sign = argument.first.flatMap { "+-".contains($0) ? $0 : nil }
    guard let size = ByteSize(sign == nil ? argument : String(argument.dropFirst())) else {
      return nil
    }
    range =
      sign == "+" ? .atLeast(size.bytes) : sign == "-" ? .atMost(size.bytes) : .exactly(size.bytes)
  }
}

/// What `--owner` takes: `user`, `user:group`, `:group`, with a `!` before what is not wanted, and numbers.
struct FoundOwner: ExpressibleByArgument {
  let condition: Filter

  init?(argument: String) {
    let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let user = Self.condition(parts[0], Filter.owner, Filter.uid)
    let group = parts.count > 1 ? Self.condition(parts[1], Filter.group, Filter.gid) : nil
    guard user != nil || group != nil else { return nil }
    condition = .all([user, group].compactMap { $0 })
  }

  private static func condition(
    _ text: Substring, _ named: (String) -> Filter, _ numbered: (Filter.ValueRange<Int64>) -> Filter
  ) -> Filter? {
    let isNegated = text.hasPrefix("!")
    let name = isNegated ? text.dropFirst() : text
    guard !name.isEmpty else { return nil }
    let filter =
      Int64(name).flatMap { $0 >= 0 ? numbered(.exactly($0)) : nil } ?? named(String(name))
    return isNegated ? !filter : filter
  }
}

/// What `--changed-within` and `--changed-before` take: an age, a date, or seconds since 1970 after an `@`.
struct FoundTime: ExpressibleByArgument {
  let since: Filter
  let before: Filter

  init?(argument: String) {
    if argument.hasPrefix("@"), let seconds = Int64(argument.dropFirst()) {
      let (nanoseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
      guard !overflow else { return nil }
      since = .modified(.times(from: .instant(nanoseconds), until: nil))
      before = .modified(.times(from: nil, until: .instant(nanoseconds)))
      return
    }
    // An age alone is no range, a date is.
    let isDate = Self.filter("", argument) != nil
    guard let since = Self.filter(isDate ? ">=" : "<", argument),
      let before = Self.filter(isDate ? "<" : ">", argument)
    else { return nil }
    self.since = since
    self.before = before
  }

  /// A comparison as the query language reads it.
  private static func filter(_ comparison: String, _ text: String) -> Filter? {
    guard !text.contains(where: { "\"\\<>=".contains($0) }), !text.contains("..") else {
      return nil
    }
    return (try? Query(parsing: "modified:\(comparison)\"\(text)\""))?.filter
  }
}
