import ArgumentParser
import CPlatform
import Console
import FileCatalog
import FileSystem
import SystemPackage

struct WatchCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "watch", _superCommandName: FileCat.name,
    abstract: "Keep the catalog current while the disk changes.",
    discussion: """
      Scans the roots, prints what has changed since their last scan, and then every change as it \
      lands. Without ROOT all known roots are watched. Ends with Ctrl-C, which leaves the catalog as \
      of the last change.
      """)

  /// How changes are noticed, as typed.
  enum Method: String, CaseIterable, ExpressibleByArgument {
    case automatic, fanotify, inotify, polling

    var method: DirectoryWatcher.Method {
      switch self {
      case .automatic: .automatic
      case .fanotify: .fanotify
      case .inotify: .inotify
      case .polling: .polling
      }
    }
  }

  @OptionGroup var catalog: CatalogOptions
  @OptionGroup var output: OutputOptions

  @Option(help: "How to notice changes.")
  var method = Method.automatic

  @Option(
    help: ArgumentHelp(
      "Look at what the system does not report on every so many seconds.", valueName: "seconds"))
  var interval = 60.0

  @Flag(help: "Also directories of which only the content changed.")
  var includeDirectories = false

  @Argument(help: "The directories to watch.", completion: .directory)
  var roots: [PathArgument] = []

  func validate() throws {
    guard interval >= 0.1, interval <= 86_400 else {
      throw ValidationError("--interval takes a number of seconds from 0.1 to 86400")
    }
  }

  func execute() async throws -> Outcome {
    cplatform_return_memory_soon()
    let catalog = try catalog.open(.create)
    defer { catalog.closeQuietly() }
    var options = DirectoryWatcher.Options()
    options.method = method.method
    options.pollingInterval = .seconds(interval)
    let changes = ChangePrinter(output)
    var filter = ChangeFilter()
    filter.directories = includeDirectories ? .included : .leftOut
    let (watch, filterInUse) = (options, filter)
    var request = ScanRequest()
    request.excludesOfNewRoots = Settings.current.excludes
    let scan = request
    do {
      try await MainThread.shared.cancellingWhenInterrupted {
        for try await event in catalog.watch(
          roots.map(\.path), request: scan, options: watch)
        {
          switch event {
          case .scanned(let summary):
            // What a new root holds is where its history begins.
            guard !summary.isFirst else { continue }
            try catalog.forEachChange(ofScan: summary.scanID, filter: filterInUse) {
              try changes.print($0)
            }
            try changes.flush()
          case .failed(_, let error):
            // Nothing has to be done about it: watching goes on.
            Message.print(error)
          }
        }
      }
    } catch let error as OutputError where error != .readerGone {
      Message.print("the changes were committed to the catalog; \(error)")
      return .incomplete
    }
    return .interrupted
  }
}
