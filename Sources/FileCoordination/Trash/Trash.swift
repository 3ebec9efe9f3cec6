internal import FileSystem
public import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Where deleted items are kept until the trash is emptied, as desktops do it.
///
/// The rules are those of the Trash specification of freedesktop.org, version 1.0, so that file
/// managers list what was put here and put it back: items of the home volume go to
/// `$XDG_DATA_HOME/Trash`, those of another volume to `.Trash/UID` at its top if the administrator
/// has made a `.Trash` there that is a sticky directory, else to `.Trash-UID`. An item never leaves
/// its volume: where no trash can be made, nothing is deleted.
public struct Trash: Sendable, Hashable {
  /// The trash for items of the volume that it is on itself.
  public var home: FilePath

  /// The trash of this user: in `$XDG_DATA_HOME`, else in `.local/share` in the home directory, which is
  /// `$HOME` or that of the account. Relative paths in these variables are ignored.
  public init() {
    self.init(home: Self.dataHome.appending("Trash"))
  }

  /// A trash with another place on the home volume.
  public init(home: FilePath) {
    self.home = home
  }

  private static var dataHome: FilePath {
    if let path = absolutePath("XDG_DATA_HOME") { return path }
    var home = FilePath("/")
    if let path = absolutePath("HOME") {
      home = path
    } else if let entry = getpwuid(getuid()) {
      home = FilePath(platformString: entry.pointee.pw_dir)
    }
    return home.appending(".local").appending("share")
  }

  /// The path in a variable; `nil` where it is unset, empty or relative, which the base directory
  /// specification has ignored.
  private static func absolutePath(_ variable: String) -> FilePath? {
    guard let value = getenv(variable) else { return nil }
    let path = FilePath(platformString: value)
    return path.isAbsolute ? path : nil
  }
}

extension Trash {
  /// An item that lies in the trash.
  public struct Item: Sendable, Hashable {
    /// Where it was, absolute.
    public let originalPath: FilePath
    /// Where it is now.
    public let path: FilePath
    /// The file that says where it was and when it was deleted.
    public let informationPath: FilePath
  }
}
