public import SystemPackage

/// What a search for containers found.
public struct DiscoveryReport: Hashable, Sendable {
  /// A directory that could not be searched.
  public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The directory.
    public let path: FilePath
    /// The system's reason.
    public let errno: Errno

    /// A directory and why it could not be searched.
    public init(path: FilePath, errno: Errno) {
      self.path = path
      self.errno = errno
    }

    /// One line that names the directory and the reason.
    public var description: String {
      "\(path.string): cannot look for containers: \(errno)"
    }
  }

  /// The containers, in the order of their paths within each place that was searched.
  public var containers: [Container]
  /// What could not be searched. A place that does not exist is no failure.
  public var failures: [Failure]

  /// What was found, and what could not be searched.
  public init(containers: [Container] = [], failures: [Failure] = []) {
    self.containers = containers
    self.failures = failures
  }
}
