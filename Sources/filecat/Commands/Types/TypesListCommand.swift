import ArgumentParser
import Console
import FileCatalog
import UniformTypes

struct TypesListCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the declared types of all layers.")

  @OptionGroup var output: OutputOptions

  @Option(
    help: ArgumentHelp("Only types that conform to this one.", valueName: "id"))
  var conformingTo: String?

  func execute() async throws -> Outcome {
    let registry = TypeSources.standard.allTypes()
    let ancestor = try conformingTo.map { try registry.requireType($0) }
    let types = registry.types.filter { type in ancestor.map { type.conforms(to: $0) } ?? true }
      .sorted { $0.identifier < $1.identifier }
    let format = output.format(piped: .tsv)
    let fields: [TypeField] =
      format == .table ? [.identifier, .description, .extensions, .source] : TypeField.allCases
    var printer = output.printer(fields.map(\.column), piped: .tsv)
    for type in types { try printer.print(fields.map { $0.cell(of: type) }) }
    try printer.finish()
    return types.isEmpty ? .nothing : .done
  }
}
