public import SystemPackage

/// Why a table of a directory could not do what it was asked.
public struct DirectoryTableError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The reason, for programs. The numbers never change.
  public enum Code: Int, Sendable, Hashable, CaseIterable {
    /// The system refused something; ``DirectoryTableError/errno`` says what.
    case system = 0
    /// There is no directory, and none was to be made.
    case notFound = 1
    /// There is something else at the path.
    case notADirectory = 2
    /// The table shows no such item.
    case itemNotFound = 3
    /// The table has no row with this index.
    case outOfRange = 4
    /// The directory was there when the table was made and is not any more.
    case gone = 5
  }

  /// The reason, for programs.
  public let code: Code
  /// What it is about.
  public let path: FilePath
  /// What the system said, where it was asked.
  public let errno: Errno?
  /// The reason, in one line for a person.
  public let description: String

  init(_ code: Code, _ path: FilePath, _ errno: Errno? = nil, _ description: String) {
    self.code = code
    self.path = path
    self.errno = errno
    self.description = description
  }

  init(_ path: FilePath, _ errno: Errno, to action: String) {
    self.init(.system, path, errno, "\(path.string): cannot \(action): \(errno)")
  }
}
