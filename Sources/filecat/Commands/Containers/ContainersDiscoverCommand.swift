import ArgumentParser
import Console
import FileCatalog
import FileSystem
import StandardDirectories
import SystemPackage

struct ContainersDiscoverCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "discover",
    abstract: "Find the containers on this machine, or in directories.",
    discussion: """
      Looks where Flatpak, snap, macOS, iOS simulators, devices and unpacked device backups keep \
      theirs, and for homes. Without DIR it searches your home and the homes of others.
      """)

  @OptionGroup var catalog: CatalogOptions
  @OptionGroup var output: OutputOptions

  @Flag(help: "Register what is found in the catalog.")
  var register = false

  @Argument(
    help: "A home, the data of a device, or an unpacked backup.", completion: .directory)
  var directories: [String] = []

  func execute() async throws -> Outcome {
    let paths = directories.map { FilePath($0) }
    let report =
      try paths.isEmpty ? ContainerSearch.machine() : ContainerSearch.directories(paths)
    let catalog = try register ? self.catalog.open(.create) : self.catalog.openIfPresent()
    defer { catalog?.closeQuietly() }
    if register { try await catalog?.register(report.containers) }
    let registered = try await catalog?.containers() ?? []
    var printer = output.printer(ContainerRow.columns.dropLast(), piped: .tsv)
    for container in report.containers {
      let known = registered.first { $0.container.root == container.root }
      let row = ContainerRow(container: container, registered: known, answers: nil)
      try printer.print(row.cells.dropLast())
    }
    try printer.finish()
    for failure in report.failures { Message.print(failure) }
    if !report.failures.isEmpty { return .incomplete }
    return report.containers.isEmpty ? .nothing : .done
  }
}
