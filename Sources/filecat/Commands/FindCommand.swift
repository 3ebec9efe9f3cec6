import ArgumentParser
import Console
import FileCatalog
import FileSystem
import SystemPackage

struct FindCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "find", _superCommandName: FileCat.name,
    abstract: "Find entries in the catalog.",
    discussion: """
      Terms are joined by AND; OR, NOT, a leading ! and parentheses work. A word matches names that \
      contain it, with * ? […] {a,b} it is a glob on the whole name. The whole language: \
      filecat help query.

        filecat find readme                    names that contain “readme”
        filecat find '*.swift' 'size:>10k'     Swift files above 10 KiB
        filecat find kind:image 'modified:<7d' images of the last week
        filecat find 'ext:log OR ext:tmp' 'NOT owner:root'

      In quotes a term holds spaces, parentheses and operators; a backslash makes the next character \
      literal, also there. \\n, \\r, \\t and \\u{1b} are characters, \\xff is a byte. So every name can be \
      written, with a backslash before \\ and ":

        filecat find 'case:yes name:="a (b) \\"c\\" \\u{9b} \\xff"'   that name alone

      A search that is saved in the catalog is found again by its name, with further terms or without:

        filecat find --save big 'size:>1G'     saves the query, with --in and --sort
        filecat find @big kind:video           searches, for videos among what is big
      """)

  /// The columns where nobody has named others.
  static let columns: [EntryColumn] = [.path, .size, .modified]

  @OptionGroup var catalog: CatalogOptions
  @OptionGroup var table: TableOptions
  @OptionGroup var output: OutputOptions

  @OptionGroup var search: SearchOptions

  @Argument(
    parsing: .allUnrecognized, help: "What to find; nothing finds everything.",
    completion: .queryTerms)
  var query: [String] = []

  func validate() throws {
    // What begins with one dash is a negated term; with two it can only be a mistyped option.
    if let option = query.first(where: { $0.hasPrefix("--") && $0.count > 2 }) {
      throw ValidationError(Options.complaint(about: option))
    }
    guard query.isEmpty || !search.saved && search.unsave == nil else {
      throw ValidationError("--saved and --unsave take no query")
    }
  }

  func execute() async throws -> Outcome {
    let directory = search.directory
    if search.saved {
      return try await SavedSearches.list(catalog, output)
    } else if let name = search.unsave {
      return try await SavedSearches.delete(name, catalog)
    } else if let name = search.save {
      return try await SavedSearches.save(
        name, Self.query(words[...]), in: directory?.path, sort: table.sort, catalog)
    }
    let words = words
    let named = words.first.flatMap { $0.hasPrefix("@") ? String($0.dropFirst()) : nil }
    let typed = try Self.query(words.dropFirst(named == nil ? 0 : 1))
    let catalog = try catalog.open()
    defer { catalog.closeQuietly() }
    var saved: SavedSearch?
    if let named { saved = try await catalog.savedSearch(named: named) }
    let query = saved.map { $0.query(and: typed) } ?? typed
    let scope =
      directory.map { TableRequest.Scope.subtree(of: $0.path) } ?? saved?.scope ?? .everything
    let request = try table.request(
      query, in: scope, format: table.format(output),
      columns: Self.columns, set: Settings.current.columnsOfFind,
      order: saved?.order ?? SortOrder([SortOrder.Term(.path)]))
    guard search.count else { return try EntryRows.print(request, from: catalog, table, output) }
    let number = try await catalog.count(of: query, in: scope)
    try StandardStream.output.print("\(number)")
    return number == 0 ? .nothing : .done
  }

  private var words: [String] { query.filter { $0 != "--" } }

  private static func query(_ words: ArraySlice<String>) throws -> Query {
    try Query(parsing: RawArguments.bytes(of: words.joined(separator: " ")))
  }

  /// The options without the place for terms, which takes whatever is no option.
  private struct Options: ParsableArguments {
    @OptionGroup var catalog: CatalogOptions
    @OptionGroup var table: TableOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var search: SearchOptions

    /// What the parser says of an option that there is not, with the one that was probably meant.
    static func complaint(about option: String) -> String {
      do {
        _ = try parse([option])
        return "Unknown option '\(option)'"
      } catch {
        return message(for: error)
      }
    }
  }

  // MARK: - Negated terms

  /// The parser takes a word with one dash for a cluster of short options if one of its letters is one,
  /// so `-archive` would count. Here such words are terms unless they consist of short options alone.
  static func hidingNegations(in words: [String]) -> [String] {
    let find =
      words.first == "--catalog" ? 2 : words.first?.hasPrefix("--catalog=") == true ? 1 : 0
    guard words.indices.contains(find), words[find] == configuration.commandName else {
      return words
    }
    var words = words
    var isValue = false
    for index in words.indices.dropFirst(find + 1) {
      let word = words[index]
      if word == "--" { break }
      if !isValue, word.hasPrefix("-"), !word.hasPrefix("--"),
        !word.dropFirst().allSatisfy({ "c0h".contains($0) })
      {
        words[index] =
          String(Character(RawArguments.standIn(for: UInt8(ascii: "-")))) + word.dropFirst()
      }
      isValue = valued.contains(word)
    }
    return words
  }

  /// The options of which the next word is the value.
  private static let valued: Set<String> = [
    "--catalog", "--in", "--sort", "--columns", "--limit", "--offset", "--after", "--format",
    "--save", "--unsave",
  ]
}

