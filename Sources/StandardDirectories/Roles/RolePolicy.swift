/// Whether a backup holds the files of a role.
public enum BackupPolicy: String, CaseIterable, Sendable, Codable {
  /// A backup holds them.
  case included
  /// A backup leaves them out.
  case excluded
}

/// When the system may delete the files of a role by itself.
public enum PurgePolicy: String, CaseIterable, Sendable, Codable {
  /// Not at all.
  case never
  /// When the disk is nearly full.
  case lowSpace = "low_space"
  /// Whenever the application does not run.
  case idle
}

/// Who writes the files of a role.
public enum RoleWriter: String, CaseIterable, Sendable, Codable {
  /// The user, through the application.
  case user
  /// The application, out of the user's sight.
  case application
  /// The system's settings service only: files are neither to be written nor deleted directly.
  case settings
  /// The installer; afterwards files are only read.
  case installer
}

/// What a role promises of its files.
public struct RolePolicy: Hashable, Sendable {
  /// Whether they are still there when the application runs again.
  public let persists: Bool
  /// Whether a backup holds them.
  public let backup: BackupPolicy
  /// When the system may delete them.
  public let purge: PurgePolicy
  /// Who writes them.
  public let writer: RoleWriter

  /// Whether the system may delete them at all.
  public var isPurgeable: Bool { purge != .never }

  fileprivate init(
    persists: Bool = true, backup: BackupPolicy, purge: PurgePolicy, writer: RoleWriter
  ) {
    self.persists = persists
    self.backup = backup
    self.purge = purge
    self.writer = writer
  }
}

extension Role {
  /// What the role promises of its files.
  ///
  /// Documents, preferences, caches and temporary files are as the sandbox of iOS treats them;
  /// offline data is the fourth combination: kept, yet not in backups.
  public var policy: RolePolicy {
    switch self {
    case .documents: RolePolicy(backup: .included, purge: .never, writer: .user)
    case .library, .applicationSupport, .state:
      RolePolicy(backup: .included, purge: .never, writer: .application)
    case .preferences: RolePolicy(backup: .included, purge: .never, writer: .settings)
    case .offlineData: RolePolicy(backup: .excluded, purge: .never, writer: .application)
    case .caches: RolePolicy(backup: .excluded, purge: .lowSpace, writer: .application)
    case .temporary:
      RolePolicy(persists: false, backup: .excluded, purge: .idle, writer: .application)
    case .resources: RolePolicy(backup: .excluded, purge: .never, writer: .installer)
    }
  }
}
