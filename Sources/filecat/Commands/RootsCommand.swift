import ArgumentParser
import Console
import FileCatalog
import FileSystem
import SystemPackage

struct RootsCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "roots", _superCommandName: FileCat.name,
    abstract: "List the roots with their state, last scan and totals.")

  @OptionGroup var catalog: CatalogOptions
  @OptionGroup var output: OutputOptions

  private static let columns: [Column] = [
    .path("path"), .text("state"), .number("entries"), .number("files"), .number("directories"),
    .number("size"), .number("allocated"), Column("last_scan_at", title: "LAST SCAN"),
    .text("last_scan_state", title: "ENDED"), .number("last_scan_id", title: "SCAN"),
    .path("given_path", title: "GIVEN AS"),
  ]

  func execute() async throws -> Outcome {
    let catalog = try catalog.open()
    defer { catalog.closeQuietly() }
    let roots = try await catalog.roots()
    var printer = output.printer(Self.columns, piped: .tsv)
    for root in roots {
      try printer.print([
        .text(bytes: root.path.bytes), .text(root.state.rawValue), .count(Int64(root.entries)),
        .count(Int64(root.files)), .count(Int64(root.directories)), .byteCount(root.size),
        .byteCount(root.allocated),
        root.lastScanAt.map { Cell(.integer($0), .seconds) } ?? .null,
        root.lastScanState.map { .text($0.rawValue) } ?? .null,
        root.lastScan.map { .integer($0.rawValue) } ?? .null,
        .text(bytes: root.givenPath.bytes),
      ])
    }
    try printer.finish()
    return roots.isEmpty ? .nothing : .done
  }
}

struct ForgetCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "forget", _superCommandName: FileCat.name,
    abstract: "Drop a root from the catalog. The files themselves are not touched.")

  @OptionGroup var catalog: CatalogOptions

  @Argument(help: "The root.", completion: .roots)
  var root: PathArgument

  func execute() async throws -> Outcome {
    let catalog = try catalog.open()
    defer { catalog.closeQuietly() }
    try await catalog.forget(root.path)
    return .done
  }
}
