import ArgumentParser

/// The group of commands about containers.
struct ContainersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "containers",
    abstract: "Ask about containers: homes, sandboxes and the roles of their directories.",
    discussion: """
      A container is a directory tree in which directories have roles: documents, caches, settings \
      and so on. What a role promises of backups and of a full disk holds for all that is inside. \
      Containers are registered with “containers discover --register”, “containers add” or \
      “scan --container STYLE DIR”; afterwards queries know role:, container:, backup: and \
      purgeable:.
      """,
    subcommands: [
      ContainersListCommand.self, ContainersDiscoverCommand.self, ContainersAddCommand.self,
      ContainersForgetCommand.self, ContainersShowCommand.self, ContainersResolveCommand.self,
      ContainersPolicyCommand.self,
    ])
}
