import ArgumentParser
import Console
import FileCatalog
import FileSystem
import SystemPackage

struct LsCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "ls", _superCommandName: FileCat.name,
    abstract: "List directories from the catalog.",
    discussion: """
      Of what is no directory, the entry itself is listed. Without PATH: the current directory, or the \
      roots when it is in none. On a terminal, the size of a directory is that of all that is in it \
      (total_size, which is a column and a sort key of its own). Hidden entries are listed, as all that \
      is in the catalog.
      """,
    helpNames: .long)

  /// The columns where nobody has named others.
  static let columns: [EntryColumn] = [.name, .size, .modified, .type]

  @OptionGroup var catalog: CatalogOptions
  @OptionGroup var table: TableOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var habits: LsHabits

  @Argument(help: "The directories, or other entries.", completion: .file())
  var paths: [PathArgument] = []

  func validate() throws {
    guard paths.count < 2 || table.after == nil && table.offset == 0 else {
      throw ValidationError("--after and --offset go with one PATH")
    }
    guard table.sort == nil || habits.order == nil else {
      throw ValidationError("--sort has keys of its own; leave out -t, -S and -r")
    }
  }

  func execute() async throws -> Outcome {
    let catalog = try catalog.open()
    defer { catalog.closeQuietly() }
    let source = try await table.past.state(of: catalog).map { RowSource.past($0) } ?? .now(catalog)
    var requests: [TableRequest] = []
    var outcome = Outcome.done
    for path in paths.map(\.path) {
      do {
        requests.append(try await request(for: path, in: source))
      } catch let error as CatalogError where error.code == .notInCatalog && paths.count > 1 {
        // One that is not there does not keep the others from being listed.
        Message.print(error)
        outcome = .nothing
      }
    }
    if paths.isEmpty { requests = [try await requestForHere(in: source)] }
    // An empty directory was listed all the same.
    if let request = requests.first, requests.count == 1 {
      _ = try EntryRows.print(request, from: source, table, output, piped: piped)
    } else if !requests.isEmpty {
      _ = try EntryRows.print(requests, from: source, table, output, piped: piped)
    }
    if let request = requests.first {
      try await UnknownWordHints.print(about: request, in: catalog)
    }
    return outcome
  }

  private func requestForHere(in source: RowSource) async throws -> TableRequest {
    guard try await source.kind(at: ".") == nil else {
      return try await request(for: ".", in: source)
    }
    return try table.request(
      Query(.depth(.exactly(0))), in: .everything, format: table.format(output, piped: piped),
      columns: columns(.path), order: habits.order ?? SortOrder([SortOrder.Term(.path)]),
      from: source)
  }

  private func request(for path: FilePath, in source: RowSource) async throws -> TableRequest {
    var scope = TableRequest.Scope.children(of: path)
    do {
      _ = try await source.totals(below: path, depth: 0)
    } catch let error as CatalogError where error.code == .notADirectory {
      scope = .entry(at: path)
    }
    // A name alone does not tell in which of several directories it is.
    return try table.request(
      Query(), in: scope, format: table.format(output, piped: piped),
      columns: columns(paths.count > 1 ? .path : .name),
      set: habits.details ? nil : Settings.current.columnsOfLs,
      order: habits.order ?? SortOrder(), from: source)
  }

  /// The columns where nobody has named others, with `name` to tell entries from each other.
  private func columns(_ name: EntryColumn) -> [EntryColumn] {
    habits.details ? EntryRows.details + [name] : [name] + Self.columns.dropFirst()
  }

  private var piped: RowFormat { habits.details ? .table : .paths }
}

/// What fingers add to `ls`.
struct LsHabits: ParsableArguments {
  @Flag(
    name: [.customShort("l"), .customLong("list-details")],
    help: "Print a table with mode, links, owner, group, size and date.")
  var details = false

  @Flag(name: .customShort("t"), help: "Sort by date, the newest first: --sort -modified.")
  var byDate = false

  @Flag(name: .customShort("S"), help: "Sort by size, the largest first: --sort -size.")
  var bySize = false

  @Flag(name: .customShort("r"), help: "Reverse the order.")
  var reversed = false

  // What ls does here in any case. One flag: the parser reflects on each, at every start.
  @Flag(
    name: [
      .customShort("a"), .customLong("all"), .customShort("A"), .customLong("almost-all"),
      .customShort("h"), .customLong("human-readable"), .customShort("1"),
    ], help: .hidden)
  var accepted = false
  // And what it does not.
  @Flag(name: [.customShort("R"), .customLong("recursive")], help: .hidden) var recursive = false

  func validate() throws {
    if recursive { throw ValidationError("-R is what find does: filecat find --in DIR") }
    if byDate, bySize { throw ValidationError("-t and -S exclude each other") }
  }

  /// The order that is asked for.
  var order: SortOrder? {
    guard byDate || bySize || reversed else { return nil }
    let key: SortOrder.Key = byDate ? .modified : bySize ? .size : .name
    let isDescending = (byDate || bySize) != reversed
    return SortOrder([SortOrder.Term(key, isDescending ? .descending : .ascending)])
  }
}
