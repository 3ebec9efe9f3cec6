import ArgumentParser
import Console
import FileCatalog
import SystemPackage

struct CheckCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Prove that the catalog is whole.",
    discussion: """
      Checks the file, the references between rows, the paths and the sums. Exit status 0: sound; \
      4: something is wrong.
      """)

  @OptionGroup var catalog: CatalogOptions
  @OptionGroup var output: OutputOptions

  func execute() async throws -> Outcome {
    let catalog = try catalog.open()
    let problems = try await catalog.check()
    var printer = output.printer(
      [.text("rule"), Column("problem", alignment: .leading, shortening: .atEnd)], piped: .tsv)
    for problem in problems {
      try printer.print([.text(problem.rule.rawValue), .text(problem.description)])
    }
    if problems.isEmpty, output.format == nil {
      var sink = ByteSink.standardOutput
      try sink.write("\(catalog.path.string) is sound\n")
      try sink.flush()
      return .done
    }
    try printer.finish()
    return problems.isEmpty ? .done : .failed
  }
}
