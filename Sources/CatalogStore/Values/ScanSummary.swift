public import SystemPackage

/// The number of a scan, growing with every scan of a catalog.
public struct ScanID: RawRepresentable, Hashable, Sendable, Comparable, Codable {
  /// The number itself.
  public let rawValue: Int64
  /// Wraps a number that was read from a catalog.
  public init(rawValue: Int64) { self.rawValue = rawValue }
  /// Orders scans by when they began.
  public static func < (a: ScanID, b: ScanID) -> Bool { a.rawValue < b.rawValue }
}

/// How a scan ended.
public enum ScanState: String, Sendable, Hashable, Codable {
  case running
  /// Everything was read.
  case complete
  /// Some of it could not be read; each failure is recorded.
  case partial
  /// Every directory was looked at, and those were read that had changed by their own times: what was
  /// written in place since the last scan of everything is not known. A scan of a part of such a root has
  /// this state as well.
  case quick
  /// Nothing was changed because of an error.
  case failed
  /// Nothing was changed because the scan was stopped.
  case interrupted
}

/// What one scan of one root did.
public struct ScanSummary: Sendable, Hashable {
  /// The root, without symbolic links.
  public var root: FilePath
  /// The number of the scan.
  public var scanID: ScanID
  /// How it ended: ``ScanState/complete``, ``ScanState/quick`` or ``ScanState/partial``.
  public var state: ScanState
  /// The entries of the root now, itself included.
  public var entries: Int
  /// Entries that are new; all of them on a first scan.
  public var added: Int
  /// Entries that are gone.
  public var removed: Int
  /// Entries whose values differ.
  public var modified: Int
  /// Entries that are somewhere else.
  public var moved: Int
  /// What could not be read.
  public var errors: Int
  /// Bytes of the files, and bytes on disk of everything.
  public var size: Int64
  /// Bytes on disk, counted as `du` counts.
  public var allocated: Int64
  /// Whether the root was new: everything was added then.
  public var isFirst: Bool
  /// Where the root was before, if the scan has found it at another path: it was moved, or its volume is
  /// mounted elsewhere. It has kept its entries with their ids, and its history.
  public var movedFrom: FilePath?
  /// Duration in seconds.
  public var seconds: Double

  package init(
    root: FilePath, scanID: ScanID, state: ScanState, entries: Int, added: Int, removed: Int,
    modified: Int, moved: Int, errors: Int, size: Int64, allocated: Int64, isFirst: Bool,
    movedFrom: FilePath? = nil, seconds: Double
  ) {
    self.root = root
    self.scanID = scanID
    self.state = state
    self.entries = entries
    self.added = added
    self.removed = removed
    self.modified = modified
    self.moved = moved
    self.errors = errors
    self.size = size
    self.allocated = allocated
    self.isFirst = isFirst
    self.movedFrom = movedFrom
    self.seconds = seconds
  }
}

/// Something that a scan could not read.
public struct ScanFailure: Sendable, Hashable {
  /// The entry that could not be read.
  public let path: FilePath
  /// What was tried: `open`, `read`, `status`, `readlink` or `attributes`.
  public let operation: String
  /// The number of the system's error.
  public let errno: Int32
  /// The system's words for it.
  public let message: String

  package init(path: FilePath, operation: String, errno: Int32, message: String) {
    self.path = path
    self.operation = operation
    self.errno = errno
    self.message = message
  }
}
