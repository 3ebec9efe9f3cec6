import ArgumentParser
import Console
import FileCatalog
import FileSystem
import SystemPackage

struct TypesOfCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "of", abstract: "Tell the types of files on the disk.",
    discussion: """
      A type follows from the name, from what the file is (a link, a program, a package) and, with \
      --sniff, from its first 4 KiB where the name does not settle it.
      """)

  @OptionGroup var output: OutputOptions

  @Flag(help: "Read the beginning of files whose names do not settle their types.")
  var sniff = false

  @Argument(help: "The files.", completion: .file())
  var paths: [PathArgument]

  private static let fields: [TypeField] = [
    .identifier, .description, .supertypes, .isPackage, .isDynamic, .source,
  ]

  func execute() async throws -> Outcome {
    let typer = FileTyper(evidence: sniff ? .content : .name)
    let isTable = output.format(piped: .tsv) == .table
    let fields = isTable ? [.identifier, .description] : Self.fields
    var printer = output.printer(
      [.path("path"), .text("kind")] + fields.map(\.column), piped: .tsv)
    var outcome = Outcome.done
    for path in paths {
      let file: FileTyper.TypedFile
      do throws(FileError) {
        file = try typer.type(ofFileAt: path.path)
      } catch {
        // One file that is not there does not keep the others from being looked at.
        Message.print(error)
        outcome = .nothing
        continue
      }
      try printer.print(
        [.text(bytes: file.path.bytes), .text(file.kind.name)]
          + fields.map { $0.cell(of: file.type) })
    }
    try printer.finish()
    return outcome
  }
}
