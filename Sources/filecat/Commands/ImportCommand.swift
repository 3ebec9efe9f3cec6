import ArgumentParser
import Console
import FileCatalog
import FileSystem
import SystemPackage

struct ImportCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "import", _superCommandName: FileCat.name,
    abstract: "Rebuild the catalog of a machine from what it has published.",
    discussion: """
      The roots of the machine become roots of the catalog, which is made where there is none, with \
      the values that “filecat publish” has put into LAKE: all of them or nothing. The state is the last \
      that the lake has all of. Several machines go into one catalog as long as no root lies in another; \
      with --below each gets a place of its own:

        filecat import /lake --host anna --catalog anna.sqlite
        filecat import /lake --host berta --below /hosts/berta --catalog all.sqlite

      The history stays in the lake: each root begins with one scan, of the time of its last one there. \
      Until a scan finds the roots they are offline. Not published, and so not there: extended \
      attributes, hashes of contents, saved searches.
      """)

  @OptionGroup var catalog: CatalogOptions
  @OptionGroup var output: OutputOptions

  @Option(
    help: ArgumentHelp(
      "The machine, or the number of its catalog. Repeatable; not needed where there is one.",
      valueName: "name"))
  var host: [String] = []

  @Option(
    help: ArgumentHelp(
      "Put the roots below this directory, which need not be there.", valueName: "dir"),
    completion: .directory)
  var below: PathArgument?

  @Argument(
    help: "Where machines publish: \(LakeArgument.forms).", completion: .directory,
    transform: LakeArgument.lake)
  var lake: Lake

  private static let columns: [Column] = [
    .text("host"), .text("catalog"), .number("publication"), .number("last"), .path("root"),
    .number("entries"), .number("size"), .number("allocated"),
  ]

  func execute() async throws -> Outcome {
    let catalog = try catalog.open(.create)
    defer { catalog.closeQuietly() }
    let (lake, hosts, below) = (lake, host, below?.path)
    let imported = try await MainThread.shared.cancellingWhenInterrupted {
      try await catalog.importRoots(of: hosts, from: lake, below: below)
    }
    try print(imported)
    for state in imported {
      if state.last != state.record.publication { Message.print(Advice.line(forGapIn: state)) }
      if !state.otherOwners.isEmpty { Message.print(Advice.line(forOwnersOf: state)) }
    }
    return .done
  }

  private func print(_ imported: [Catalog.Imported]) throws {
    guard output.format != nil else {
      for state in imported {
        let entries = CountText(state.roots.reduce(0) { $0 + $1.entries }, "entry", "entries")
        let roots = CountText(state.roots.count, "root", "roots")
        try StandardStream.output.print(
          "imported \(state.record.host), publication \(state.record.publication): \(entries), \(roots)"
        )
      }
      return
    }
    var printer = output.printer(Self.columns, piped: .tsv, objects: .lines)
    for state in imported {
      for root in state.roots {
        try printer.print([
          .text(state.record.host), .text("\(state.record.catalog)"),
          .integer(state.record.publication), .integer(state.last), .text(bytes: root.root.bytes),
          .count(Int64(root.entries)), .byteCount(root.size), .byteCount(root.allocated),
        ])
      }
    }
    try printer.finish()
  }
}
