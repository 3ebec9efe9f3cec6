public import SystemPackage

/// The number of a scan, growing with every scan of a catalog.
public struct ScanID: RawRepresentable, Hashable, Sendable, Comparable, Codable {
  public let rawValue: Int64
  public init(rawValue: Int64) { self.rawValue = rawValue }
  public static func < (a: ScanID, b: ScanID) -> Bool { a.rawValue < b.rawValue }
}

/// How a scan ended.
public enum ScanState: String, Sendable, Hashable, Codable {
  case running
  /// Everything was read.
  case complete
  /// Some of it could not be read; each failure is recorded.
  case partial
  /// Nothing was changed because of an error.
  case failed
  /// Nothing was changed because the scan was stopped.
  case interrupted
}

/// What one scan of one root did.
public struct ScanSummary: Sendable, Hashable {
  public var root: FilePath
  public var scanID: ScanID
  public var state: ScanState
  /// The entries of the root now, itself included.
  public var entries: Int
  public var added: Int
  public var removed: Int
  public var modified: Int
  public var moved: Int
  /// What could not be read.
  public var errors: Int
  /// Bytes of the files, and bytes on disk of everything.
  public var size: Int64
  public var allocated: Int64
  /// Duration in seconds.
  public var seconds: Double
}
