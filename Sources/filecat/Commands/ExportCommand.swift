import ArgumentParser
import CPlatform
import Console
import FileCatalog
import SystemPackage

struct ExportCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "export", _superCommandName: FileCat.name,
    abstract: "Write all rows of a view into a file for other programs.",
    discussion: """
      The view files, unless another is named: filecat schema lists them. The ending of the file says \
      in which format: .parquet (columns with types, compressed, for DuckDB, pandas, Polars, Spark and \
      others), .ndjson or .csv. - is standard output. The rows are of one moment, and the file is there \
      when it is complete.

        filecat export files.parquet
        filecat export large.csv --query 'kind:file size:>100M'
        filecat export - --format ndjson --in /srv | jq .path
      """)

  @OptionGroup var catalog: CatalogOptions

  /// A format as it is typed.
  struct WrittenFormat: ExpressibleByArgument {
    static let allValueStrings = Catalog.Export.Format.allCases.map(\.rawValue)

    let format: Catalog.Export.Format

    init?(argument: String) {
      guard let format = Catalog.Export.Format(rawValue: argument) else { return nil }
      self.format = format
    }
  }

  @Option(
    help: """
      How to write: \(list(WrittenFormat.allValueStrings)). By default as the file's name ends.
      """)
  var format: WrittenFormat?

  @Option(
    help: ArgumentHelp("The view to write.", valueName: "view"), completion: .views)
  var view = "files"

  @Option(
    name: .customLong("in"),
    help: ArgumentHelp("Only what is below this directory. Repeatable.", valueName: "dir"),
    completion: .directory)
  var directories: [PathArgument] = []

  @Option(
    help: ArgumentHelp("Only what matches; see filecat help query.", valueName: "query"),
    completion: .queryTerms)
  var query: String?

  @Flag(help: "Replace the file where there is one.")
  var force = false

  @Argument(help: "The file to write; - for standard output.", completion: .file())
  var file: PathArgument

  private var isForOutput: Bool { file.path == "-" }

  func validate() throws {
    let format = try writtenFormat
    if isForOutput, format == .parquet, StandardStream.output.terminal.isTerminal {
      throw ValidationError("Parquet is not for a terminal; name a file")
    }
  }

  /// The format that is asked for, by name or by the ending of the file.
  private var writtenFormat: Catalog.Export.Format {
    get throws {
      if let format { return format.format }
      let names = Self.list(WrittenFormat.allValueStrings)
      guard !isForOutput else { throw ValidationError("name a format with --format: \(names)") }
      if let format = Catalog.Export.Format(ofFile: file.path) { return format }
      let endings = Catalog.Export.Format.allCases.flatMap(\.endings)
      let fact = "no format has the ending of \(file.path.string)"
      let nearest = file.path.extension.flatMap { Spelling.nearest(to: $0, in: endings) }
      throw ValidationError(
        nearest.map { "\(fact); \(Advice.didYouMean(".\($0)"))" }
          ?? "\(fact); name one with --format: \(names)")
    }
  }

  private static func list(_ words: [String]) -> String { words.joined(separator: ", ") }

  func execute() async throws -> Outcome {
    cplatform_return_memory_soon()
    var export = Catalog.Export(as: try writtenFormat)
    export.view = view
    export.query = try query.map { try Query(parsing: $0) } ?? Query()
    export.directories = directories.map(\.path)
    export.creator = FileCat.creator
    let catalog = try catalog.open()
    defer { catalog.closeQuietly() }
    let (wanted, destination) = (export, file.path)
    let existing = force ? Catalog.ExistingFile.replaced : .kept
    try await MainThread.shared.cancellingWhenInterrupted {
      if isForOutput {
        try await catalog.export(wanted, to: .standardOutput)
      } else {
        try await catalog.export(wanted, to: destination, existing: existing)
      }
    }
    return .done
  }
}
