import Console
import FileCatalog
import FileSystem
import StandardDirectories
import SystemPackage
import UniformTypes

/// What a person can do about an error. The libraries state facts; how to go on from there is said
/// in words of this command, and here alone.
enum Advice {
  /// The line that tells of an error: what is the case, then what to do about it.
  static func line(for error: any Error) -> String {
    switch error {
    case let error as CatalogError where error.code == .invalidExclusion:
      "--exclude \(error)"
    case let error as CatalogError:
      joined("\(error)", advice(on: error))
    case let error as SortOrder.ParseError:
      error.suggestion.map { joined(error.message, didYouMean($0)) } ?? "\(error)"
    case let error as DirectoryError:
      joined("\(error)", advice(on: error))
    case let error as DirectoryWatcher.WatchError:
      joined("\(error)", advice(on: error))
    case let error as SettingsError:
      joined("\(error)", advice(on: error))
    case let error as FleetError:
      joined("\(error)", advice(on: error))
    case let error as FleetEngineError:
      joined("\(error)", advice(on: error))
    case is CancellationError:
      "interrupted"
    case let error as ProcessNeeds.Shortage:
      joined("\(error)", "allow it more (see ulimit -a)")
    case let error as TypeInstallationError:
      joined("\(error)", advice(on: error))
    case let error as CompanionProgram.Failure:
      joined("\(error)", advice(on: error))
    default:
      "\(error)"
    }
  }

  private static func advice(on error: CompanionProgram.Failure) -> String? {
    guard case .missing(let program) = error else { return nil }
    let name = program.lastComponent?.string ?? program.string
    return "it belongs beside filecat: Scripts/install installs both, swift build --product "
      + "\(name) builds it"
  }

  private static func advice(on error: FleetError) -> String? {
    switch error.code {
    case .busy: "try again when it is done"
    case .diverged:
      "a copy of a catalog that publishes by itself needs a catalog of its own: scan into another file"
    case .invalidRecord: "remove the record, or publish everything: filecat publish --full"
    case .newerVersion: "update filecat"
    case .noCredentials:
      "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE for one of ~/.aws/credentials"
    case .noClient: "install curl, or a newer one"
    case .wrongClock: "set the clock"
    case .unknownHost:
      error.known.isEmpty
        ? "publish one: filecat publish --to \(error.place)"
        : "there are: \(list(error.known))"
    case .ambiguousHost: "name one with --host: \(list(error.known))"
    case .unknownState: "publish everything there: filecat publish --full"
    case .damaged: "see: filecat fleet verify --lake LAKE; what was published later may be whole"
    case .cannotRead, .cannotWrite: nil
    }
  }

  private static func advice(on error: FleetEngineError) -> String? {
    switch error.code {
    case .notFound:
      "install one: python3 -m pip install duckdb-cli (or chdb, or pyspark), and have it in PATH"
    case .failed: nil
    }
  }

  /// The line for a machine whose last publications cannot be told from what is there.
  static func line(forGapIn imported: Catalog.Imported) -> DisplayText {
    """
    \(imported.record.host): the state is that of publication \(imported.record.publication), as those up \
    to \(imported.last) do not follow it without a gap
    """
  }

  /// The line for owners that two machines call differently.
  static func line(forOwnersOf imported: Catalog.Imported) -> DisplayText {
    """
    \(imported.record.host) has other names for \(list(imported.otherOwners)); the catalog keeps those \
    that it had
    """
  }

  /// The line for a catalog in which nothing has been scanned.
  static let noRoots: DisplayText =
    "the catalog has no roots yet; name one: filecat scan DIRECTORY"

  /// The line for a root whose last scan has left open what was written in place.
  static func line(forQuickScanOf root: FilePath) -> DisplayText {
    """
    \(root.string): the last scan was quick; what was written in place since the last full one is not \
    known
    """
  }

  /// The line for a root that a scan has found at another path.
  static func line(forRoot root: FilePath, movedFrom old: FilePath) -> DisplayText {
    "\(root.string): the root that was \(old.string), with all that is known of it"
  }

  /// The line for a root that was read in full where a quick scan was asked for.
  static func line(forFullScanOf root: FilePath) -> DisplayText {
    "\(root.string): everything was read, as the directories alone could not tell what has changed"
  }

