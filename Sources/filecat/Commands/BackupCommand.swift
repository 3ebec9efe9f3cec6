import ArgumentParser
import Console
import FileCatalog

struct BackupCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "backup", _superCommandName: FileCat.name,
    abstract: "Write a copy of the catalog into one file.",
    discussion: """
      The copy is of one moment, while others may go on writing to the catalog. It has no write-ahead \
      log: it can be handed on, and read where nothing may be written. It is there when it is complete.

        filecat backup catalog-today.sqlite
        sqlite3 'file:catalog-today.sqlite?immutable=1' 'SELECT count(*) FROM files'
      """)

  @OptionGroup var catalog: CatalogOptions

  @Flag(help: "Replace the file where there is one.")
  var force = false

  @Argument(help: "The file to write.", completion: .file())
  var file: PathArgument

  func execute() async throws -> Outcome {
    let catalog = try catalog.open()
    defer { catalog.closeQuietly() }
    let (destination, existing) = (file.path, force ? Catalog.ExistingFile.replaced : .kept)
    try await MainThread.shared.cancellingWhenInterrupted {
      try await catalog.backUp(to: destination, existing: existing)
    }
    return .done
  }
}
