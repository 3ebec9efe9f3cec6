internal import StandardDirectories
public import SystemPackage

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
    let data = try? XDGDirectories(HostEnvironment.process).data
    // Nothing says where the home is of a user without an account.
    self.init(home: (data ?? "/.local/share").appending("Trash"))
  }

  /// A trash with another place on the home volume.
  public init(home: FilePath) {
    self.home = home
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
