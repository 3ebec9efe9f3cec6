public import SystemPackage

/// Whether a root can be reached.
public enum RootState: String, Sendable, Hashable, Codable {
  case online
  /// It was not there when it was last to be scanned. Its entries are kept.
  case offline
}

/// A directory tree that a catalog holds.
public struct Root: Sendable, Hashable, Identifiable {
  /// The number of the root.
  public let id: Int64
  /// Without symbolic links; entries stand under this path.
  public let path: FilePath
  /// As it was given.
  public let givenPath: FilePath
  /// Whether it was there when it was last to be scanned.
  public let state: RootState
  /// How it is scanned.
  public let options: ScanOptions
  /// The last scan that was written, and when it ended in seconds since 1970.
  public let lastScan: ScanID?
  /// How the last scan that was written ended.
  public let lastScanState: ScanState?
  /// When the last scan that was written ended, in seconds since 1970.
  public let lastScanAt: Int64?
  /// All entries, the root among them.
  public let entries: Int
  /// Entries that are not directories.
  public let files: Int
  /// Directories below the root.
  public let directories: Int
  /// Bytes of everything that is not a directory.
  public let size: Int64
  /// Bytes on disk, counted as `du` counts.
  public let allocated: Int64
}
