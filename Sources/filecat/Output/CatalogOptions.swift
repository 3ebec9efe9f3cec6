import ArgumentParser
import FileCatalog
import FileSystem
import SystemPackage

/// Which catalog a command works on.
struct CatalogOptions: ParsableArguments {
  @Option(
    name: .customLong("catalog"),
    help: ArgumentHelp("The catalog's file.", valueName: "file"),
    completion: .file())
  var file: PathArgument?

  func open(_ access: Catalog.Access = .existing) throws -> Catalog {
    let path = try file?.path ?? Catalog.defaultPath
    return try Catalog(at: path, access: access)
  }
}

extension Catalog {
  /// Ends the work on a catalog: what is still in its write-ahead log goes into the file. Where that
  /// cannot be, nothing is lost, and whoever opens the file next does it.
  func closeQuietly() {
    try? close()
  }
}
