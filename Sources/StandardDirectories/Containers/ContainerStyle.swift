/// How the directories of a container are arranged.
///
/// The raw values are stable names: they are stored and typed.
public enum ContainerStyle: String, CaseIterable, Sendable, Codable {
  /// The container of one application on Apple's systems, on a device, in a simulator, or the
  /// `Data` folder in `~/Library/Containers`.
  case appleSandbox = "apple-sandbox"
  /// A home directory on macOS.
  case appleHome = "apple-home"
  /// What several applications of one maker share on Apple's systems.
  case appGroup = "app-group"
  /// A home directory by the XDG Base Directory Specification.
  case xdg
  /// The directory of one Flatpak application, `~/.var/app/ID`.
  case flatpak
  /// The directory of one snap, `~/snap/NAME`, with one directory a revision.
  case snap

  /// The style of a name that a person typed.
  ///
  /// - Throws: ``DirectoryError/unknownStyle(_:)``.
  public init(named name: String) throws(DirectoryError) {
    guard let style = ContainerStyle(rawValue: name) else { throw .unknownStyle(name) }
    self = style
  }
}

extension ContainerStyle {
  /// Where the style has the directory of a role, relative to the root, the first being the one to
  /// use.
  ///
  /// Flatpak's are those of its sandbox (its `/var/tmp` is `cache/tmp`); a snap's are what its
  /// `HOME`, `SNAP_USER_DATA` and `SNAP_USER_COMMON` make of the XDG defaults.
  func subpaths(of role: Role) -> [String] {
    switch self {
    case .appleSandbox, .appleHome, .appGroup:
      switch role {
      case .documents: ["Documents"]
      case .library: ["Library"]
      case .caches: ["Library/Caches"]
      case .applicationSupport: ["Library/Application Support"]
      case .preferences: ["Library/Preferences"]
      case .temporary: self == .appleHome ? [] : ["tmp"]
      case .offlineData, .state, .resources: []
      }
    case .xdg:
      switch role {
      case .documents: ["Documents"]
      case .caches: [".cache"]
      case .applicationSupport: [".local/share"]
      case .preferences: [".config"]
      case .state: [".local/state"]
      case .library, .temporary, .offlineData, .resources: []
      }
    case .flatpak:
      switch role {
      case .caches: ["cache"]
      case .applicationSupport: ["data"]
      case .preferences: ["config"]
      case .state: [".local/state"]
      case .temporary: ["cache/tmp"]
      case .documents, .library, .offlineData, .resources: []
      }
    case .snap:
      switch role {
      case .documents: ["current/Documents"]
      case .caches: ["common/.cache", "current/.cache"]
      case .applicationSupport: ["current/.local/share", "common", "current"]
      case .preferences: ["current/.config"]
      case .state: ["current/.local/state"]
      case .library, .temporary, .offlineData, .resources: []
      }
    }
  }

  /// Whether the container is the home of a person, which programs share.
  public var isHome: Bool { self == .appleHome || self == .xdg }
}
