public import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// What a process is told about the machine's directories: its variables, its account, and the
/// names that its user gave to directories.
///
/// It is a value: what a container is made of does not move with the process. The one of this
/// process is read by ``ofThisProcess()``.
public struct HostEnvironment: Hashable, Sendable {
  /// The variables of the process that name directories: a path, or several with colons between them.
  public var variables: [String: FilePath]
  /// The home directory that the system's accounts name, for when `HOME` is unset.
  public var accountHome: FilePath?
  /// The text of `user-dirs.dirs`, see ``XDGDirectories/userDirectoriesFile``.
  public var userDirectories: String?

  /// Creates an environment from what is known of it.
  public init(
    variables: [String: FilePath], accountHome: FilePath? = nil, userDirectories: String? = nil
  ) {
    self.variables = variables
    self.accountHome = accountHome
    self.userDirectories = userDirectories
  }

  /// The home directory: `HOME`, else that of the account.
  ///
  /// - Throws: ``DirectoryError/unknownHome`` when neither is an absolute path.
  public var home: FilePath {
    get throws(DirectoryError) {
      if let home = absolutePath("HOME") { return home }
      guard let accountHome, accountHome.isAbsolute else { throw .unknownHome }
      return accountHome
    }
  }

  /// The directory for temporary files: `TMPDIR` if that is absolute, else `/tmp`.
  public var temporary: FilePath { absolutePath("TMPDIR") ?? Container.systemTemporary }

  /// The directory in which programs keep the user's data: `XDG_DATA_HOME`, else `~/.local/share`,
  /// on macOS `~/Library/Application Support`.
  ///
  /// - Throws: ``DirectoryError/unknownHome``.
  public var applicationData: FilePath {
    get throws(DirectoryError) { try applicationDirectory("XDG_DATA_HOME", ".local/share") }
  }

  /// The directory in which programs keep what the user has set: `XDG_CONFIG_HOME`, else
  /// `~/.config`, on macOS `~/Library/Application Support`.
  ///
  /// - Throws: ``DirectoryError/unknownHome``.
  public var applicationSettings: FilePath {
    get throws(DirectoryError) { try applicationDirectory("XDG_CONFIG_HOME", ".config") }
  }

  /// `XDG_CONFIG_HOME`, else `~/.config`, on every system; `nil` where neither is known.
  package var configHome: FilePath? {
    absolutePath("XDG_CONFIG_HOME") ?? (try? home)?.pushing(".config")
  }

  /// The directories with data that programs share, the strongest first: `XDG_DATA_HOME` or
  /// `~/.local/share`, then those of `XDG_DATA_DIRS`. Without a home only the latter.
  public var sharedData: [FilePath] {
    let own = absolutePath("XDG_DATA_HOME") ?? (try? home)?.pushing(".local/share")
    return (own.map { [$0] } ?? []) + dataSearchPath
  }
}

// MARK: - Variables

extension HostEnvironment {
  /// `XDG_DATA_DIRS` in order, by default `/usr/local/share` and `/usr/share`.
  var dataSearchPath: [FilePath] {
    searchPath("XDG_DATA_DIRS", standard: ["/usr/local/share", "/usr/share"])
  }

  /// `XDG_CONFIG_DIRS` in order, by default `/etc/xdg`.
  var configSearchPath: [FilePath] { searchPath("XDG_CONFIG_DIRS", standard: ["/etc/xdg"]) }

  /// The path in a variable without `.` and `..`; `nil` where it is unset, empty or relative, which
  /// the XDG specification says to ignore.
  func absolutePath(_ variable: String) -> FilePath? {
    guard let path = variables[variable], path.isAbsolute, !path.pathBytes.contains(0) else {
      return nil
    }
    return path.lexicallyNormalized()
  }

  /// The absolute paths in a variable with colons between them; the standard ones without any.
  func searchPath(_ variable: String, standard paths: [FilePath]) -> [FilePath] {
    let stated = (variables[variable]?.pathBytes ?? []).split(separator: UInt8(ascii: ":"))
      .filter { $0.first == NameByte.slash && !$0.contains(0) }
    return stated.isEmpty
      ? paths : stated.map { FilePath(pathBytes: Array($0)).lexicallyNormalized() }
  }

  private func applicationDirectory(
    _ variable: String, _ standard: FilePath
  ) throws(DirectoryError) -> FilePath {
    if let path = absolutePath(variable) { return path }
    #if os(macOS)
      return try home.pushing("Library/Application Support")
    #else
      return try home.pushing(standard)
    #endif
  }
}

// MARK: - This process

extension HostEnvironment {
  /// Returns the environment of this process: its variables, the home of its user's account, and
  /// the text of `user-dirs.dirs`, which is read from the disk.
  public static func ofThisProcess() -> HostEnvironment {
    var environment = process
    environment.readUserDirectories()
    return environment
  }

