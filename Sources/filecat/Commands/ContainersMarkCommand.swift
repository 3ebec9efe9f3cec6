import ArgumentParser
import Console
import FileCatalog
import FileSystem
import StandardDirectories
import SystemPackage

struct ContainersMarkCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "mark",
    abstract: "Mark files and directories to be left out of backups.",
    discussion: """
      The mark is an extended attribute that backup programs know; a directory on a file system without these \
      gets a CACHEDIR.TAG. It holds for all that is inside. With --container a whole container is marked, with \
      --role the directories of a role in all containers, with both those in one. Exit status 3: some of them \
      could not be marked.
      """)

  @OptionGroup var catalog: CatalogOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var items: MarkedItems

  func execute() async throws -> Outcome {
    try await items.set(.excluded, try catalog.open(), output)
  }
}

struct ContainersUnmarkCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "unmark",
    abstract: "Take away what says that files and directories are to be left out of backups.",
    discussion: """
      Takes away the extended attributes that say so, and a CACHEDIR.TAG. What lies in a marked directory is \
      still left out: the column INSIDE names it. With --container or --role the marks of all that is in there \
      are taken away, as far as scans have found them. Exit status 3: some of the marks could not be taken away.
      """)

  @OptionGroup var catalog: CatalogOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var items: MarkedItems

  func execute() async throws -> Outcome {
    try await items.set(.unmarked, try catalog.open(), output)
  }
}

/// Containers and roles that a person names.
struct ContainerOptions: ParsableArguments {
  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "A container as a whole: its name, identifier or path. Repeatable.", valueName: "container"),
    completion: .containers)
  var container: [PathArgument] = []

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "The directories of a role, in all containers or in the one named. Repeatable.",
      valueName: "role"),
    completion: .custom { _, _, _ in RoleChoice.names })
  var role: [String] = []

  var isEmpty: Bool { container.isEmpty && role.isEmpty }

  func selection(in catalog: Catalog) async throws -> ContainerSelection {
    var selection = ContainerSelection()
    for name in role { selection.roles.insert(try await RoleChoice.role(named: name, catalog)) }
    for name in container {
      selection.containers.insert(try await catalog.container(named: name.path).id)
    }
    return selection
  }
}

/// What is to be marked, and how.
struct MarkedItems: ParsableArguments {
  @OptionGroup var selection: ContainerOptions

  @Flag(help: "Only say what would be done.")
  var dryRun = false

  @Argument(help: "The files or directories.", completion: .file())
  var paths: [PathArgument] = []

  func validate() throws {
    guard paths.isEmpty != selection.isEmpty else {
      throw ValidationError(
        paths.isEmpty
          ? "name files or directories, or --container or --role"
          : "name files or directories, or --container and --role, but not both")
    }
  }

  /// Marks all of them, each for itself, and prints a line for each.
  func set(
    _ mark: BackupMark, _ catalog: Catalog, _ output: OutputOptions
  ) async throws -> Outcome {
    defer { catalog.closeQuietly() }
    var paths = paths.map(\.path)
    if !selection.isEmpty {
      let selection = try await selection.selection(in: catalog)
      paths = try await catalog.places(of: selection, toMark: mark)
      if mark == .unmarked { try await UnknownMarks.warn(about: selection.containers, catalog) }
    }
    return try await Self.set(
      paths.map { (path: $0, mark: mark) }, dryRun ? .dryRun : .no, catalog, output)
  }

  /// The same for other items, each with its mark.
  static func set(
    _ items: [(path: FilePath, mark: BackupMark)], _ rehearsal: DirectoryTable.Rehearsal,
    _ catalog: Catalog,
    _ output: OutputOptions
  ) async throws -> Outcome {
    var printer = output.printer(
      [.path("path"), .text("state"), .text("marks"), .otherPath("inside")], piped: .tsv)
    var failures = 0
    for item in items {
      do {
        let marking = try await catalog.setBackupMark(
          item.mark, of: item.path, rehearsal: rehearsal)
        try printer.print([
          .text(bytes: marking.path.bytes), .text(word(for: item.mark, marking, rehearsal)),
          .list(marking.marks.map { .text($0) }),
          marking.coveredBy.map { .text(bytes: $0.bytes) } ?? .null,
        ])
      } catch let error as FileError {
        Message.print(error)
        failures += 1
      }
    }
    try printer.finish()
    if failures > 0 { return failures < items.count ? .incomplete : .failed }
    return items.isEmpty ? .nothing : .done
  }

  private static func word(
    for mark: BackupMark, _ marking: BackupMarking, _ rehearsal: DirectoryTable.Rehearsal
  ) -> String {
    let word = mark == .excluded ? "marked" : "unmarked"
    if marking.marks.isEmpty { return "\(word) already" }
    return rehearsal == .dryRun ? "would be \(word)" : word
  }
}