/// What `find` searches, and what it does with the search.
struct SearchOptions: ParsableArguments {
  @Option(
    name: .customLong("in"),
    help: ArgumentHelp("Look only below this directory.", valueName: "dir"),
    completion: .directory)
  var directory: PathArgument?

  @Flag(name: .shortAndLong, help: "Print only how many there are.")
  var count = false

  @Option(
    help: ArgumentHelp(
      "Save the query in the catalog by this name, and search nothing.", valueName: "name"))
  var save: String?

  @Flag(help: "List the saved searches.")
  var saved = false

  @Option(
    help: ArgumentHelp("Delete a saved search.", valueName: "name"), completion: .savedSearches)
  var unsave: String?

  func validate() throws {
    guard [save != nil, saved, unsave != nil].filter({ $0 }).count <= 1 else {
      throw ValidationError("--save, --saved and --unsave exclude each other")
    }
  }
}

/// The saved searches of a catalog, as `find` handles them.
enum SavedSearches {
  static func save(
    _ name: String, _ query: Query, in directory: FilePath?, sort: String?,
    _ options: CatalogOptions
  ) async throws -> Outcome {
    let search = try SavedSearch(
      name: name, query: query, directory: directory,
      order: try sort.map { try SortOrder(parsing: $0) })
    let catalog = try options.open()
    defer { catalog.closeQuietly() }
    try await catalog.save(search)
    return .done
  }

  static func delete(_ name: String, _ options: CatalogOptions) async throws -> Outcome {
    let catalog = try options.open()
    defer { catalog.closeQuietly() }
    try await catalog.deleteSavedSearch(named: name)
    return .done
  }

  static func list(_ options: CatalogOptions, _ output: OutputOptions) async throws -> Outcome {
    let catalog = try options.open()
    defer { catalog.closeQuietly() }
    let searches = try await catalog.savedSearches()
    var printer = output.printer(
      [Column("name"), Column("query"), .path("directory"), Column("sort")], piped: .tsv)
    for search in searches {
      try printer.print([
        .text(search.name), .text(search.query.description),
        search.directory.map { .text(bytes: $0.bytes) } ?? .null,
        search.order.map { .text($0.description) } ?? .null,
      ])
    }
    try printer.finish()
    return searches.isEmpty ? .nothing : .done
  }
}
