import ArgumentParser
import Console
import FileCatalog
import UniformTypes

struct TypesShowCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show a type: what it conforms to, its extensions, its layer.")

  @OptionGroup var output: OutputOptions

  @Argument(help: ArgumentHelp("The identifier, such as public.jpeg.", valueName: "id"))
  var identifier: String

  func execute() async throws -> Outcome {
    try TypeOutput.print(try TypeSources.standard.allTypes().requireType(identifier), output)
    return .done
  }
}
