import ArgumentParser
import Console
import FileCatalog
import SystemPackage

struct PublishCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "publish", _superCommandName: FileCat.name,
    abstract: "Publish the catalog into a directory that many machines share.",
    discussion: """
      The directory, a lake, has the catalogs of all that publish into it as Parquet, for engines such as \
      DuckDB and Spark. The first publication has everything, those that follow what has changed since; \
      now and then everything follows again. Nothing is to be seen before all of it is there. Meant to be \
      run after each scan:

        filecat scan && filecat publish --to /lake
        filecat fleet status --lake /lake
      """)

  @OptionGroup var catalog: CatalogOptions
  @OptionGroup var output: OutputOptions

  @Option(
    name: .customLong("to"), help: ArgumentHelp("The directory.", valueName: "lake"),
    completion: .directory)
  var lake: PathArgument

  @Flag(help: "Publish everything.")
  var full = false

  @Option(
    help: ArgumentHelp("What to call this machine, instead of by its own name.", valueName: "name"))
  var host: String?

  private static let columns: [Column] = [
    .text("outcome"), .number("publication"), .text("kind"), .text("host"), .text("catalog"),
    .number("scan"), .number("entries"), .number("rows"), .number("bytes"),
  ]

  func validate() throws {
    try LakeOptions.requireDirectory(lake)
    if let host, host.isEmpty { throw ValidationError("--host takes a name") }
  }

  func execute() async throws -> Outcome {
    let catalog = try catalog.open()
    defer { catalog.closeQuietly() }
    var publication = Catalog.Publication(by: host ?? Machine.name)
    publication.extent = full ? .full : .asNeeded
    publication.creator = FileCat.creator
    let (wanted, lake) = (publication, Lake(lake.path))
    let outcome = try await MainThread.shared.cancellingWhenInterrupted {
      try await catalog.publish(wanted, to: lake)
    }
    try print(outcome)
    return .done
  }

  private func print(_ outcome: Catalog.PublicationOutcome) throws {
    let (word, record) =
      switch outcome {
      case .published(let record): ("published", record)
      case .upToDate(let record): ("up_to_date", record)
      }
    let bytes = record.files.reduce(0) { $0 + $1.size }
    let rows = record.files.first { $0.table == .entries }?.rows ?? 0
    guard output.format != nil else {
      let size = ByteCountText(bytes, style: output.bytes ? .exact : .human)
      let what = CountText(Int(rows), "entry", "entries")
      try StandardStream.output.print(
        word == "published"
          ? "published \(record.publication): \(record.kind.rawValue), \(what), \(size)"
          : "published \(record.publication) is this state of the catalog")
      return
    }
    var printer = output.printer(Self.columns, piped: .tsv, objects: .lines)
    try printer.print([
      .text(word), .integer(record.publication), .text(record.kind.rawValue), .text(record.host),
      .text("\(record.catalog)"), .integer(record.scan), .count(record.entries), .count(rows),
      .byteCount(bytes),
    ])
    try printer.finish()
  }
}

/// Which lake a command works on.
struct LakeOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The directory.", valueName: "dir"), completion: .directory)
  var lake: PathArgument

  func validate() throws { try Self.requireDirectory(lake) }

  /// Refuses what looks like an address: a directory of that name would be made.
  static func requireDirectory(_ lake: PathArgument) throws {
    if lake.path.string.contains("://") || lake.path.string.contains(":/") && !lake.path.isAbsolute
    {
      throw ValidationError("a lake is a directory, which \(lake.path.string) is not")
    }
  }
}
