public import SystemPackage

/// How far a scan is.
public struct ScanProgress: Sendable {
  /// The root being scanned.
  public var root: FilePath
  /// Entries found so far.
  public var entries: Int
  /// What could not be read so far.
  public var errors: Int
  /// Seconds since the scan of this root began.
  public var seconds: Double
  /// A directory that was read a moment ago.
  public var directory: FilePath
  /// How many entries the last scan of this root found; `nil` on the first.
  public var expectedEntries: Int?

  /// The part done, from 0 to 1, as far as the last scan tells.
  public var fraction: Double? {
    guard let expectedEntries, expectedEntries > 0 else { return nil }
    return min(1, Double(entries) / Double(expectedEntries))
  }
}
