import ArgumentParser
import Console
import FileCatalog
import UniformTypes

struct TypesExtensionCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "extension", abstract: "Show the type that a file name extension means.")

  @OptionGroup var output: OutputOptions

  @Flag(help: "Ask for the type of directories with this extension instead of files.")
  var directory = false

  @Argument(help: ArgumentHelp("The extension without the dot.", valueName: "ext"))
  var filenameExtension: String

  func execute() async throws -> Outcome {
    let registry = TypeSources.standard.allTypes()
    guard
      let type = registry.type(
        filenameExtension: filenameExtension, conformingTo: directory ? .directory : .data)
    else {
      throw TypeLookupError.invalidExtension(filenameExtension)
    }
    try TypeOutput.print(type, output)
    return .done
  }
}
