public import StandardDirectories
public import SystemPackage

/// Something whose mark on disk says of backups the opposite of what its role promises.
public struct BackupContradiction: Sendable, Hashable {
  /// The file or directory; all that is in it is concerned.
  public let path: FilePath
  /// The name of its container.
  public let container: String
  /// Its role.
  public let role: Role
  /// What the role promises.
  public var policy: Role.Policy.Backup { role.policy.backup }
  /// What the disk says.
  public let observed: BackupMark
  /// What says so, there or in a directory around it: the name of an extended attribute, or
  /// `CACHEDIR.TAG`; `nil` where a mark is missing.
  public let mark: String?
}

/// A temporary file that nobody has written to for a while.
public struct StaleFile: Sendable, Hashable {
  /// The file.
  public let path: FilePath
  /// The name of its container.
  public let container: String
  /// The bytes of its content.
  public let size: Int64
  /// The last change of its content, in nanoseconds since 1970.
  public let modified: Int64
}
