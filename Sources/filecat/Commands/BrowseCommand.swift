import ArgumentParser
import Console
import FileCatalog
import FileSystem
import SystemPackage

struct BrowseCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "browse", _superCommandName: FileCat.name,
    abstract: "Look around in the catalog, on the whole terminal.",
    discussion: """
      Shows a directory with what is in it, the largest first, from what is stored: nothing is walked. / \
      finds entries of the whole catalog while you type, in the query language (filecat help query). The \
      keys are those of ncdu, gdu and less; ? lists them. Without PATH: the current directory, or the \
      roots when it is in none.

      What is marked (space) goes to the trash (d) after a question; b opens a shell, o the program for \
      an entry, r scans again. What scans have changed since the screen was opened is coloured, or since \
      a scan that you choose (S); what others write to the catalog meanwhile is seen at once.

        filecat browse ~/Pictures
        filecat browse --read-only --sort modified /usr
      """)

  /// What rows may be sorted by first.
  enum Order: String, ExpressibleByArgument, CaseIterable {
    case size, name, files, modified, type
  }

  @OptionGroup var catalog: CatalogOptions

  @Argument(help: "The directory to begin in.", completion: .directory)
  var path: PathArgument?

  @Option(help: ArgumentHelp("Sort by this at first.", valueName: "key"))
  var sort: Order = .size

  @Flag(help: "Show lengths of content at first, instead of what they take on the disk.")
  var apparentSize = false

  @Flag(help: "Move nothing to the trash, start no programs and scan nothing.")
  var readOnly = false

  @Flag(help: "Keep the catalog current meanwhile, as filecat watch does.")
  var watch = false

  // For screens that are compared with others: ages count from this moment, in seconds since 1970.
  @Option(help: .hidden) var now: Int64?

  func validate() throws {
    if watch, readOnly {
      throw ValidationError("--watch writes to the catalog; leave out --read-only")
    }
  }

  func execute() async throws -> Outcome {
    guard StandardStream.output.terminal.isTerminal else {
      throw ValidationError("browse needs a terminal; write: filecat ls")
    }
    let catalog = try catalog.open()
    let start = try await start(in: catalog)
    let file = catalog.path.absolute
    catalog.closeQuietly()
    var words: [FilePath] = [
      "--catalog", file, "--command", CompanionProgram.own, "--sort", FilePath(sort.rawValue),
    ]
    if let start { words += ["--directory", start] }
    if apparentSize { words.append("--apparent-size") }
    if readOnly { words.append("--read-only") }
    if watch { words.append("--watch") }
    if StandardStream.output.terminal.style == .plain { words.append("--no-color") }
    if let now { words += ["--now", FilePath("\(now)")] }
    throw CompanionProgram("filecat-browse").become(words)
  }

  /// The directory to begin in; `nil` for all roots.
  private func start(in catalog: Catalog) async throws -> FilePath? {
    guard let path = path?.path else {
      guard let here = try await catalog.entry(at: "."), here.kind == .directory else { return nil }
      return here.path
    }
    return try await catalog.totals(of: path).path
  }
}
