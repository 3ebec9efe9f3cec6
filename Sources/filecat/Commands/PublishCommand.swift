import ArgumentParser
import CPlatform
import Console
import FileCatalog
import SystemPackage

struct PublishCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "publish", _superCommandName: FileCat.name,
    abstract: "Publish the catalog into a lake that many machines share.",
    discussion: """
      A lake has the catalogs of all that publish into it as Parquet, for engines such as \
      DuckDB and Spark. The first publication has everything, those that follow what has changed since; \
      now and then everything follows again. Nothing is to be seen before all of it is there. Meant to be \
      run after each scan:

        filecat scan && filecat publish --to /lake
        filecat fleet status --lake /lake

      It is \(LakeArgument.forms). For a bucket the program curl is needed, and credentials in the \
      variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY or in ~/.aws/credentials; AWS_REGION says where \
      it is, and AWS_ENDPOINT_URL_S3 names a server that is not Amazon's. What is sent can be read on the way \
      where that begins with http://.
      """)

  @OptionGroup var catalog: CatalogOptions
  @OptionGroup var output: OutputOptions

  @Option(
    name: .customLong("to"),
    help: ArgumentHelp("A directory, or s3://BUCKET/PREFIX.", valueName: "lake"),
    completion: .directory, transform: LakeArgument.lake)
  var lake: Lake

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
    if let host, !(1...255 ~= host.utf8.count) {
      throw ValidationError("--host takes a name of 255 bytes at most")
    }
  }

  func execute() async throws -> Outcome {
    cplatform_return_memory_soon()
    let catalog = try catalog.open()
    defer { catalog.closeQuietly() }
    var publication = Catalog.Publication(by: host ?? Machine.name)
    publication.extent = full ? .full : .asNeeded
    publication.creator = FileCat.creator
    let (wanted, lake) = (publication, lake)
    let outcome = try await MainThread.shared.cancellingWhenInterrupted {
      try await catalog.publish(wanted, to: lake)
    }
    try print(outcome)
    return .done
  }

  private func print(_ outcome: Catalog.PublicationOutcome) throws {
    switch outcome {
    case .published(let record) where output.format == nil:
      let size = ByteCountText(record.size, style: output.bytes ? .exact : .human)
      let what = CountText(Int(record.changedEntries), "entry", "entries")
      try StandardStream.output.print(
        "published \(record.publication): \(record.kind.rawValue), \(what), \(size)")
    case .upToDate(let record) where output.format == nil:
      try StandardStream.output.print(
        "published \(record.publication) is this state of the catalog")
    case .published(let record): try print("published", record)
    case .upToDate(let record): try print("up_to_date", record)
    }
  }

  private func print(_ outcome: String, _ record: CommitRecord) throws {
    var printer = output.printer(Self.columns, piped: .tsv, objects: .lines)
    try printer.print([
      .text(outcome), .integer(record.publication), .text(record.kind.rawValue),
      .text(record.host), .text("\(record.catalog)"), .integer(record.scan),
      .count(record.entries), .count(record.changedEntries), .byteCount(record.size),
    ])
    try printer.finish()
  }
}

extension CommitRecord {
  /// How many entries it tells of.
  fileprivate var changedEntries: Int64 { files.first { $0.table == .entries }?.rows ?? 0 }
  /// How many bytes all its files have.
  fileprivate var size: Int64 { files.reduce(0) { $0 + $1.size } }
}
