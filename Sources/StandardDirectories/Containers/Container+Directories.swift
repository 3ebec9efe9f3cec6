extension Container {
  /// What the user made.
  public var documents: Directory<DocumentsFolder> { directory() }
  /// What applications keep out of sight; only Apple's styles have it.
  public var library: Directory<LibraryFolder> { directory() }
  /// What can be made again.
  public var caches: Directory<CachesFolder> { library.caches }
  /// What applications need and the user does not see.
  public var applicationSupport: Directory<ApplicationSupportFolder> { library.applicationSupport }
  /// Settings.
  public var preferences: Directory<PreferencesFolder> { library.preferences }
  /// What can be fetched again but must survive until then.
  public var offlineData: Directory<OfflineDataFolder> { applicationSupport.offlineData }
  /// Histories, logs and the like; only XDG's styles have it.
  public var state: Directory<StateFolder> { directory() }
  /// What is needed only while a program runs.
  public var temporary: Directory<TemporaryFolder> { directory() }
  /// What was installed with the application; has to be set for the container.
  public var resources: Directory<ResourcesFolder> { directory() }

  /// The root's folder of this type, by declaration or of a standard one.
  public func appending<Inner: Folder>(_ folder: Inner) -> Directory<Inner> {
    Directory(folder, of: self)
  }

  /// The root's folder of this type.
  public func appending<Inner: ParameterlessFolder>(_ type: Inner.Type) -> Directory<Inner> {
    Directory(Inner(), of: self)
  }

  /// The root's folder of this name.
  public func appending(_ name: String) -> Directory<NamedFolder> {
    Directory(NamedFolder(name), of: self)
  }

  private func directory<Standard: StandardFolder>() -> Directory<Standard> {
    Directory(Standard(), of: self)
  }
}

extension Directory<LibraryFolder> {
  /// What can be made again. It is found in every style, also in those without a library.
  public var caches: Directory<CachesFolder> { appending(CachesFolder.self) }
  /// What applications need and the user does not see, found in every style.
  public var applicationSupport: Directory<ApplicationSupportFolder> {
    appending(ApplicationSupportFolder.self)
  }
  /// Settings, found in every style.
  public var preferences: Directory<PreferencesFolder> { appending(PreferencesFolder.self) }
}

extension Directory<ApplicationSupportFolder> {
  /// What can be fetched again but must survive until then.
  public var offlineData: Directory<OfflineDataFolder> { appending(OfflineDataFolder.self) }
}
