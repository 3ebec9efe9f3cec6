import ArgumentParser
import Console
import FileCatalog
import FileSystem
import SystemPackage

/// An engine as it is typed.
enum NamedEngine: ExpressibleByArgument {
  case any
  case named(FleetEngine.Name)

  static let allValueStrings = ["auto"] + FleetEngine.Name.allCases.map(\.rawValue)

  init?(argument: String) {
    if argument == "auto" {
      self = .any
    } else if let name = FleetEngine.Name(rawValue: argument) {
      self = .named(name)
    } else {
      return nil
    }
  }

  var name: FleetEngine.Name? {
    if case .named(let name) = self { name } else { nil }
  }
}

/// Where Spark is, and what it runs on.
struct SparkOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Spark's address of a cluster.", valueName: "url"))
  var master = FleetEngine.Spark().master

  @Option(
    help: ArgumentHelp("The directory of Spark; usually SPARK_HOME.", valueName: "dir"),
    completion: .directory)
  var sparkHome: PathArgument?

  var spark: FleetEngine.Spark { FleetEngine.Spark(home: sparkHome?.path, master: master) }
}

extension FleetEngine {
  /// Does what an engine is for, with a line that shows how far it has come, until a signal ends it.
  ///
  /// - Parameter body: called on a thread that may block.
  func runUnlessInterrupted<Result: Sendable>(
    _ body: @escaping @Sendable (Running, inout ProgressLine) throws -> Result
  ) async throws -> Result {
    let running = Running()
    return try await MainThread.shared.cancellingWhenInterrupted {
      try await withTaskCancellationHandler {
        try await Blocking.run {
          var line = ProgressLine(on: .error)
          defer { line.clear() }
          return try body(running, &line)
        }
      } onCancel: {
        running.cancel()
      }
    }
  }
}

extension ProgressLine {
  mutating func show(_ step: FleetEngine.Progress) {
    show(["stage \(step.stage)", "\(step.done) of \(step.count) tasks"])
  }
}

struct FleetCompactCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "compact",
    abstract: "Put what many publications tell of changes into few files.",
    discussion: """
      An engine reads fewer files then for reports on growth. It writes the new ones: DuckDB on this \
      machine, Spark also on a cluster. The old ones are read until the new ones have their record, and \
      stay until “filecat fleet expire” removes them, a day later. Meant to be run now and then by one \
      machine. Exit status: 3 where records cannot be read; what follows them stays as it is.

        filecat fleet compact --lake /lake && filecat fleet expire --lake /lake
      """)

  @OptionGroup var lake: LakeOptions

  @Option(help: "The engine: auto, duckdb, spark. Auto takes the first that is installed.")
  var engine = NamedEngine.any

  @OptionGroup var spark: SparkOptions
  @OptionGroup var output: OutputOptions

  private static let columns: [Column] = [
    .text("outcome"), .number("compaction"), .number("publications"), .number("rows"),
    .number("files"), .number("bytes"),
  ]

  func validate() throws {
    if engine.name == .chdb {
      throw ValidationError("ClickHouse cannot compact; --engine takes auto, duckdb and spark")
    }
  }

  func execute() async throws -> Outcome {
    let lake = lake.lake
    let engine = try FleetEngine(engine.name, spark: spark.spark, for: .compacting)
    let outcome = try await engine.runUnlessInterrupted { running, line in
      try engine.compact(lake, running: running) { line.show($0) }
    }
    try print(outcome)
    let faults =
      switch outcome {
      case .compacted(_, _, _, let faults), .upToDate(let faults): faults
      }
    for fault in faults { Message.print(fault) }
    return faults.isEmpty ? .done : .incomplete
  }

  private func print(_ outcome: CompactionOutcome) throws {
    guard output.format != nil else {
      try StandardStream.output.print(sentence(outcome))
      return
    }
    var printer = output.printer(Self.columns, piped: .tsv, objects: .lines)
    switch outcome {
    case .compacted(let record, let publications, let rows, _):
      try printer.print([
        .text("compacted"), .integer(record.number), .count(Int64(publications)), .count(rows),
        .count(Int64(record.fileCount)), .byteCount(record.size),
      ])
    case .upToDate:
      try printer.print([
        .text("up_to_date"), .null, .count(0), .count(0), .count(0), .byteCount(0),
      ])
    }
    try printer.finish()
  }

  private func sentence(_ outcome: CompactionOutcome) -> DisplayText {
    guard case .compacted(let record, let publications, let rows, _) = outcome else {
      return "nothing to compact"
    }
    let size = ByteCountText(record.size, style: output.bytes ? .exact : .human)
    return """
      compacted \(CountText(publications, "publication", "publications")): \
      \(CountText(Int(rows), "row", "rows")) in \(CountText(record.fileCount, "file", "files")), \(size)
      """
  }
}
