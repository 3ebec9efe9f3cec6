// The directories that containers have by their style, and the names of those inside them.

extension Container {
  /// What the user made.
  public var documents: Directory<Documents> { directory() }
  /// What applications keep out of sight; only Apple's styles have it.
  public var library: Directory<Library> { directory() }
  /// What can be made again.
  public var caches: Directory<Caches> { library.caches }
  /// What applications need and the user does not see.
  public var applicationSupport: Directory<ApplicationSupport> { library.applicationSupport }
  /// Settings.
  public var preferences: Directory<Preferences> { library.preferences }
  /// What can be fetched again but must survive until then.
  public var offlineData: Directory<OfflineData> { applicationSupport.offlineData }
  /// Histories, logs and the like; only XDG's styles have it.
  public var state: Directory<State> { directory() }
  /// What is needed only while a program runs.
  public var temporary: Directory<Temporary> { directory() }
  /// What was installed with the application; has to be set for the container.
  public var resources: Directory<Resources> { directory() }

  /// The directory of this kind in the root; a standard one is where the style has it.
  public func appending<Inner: DirectoryKind>(_ kind: Inner) -> Directory<Inner> {
    Directory(kind, of: self)
  }

  /// The directory of this kind in the root.
  public func appending<Inner: ParameterlessDirectoryKind>(_ type: Inner.Type) -> Directory<Inner> {
    Directory(Inner(), of: self)
  }

  /// The directory of this name in the root.
  public func appending(_ name: String) -> Directory<Subdirectory> {
    Directory(Subdirectory(name), of: self)
  }

  private func directory<Standard: ParameterlessDirectoryKind>() -> Directory<Standard> {
    Directory(Standard(), of: self)
  }
}

extension Directory<Container.Library> {
  /// What can be made again. It is found in every style, also in those without a library.
  public var caches: Directory<Container.Caches> { appending(Container.Caches.self) }
  /// What applications need and the user does not see, found in every style.
  public var applicationSupport: Directory<Container.ApplicationSupport> {
    appending(Container.ApplicationSupport.self)
  }
  /// Settings, found in every style.
  public var preferences: Directory<Container.Preferences> { appending(Container.Preferences.self) }
}

extension Directory<Container.ApplicationSupport> {
  /// What can be fetched again but must survive until then.
  public var offlineData: Directory<Container.OfflineData> { appending(Container.OfflineData.self) }
}

// MARK: - Kinds

extension Container {
  /// A directory whose name is known only when the program runs. The name is taken as it is.
  public struct Subdirectory: DirectoryKind, Hashable {
    /// The name of the directory.
    public let directoryName: String

    /// Creates a kind of directory from its name, which is checked when a path is asked for.
    public init(_ name: String) {
      directoryName = name
    }
  }

  /// The directory of ``Role/documents``.
  public struct Documents: ParameterlessDirectoryKind {
    /// What the directory is for.
    public static let role: Role? = .documents
    /// The name on Apple's systems.
    public let directoryName = "Documents"
    /// Creates the kind.
    public init() {}
  }

  /// The directory of ``Role/library``.
  public struct Library: ParameterlessDirectoryKind {
    /// What the directory is for.
    public static let role: Role? = .library
    /// The name on Apple's systems.
    public let directoryName = "Library"
    /// Creates the kind.
    public init() {}
  }

  /// The directory of ``Role/caches``.
  public struct Caches: ParameterlessDirectoryKind {
    /// What the directory is for.
    public static let role: Role? = .caches
    /// The name on Apple's systems.
    public let directoryName = "Caches"
    /// Creates the kind.
    public init() {}
  }

  /// The directory of ``Role/applicationSupport``.
  public struct ApplicationSupport: ParameterlessDirectoryKind {
    /// What the directory is for.
    public static let role: Role? = .applicationSupport
    /// The name on Apple's systems.
    public let directoryName = "Application Support"
    /// Creates the kind.
    public init() {}
  }

  /// The directory of ``Role/preferences``.
  public struct Preferences: ParameterlessDirectoryKind {
    /// What the directory is for.
    public static let role: Role? = .preferences
    /// The name on Apple's systems.
    public let directoryName = "Preferences"
    /// Creates the kind.
    public init() {}
  }

  /// The directory of ``Role/offlineData``, inside the one of application support.
  public struct OfflineData: ParameterlessDirectoryKind {
    /// What the directory is for.
    public static let role: Role? = .offlineData
    /// The name everywhere.
    public let directoryName = "Offline Data"
    /// Creates the kind.
    public init() {}
  }

  /// The directory of ``Role/state``.
  public struct State: ParameterlessDirectoryKind {
    /// What the directory is for.
    public static let role: Role? = .state
    /// The name that the XDG directories use.
    public let directoryName = "state"
    /// Creates the kind.
    public init() {}
  }

  /// The directory of ``Role/temporary``.
  public struct Temporary: ParameterlessDirectoryKind {
    /// What the directory is for.
    public static let role: Role? = .temporary
    /// The name in a sandbox.
    public let directoryName = "tmp"
    /// Creates the kind.
    public init() {}
  }

  /// The directory of ``Role/resources``.
  public struct Resources: ParameterlessDirectoryKind {
    /// What the directory is for.
    public static let role: Role? = .resources
    /// The name inside a bundle.
    public let directoryName = "Resources"
    /// Creates the kind.
    public init() {}
  }
}
