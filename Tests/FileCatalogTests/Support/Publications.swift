import Console
import FileCatalog
import Fleet
import Foundation
import SystemPackage
import TestSupport
import Testing

func publish(
  _ catalog: Catalog, to lake: Lake, by host: String = "here",
  _ extent: Catalog.Publication.Extent = .asNeeded
) async throws -> Catalog.PublicationOutcome {
  var publication = Catalog.Publication(by: host)
  publication.extent = extent
  return try await catalog.publish(publication, to: lake)
}

/// Publishes what is new.
func published(
  _ catalog: Catalog, to lake: Lake, by host: String = "here",
  _ extent: Catalog.Publication.Extent = .asNeeded
) async throws -> CommitRecord {
  guard case .published(let record) = try await publish(catalog, to: lake, by: host, extent)
  else {
    Issue.record("nothing was published")
    throw CancellationError()
  }
  return record
}

/// Compacts by the command.
///
/// - Parameter place: a directory where `duckdb` is found first.
func compaction(
  of lake: Lake, _ arguments: [String] = [], duckdbIn place: FilePath? = nil
) throws -> CommandResult {
  let programs = [place?.string, "\(Clients.root)/.build/clients/bin", "/usr/bin", "/bin"]
  var command = try #require(CommandRunner.filecat)
  var environment = ProcessInfo.processInfo.environment
  environment["PATH"] = programs.compactMap { $0 }.joined(separator: ":")
  environment["LAKE"] = lake.description
  environment["DUCKDB"] = "\(Clients.root)/.build/clients/bin/duckdb"
  command.environment = environment
  return try command.run(
    ["fleet", "compact", "--lake", lake.description, "--spark-home", Clients.spark] + arguments)
}

/// Expects that an engine reads from the lake what the catalogs hold.
func expectEqual(
  _ lake: Lake, _ catalogs: [(host: String, catalog: Catalog)],
  by engine: FleetDialect = .duckdb, _ place: String = "",
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  try withTemporaryDirectory { directory in
    let views = directory("views.sql")
    try directory.write(FleetViews(of: lake, for: engine).sql, to: "views.sql")
    try directory.write(FleetReport.statements, to: "reports.json")
    let name =
      switch engine {
      case .spark: Clients.spark
      case .clickhouse: "chdb"
      default: engine.rawValue
      }
    let run = try CommandRunner(Clients.python).run(
      [Clients.script("fleet.py"), name, views.string, directory("reports.json").string]
        + catalogs.map { "\($0.host)=\($0.catalog.path.string)" })
    #expect(run.status == 0, "\(place) \(run.text) \(run.errors)", sourceLocation: sourceLocation)
  }
}

extension FleetReport {
  /// The statements of all reports, by their names, as the script takes them that compares answers.
  static var statements: String {
    var json = JSONWriter()
    json.object { json in
      for report in FleetReport.all {
        json.key(report.name)
        json.object { json in
          json.member("statement", .text(FleetReportRequest(report).statement))
          json.member("columns", .list(report.columns.map { .text($0.name) }))
        }
      }
    }
    return json.text
  }
}
