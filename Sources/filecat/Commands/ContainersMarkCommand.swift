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
      gets a CACHEDIR.TAG. It holds for all that is inside. Exit status 3: some of them could not be marked.
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
      still left out: the column INSIDE names it. Exit status 3: some of the marks could not be taken away.
      """)

  @OptionGroup var catalog: CatalogOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var items: MarkedItems

  func execute() async throws -> Outcome {
    try await items.set(.unmarked, try catalog.open(), output)
  }
}

/// What is to be marked, and how.
struct MarkedItems: ParsableArguments {
  @Flag(help: "Only say what would be done.")
  var dryRun = false

  @Argument(help: "The files or directories.", completion: .file())
  var paths: [PathArgument]

  /// Marks all of them, each for itself, and prints a line for each.
  func set(
    _ mark: BackupMark, _ catalog: Catalog, _ output: OutputOptions
  ) async throws -> Outcome {
    defer { catalog.closeQuietly() }
    return try await Self.set(
      paths.map { (path: $0.path, mark: mark) }, dryRun ? .dryRun : .no, catalog, output)
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
