internal import SystemPackage

/// A directory in whose sub-directories containers are found.
struct ContainerShelf {
  /// What in a sub-directory is the container's root.
  enum Shape {
    /// The sub-directory itself.
    case itself
    /// The directory `Data` in it.
    case data
    /// The sub-directory itself, if it has a revision's or the common directory of a snap.
    case snap
  }

  let path: FilePath
  let style: Container.Style
  var shape = Shape.itself

  /// Where a home has the containers of its applications.
  static let home = [
    ContainerShelf(path: ".var/app", style: .flatpak),
    ContainerShelf(path: "snap", style: .snap, shape: .snap),
    ContainerShelf(path: ".snap/data", style: .snap, shape: .snap),
    ContainerShelf(path: "Library/Containers", style: .appleSandbox, shape: .data),
    ContainerShelf(path: "Library/Group Containers", style: .appGroup),
  ]

  /// Where the data of an iOS device or simulator has them.
  static let device = [
    ContainerShelf(path: "Containers/Data/Application", style: .appleSandbox),
    ContainerShelf(path: "Containers/Data/PluginKitPlugin", style: .appleSandbox),
    ContainerShelf(path: "Containers/Shared/AppGroup", style: .appGroup),
  ]

  /// Where a simulator's device data, a device's disk, or parts of either may begin in a directory.
  static let deviceData: [FilePath] = ["", "data", "private/var/mobile", "var/mobile", "mobile"]

  /// Where installed bundles are, relative to the same directory.
  static let bundles: [FilePath] = [
    "Containers/Bundle/Application", "data/Containers/Bundle/Application",
    "private/var/containers/Bundle/Application", "var/containers/Bundle/Application",
    "containers/Bundle/Application",
  ]

  /// Where a Mac keeps the devices of its simulators.
  static let simulators: FilePath = "Library/Developer/CoreSimulator/Devices"

  /// How the directories of an unpacked device backup begin; the identifier follows. The longer come
  /// first, as each begins like the last.
  static let backupDomains: [(prefix: String, style: Container.Style)] = [
    ("AppDomainGroup-", .appGroup), ("AppDomainPlugin-", .appleSandbox),
    ("AppDomain-", .appleSandbox),
  ]
}

extension Container.Style {
  /// What only a home of this style has in it, at least one of each group.
  var signsOfHome: [[FilePath]] {
    switch self {
    case .appleHome:
      [
        ["Library/Preferences", "Library/Application Support", "Library/Caches"],
        // A sandbox has a library, too, but at most links to these.
        ["Desktop", "Downloads", "Movies", "Pictures", "Public"],
      ]
    case .xdg: [[".config", ".local/share", ".cache", ".local/state"]]
    case .appleSandbox, .appGroup, .flatpak, .snap: []
    }
  }
}
