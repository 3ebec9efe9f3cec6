import ArgumentParser
import Console
import FileCatalog
import FileSystem
import SystemPackage

struct RootsCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "roots", _superCommandName: FileCat.name,
    abstract: "List the roots with their state, last scan and totals.",
    subcommands: [RootsMoveCommand.self])

  @OptionGroup var catalog: CatalogOptions
  @OptionGroup var list: ListOptions
  @OptionGroup var output: OutputOptions

  private static let columns: [Column] = [
    .path("path"), .text("state"), Column("last_scan_at", title: "LAST SCAN"),
    .number("entries"), .number("size"), .text("excludes"),
    .number("allocated", title: "ON DISK").whereItFits,
    .text("last_scan_state", title: "ENDED").whereItFits, .number("files"),
    .number("directories"), .number("last_scan_id"), Column("one_file_system"),
    Column("shallow"), Column("include_packages"), .otherPath("given_path"),
    Column("gitignore"), .text("skip_fs"), .number("max_depth"), Column("hidden"),
  ]

  /// What a person looks for in it.
  private static let columnsForPeople = columns.prefix { $0.name != "files" }

  func execute() async throws -> Outcome {
    let catalog = try catalog.open()
    defer { catalog.closeQuietly() }
    let roots = try await catalog.roots()
    let isTable = output.format(piped: .tsv) == .table
    var rows = RowList(isTable ? Array(Self.columnsForPeople) : Self.columns)
    for root in roots {
      let cells: [Cell] = [
        .text(bytes: root.path.bytes), .text(root.state.rawValue),
        root.lastScanAt.map { Cell(.integer($0), .seconds) } ?? .null,
        .count(Int64(root.entries)), .byteCount(root.size),
        .list(root.options.excludes.map { .text($0) }), .byteCount(root.allocated),
        root.lastScanState.map { .text($0.rawValue) } ?? .null,
        .count(Int64(root.files)), .count(Int64(root.directories)),
        root.lastScan.map { .integer($0.rawValue) } ?? .null,
        .boolean(root.options.boundary == .oneFileSystem),
        .boolean(root.options.depth == .shallow), .boolean(root.options.packages == .descend),
        .text(bytes: root.givenPath.bytes), .boolean(root.options.gitIgnore == .followed),
        .text(root.options.skippedFileSystems.description),
        root.options.maxDepth.map { .integer(Int64($0)) } ?? .null,
        .boolean(root.options.hidden == .included),
      ]
      rows.append(Array(cells.prefix(rows.columns.count)))
    }
    if roots.isEmpty { Message.print(Advice.noRoots) }
    return try rows.print(list, output)
  }
}

struct RootsMoveCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "move",
    abstract: "Tell where a root is that was moved, or whose volume is mounted elsewhere.",
    discussion: """
      The root keeps its entries, its history, its settings, and the containers and saved searches in it: \
      only their paths change. “filecat scan NEW” recognises a directory that was moved by itself; this is \
      for what it cannot recognise, such as a copy on another disk. Scan the root afterwards.
      """)

  @OptionGroup var catalog: CatalogOptions

  @Argument(help: "The root, by its old path.", completion: .roots)
  var old: PathArgument

  @Argument(help: "The directory that it is now.", completion: .directory)
  var new: PathArgument

  func execute() async throws -> Outcome {
    let catalog = try catalog.open()
    defer { catalog.closeQuietly() }
    try await catalog.moveRoot(old.path, to: new.path)
    return .done
  }
}

struct ForgetCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "forget", _superCommandName: FileCat.name,
    abstract: "Drop a root from the catalog. The files themselves are not touched.")

  @OptionGroup var catalog: CatalogOptions

  @Argument(help: "The root.", completion: .roots)
  var root: PathArgument

  func execute() async throws -> Outcome {
    let catalog = try catalog.open()
    defer { catalog.closeQuietly() }
    try await catalog.forget(root.path)
    return .done
  }
}
