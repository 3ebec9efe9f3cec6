import ArgumentParser
import Console
import FileCatalog
import FileSystem
import StandardDirectories
import SystemPackage

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

struct ContainersPolicyCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "policy",
    abstract: "Say what roles mean for backups and for a full disk.",
    discussion: """
      For each role of each container: its bytes, those on disk that are free when all is deleted \
      that may be, those that a backup holds, and those marked on disk against the policy. Files with \
      names elsewhere free nothing. Marks are extended attributes, which “scan --xattrs” stores, and \
      CACHEDIR.TAG files.
      """)

  @OptionGroup var catalog: CatalogOptions
  @OptionGroup var output: OutputOptions

  @Flag(help: "List what is marked on disk against the policy of its role.")
  var contradictions = false

  @Flag(help: "Mark, or unmark, what is marked on disk against the policy of its role.")
  var fix = false

  @Flag(help: "With --fix only say what would be done.")
  var dryRun = false

  @Option(
    help: ArgumentHelp("List temporary files unchanged for so many days.", valueName: "days"))
  var stale: Int?

  @Argument(help: "Only this container: its name, identifier or path.", completion: .containers)
  var container: PathArgument?

  func validate() throws {
    if fix, stale != nil { throw ValidationError("--fix is about marks, --stale about files") }
    if dryRun, !fix { throw ValidationError("--dry-run goes with --fix") }
    if contradictions, stale != nil {
      throw ValidationError("--contradictions and --stale are two lists; ask for one")
    }
    if let stale, !(0...1_000_000).contains(stale) {
      throw ValidationError("--stale takes a number of days from 0 on")
    }
  }

  func execute() async throws -> Outcome {
    let catalog = try catalog.open()
    defer { catalog.closeQuietly() }
    var id: ContainerID?
    if let container { id = try await catalog.container(named: container.path).id }
    if let stale {
      return try print(try await catalog.staleFiles(before: Self.moment(daysAgo: stale), in: id))
    }
    if fix {
      let items = try await catalog.backupContradictions(in: id).map { item in
        (path: item.path, mark: item.policy == .excluded ? BackupMark.excluded : .unmarked)
      }
      try await UnknownMarks.warn(about: id.map { [$0] } ?? [], catalog)
      return try await MarkedItems.set(items, dryRun ? .dryRun : .no, catalog, output)
    }
    let outcome =
      if contradictions {
        try print(try await catalog.backupContradictions(in: id))
      } else {
        try print(try await catalog.usageByRole(of: id))
      }
    try await UnknownMarks.warn(about: id.map { [$0] } ?? [], catalog)
    return outcome
  }

  /// In nanoseconds since 1970; nothing is older than what can be said in these.
  private static func moment(daysAgo days: Int) -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let seconds = Double(now.tv_sec) + Double(now.tv_nsec) / 1e9 - Double(days) * 86_400
    return Int64(max(seconds * 1e9, Double(Int64.min)))
  }

  private func print(_ usage: [RoleUsage]) throws -> Outcome {
    var printer = output.printer(
      [
        .text("container"), .text("role"), .text("backup_policy"), .text("purge"),
        .number("files"), .number("size"), .number("allocated"), .number("reclaimable"),
        .number("backed_up", title: "IN BACKUPS"), .number("contradicting"),
      ], piped: .tsv)
    for item in usage {
      try printer.print(
        [
          .text(item.container.name), item.role.map { .text($0.name) } ?? .null,
          item.role.map { .text($0.policy.backup.rawValue) } ?? .null,
          item.role.map { .text($0.policy.purge.rawValue) } ?? .null,
        ] + Self.sums([item]))
    }
    // A last line for people; programs add up themselves.
    if printer.format == .table, usage.count > 1 {
      try printer.print(
        ["total", .null, .null, .null] + Self.sums(usage), look: RowLook(emphasis: .blue))
    }
    try printer.finish()
    return usage.isEmpty ? .nothing : .done
  }

  private static func sums(_ usage: [RoleUsage]) -> [Cell] {
    func sum(_ value: (RoleUsage) -> Int64) -> Int64 {
      usage.reduce(into: 0) { $0.add(clamped: value($1)) }
    }
    func bytes(_ value: (RoleUsage) -> Int64) -> Cell { .byteCount(sum(value)) }
    return [
      .count(sum { Int64($0.files) }), bytes(\.size), bytes(\.allocated),
      bytes(\.reclaimable), bytes(\.backedUp), bytes(\.contradicting),
    ]
  }

  private func print(_ items: [BackupContradiction]) throws -> Outcome {
    var printer = output.printer(
      [
        .path("path"), .text("container"), .text("role"), .text("backup_policy"),
        .text("observed"), .text("mark"),
      ], piped: .tsv)
    for item in items {
      try printer.print([
        .text(bytes: item.path.bytes), .text(item.container), .text(item.role.name),
        .text(item.policy.rawValue), .text(BackupMarkText.word(for: item.observed)),
        item.mark.map { .text($0) } ?? .null,
      ])
    }
    try printer.finish()
    return items.isEmpty ? .nothing : .done
  }

  private func print(_ files: [StaleFile]) throws -> Outcome {
    var printer = output.printer(
      [.path("path"), .text("container"), .number("size"), Column("modified")], piped: .tsv)
    for file in files {
      try printer.print([
        .text(bytes: file.path.bytes), .text(file.container), .byteCount(file.size),
        .timestamp(nanoseconds: file.modified),
      ])
    }
    try printer.finish()
    return files.isEmpty ? .nothing : .done
  }
}

/// Says in one line where marks are not known, which otherwise looks as if there were none.
enum UnknownMarks {
  /// - Parameter containers: none means all.
  static func warn(about containers: Set<ContainerID>, _ catalog: Catalog) async throws {
    var roots: [FilePath] = []
    for container in containers.isEmpty ? [nil] : containers.map(Optional.some) {
      roots += try await catalog.rootsWithUnknownMarks(of: container)
    }
    roots = Set(roots).sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    guard let first = roots.first else { return }
    let place = first.string
    let (others, scan) = roots.count > 1 ? (" and \(roots.count - 1) more", "") : ("", " \(place)")
    Message.print(
      "marks against backups are not known in \(place)\(others); filecat scan --xattrs\(scan) finds them"
    )
  }
}