  /// The line for a tag that a file does not keep itself.
  static func line(for refusal: Tagging.Refusal, of path: FilePath) -> DisplayText {
    switch refusal {
    case .symbolicLink:
      "\(path.string): the catalog alone has the tag, as a symbolic link keeps none"
    case .fileSystem(let errno):
      "\(path.string): the catalog alone has the tag, as the file system keeps none there: \(errno.description)"
    }
  }

  /// The line for a purge that found nothing to remove.
  static let nothingToPurge: DisplayText =
    "there is nothing to remove that may be purged; see: filecat containers list"

  /// The line for a report of a name that has nothing to tell.
  static func line(forEmpty report: String) -> String {
    switch report {
    case "growth_by_directory": "no directory has grown or shrunk from one scan to another"
    case "growth_by_owner": "no files have grown or shrunk from one scan to another"
    case "hard_links", "hard_link_names": "no file has several names"
    case "broken_links": "no symbolic link is broken"
    case "duplicate_candidates": "no two files have the same name and size"
    case "asset_gaps": "no asset lacks a scale"
    case "name_collisions": "no two names in one directory differ in case or composition alone"
    default: "there are no entries"
    }
  }

  /// What a report tells, and which command tells more.
  static func line(for report: Report) -> String {
    guard report.name == "duplicate_candidates", report.abstract.hasSuffix(".") else {
      return report.abstract
    }
    return report.abstract.dropLast() + "; “filecat duplicates --hash” compares their content."
  }

  /// The command that prints all rows of a report.
  ///
  /// - Parameter catalog: the catalog's file, where it is not the usual one.
  static func command(for request: ReportRequest, of catalog: FilePath?) -> String {
    var words = ["filecat", "report", request.report.name]
    if let limit = request.limit { words += ["--limit", "\(limit)"] }
    if let directory = request.directory { words += ["--in", shellWord(directory)] }
    if let catalog { words += ["--catalog", shellWord(catalog)] }
    return words.joined(separator: " ")
  }

  /// A name as SQL takes it for one.
  private static func sqlName(_ name: String) -> String {
    let isPlain =
      name.utf8.first.map { $0 > UInt8(ascii: "9") } ?? false
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
    return isPlain ? name : "\"" + name.replacing("\"", with: "\"\"") + "\""
  }

