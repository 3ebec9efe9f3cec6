import ArgumentParser
import Console
import FileCatalog
import UniformTypes

struct TypesConformsCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "conforms", abstract: "Tell whether a type conforms to another one.",
    discussion: "Exit status 0: it does, or is the same type; 1: it does not.")

  @Argument(help: ArgumentHelp("The type.", valueName: "a"))
  var identifier: String

  @Argument(help: ArgumentHelp("What it may conform to.", valueName: "b"))
  var ancestor: String

  func execute() async throws -> Outcome {
    let registry = TypeSources.standard.allTypes()
    let type = try registry.requireType(identifier)
    let other = try registry.requireType(ancestor)
    let conforms = type.conforms(to: other)
    var sink = ByteSink.standardOutput
    try sink.write(
      "\(type.identifier) \(conforms ? "conforms" : "does not conform") to \(other.identifier)\n")
    try sink.flush()
    return conforms ? .done : .nothing
  }
}
