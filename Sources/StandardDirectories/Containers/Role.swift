/// What a directory of a container is for.
///
/// There are standard ones, and those that somebody has declared. Names are stable: they are stored,
/// queried and typed.
public indirect enum Role: Hashable, Sendable {
  /// What the user made, visible to the user.
  case documents
  /// What the application keeps out of sight; a parent of other roles on Apple's systems.
  case library
  /// What can be made again.
  case caches
  /// What the application needs and the user does not see.
  case applicationSupport
  /// Settings. They belong to the system's settings service.
  case preferences
  /// What can be fetched again but must survive until then, so that work goes on offline.
  case offlineData
  /// What a run of the program leaves behind, such as histories and logs (XDG only).
  case state
  /// What is needed only while a program runs.
  case temporary
  /// What was installed with the application and is only read.
  case resources
  /// One that a user or a program has declared.
  case custom(CustomRole)
}

extension Role {
  /// Those that every container may have, in the order in which they are listed.
  public static let standard: [Role] = [
    .documents, .library, .caches, .applicationSupport, .preferences, .offlineData, .state,
    .temporary, .resources,
  ]

  /// The name by which the role is stored, queried and typed.
  public var name: String {
    switch self {
    case .documents: "documents"
    case .library: "library"
    case .caches: "caches"
    case .applicationSupport: "application_support"
    case .preferences: "preferences"
    case .offlineData: "offline_data"
    case .state: "state"
    case .temporary: "tmp"
    case .resources: "resources"
    case .custom(let role): role.name
    }
  }

  /// The standard role of a name; `nil` for other names.
  public init?(standard name: String) {
    guard let role = Role.standard.first(where: { $0.name == name }) else { return nil }
    self = role
  }

  /// The role of a name that a person typed.
  ///
  /// - Parameter registry: the roles that were declared beside the standard ones.
  /// - Throws: ``DirectoryError/unknownRole(_:suggestion:)`` with the role that was likely meant.
  public init(
    named name: String, among registry: RoleRegistry = .standard
  ) throws(DirectoryError) {
    let known = Role.standard + registry.roles.map(Role.custom)
    guard let role = known.first(where: { $0.name == name }) else {
      throw .unknownRole(name, suggestion: Role.nearest(to: name, among: known))
    }
    self = role
  }

  /// The role whose name differs by the fewest letters, if those are few.
  private static func nearest(to name: String, among known: [Role]) -> Role? {
    let distances = known.map { role in
      (role: role, letters: Array(role.name).difference(from: Array(name.lowercased())).count)
    }
    let allowed = max(2, min(name.count, 32) / 2)
    return distances.filter { $0.letters <= allowed }.min { $0.letters < $1.letters }?.role
  }
}

extension Role: CustomStringConvertible {
  /// The name.
  public var description: String { name }
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
    public var persists: Bool
    /// Whether a backup holds them.
    public var backup: Backup
    /// When the system may delete them.
    public var purge: Purge
    /// Who writes them.
    public var writer: Writer

    /// What is written and kept by an application: in backups, and never deleted by the system.
    public static let kept = Policy(backup: .included, purge: .never, writer: .application)

    /// A policy of these promises.
    public init(persists: Bool = true, backup: Backup, purge: Purge, writer: Writer) {
      self.persists = persists
      self.backup = backup
      self.purge = purge
      self.writer = writer
    }

    /// Whether the system may delete them at all.
    public var isPurgeable: Bool { purge != .never }

    /// Whether they are only read: nothing that goes by roles makes, changes or deletes one.
    public var isReadOnly: Bool { writer == .installer }

    /// Whether none of them is deleted unless that is forced: they are not the application's own. That is what
    /// the user made, settings, and what was installed.
    public var isProtected: Bool { writer != .application }

    /// Whether nothing but a mark on the disk keeps them out of backups. Caches and temporary files are left out by
    /// their place, and what was installed comes from elsewhere.
    public var isExcludedByMark: Bool {
      backup == .excluded && purge == .never && writer == .application
    }
  }

  /// What the role promises of its files.
  ///
  /// Documents, preferences, caches and temporary files are as the sandbox of iOS treats them;
  /// offline data is the fourth combination: kept, yet not in backups.
  public var policy: Policy {
    switch self {
    case .documents: Policy(backup: .included, purge: .never, writer: .user)
    case .library, .applicationSupport, .state: .kept
    case .preferences: Policy(backup: .included, purge: .never, writer: .settings)
    case .offlineData: Policy(backup: .excluded, purge: .never, writer: .application)
    case .caches: Policy(backup: .excluded, purge: .lowSpace, writer: .application)
    case .temporary:
      Policy(persists: false, backup: .excluded, purge: .idle, writer: .application)
    case .resources: Policy(backup: .excluded, purge: .never, writer: .installer)
    case .custom(let role): role.policy
    }
  }
}
