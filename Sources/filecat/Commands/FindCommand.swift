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
      contain it; with * ? […] {a,b} it is a glob for the whole name, and with a / it looks at the path.

        filecat find readme                    names that contain “readme”
        filecat find '*.{c,h}' 'size:>10k'     C sources and headers above 10 KiB
        filecat find '/usr/include/**/*.h'     headers below /usr/include
        filecat find kind:image 'modified:<7d' images of the last week
        filecat find 'ext:log OR ext:tmp' '!owner:root'
        filecat find -e log -S +1M -x gzip     the options of fd; -x runs a command

      The whole language, with examples: filecat help query. What begins with ./ is a path below the \
      working directory. -H, -I and -u change nothing: all that was scanned is in the catalog.

      A search that is saved in the catalog is found again by its name, with further terms or without:

        filecat find --save big 'size:>1G'     saves the query, with --in, -d and --sort
        filecat find @big kind:video           searches, for videos among what is big
      """)

  /// The columns where nobody has named others.
  static let columns: [EntryColumn] = [.path, .size, .modified]

  @OptionGroup var catalog: CatalogOptions
  @OptionGroup var table: TableOptions
  @OptionGroup var output: OutputOptions

  @OptionGroup var search: SearchOptions
  @OptionGroup var options: FindOptions

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
    guard search.commands == nil || !search.count && !search.details && table.after == nil else {
      throw ValidationError(
        "-x and -X run commands and print no rows; leave out -c, -l and --after")
    }
    guard table.past.at == nil || !search.details else {
      throw ValidationError("the history keeps no modes and owners: -l does not go with --at")
    }
    guard !search.quiet || search.commands == nil && !search.count && !search.details else {
      throw ValidationError("-q prints nothing; leave out -c, -l, -x and -X")
    }
  }

  func execute() async throws -> Outcome {
    if search.saved { return try await SavedSearches.list(catalog, output) }
    if let name = search.unsave { return try await SavedSearches.delete(name, catalog) }
    let named = words.first.flatMap { $0.hasPrefix("@") ? String($0.dropFirst()) : nil }
    let places = FindPlaces(Array(words.dropFirst(named == nil || search.save != nil ? 0 : 1)))
    let typed = try options.query(places.words)
    var directories = search.directories.map(\.path) + places.directories
    if let name = search.save { return try await save(typed, as: name, in: directories) }
    let catalog = try catalog.open()
    defer { catalog.closeQuietly() }
    var saved: SavedSearch?
    if let named { saved = try await catalog.savedSearch(named: named) }
    if directories.isEmpty { directories = saved?.directories ?? [] }
    let query = saved.map { $0.query(and: typed) } ?? typed
    let source = try await table.past.state(of: catalog).map { RowSource.past($0) } ?? .now(catalog)
    let request = try request(
      query, in: directories, levels: options.levels ?? saved?.levels, order: saved?.order,
      from: source)
    let outcome = try await answer(request, from: source)
    // What is known of words and places now is no advice about then.
    if source.isPast { return outcome }
    try await FindHints(outcome: outcome, places: places, options: options).print(
      about: request, in: catalog)
    return outcome
  }

  private func request(
    _ query: Query, in directories: [FilePath], levels: Filter.ValueRange<Int64>?,
    order: SortOrder?, from source: RowSource
  ) throws -> TableRequest {
    let scope: TableRequest.Scope
    switch (directories.count, levels) {
    case (0, _): scope = .everything
    case (1, nil): scope = .subtree(of: directories[0])
    case (_, let levels): scope = .subtrees(of: directories, levels: levels)
    }
    return try table.request(
      directories.isEmpty ? query.limited(to: levels) : query, in: scope,
      format: table.format(output, piped: piped),
      columns: search.details ? EntryRows.details + [.path] : Self.columns,
      set: search.details ? nil : Settings.current.columnsOfFind,
      order: order ?? SortOrder([SortOrder.Term(.path)]), from: source)
  }

  private var piped: RowFormat { search.details ? .table : .paths }

  /// Prints what a request finds, or its number, or runs commands for it.
  private func answer(_ request: TableRequest, from source: RowSource) async throws -> Outcome {
    if search.quiet {
      var request = request
      request.limit = min(1, request.limit ?? 1)
      var outcome = Outcome.nothing
      try source.forEachPath(of: request) { _ in outcome = .done }
      return outcome
    }
    if search.count {
      let number = try await source.count(of: request.query, in: request.scope)
      try StandardStream.output.print("\(number)")
      return number == 0 ? .nothing : .done
    }
    guard let commands = search.commands else {
      let isForPeople =
        StandardStream.output.terminal.isTerminal && !search.absolute && !output.null
        && [.table, .paths].contains(table.format(output, piped: piped))
      return try EntryRows.print(
        request, from: source, table, output, piped: piped,
        relative: isForPeople ? RelativePaths() : nil)
    }
    // All of them first: a command may change what is being read.
    var paths: [FilePath] = []
    try source.forEachPath(of: request) { paths.append(FilePath(bytes: $0)) }
    // As in fd: 1 when a command has failed, and 0 where there was nothing to run one for.
    return commands.run(for: paths) ? .done : .nothing
  }

  private func save(_ query: Query, as name: String, in directories: [FilePath]) async throws
    -> Outcome
  {
    let levels = options.levels
    let search = try SavedSearch(
      name: name, query: directories.isEmpty ? query.limited(to: levels) : query,
      directories: directories, levels: directories.isEmpty ? nil : levels,
      order: try table.sort.map { try SortOrder(parsing: $0) })
    return try await SavedSearches.save(search, catalog)
  }

  private var words: [String] { query.filter { $0 != "--" } }

  /// The options without the place for terms, which takes whatever is no option.
  private struct Options: ParsableArguments {
    @OptionGroup var catalog: CatalogOptions
    @OptionGroup var table: TableOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var search: SearchOptions
    @OptionGroup var options: FindOptions

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
}

extension Query {
  /// The query for what is on these levels below its root.
  fileprivate func limited(to levels: Filter.ValueRange<Int64>?) -> Query {
    guard let levels else { return self }
    return Query(filter && .depth(levels), caseSensitivity: caseSensitivity)
  }
}

/// What `find` searches, and what it does with the search.
struct SearchOptions: ParsableArguments {
  @Option(
    name: .customLong("in"),
    help: ArgumentHelp("Look only below this directory. Repeatable.", valueName: "dir"),
    completion: .directory)
  var directories: [PathArgument] = []

  @Flag(name: .shortAndLong, help: "Print only how many there are.")
  var count = false

  @Flag(
    name: .shortAndLong,
    help: "Print nothing; the exit status tells whether there is something: 0, or 1.")
  var quiet = false

  @Flag(
    name: [.customShort("l"), .customLong("list-details")],
    help: "Print a table with mode, links, owner, group, size and date.")
  var details = false

  @Flag(
    name: [.customShort("a"), .customLong("absolute-path")],
    help: "Print absolute paths on a terminal, too.")
  var absolute = false

  @Option(
    name: [.customShort("x"), .customLong("exec")],
    help: ArgumentHelp(
      """
      Run a command, up to a “;” or the end, for each path. {} is the path, {/} its name, {//} its directory, \
      {.} and {/.} are both without extension.
      """, valueName: "cmd"))
  var commandForEach: [String] = []

  @Option(
    name: [.customShort("X"), .customLong("exec-batch")],
    help: ArgumentHelp("Run a command once with all paths.", valueName: "cmd"))
  var commandForAll: [String] = []

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
    guard commandForEach.isEmpty || commandForAll.isEmpty else {
      throw ValidationError("-x and -X exclude each other")
    }
    if commands?.isAmbiguous == true {
      throw ValidationError("-X takes the paths at one place behind the name of the command")
    }
  }

  /// What to run for what is found.
  var commands: FoundCommands? {
    FoundCommands(commandForEach, .each) ?? FoundCommands(commandForAll, .all)
  }
}

/// The saved searches of a catalog, as `find` handles them.
enum SavedSearches {
  static func save(_ search: SavedSearch, _ options: CatalogOptions) async throws -> Outcome {
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
      [
        Column("name"), Column("query"), Column("directories"), Column("sort"), Column("levels"),
      ], piped: .tsv)
    for search in searches {
      try printer.print([
        .text(search.name), .text(search.query.description),
        .list(search.directories.map { .text(bytes: $0.bytes) }),
        search.order.map { .text($0.description) } ?? .null,
        search.levels.map { .text(Query(.depth($0)).description) } ?? .null,
      ])
    }
    try printer.finish()
    return searches.isEmpty ? .nothing : .done
  }
}
