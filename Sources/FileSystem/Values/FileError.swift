public import SystemPackage

/// A system call that failed on a path.
public struct FileError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What was being done.
  public enum Operation: String, Sendable, Hashable, Codable {
    case open
    case read
    case status
    case readLink = "readlink"
    case attributes
  }

  /// What was being done.
  public var operation: Operation
  /// The entry it was done to.
  public var path: FilePath
  /// The system's reason.
  public var errno: Errno

  /// A failure of an operation on a path.
  public init(_ operation: Operation, _ path: FilePath, _ errno: Errno) {
    self.operation = operation
    self.path = path
    self.errno = errno
  }

  /// One line that names the entry and the reason.
  public var description: String {
    "\(path.string): cannot \(operation.phrase): \(errno)"
  }
}

extension FileError.Operation {
  fileprivate var phrase: String {
    switch self {
    case .open: "open"
    case .read: "read the directory"
    case .status: "read its values"
    case .readLink: "read the link"
    case .attributes: "read its extended attributes"
    }
  }
}