  /// A path as a shell takes it for one word.
  private static func shellWord(_ path: FilePath) -> String {
    let plain = path.string.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "+"):
        true
      default: false
      }
    }
    if plain { return path.string }
    return "'"
      + path.string.split(separator: "'", omittingEmptySubsequences: false)
      .joined(separator: "'\\''") + "'"
  }

  /// The line that tells what could not be read, or not be compared.
  static func line(for failure: ScanFailure) -> String {
    let tried = failure.operation == "content" ? "read what it holds" : failure.operation
    let fact = "\(failure.path.string): cannot \(tried): \(failure.message)"
    if failure.operation == "compare" { return joined(fact, "scan again") }
    if failure.operation == "content", failure.message.hasSuffix("\(MediaDetails.requirement)") {
      return joined(fact, "install ffmpeg, which has it, or scan with other --values")
    }
    let isIgnoreFile = [".filecatignore", ".gitignore"].contains(failure.path.lastComponent?.string)
    return joined(
      fact, isIgnoreFile ? "its directory is left as it was known until that is mended" : nil)
  }

  /// The line that tells what of the history other limits would drop, and how to go on.
  static func line(
    forLossOf history: HistoryExtent, _ keepDays: Int?, _ keepChanges: Int?
  ) -> String {
    let limits = [("--keep-days", keepDays), ("--keep-changes", keepChanges)]
    let words = limits.compactMap { name, number in number.map { "\(name) \($0)" } }
    return "that would drop \(CountText(history.changes, "change", "changes")), "
      + "\(CountText(history.scans, "scan", "scans")) and "
      + "\(CountText(history.growth, "row", "rows")) about growth; nothing was changed; drop them with: filecat history "
      + "\(words.joined(separator: " ")) --yes"
  }

  /// The line that tells of a word of a query that nothing in the catalog has.
  static func line(for word: Query.UnknownWord) -> String {
    let fact =
      switch word.term {
      case "type", "is": "no type is called “\(word.word)”"
      case "owner": "no owner in the catalog is called “\(word.word)”"
      case "group": "no group in the catalog is called “\(word.word)”"
      case "value": "no entry in the catalog has a value “\(word.word)”"
      case "xattr": "no entry in the catalog has an extended attribute “\(word.word)”"
      case "role": "no role is called “\(word.word)”"
      default: "no container is called “\(word.word)”"
      }
    if let nearest = word.nearest { return joined(fact, didYouMean(nearest)) }
    switch word.term {
    case "type", "is": return joined(fact, "see: filecat types list")
    case "value" where word.known.isEmpty: return joined(fact, "scan --values reads some in files")
    case "xattr" where word.known.isEmpty: return joined(fact, "scan --xattrs stores them")
    case _ where word.known.isEmpty: return fact
    default: return joined(fact, "known: \(list(word.known))")
    }
  }

  /// Whether somebody has tried to make up for damage.
  enum Repair {
    case open, tried
  }

  /// The line that tells what to do about a damaged catalog.
  static func line(forDamageOf catalog: Catalog, _ repair: Repair) -> String {
    let path = catalog.path.string
    return switch repair {
    case .open: "\(path) is damaged; mend it with: filecat check --repair"
    case .tried: "\(path) is damaged beyond repair; scan into another file with --catalog"
    }
  }

  /// The line that tells what is wrong with a declaration of a type.
  static func line(for diagnostic: TypeDiagnostic) -> String {
    guard case .reservedIdentifier = diagnostic.problem else { return "\(diagnostic)" }
    return joined("\(diagnostic)", "declare the type under a name of your own")
  }

  /// The question after a word that is not known, where one is near.
  static func didYouMean(_ word: String) -> String { "did you mean “\(word)”?" }

  private static func joined(_ fact: String, _ advice: String?) -> String {
    advice.map { "\(fact); \($0)" } ?? fact
  }

  private static func advice(on error: CatalogError) -> String? {
    if error.code == .exclusionNotFound {
      return error.known.isEmpty ? "it leaves out nothing" : "it leaves out: \(list(error.known))"
    }
    if let nearest = error.nearest { return didYouMean(nearest) }
    switch error.code {
    case .catalogNotFound: return "make one with: filecat scan DIRECTORY"
    case .cannotCreate: return "name another place with --catalog"
    case .cannotWrite: return "name another file"
    case .alreadyExists: return "name another file, or replace it with --force"
    case .cannotOpen: return "check that its directory exists and may be written to"
    case .notACatalog: return "name another file with --catalog, or move it away"
    case .corrupt:
      return "see what is wrong with: filecat check; mend it with: filecat check --repair; or "
        + "scan into another file with --catalog"
    case .wrongSchema:
      guard let foreign = error.foreign, let path = error.path else {
        return "scan into another file with --catalog"
      }
      let statement = shellWord(
        FilePath("DROP \(foreign.kind.uppercased()) \(sqlName(foreign.name))"))
      return "what others put there is not dropped here; if nobody needs it: sqlite3 "
        + "\(shellWord(path)) \(statement)"
    case .olderSchema:
      return "scan anew into another file with --catalog, or move this one away"
    case .newerSchema: return "update filecat or use another catalog"
    case .busy: return "try again when it is done"
    case .readOnly: return "check the permissions of the file and its directory"
    case .systemLimit: return "allow this user more (see ulimit -a), or end other programs"
    case .noRoots: return "name one: filecat scan DIRECTORY"
    case .notARoot: return "see: filecat roots"
    case .rootNotFound: return advice(onMissing: error.root)
    case .rootReplaced: return advice(onReplaced: error.root, by: error.path)
    case .notADirectory: return error.root.map { _ in "scan the directory it is in" }
    case .changedWhileRead: return "scan again when less is going on there"
    case .valuesNotProvided:
      // Those that are read in files have names to choose from.
      return error.known.isEmpty ? "do without with --no-xattrs" : "do without with --values none"
    case .overlappingRoots:
      return
        "put the roots into a place of their own with --below DIR, or name another file with --catalog"
    case .rootInTheWay:
      return error.root.map { "drop that one first: filecat forget \(shellWord($0))" }
    case .tooManyRemoved: return "accept the loss with --allow-empty"
    case .differentVolume: return "accept it with --allow-empty"
    case .notInCatalog: return advice(onUnknown: error.path, in: error.root)
    case .containerNotFound: return "see: filecat containers list"
    case .protectedRole: return "if it is to go all the same, repeat it with --force"
    case .clockBehind: return "set the clock"
    case .ambiguousContainer: return "name one by its path"
    case .viewNotFound: return "see them all with: filecat schema"
    case .reportNotFound: return "see them all with: filecat report"
    case .searchNotFound:
      return error.known.isEmpty
        ? "save one: filecat find --save NAME QUERY" : "there are: \(list(error.known))"
    case .unknownColumn: return "known: \(list(error.known))"
    case .invalidCursor: return "take the one that the page before printed, or “start”"
    case .foreignCursor: return "repeat the query, the directory and the order"
    case .stateNotKept: return "filecat history tells how far back it goes"
    case .historyDropped: return "take the catalog as it is now, then ask for what changed since"
    case .notReadOnlySQL: return "to change the file use the sqlite3 program"
    case .rowTooLong: return "allow more with --max-row-bytes SIZE"
    case .outOfMemory:
      // Only statements of the user have a limit, and no file.
      return error.path == nil ? "allow more with --max-memory SIZE" : nil
    case .timedOut: return "allow more with --timeout SECONDS"
    default: return nil
    }
  }

  private static func advice(onMissing root: FilePath?) -> String {
    root.map { "mount it and scan again, or drop it with: filecat forget \($0.string)" }
      ?? "check the spelling"
  }

  private static func advice(onReplaced root: FilePath?, by other: FilePath?) -> String? {
    guard let root, let other else { return nil }
    return "put the directory back, or index the other one in its place: "
      + "filecat forget \(root.string); filecat scan \(other.string)"
  }

  private static func advice(onUnknown path: FilePath?, in root: FilePath?) -> String? {
    root.map { "if it is there, scan again: filecat scan \($0.string)" }
      ?? path.map { "scan it: filecat scan \($0.string)" }
  }

  private static func advice(on error: TypeInstallationError) -> String? {
    switch error.code {
    case .alreadyInstalled: "rename the file, or replace it with --replace"
    case .notADeclarationFile: "name it so"
    default: nil
    }
  }

  private static func advice(on error: DirectoryError) -> String? {
    switch error {
    case .refusedName, .cannotCreate: nil
    case .refusedPath: "use a relative path without “..”"
    case .unavailable: "name one when registering the container, or use another role"
    case .unknownRole(_, let suggestion?): didYouMean(suggestion.name)
    case .unknownRole(_, nil): "use one of \(list(RoleChoice.names))"
    case .missingParameter(let name): "give it one: --parameter \(name)=VALUE"
    case .unknownParameter(_, .custom(let role)) where !role.parameters.isEmpty:
      "there are: \(list(role.parameters))"
    case .unknownParameter, .refusedParameter, .unknownExecutable: nil
    case .readOnly: "what installs it writes it"
    case .unknownStyle: "use one of \(list(Container.Style.allCases.map(\.rawValue)))"
    case .unknownAppGroup: "name its directory first"
    case .unknownHome: "set HOME to an absolute path"
    }
  }

  private static func advice(on error: SettingsError) -> String? {
    let file = error.file.string
    switch error.problem {
    case .unreadable, .notAFile: return "mend it, or move it away"
    case .ofSomebodyElse: return "take it over (chown), or use your own home (sudo -H)"
    case .writableByOthers: return "protect it with: chmod o-w \(file)"
    case .noValue: return "a line is KEY = VALUE; see: filecat config --help"
    case .unknownKey(let name):
      let known = Settings.Key.allCases.map(\.rawValue)
      return Spelling.nearest(to: name, in: known).map { didYouMean($0) }
        ?? "there are: \(list(known))"
    case .repeated: return "leave one of them"
    case .notText: return nil
    case .relativePath: return "begin it with / or ~/"
    case .noHome: return "set HOME to an absolute path"
    case .unfit(_, let nearest): return nearest.map { didYouMean($0) }
    }
  }

  private static func advice(on error: DirectoryWatcher.WatchError) -> String {
    switch error.errno {
    case .noFunction, .notSupported, .invalidArgument:
      "this system or file system does not offer it: choose --method automatic or polling"
    case .notPermitted, .permissionDenied:
      "run with CAP_SYS_ADMIN and CAP_DAC_READ_SEARCH, or choose --method automatic"
    case .tooManyOpenFiles, .tooManyOpenFilesInSystem, .noSpace:
      "raise the limits in /proc/sys/fs/\(error.method.rawValue), or choose --method polling"
    default: "choose --method automatic"
    }
  }

  private static func list(_ names: [String]) -> String { names.joined(separator: ", ") }
}
