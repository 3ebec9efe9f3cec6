/// A folder that has a role: where it is depends on the style of the container.
public protocol StandardFolder: ParameterlessFolder {
  /// What the folder is for.
  static var role: Role { get }
}

/// The folder of ``Role/documents``.
public struct DocumentsFolder: StandardFolder {
  /// What the folder is for.
  public static let role = Role.documents
  /// The name on Apple's systems.
  public let folderName = "Documents"
  /// The folder.
  public init() {}
}

/// The folder of ``Role/library``.
public struct LibraryFolder: StandardFolder {
  /// What the folder is for.
  public static let role = Role.library
  /// The name on Apple's systems.
  public let folderName = "Library"
  /// The folder.
  public init() {}
}

/// The folder of ``Role/caches``.
public struct CachesFolder: StandardFolder {
  /// What the folder is for.
  public static let role = Role.caches
  /// The name on Apple's systems.
  public let folderName = "Caches"
  /// The folder.
  public init() {}
}

/// The folder of ``Role/applicationSupport``.
public struct ApplicationSupportFolder: StandardFolder {
  /// What the folder is for.
  public static let role = Role.applicationSupport
  /// The name on Apple's systems.
  public let folderName = "Application Support"
  /// The folder.
  public init() {}
}

/// The folder of ``Role/preferences``.
public struct PreferencesFolder: StandardFolder {
  /// What the folder is for.
  public static let role = Role.preferences
  /// The name on Apple's systems.
  public let folderName = "Preferences"
  /// The folder.
  public init() {}
}

/// The folder of ``Role/offlineData``, inside the one of application support.
public struct OfflineDataFolder: StandardFolder {
  /// What the folder is for.
  public static let role = Role.offlineData
  /// The name everywhere.
  public let folderName = "Offline Data"
  /// The folder.
  public init() {}
}

/// The folder of ``Role/state``.
public struct StateFolder: StandardFolder {
  /// What the folder is for.
  public static let role = Role.state
  /// The name that the XDG directories use.
  public let folderName = "state"
  /// The folder.
  public init() {}
}

/// The folder of ``Role/temporary``.
public struct TemporaryFolder: StandardFolder {
  /// What the folder is for.
  public static let role = Role.temporary
  /// The name in a sandbox.
  public let folderName = "tmp"
  /// The folder.
  public init() {}
}

/// The folder of ``Role/resources``.
public struct ResourcesFolder: StandardFolder {
  /// What the folder is for.
  public static let role = Role.resources
  /// The name inside a bundle.
  public let folderName = "Resources"
  /// The folder.
  public init() {}
}
