import ArgumentParser
import FileCatalog
import FileSystem
import SystemPackage

struct ForgetCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Drop a root from the catalog. The files themselves are not touched.")

  @OptionGroup var catalog: CatalogOptions

  @Argument(help: "The root.", completion: .directory)
  var root: PathArgument

  func execute() async throws -> Outcome {
    let catalog = try catalog.open()
    defer { catalog.closeQuietly() }
    try await catalog.forget(root.path)
    return .done
  }
}
