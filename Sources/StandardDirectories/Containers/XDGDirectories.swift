public import SystemPackage

/// A user's directories by the XDG Base Directory Specification and `user-dirs.dirs`.
public struct XDGDirectories: Hashable, Sendable {
  /// `XDG_DATA_HOME`, by default `~/.local/share`.
  public let data: FilePath
  /// `XDG_CONFIG_HOME`, by default `~/.config`.
  public let config: FilePath
  /// `XDG_STATE_HOME`, by default `~/.local/state`.
  public let state: FilePath
  /// `XDG_CACHE_HOME`, by default `~/.cache`.
  public let cache: FilePath
  /// `XDG_RUNTIME_DIR`; it has no default.
  public let runtime: FilePath?
  /// `XDG_DATA_DIRS` in order, by default `/usr/local/share` and `/usr/share`.
  public let dataSearchPath: [FilePath]
  /// `XDG_CONFIG_DIRS` in order, by default `/etc/xdg`.
  public let configSearchPath: [FilePath]
  private let home: FilePath
  private let userDirectories: UserDirectories

  /// The directories that an environment describes. Variables that are empty or relative count as
  /// unset, as the specification demands.
  ///
  /// - Throws: ``DirectoryError/unknownHome``.
  public init(_ environment: HostEnvironment) throws(DirectoryError) {
    self.init(home: try environment.home, environment: environment)
  }

  init(home: FilePath, environment: HostEnvironment) {
    self.home = home
    func path(_ variable: String, _ subpath: FilePath) -> FilePath {
      environment.absolutePath(variable) ?? home.pushing(subpath)
    }
    func list(_ variable: String, _ paths: [FilePath]) -> [FilePath] {
      let stated = (environment.variables[variable] ?? "").split(separator: ":")
        .filter { $0.utf8.first == NameByte.slash && !$0.utf8.contains(0) }
      return stated.isEmpty ? paths : stated.map { FilePath(String($0)).lexicallyNormalized() }
    }
    data = path("XDG_DATA_HOME", ".local/share")
    config = path("XDG_CONFIG_HOME", ".config")
    state = path("XDG_STATE_HOME", ".local/state")
    cache = path("XDG_CACHE_HOME", ".cache")
    runtime = environment.absolutePath("XDG_RUNTIME_DIR")
    dataSearchPath = list("XDG_DATA_DIRS", ["/usr/local/share", "/usr/share"])
    configSearchPath = list("XDG_CONFIG_DIRS", ["/etc/xdg"])
    userDirectories = UserDirectories(parsing: environment.userDirectories ?? "", home: home)
  }

  /// The file whose text ``HostEnvironment/userDirectories`` is.
  public var userDirectoriesFile: FilePath { config.appending("user-dirs.dirs") }

  /// A directory that users know by name, localised as `user-dirs.dirs` says.
  ///
  /// - Returns: `nil` for one that is switched off by being the home itself.
  public func user(_ directory: UserDirectory) -> FilePath? {
    guard let path = userDirectories[directory] else {
      return home.appending(directory.defaultName)
    }
    return path == home ? nil : path
  }
}
