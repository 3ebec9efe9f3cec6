public import SystemPackage

/// Everything that one scan changed.
public struct ChangeSet: Sendable {
  /// The scan. Ask for the changes since it to go on from here.
  public let scan: ScanID
  /// The root that was scanned.
  public let root: FilePath
  /// When the scan was written, in seconds since 1970.
  public let at: Int64
  /// Who made the changes, where that is known.
  public let origin: ChangeOrigin?
  /// What it found, by path.
  public let changes: [Change]
}