  /// The environment of this process without the text of `user-dirs.dirs`: no file is read, and the
  /// accounts are asked only where `HOME` says nothing.
  package static var process: HostEnvironment {
    let names = [
      "HOME", "TMPDIR", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME",
      "XDG_RUNTIME_DIR", "XDG_DATA_DIRS", "XDG_CONFIG_DIRS",
    ]
    var environment = HostEnvironment(variables: [:])
    for name in names {
      environment.variables[name] = getenv(name).map { FilePath(platformString: $0) }
    }
    if environment.absolutePath("HOME") == nil { environment.accountHome = ownAccountHome }
    return environment
  }

  /// Reads `user-dirs.dirs` where the variables say that it is, if it is there.
  package mutating func readUserDirectories() {
    let longest = 1 << 16
    guard let file = try? XDGDirectories(self).userDirectoriesFile,
      let bytes = try? LocalFiles().contents(of: file, atMost: longest)
    else { return }
    userDirectories = String(decoding: bytes, as: UTF8.self)
  }

  /// The home that the accounts name for the user of this process; `nil` for a user without an
  /// account, as in many a container image.
  private static var ownAccountHome: FilePath? {
    var account = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 1 << 14)
    guard getpwuid_r(getuid(), &account, &buffer, buffer.count, &found) == 0, found != nil,
      let home = account.pw_dir
    else { return nil }
    return FilePath(platformString: home)
  }
}

extension Container {
  /// Creates the home that an environment describes.
  ///
  /// - Parameter style: ``Style/xdg`` or ``Style/appleHome``; the latter takes nothing from the XDG
  ///   variables.
  /// - Throws: ``DirectoryError/unknownHome``.
  public init(home style: Style, of environment: HostEnvironment) throws(DirectoryError) {
    let home = try environment.home
    var container = Container(style, root: home)
    if style == .xdg {
      let directories = XDGDirectories(home: home, environment: environment)
      container =
        container
        .setting(.applicationSupport, to: [directories.data])
        .setting(.preferences, to: [directories.config])
        .setting(.caches, to: [directories.cache])
        .setting(.state, to: [directories.state])
        .setting(.documents, to: directories.user(.documents).map { [$0] } ?? [])
    }
    self = container.setting(.temporary, to: [environment.temporary])
  }
}

// MARK: - The system

/// What the operating system itself answers, to compare with what a container says.
package enum SystemDirectories {
  /// Returns the directories that the system names for a role of the current user, in its order.
  ///
  /// There may be none, as for the library on Linux, where the XDG directories of this process are
  /// all that the system has to say.
  package static func paths(for role: Role) -> [FilePath] {
    #if canImport(Darwin)
      if role == .temporary { return temporary.map { [$0] } ?? [] }
      return searchPath(for: role).map(paths) ?? []
    #else
      let environment = HostEnvironment.ofThisProcess()
      if role == .temporary { return [environment.temporary] }
      guard let directories = try? XDGDirectories(environment) else { return [] }
      switch role {
      case .documents: return directories.user(.documents).map { [$0] } ?? []
      case .caches: return [directories.cache]
      case .applicationSupport: return [directories.data]
      case .library, .preferences, .offlineData, .state, .temporary, .resources, .custom: return []
      }
    #endif
  }

  #if canImport(Darwin)
    private static func searchPath(for role: Role) -> sysdir_search_path_directory_t? {
      switch role {
      case .documents: SYSDIR_DIRECTORY_DOCUMENT
      case .library: SYSDIR_DIRECTORY_LIBRARY
      case .caches: SYSDIR_DIRECTORY_CACHES
      case .applicationSupport: SYSDIR_DIRECTORY_APPLICATION_SUPPORT
      case .preferences, .offlineData, .state, .temporary, .resources, .custom: nil
      }
    }

    /// The paths that the system lists for the user, with the home in place of `~`.
    private static func paths(of directory: sysdir_search_path_directory_t) -> [FilePath] {
      guard let home = try? HostEnvironment.process.home else { return [] }
      var paths: [FilePath] = []
      var state = sysdir_start_search_path_enumeration(
        directory, SYSDIR_DOMAIN_MASK_USER)
      var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
      while true {
        state = sysdir_get_next_search_path_enumeration(state, &buffer)
        if state.rawValue == 0 { return paths }
        let path = FilePath(platformString: buffer)
        let inHome = path.components.first == "~"
        paths.append(inHome ? home.appending(path.components.dropFirst()) : path)
      }
    }

    private static var temporary: FilePath? {
      var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
      guard confstr(_CS_DARWIN_USER_TEMP_DIR, &buffer, buffer.count) > 0 else { return nil }
      return FilePath(platformString: buffer)
    }
  #endif
}
