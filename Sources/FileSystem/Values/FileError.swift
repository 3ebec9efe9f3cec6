public import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// A system call that failed on a path.
public struct FileError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What was being done.
  public enum Operation: String, Sendable, Hashable, Codable {
    /// Opening a directory or file.
    case open
    /// Reading the entries of a directory.
    case read
    /// Reading the values of an entry.
    case status
    /// Reading what a symbolic link says.
    case readLink = "readlink"
    /// Reading extended attributes.
    case attributes
    /// Reading what a file holds.
    case content
    /// Writing extended attributes.
    case writeAttributes = "write_attributes"
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
    case .content: "read what it holds"
    case .writeAttributes: "write its extended attributes"
    }
  }
}

extension Errno {
  /// Whether it says that what was listed as a directory is none any more, or not there.
  package var saysReplaced: Bool {
    [.noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels].contains(self)
  }

  /// There is no extended attribute of that name.
  static var noAttribute: Errno {
    #if canImport(Darwin)
      Errno(rawValue: ENOATTR)
    #else
      .noData
    #endif
  }

  /// Throws the error number that a function of the platform layer returned, if it is not 0.
  package static func check(_ code: CInt) throws(Errno) {
    if code != 0 { throw Errno(rawValue: code) }
  }

  /// Returns a result of the platform layer, which below zero is a negated error number.
  package static func unlessNegative(_ result: CInt) throws(Errno) -> CInt {
    if result < 0 { throw Errno(rawValue: -result) }
    return result
  }

  /// Calls again while a signal interrupts; throws `errno` for results below zero.
  @discardableResult
  package static func retrying(_ body: () -> CInt) throws(Errno) -> CInt {
    while true {
      let result = body()
      if result >= 0 { return result }
      let failure = Errno(rawValue: errno)
      if failure != .interrupted { throw failure }
    }
  }
}
