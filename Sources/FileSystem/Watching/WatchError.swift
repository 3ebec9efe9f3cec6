public import SystemPackage

/// A root that cannot be watched by the method that was asked for.
public struct WatchError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The root.
  public var root: FilePath
  /// The method.
  public var method: WatchMethod
  /// The system's reason.
  public var errno: Errno

  /// A failure to watch a root.
  public init(root: FilePath, method: WatchMethod, errno: Errno) {
    self.root = root
    self.method = method
    self.errno = errno
  }

  /// One line that names the root and the reason, and says what helps.
  public var description: String {
    "\(root.string): cannot be watched by \(method.rawValue): \(errno); \(advice)"
  }

  private var advice: String {
    switch errno {
    case .noFunction, .notSupported, .invalidArgument:
      "this system or file system does not offer it: choose the method automatic or polling"
    case .notPermitted, .permissionDenied:
      "run with CAP_SYS_ADMIN and CAP_DAC_READ_SEARCH, or choose the method automatic"
    case .tooManyOpenFiles, .tooManyOpenFilesInSystem, .noSpace:
      "raise the limits in /proc/sys/fs/\(method.rawValue), or choose the method polling"
    default:
      "choose the method automatic"
    }
  }
}
