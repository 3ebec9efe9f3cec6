public import StandardDirectories
public import SystemPackage

/// What a home's container and the operating system say of one role.
public struct SystemAnswer: Sendable, Hashable {
  /// The role.
  public let role: Role
  /// What the container says; `nil` where it has no directory of the role.
  public let own: FilePath?
  /// What the system says, in its order; there may be none, and on macOS several.
  public let system: [FilePath]
  /// Whether both name the same directory, or none, by whatever symbolic links.
  public let agrees: Bool

  init(role: Role, own: FilePath?, system: [FilePath]) {
    self.role = role
    self.own = own
    self.system = system
    agrees = own?.resolvedWhereItExists == system.first?.resolvedWhereItExists
  }
}

extension Container {
  /// The home of this process's user, as its environment describes it.
  ///
  /// - Throws: `DirectoryError` when nothing says where the home is.
  public static func home(
    of environment: HostEnvironment = .ofThisProcess()
  ) throws(DirectoryError) -> Container {
    #if os(macOS)
      try Container(home: .appleHome, of: environment)
    #else
      try Container(home: .xdg, of: environment)
    #endif
  }

  /// The answers of the system beside those of the container, for the roles that the system knows.
  ///
  /// They are about the home of this process's user and mean nothing for another container. To compare
  /// them, symbolic links are looked up on the disk.
  public var systemAnswers: [SystemAnswer] {
    [Role.documents, .library, .caches, .applicationSupport, .temporary].map { role in
      SystemAnswer(
        role: role, own: answers(role).first, system: SystemDirectories.paths(for: role))
    }
  }
}
