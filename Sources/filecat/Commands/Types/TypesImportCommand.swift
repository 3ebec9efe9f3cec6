import ArgumentParser
import Console
import FileCatalog
import FileSystem
import SystemPackage

struct TypesImportCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Check a file of type declarations and install it.",
    discussion: """
      The file is a property list or JSON with UTExportedTypeDeclarations, \
      UTImportedTypeDeclarations or CFBundleDocumentTypes, as in Info.plist. An entry that breaks \
      the rules is refused, the others count. Scan again to type what is in a catalog anew.
      """)

  @Flag(help: "Replace an installed file of the same name.")
  var replace = false

  @Argument(help: "The file, .plist or .json.", completion: .file(extensions: ["plist", "json"]))
  var file: PathArgument

  func execute() async throws -> Outcome {
    do throws(TypeInstallationError) {
      let installation = try TypeSources.standard.install(
        file.path, existing: replace ? .replaced : .kept)
      for diagnostic in installation.diagnostics { Message.print("\(diagnostic)") }
      var sink = ByteSink.standardOutput
      let name = DisplayText(escaping: installation.destination.bytes).string
      try? sink.write("\(installation.accepted.count) declarations imported to \(name)\n")
      try? sink.flush()
      return .done
    } catch {
      for diagnostic in error.diagnostics { Message.print("\(diagnostic)") }
      throw error
    }
  }
}
