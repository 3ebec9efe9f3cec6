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
    data = path("XDG_DATA_HOME", ".local/share")
    config = path("XDG_CONFIG_HOME", ".config")
    state = path("XDG_STATE_HOME", ".local/state")
    cache = path("XDG_CACHE_HOME", ".cache")
    runtime = environment.absolutePath("XDG_RUNTIME_DIR")
    dataSearchPath = environment.dataSearchPath
    configSearchPath = environment.configSearchPath
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

extension XDGDirectories {
  /// A directory that users know by name, as `user-dirs.dirs` calls it.
  public enum UserDirectory: String, CaseIterable, Sendable {
    /// What lies on the screen's background.
    case desktop = "DESKTOP"
    /// What the user wrote.
    case documents = "DOCUMENTS"
    /// What was fetched from the net.
    case downloads = "DOWNLOAD"
    /// Sound.
    case music = "MUSIC"
    /// Images.
    case pictures = "PICTURES"
    /// What other users may read.
    case publicShare = "PUBLICSHARE"
    /// What new files are copied from.
    case templates = "TEMPLATES"
    /// Films.
    case videos = "VIDEOS"

    /// The English name, used where the file says nothing.
    public var defaultName: FilePath.Component {
      switch self {
      case .desktop: "Desktop"
      case .documents: "Documents"
      case .downloads: "Downloads"
      case .music: "Music"
      case .pictures: "Pictures"
      case .publicShare: "Public"
      case .templates: "Templates"
      case .videos: "Videos"
      }
    }
  }
}

/// What a `user-dirs.dirs` file says.
///
/// Its lines are `XDG_DOCUMENTS_DIR="$HOME/Dokumente"` or have an absolute path in place of
/// `$HOME`; a backslash takes the next character as it is. `.` and `..` are taken out of paths. Other
/// lines are passed over; of several lines for one directory the last counts. It is a shell fragment,
/// but it is not run.
struct UserDirectories: Hashable, Sendable {
  private var paths: [XDGDirectories.UserDirectory: FilePath] = [:]

  /// Reads the text of a file.
  init(parsing text: String, home: FilePath) {
    for line in text.split(whereSeparator: \.isNewline) {
      guard let (directory, path) = UserDirectories.assignment(line, home: home) else { continue }
      paths[directory] = path
    }
  }

  /// The directory that the file names; `nil` where it says nothing.
  subscript(directory: XDGDirectories.UserDirectory) -> FilePath? { paths[directory] }

  private static func assignment(
    _ line: Substring, home: FilePath
  ) -> (XDGDirectories.UserDirectory, FilePath)? {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    var rest = line.drop(while: isBlank)
    guard rest.removePrefix("XDG_"), let end = rest.firstIndex(where: { $0 == "=" || isBlank($0) })
    else { return nil }
    let variable = rest[..<end]
    rest = rest[end...].drop(while: isBlank)
    guard variable.hasSuffix("_DIR"),
      let directory = XDGDirectories.UserDirectory(rawValue: String(variable.dropLast(4))),
      rest.removePrefix("=")
    else { return nil }
    rest = rest.drop(while: isBlank)
    guard rest.removePrefix("\""), let value = unquoted(rest), !value.utf8.contains(0) else {
      return nil
    }
    let variableHome = "$HOME"
    if value == variableHome { return (directory, home) }
    if value.hasPrefix(variableHome + "/") {
      let path = home.pushing(FilePath(String(value.dropFirst(variableHome.count + 1))))
      return (directory, path.lexicallyNormalized())
    }
    return value.hasPrefix("/") ? (directory, FilePath(value).lexicallyNormalized()) : nil
  }

  /// The text up to the closing quote; `nil` without one.
  private static func unquoted(_ text: Substring) -> String? {
    var result = ""
    var isEscaped = false
    for character in text {
      if isEscaped {
        result.append(character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else if character == "\"" {
        return result
      } else {
        result.append(character)
      }
    }
    return nil
  }
}

extension Substring {
  fileprivate mutating func removePrefix(_ prefix: String) -> Bool {
    guard hasPrefix(prefix) else { return false }
    removeFirst(prefix.count)
    return true
  }
}
