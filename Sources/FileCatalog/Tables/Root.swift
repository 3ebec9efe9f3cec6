public import SystemPackage

/// Whether a root can be reached.
public enum RootState: String, Sendable, Hashable, Codable {
  case online
  /// It was not there when it was last to be scanned. Its entries are kept.
  case offline
}

/// A directory tree that a catalog holds.
public struct Root: Sendable, Hashable, Identifiable {
  public let id: Int64
  /// Without symbolic links; entries stand under this path.
  public let path: FilePath
  /// As it was given.
  public let givenPath: FilePath
  public let state: RootState
  public let options: ScanOptions
  /// The last scan that was written, and when it ended in seconds since 1970.
  public let lastScan: ScanID?
  public let lastScanState: ScanState?
  public let lastScanAt: Int64?
  /// All entries, the root among them.
  public let entries: Int
  public let files: Int
  public let directories: Int
  public let size: Int64
  public let allocated: Int64
}
