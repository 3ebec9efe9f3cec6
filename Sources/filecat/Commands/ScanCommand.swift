import ArgumentParser
import CPlatform
import Console
import FileCatalog
import FileSystem
import StandardDirectories
import SystemPackage

struct ScanCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "scan", _superCommandName: FileCat.name,
    abstract: "Index directories, or bring what is indexed up to date.",
    discussion: """
      Without ROOT all known roots are scanned. The settings of a root (--shallow, --max-depth, --no-hidden, -x, --exclude, \
      --gitignore, --skip-fs, --include-packages, --sniff, --xattrs, --values) are kept with it: later \
      scans use them until others are given. A file .filecatignore says what is left out of its directory and of \
      all below, in the format of .gitignore. Exit status 3: something could not be read, or some of \
      the roots could not be scanned.
      """)

  @OptionGroup var catalog: CatalogOptions
  @OptionGroup var output: OutputOptions

  @Flag(
    inversion: .prefixedNo, exclusivity: .chooseLast,
    help: "Only the children of the root, nothing deeper.")
  var shallow: Bool?

  @Option(
    help: ArgumentHelp(
      "Only what is so many steps below the root at most; “all” for everything.",
      valueName: "n"))
  var maxDepth: String?

  @Flag(
    inversion: .prefixedNo, exclusivity: .chooseLast,
    help: "Take in what is hidden: names that begin with a dot.")
  var hidden: Bool?

  @Flag(
    name: [.customShort("x"), .customLong("one-file-system")],
    inversion: .prefixedNo, exclusivity: .chooseLast, help: "Stay on the file system of the root.")
  var oneFileSystem: Bool?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Leave out names like this as well, or paths if it has a slash. Repeatable; '' clears.",
      valueName: "glob"))
  var exclude: [String] = []

  @Option(
    help: ArgumentHelp(
      "Leave this out no more, as --exclude has named it. Repeatable.", valueName: "glob"))
  var noExclude: [String] = []

  @Flag(
    inversion: .prefixedNo, exclusivity: .chooseLast,
    help: "Inside Git's work trees, leave out what Git ignores.")
  var gitignore: Bool?

  @Option(
    name: .customLong("skip-fs"),
    help: ArgumentHelp(
      """
      Do not enter mounted file systems of these types, nor those that the system makes up such as \
      proc and sysfs; with none among the types, enter these too.
      """, valueName: "type,…"))
  var skippedFileSystems: String?

  @Option(
    name: [.customShort("j", allowingJoined: true), .long],
    help: ArgumentHelp(
      "Threads that read directories. Default: as many as the disk wants, up to 64.",
      valueName: "n"))
  var jobs: Int?

  @Flag(
    inversion: .prefixedNo, exclusivity: .chooseLast,
    help: "Enter packages such as Notes.rtfd like other directories.")
  var includePackages: Bool?

  @Flag(
    inversion: .prefixedNo, exclusivity: .chooseLast,
    help: "Read the beginning of files whose names do not settle their types.")
  var sniff: Bool?

  @Flag(
    inversion: .prefixedNo, exclusivity: .chooseLast, help: "Store extended attributes as well.")
  var xattrs: Bool?

  @Option(
    help: ArgumentHelp(
      """
      Read files for the values that they hold, once and again when they have changed: \
      \(Catalog.builtInContentProviders.joined(separator: ", ")); xattr as --xattrs; none for no more. \
      image: pixels, date taken, camera; media: duration, codecs, title, as ffprobe tells; document: pages, title, \
      author.
      """, valueName: "provider,…"),
    completion: .list(Self.valueWords))
  var values: String?

  @Option(
    help: ArgumentHelp(
      "Keep an index of the values under this key, for queries that compare them. Repeatable.",
      valueName: "key"))
  var indexValue: [String] = []

  @Option(
    help: ArgumentHelp("Keep no index of these values any more. Repeatable.", valueName: "key"))
  var noIndexValue: [String] = []

  private static let none = "none"
  private static let attributes = ExtendedAttributeValues().key
  private static let valueWords = Catalog.builtInContentProviders + [attributes, none]

  @Flag(
    help: """
      Read only directories that have changed by their own times: finds what was added, removed or renamed, \
      but not what was written in place.
      """)
  var quick = false

  @Option(
    help: ArgumentHelp(
      """
      Take what has gone from one root into another for one move, if the second is scanned this long after \
      the first at most; “none” for never. Default: 1d.
      """, valueName: "age"))
  var movesWithin: String?

  @Flag(help: "Print every change; the summary goes to standard error.")
  var changes = false

  @Flag(help: "With --changes, also directories of which only the content changed.")
  var includeDirectories = false

  @Option(
    help: ArgumentHelp(
      "Register each ROOT as a container of this style: \(Container.Style.names).",
      valueName: "style"),
    completion: .list(Container.Style.allCases.map(\.rawValue)))
  var container: String?

  @Flag(help: "Accept that a root has lost over half of its entries.")
  var allowEmpty = false

  @Flag(inversion: .prefixedNo, help: "Show progress on the terminal.")
  var progress = true

  @Argument(help: "The directories to index.", completion: .directory)
  var roots: [PathArgument] = []

  func validate() throws {
    guard jobs.map((1...512).contains) ?? true else {
      throw ValidationError("--jobs takes a number from 1 to 512")
    }
    guard (exclude + noExclude).allSatisfy(RawArguments.isText) else {
      throw ValidationError("--exclude takes a glob in UTF-8; ? stands for any other byte")
    }
    if quick, let setting = settings.first {
      throw ValidationError(
        "--quick goes by the settings that a root has, and \(setting) needs every directory to be read: "
          + "use one of them")
    }
    if container != nil, roots.isEmpty {
      throw ValidationError("--container needs the directory that is a container")
    }
    _ = try movesWithin.map(Self.time)
    _ = try maxDepth.map(Self.depth)
    _ = try skippedFileSystems.map(Self.fileSystems)
    _ = try values.map(Self.providers)
  }

  /// The options given that change what is known of every file.
  private var settings: [String] {
    let given = [
      ("--shallow", shallow != nil), ("--max-depth", maxDepth != nil),
      (hidden == true ? "--hidden" : "--no-hidden", hidden != nil),
      ("--one-file-system", oneFileSystem != nil),
      ("--exclude", !exclude.isEmpty), ("--no-exclude", !noExclude.isEmpty),
      ("--gitignore", gitignore != nil), ("--skip-fs", skippedFileSystems != nil),
      ("--include-packages", includePackages != nil), ("--sniff", sniff != nil),
      ("--xattrs", xattrs != nil), ("--values", values != nil),
    ]
    return given.filter(\.1).map(\.0)
  }

  private func request(for path: FilePath, jobs: ScanRequest.Jobs) throws -> ScanRequest {
    var request = ScanRequest(jobs: jobs)
    if let container {
      let container = try Container(at: path, style: Container.Style(named: container))
      if let failure = container.metadataFailure { Message.print(failure) }
      request.containers = [container]
    }
    if quick { request.thoroughness = .quick }
    request.depth = shallow.map { $0 ? .shallow : .deep }
    request.maxDepth = try maxDepth.map(Self.depth)
    request.hidden = hidden.map { $0 ? .included : .leftOut }
    request.boundary = oneFileSystem.map { $0 ? .oneFileSystem : .crossDevices }
    request.packages = includePackages.map { $0 ? .descend : .asOneEntry }
    request.typing = sniff.map { $0 ? .byContent : .byName }
    // What comes behind an empty one is all there is.
    let kept = exclude.lastIndex(of: "").map { exclude[($0 + 1)...] }
    request.excludes = kept.map { _ in [] }
    request.addedExcludes = Array(kept ?? exclude[...])
    request.removedExcludes = noExclude
    request.gitIgnore = gitignore.map { $0 ? .followed : .disregarded }
    request.skippedFileSystems = try skippedFileSystems.map(Self.fileSystems)
    // An option comes before the file of settings.
    request.excludesOfNewRoots = exclude.isEmpty ? Settings.current.excludes : []
    request.resourceValues = xattrs.map { $0 ? [Self.attributes] : [] }
    if let keys = try values.map(Self.providers) {
      request.contentValues = keys.filter { $0 != Self.attributes }
      if keys.isEmpty || keys.contains(Self.attributes) {
        request.resourceValues = keys.filter { $0 == Self.attributes }
      }
    }
    request.loss = allowEmpty ? .accepted : .refused
    if let movesWithin { request.movesWithin = try Self.time(movesWithin) }
    return request
  }

  private static func time(_ text: String) throws -> Duration {
    if text.lowercased() == none { return .zero }
    guard let age = Filter.Age(parsing: text) else {
      throw ValidationError(
        "--moves-within takes an age such as 1d or 12h, or none; “\(text)” is neither")
    }
    return .seconds(age.seconds)
  }

  /// - Returns: `nil` for any depth.
  private static func depth(_ text: String) throws -> Int? {
    if text.lowercased() == "all" { return nil }
    guard let depth = Int(text), depth > 0 else {
      throw ValidationError("--max-depth takes a number from 1 on, or all; “\(text)” is neither")
    }
    return depth
  }

  private static func providers(_ text: String) throws -> [String] {
    if text == none { return [] }
    var keys: [String] = []
    for word in text.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
      guard word != none, valueWords.contains(word) else {
        let nearest = Spelling.nearest(to: word, in: valueWords).map { Advice.didYouMean($0) }
        throw ValidationError(
          "--values: nothing reads “\(word)” in files; "
            + (nearest ?? "known: \(valueWords.joined(separator: ", "))"))
      }
      if !keys.contains(word) { keys.append(word) }
    }
    return keys
  }

  private static func fileSystems(_ text: String) throws -> FileSystemTypes {
    do throws(FileSystemTypes.UnknownName) {
      return try FileSystemTypes(parsing: text)
    } catch {
      let nearest = Spelling.nearest(to: error.name, in: error.known).map {
        Advice.didYouMean($0)
      }
      throw ValidationError(
        "--skip-fs: there is no file system “\(error.name)”; "
          + (nearest ?? "known: \(error.known.joined(separator: ", "))"))
    }
  }

  /// Whether something was said about what is left out.
  private var concernsExclusion: Bool {
    !exclude.isEmpty || !noExclude.isEmpty || gitignore != nil || skippedFileSystems != nil
  }

  func execute() async throws -> Outcome {
    cplatform_return_memory_soon()
    let jobs = ProcessNeeds.jobs(jobs)
    let catalog = try catalog.open(.create)
    defer { catalog.closeQuietly() }
    let paths =
      roots.isEmpty ? try await catalog.roots().map(\.path) : roots.map(\.path)
    guard !paths.isEmpty else {
      throw ValidationError("the catalog has no roots yet; name one: filecat scan DIRECTORY")
    }
    // A container that is not there is found out before anything is scanned.
    let requests = try paths.map { ($0, try request(for: $0, jobs: jobs)) }
    let display = ProgressDisplay(isEnabled: progress)
    let printer = changes ? ChangePrinter(output) : nil
    var output = SummaryOutput(output, to: changes ? .error : .output)
    var account = Account()
    var outcome = Outcome.done
    var isAnyDone = false
    var failure: Outcome?
    var told: Set<String> = []
    var untold: [ScanSummary] = []
    var interruption: (any Error)?
    for (position, (path, request)) in requests.enumerated() {
      do {
        untold += try await MainThread.shared.cancellingWhenInterrupted {
          try await catalog.scan([path], request: request) { display.show($0) }
        }
        display.clear()
        isAnyDone = true
      } catch let error as CatalogError where error.code != .interrupted {
        display.clear()
        // One root that fails does not keep the others from being scanned. What is wrong with the catalog
        // is so for all of them, and is told once.
        if told.insert(error.description).inserted { Message.print(error) }
        failure = Outcome(error) == .usage ? .usage : .failed
      } catch {
        display.clear()
        interruption = error
      }
      // What one root has lost or got, the scan of another may find to have moved.
      let isLast = interruption != nil || position == requests.count - 1
      guard isLast || !untold.contains(where: \.isOpen) else { continue }
      for summary in requests.count > 1 ? try await catalog.recounted(untold) : untold {
        try account.say {
          if let printer { try print(summary, of: catalog, with: printer) }
          try output.print(summary)
        }
        if concernsExclusion { try await SummaryOutput.printExclusion(of: summary, in: catalog) }
        if let old = summary.movedFrom {
          Message.print(Advice.line(forRoot: summary.root, movedFrom: old))
        }
        if quick, summary.isFirst || summary.state == .complete {
          Message.print(Advice.line(forFullScanOf: summary.root))
        }
        if summary.state == .partial || summary.errors > 0 {
          try await SummaryOutput.printFailures(of: summary, in: catalog)
          outcome = .incomplete
        }
      }
      untold = []
      if let interruption { throw interruption }
    }
    for key in indexValue { try await catalog.indexValues(of: key) }
    for key in noIndexValue where try await !catalog.removeIndex(ofValues: key) {
      let known = try await catalog.indexedValues().map { "“\(RawArguments.shown($0))”" }
      let others = known.isEmpty ? "" : "; there are \(known.joined(separator: ", "))"
      Message.print("there is no index of the values “\(RawArguments.shown(key))”\(others)")
    }
    try account.say {
      try printer?.finish()
      try output.finish()
    }
    Message.print(leftOut: catalog.typeDiagnostics)
    for fault in catalog.roleFaults { Message.print(fault) }
    if !catalog.roleFaults.isEmpty {
      Message.print("so the roles that the catalog has have not changed")
    }
    if let failure { outcome = isAnyDone ? .incomplete : failure }
    return account.outcome(outcome, of: "the scan was committed to the catalog")
  }

  private func print(
    _ summary: ScanSummary, of catalog: Catalog, with printer: ChangePrinter
  ) throws {
    var filter = ChangeFilter()
    filter.directories = includeDirectories ? .included : .leftOut
    try catalog.forEachChange(ofScan: summary.scanID, filter: filter) { try printer.print($0) }
  }
}

extension ScanSummary {
  /// Whether a later scan of another root may find that something was moved.
  fileprivate var isOpen: Bool { !isFirst && added + removed > 0 }
}
