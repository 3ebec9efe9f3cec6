import ArgumentParser
import Console
import FileCatalog
import UniformTypes

struct TypesCheckCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Check the declarations of all layers.",
    discussion: """
      Lists entries that were refused, and extensions and other tags that several types claim with \
      equal right. --all also lists those where rank, layer or the system decide. Exit status 0: nothing is \
      wrong; 4: something is.
      """)

  @OptionGroup var output: OutputOptions

  @Flag(help: "List tags whose type is decided by rank or layer, too.")
  var all = false

  func execute() async throws -> Outcome {
    let registry = TypeSources.standard.allTypes()
    var printer = output.printer(
      [.text("problem"), Column("description", alignment: .leading, shortening: .atEnd)],
      piped: .tsv)
    for diagnostic in registry.diagnostics {
      try printer.print([
        diagnostic.isWarning ? "warning" : "refused", .text(diagnostic.description),
      ])
    }
    let conflicts = registry.conflicts
    let undecided = conflicts.filter { Self.wantsDecision($0, in: registry) }
    for conflict in all ? conflicts : undecided {
      try printer.print([
        undecided.contains(conflict) ? "conflict" : "decided", .text(conflict.description),
      ])
    }
    try printer.finish()
    return registry.diagnostics.isEmpty && undecided.isEmpty ? .done : .failed
  }

  /// Nobody here can mend what the files of the system disagree about among themselves.
  private static func wantsDecision(_ conflict: TypeRegistry.TagConflict, in registry: TypeRegistry)
    -> Bool
  {
    conflict.decision == .order
      && conflict.identifiers.first.flatMap { registry.type(identifier: $0) }?.source
        != .sharedMimeInfo
  }
}
