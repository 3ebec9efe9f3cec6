import ArgumentParser
import Console
import FileCatalog
import StandardDirectories
import SystemPackage

struct ContainersRolesCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "roles",
    abstract: "List the roles there are: the standard ones, and those that are declared.",
    discussion: """
      Roles are declared in files that end in .conf in the directory filecat/roles.d of your \
      configuration ($XDG_CONFIG_HOME, ~/.config), a section for each:

        [user]
        in = application_support
        directory = User-{id}
        backup = excluded

      “in” is the role in whose directory it has its own, a standard or a declared one; without it, \
      the directory is in the container itself. “directory” is a name, or several with slashes \
      between them, in which {id} stands for a parameter. “backup” is included or excluded, “purge” \
      never, low_space or idle, “persists” and “read_only” are yes or no; what is not said is as the \
      role around it has it. Lines that begin with # say nothing.

      The next scan goes by it. Where something is wrong, all roles stay as they were.
      """)

  @OptionGroup var output: OutputOptions

  func execute() async throws -> Outcome {
    let declared = RoleSources.standard.read()
    var printer = output.printer(
      [
        .text("role"), .text("parent_role"), .text("directory_pattern"), Column("persists"),
        .text("backup_policy"), .text("purge"), .text("writer"),
      ], piped: .tsv)
    for role in Role.standard + declared.registry.roles.map(Role.custom) {
      let policy = role.policy
      try printer.print(
        [.text(role.name)] + Self.place(of: role) + [
          .boolean(policy.persists), .text(policy.backup.rawValue), .text(policy.purge.rawValue),
          .text(policy.writer.rawValue),
        ])
    }
    try printer.finish()
    for fault in declared.faults { Message.print(fault) }
    return declared.faults.isEmpty ? .done : .usage
  }

  private static func place(of role: Role) -> [Cell] {
    guard case .custom(let custom) = role else { return [.null, .null] }
    return [custom.parent.map { .text($0.name) } ?? .null, .text(custom.directory.text)]
  }
}

/// Finds the role that a person means.
enum RoleChoice {
  /// The roles that are declared in files.
  static var declared: RoleRegistry { RoleSources.standard.read().registry }

  /// The names of all roles, for lists.
  static var names: [String] { (Role.standard + declared.roles.map(Role.custom)).map(\.name) }

  /// A standard role, a declared one, or one that was declared when the catalog was scanned.
  static func role(named name: String, _ catalog: Catalog?) async throws -> Role {
    let declared = RoleSources.standard.read()
    if let role = declared.registry[name] { return role }
    if let role = try await catalog?.roleRegistry()[name] { return role }
    for fault in declared.faults { Message.print(fault) }
    return try Role(named: name, among: declared.registry)
  }
}
