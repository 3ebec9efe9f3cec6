public import CatalogStore
public import FileCoordination
public import FileSystem
public import StandardDirectories
public import SystemPackage

/// A file, or something else that is removed as one, in a container.
public struct PurgeItem: Sendable, Hashable {
  /// Where it is.
  public let path: FilePath
  /// The name of its container.
  public let container: String
  /// The role of its directory.
  public let role: Role
  /// What it is. A package is one item; a directory is one when nothing is left in it.
  public let kind: EntryKind
  /// The bytes of its content.
  public let size: Int64
  /// When it was last read or written, whichever is later, as the disk says: nanoseconds since 1970. Of a link, when it
  /// was made; of a package, the latest of all that is in it. `nil` where the file system does not tell, and
  /// of directories.
  public let lastUsed: Int64?
}

/// What has become of an item that was to be removed.
public struct PurgeResult: Sendable, Hashable {
  /// What has become of it.
  public enum Outcome: Sendable, Hashable {
    /// It would be removed; nothing was done.
    case wouldBeRemoved
    /// It is gone.
    case removed
    /// It is where it was.
    case left(Reason)
  }

  /// Why an item was left.
  public enum Reason: Error, Sendable, Hashable {
    /// Somebody holds it, or a directory around it, by a coordinator.
    case busy
    /// It is not what the catalog has, or has been used or changed since it was looked at.
    case changed
    /// It was last used later than the clock says it is now.
    case datedInFuture
    /// Another file system is mounted on the way to it, or in it.
    case mount
    /// A role protects it.
    case protected
    /// There is something in the directory that the catalog does not have.
    case notEmpty
    /// It could not be removed.
    case failed(CoordinationError)
  }

  /// The item.
  public let item: PurgeItem
  /// What has become of it.
  public let outcome: Outcome
  /// The bytes on disk that are free without it: none of a file that has other names still.
  public let freed: Int64
}

/// A role's directory in which nothing was removed.
public struct PurgeRefusal: Sendable, Hashable, CustomStringConvertible {
  /// Why not.
  public enum Reason: Sendable, Hashable {
    /// Its root cannot be reached.
    case offline
    /// It is outside of its container.
    case outside
    /// It is not the directory that was scanned: another one, a link, or nothing.
    case replaced
    /// A file system is mounted at this place in it.
    case mount(FilePath)
    /// It cannot be looked at.
    case unreadable(Errno)
  }

  /// The directory.
  public let path: FilePath
  /// The name of its container.
  public let container: String
  /// What it is for.
  public let role: Role
  /// Why nothing was removed.
  public let reason: Reason

  /// One line that names the directory and the reason.
  public var description: String {
    let fact =
      switch reason {
      case .offline: "its root is offline"
      case .outside: "it is outside of the container \(container)"
      case .replaced: "it is not the directory that was scanned"
      case .mount(let place): "a file system is mounted in it, at \(place.string)"
      case .unreadable(let errno): "\(errno)"
      }
    return "\(path.string): nothing was removed: \(fact)"
  }
}

/// What a purge has done, or would do.
public struct PurgeReport: Sendable {
  /// One result for each item, in the order in which they were taken: what was not used for the longest time
  /// first, then the directories that this leaves empty. Items beyond what was wanted are not among them.
  public internal(set) var results: [PurgeResult] = []
  /// The directories in which nothing was removed, by path.
  public internal(set) var refusals: [PurgeRefusal] = []
  /// The scans that have told the catalog, one a root, each with the origin of the purge.
  public internal(set) var scans: [ScanSummary] = []
  /// Why the catalog could not be told. The next scan finds what is gone.
  public internal(set) var failure: CatalogError?
  /// Whether the task was cancelled before all was done.
  public internal(set) var isInterrupted = false

  /// The bytes on disk that are free now, or would be.
  public var freed: Int64 { results.reduce(into: 0) { $0.add(clamped: $1.freed) } }
}

extension PurgeResult.Reason {
  /// Why a coordinator has not removed something.
  init(_ error: CoordinationError) {
    switch error.code {
    case .timedOut: self = .busy
    case .changedMeanwhile, .notFound, .parentNotFound: self = .changed
    case .protected: self = .protected
    case .unsupported where error.errno == .improperLink: self = .mount
    case _ where error.errno == .directoryNotEmpty: self = .notEmpty
    default: self = .failed(error)
    }
  }

  /// Why something could not be looked at.
  init(_ errno: Errno, _ path: FilePath) {
    self = errno.saysReplaced ? .changed : .failed(CoordinationError(.delete, path, errno))
  }
}
