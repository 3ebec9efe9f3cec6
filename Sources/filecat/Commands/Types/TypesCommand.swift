import ArgumentParser

/// The group of commands about uniform types. None needs a catalog.
struct TypesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "types",
    abstract: "Ask about uniform types, and declare your own.",
    discussion: """
      Types come from your own declarations (types.d in filecat's configuration folder), from the \
      built-in table and from the system's shared-mime-info, in this order. A catalog takes up \
      changed declarations with the next scan.
      """,
    subcommands: [
      TypesListCommand.self, TypesShowCommand.self, TypesOfCommand.self,
      TypesExtensionCommand.self, TypesMimeCommand.self, TypesConformsCommand.self,
      TypesTreeCommand.self, TypesImportCommand.self, TypesCheckCommand.self,
    ])
}
