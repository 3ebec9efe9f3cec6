/// What a directory of a container is for.
///
/// The raw values are stable names: they are stored, queried and typed.
public enum Role: String, CaseIterable, Sendable, Codable {
  /// What the user made, visible to the user.
  case documents
  /// What the application keeps out of sight; a parent of other roles on Apple's systems.
  case library
  /// What can be made again.
  case caches
  /// What the application needs and the user does not see.
  case applicationSupport = "application_support"
  /// Settings. They belong to the system's settings service.
  case preferences
  /// What can be fetched again but must survive until then, so that work goes on offline.
  case offlineData = "offline_data"
  /// What a run of the program leaves behind, such as histories and logs (XDG only).
  case state
  /// What is needed only while a program runs.
  case temporary = "tmp"
  /// What was installed with the application and is only read.
  case resources

  /// The role of a name that a person typed.
  ///
  /// - Throws: ``DirectoryError/unknownRole(_:suggestion:)`` with the role that was likely meant.
  public init(named name: String) throws(DirectoryError) {
    guard let role = Role(rawValue: name) else {
      throw .unknownRole(name, suggestion: Role.nearest(to: name))
    }
    self = role
  }

  /// The role whose name differs by the fewest letters, if those are few.
  private static func nearest(to name: String) -> Role? {
    let distances = allCases.map { role in
      (role: role, letters: Array(role.rawValue).difference(from: Array(name.lowercased())).count)
    }
    let allowed = max(2, min(name.count, 32) / 2)
    return distances.filter { $0.letters <= allowed }.min { $0.letters < $1.letters }?.role
  }
}

extension Role {
  /// What a role promises of its files.
  public struct Policy: Hashable, Sendable {
    /// Whether a backup holds the files of a role.
    public enum Backup: String, CaseIterable, Sendable, Codable {
      /// A backup holds them.
      case included
      /// A backup leaves them out.
      case excluded
    }

    /// When the system may delete the files of a role by itself.
    public enum Purge: String, CaseIterable, Sendable, Codable {
      /// Not at all.
      case never
      /// When the disk is nearly full.
      case lowSpace = "low_space"
      /// Whenever the application does not run.
      case idle
    }

    /// Who writes the files of a role.
    public enum Writer: String, CaseIterable, Sendable, Codable {
      /// The user, through the application.
      case user
      /// The application, out of the user's sight.
      case application
      /// The system's settings service only: files are neither to be written nor deleted directly.
      case settings
      /// The installer; afterwards files are only read.
      case installer
    }

    /// Whether they are still there when the application runs again.
    public let persists: Bool
    /// Whether a backup holds them.
    public let backup: Backup
    /// When the system may delete them.
    public let purge: Purge
    /// Who writes them.
    public let writer: Writer

    /// Whether the system may delete them at all.
    public var isPurgeable: Bool { purge != .never }

    fileprivate init(persists: Bool = true, backup: Backup, purge: Purge, writer: Writer) {
      self.persists = persists
      self.backup = backup
      self.purge = purge
      self.writer = writer
    }
  }

  /// What the role promises of its files.
  ///
  /// Documents, preferences, caches and temporary files are as the sandbox of iOS treats them;
  /// offline data is the fourth combination: kept, yet not in backups.
  public var policy: Policy {
    switch self {
    case .documents: Policy(backup: .included, purge: .never, writer: .user)
    case .library, .applicationSupport, .state:
      Policy(backup: .included, purge: .never, writer: .application)
    case .preferences: Policy(backup: .included, purge: .never, writer: .settings)
    case .offlineData: Policy(backup: .excluded, purge: .never, writer: .application)
    case .caches: Policy(backup: .excluded, purge: .lowSpace, writer: .application)
    case .temporary:
      Policy(persists: false, backup: .excluded, purge: .idle, writer: .application)
    case .resources: Policy(backup: .excluded, purge: .never, writer: .installer)
    }
  }
}
