import ArgumentParser
import Console
import FileCatalog
import UniformTypes

struct TypesMimeCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "mime", abstract: "Show the type that a MIME type means.")

  @OptionGroup var output: OutputOptions

  @Argument(help: ArgumentHelp("The MIME type, such as image/jpeg.", valueName: "type"))
  var mimeType: String

  func execute() async throws -> Outcome {
    let registry = TypeSources.standard.allTypes()
    guard mimeType.contains("/"),
      let type = registry.type(tag: mimeType, tagClass: .mimeType, conformingTo: nil)
    else {
      throw TypeLookupError.invalidMIMEType(mimeType)
    }
    try TypeOutput.print(type, output)
    return .done
  }
}
