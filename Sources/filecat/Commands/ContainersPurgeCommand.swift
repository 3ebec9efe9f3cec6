import ArgumentParser
import Console
import FileCatalog
import FileSystem
import StandardDirectories
import SystemPackage

struct ContainersPurgeCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "purge",
    abstract: "Remove what containers can do without: temporary files and caches.",
    discussion: """
      Without CONTAINER it is about all of them. Files go one by one, what was not used for the longest time \
      first (the later of reading and writing), then the directories that this leaves empty; the directory \
      of a role stays. A file that is not as the last scan has found it is left, and so is one that somebody \
      uses by a coordinator. No link is followed. A role's directory that has become a link or another one, or \
      has another file system mounted in it, is left as a whole. The catalog follows.

        filecat containers purge --older-than 30d --dry-run
        filecat containers purge --until-free 20G --yes

      Exit status: 1, there is nothing to remove; 3, some of it was left; 4, nothing could be removed.
      """)

  @OptionGroup var catalog: CatalogOptions
  @OptionGroup var output: OutputOptions

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Only what has this role; without it, all roles that may be purged. Repeatable.",
      valueName: "role"),
    completion: .custom { _, _, _ in RoleChoice.names })
  var role: [String] = []

  @Option(
    help: ArgumentHelp(
      "Only what was neither read nor written for this time, such as 12h, 30d or 1y.",
      valueName: "age"))
  var olderThan: String?

  @Option(
    help: ArgumentHelp(
      "Stop when so many bytes are free on the file system. What would free nothing is left.",
      valueName: "size"))
  var untilFree: ByteSize?

  @Option(
    help: ArgumentHelp(
      "Stop when so many bytes were freed. What would free nothing is left.", valueName: "size"))
  var free: ByteSize?

  @Flag(help: "Also remove what a role named by --role protects, such as documents.")
  var force = false

  @Flag(help: "Only say what would be removed.")
  var dryRun = false

  @Flag(help: "Remove it.")
  var yes = false

  @Argument(help: "The containers: names, identifiers or paths.", completion: .containers)
  var containers: [PathArgument] = []

  func validate() throws {
    guard dryRun != yes else {
      throw ValidationError(
        yes
          ? "--dry-run and --yes are opposites; name one"
          : "nothing was removed; --dry-run says what would be, --yes removes it")
    }
    if untilFree != nil, free != nil {
      throw ValidationError("--until-free and --free are two ends; name one")
    }
    if force, role.isEmpty {
      throw ValidationError("--force is about the roles that --role names; name one")
    }
    _ = try age()
  }

  private func age() throws -> Filter.Age? {
    guard let olderThan else { return nil }
    guard let age = Filter.Age(parsing: olderThan) else {
      throw ValidationError(
        "--older-than takes an age, a whole number with s, m (minutes), h, d, w, mo (months) or y")
    }
    return age
  }

  func execute() async throws -> Outcome {
    let catalog = try catalog.open()
    defer { catalog.closeQuietly() }
    var request = PurgeRequest()
    for name in containers {
      request.containers.insert(try await catalog.container(named: name.path).id)
    }
    for name in role { request.roles.insert(try await RoleChoice.role(named: name, catalog)) }
    request.olderThan = try age()
    if let untilFree { request.extent = .untilFree(untilFree.bytes) }
    if let free { request.extent = .freeing(free.bytes) }
    if force { request.protection = .lifted }
    let report = try await catalog.purge(request, rehearsal: dryRun ? .dryRun : .no)
    var account = Account()
    let print = { try self.print(report) }
    if dryRun { try print() } else { try account.say(print) }
    for refusal in report.refusals { Message.print("\(refusal.description)") }
    if let failure = report.failure { Message.print(failure) }
    if outcome(of: report) == .nothing { Message.print(Advice.nothingToPurge) }
    return account.outcome(outcome(of: report), of: "the files were removed")
  }

  private func outcome(of report: PurgeReport) -> Outcome {
    if report.isInterrupted { return .interrupted }
    let left = report.results.count { $0.isLeft } + report.refusals.count
    if left > 0 {
      return left < report.results.count + report.refusals.count ? .incomplete : .failed
    }
    if report.failure != nil { return .incomplete }
    return report.results.isEmpty ? .nothing : .done
  }

  private func print(_ report: PurgeReport) throws {
    var printer = output.printer(
      [
        .path("path"), .text("state"), .text("reason"), .text("container"), .text("role"),
        .number("freed"), .number("size").whereItFits, Column("last_used", title: "LAST USED"),
      ], piped: .tsv)
    for result in report.results {
      // A list of paths has what is removed; of the rest it would not say that it is not.
      if printer.format == .paths, let reason = result.reason {
        Message.print("\(result.item.path.string): \(reason)")
        continue
      }
      let item = result.item
      try printer.print([
        .text(bytes: item.path.bytes), .text(result.state),
        result.reason.map { .text($0) } ?? .null,
        .text(item.container), .text(item.role.name), .byteCount(result.freed),
        .byteCount(item.size), item.lastUsed.map { .timestamp(nanoseconds: $0) } ?? .null,
      ])
    }
    // A last line for people; programs add up themselves.
    if printer.format == .table, report.results.count > 1 {
      try printer.print(
        ["total", .null, .null, .null, .null, .byteCount(report.freed), .null, .null],
        look: RowLook(emphasis: .blue))
    }
    try printer.finish()
  }
}

extension PurgeResult {
  fileprivate var isLeft: Bool { reason != nil }

  fileprivate var state: String {
    switch outcome {
    case .wouldBeRemoved: "would be removed"
    case .removed: "removed"
    case .left(.busy): "busy"
    case .left: "left"
    }
  }

  /// Why it was left.
  fileprivate var reason: String? {
    guard case .left(let reason) = outcome else { return nil }
    return switch reason {
    case .busy: "somebody else is using it"
    case .changed: "it is not as the last scan has found it, or is being used"
    case .datedInFuture: "it was used later than now, as its times have it"
    case .mount: "another file system is mounted there"
    case .protected: "a role protects it"
    case .notEmpty: "there is something in it that the catalog does not have"
    case .failed(let error): "\(error)"
    }
  }
}
