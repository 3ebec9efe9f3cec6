public import SystemPackage

/// What a process is told about the machine's directories. It is given, never read here.
public struct HostEnvironment: Hashable, Sendable {
  /// The variables of the process.
  public var variables: [String: String]
  /// The home directory that the system's accounts name, for when `HOME` is unset.
  public var accountHome: FilePath?
  /// The text of `user-dirs.dirs`, see ``XDGDirectories/userDirectoriesFile``.
  public var userDirectories: String?

  /// An environment.
  public init(
    variables: [String: String], accountHome: FilePath? = nil, userDirectories: String? = nil
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

  /// The path in a variable without `.` and `..`; `nil` where it is unset, empty or relative, which
  /// the XDG specification says to ignore.
  func absolutePath(_ variable: String) -> FilePath? {
    guard let text = variables[variable], text.utf8.first == NameByte.slash,
      !text.utf8.contains(0)
    else { return nil }
    return FilePath(text).lexicallyNormalized()
  }
}

extension Container {
  /// The home that an environment describes.
  ///
  /// - Parameter style: ``ContainerStyle/xdg`` or ``ContainerStyle/appleHome``; the latter takes
  ///   nothing from the XDG variables.
  /// - Throws: ``DirectoryError/unknownHome``.
  public init(home style: ContainerStyle, of environment: HostEnvironment) throws(DirectoryError) {
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
