public import SystemPackage

/// What discovery needs to know of a disk. Nothing is written, and no symbolic link is followed in
/// the last component of a path.
public protocol ContainerFileReader: Sendable {
  /// The names in a directory without `.` and `..`, in any order.
  func names(in directory: FilePath) throws(Errno) -> [FilePath.Component]
  /// Whether a path is a directory and no symbolic link; `false` when nothing can be said.
  func isDirectory(_ path: FilePath) -> Bool
  /// The bytes of a regular file, of which no more than a limit is needed.
  func contents(of file: FilePath, atMost limit: Int) throws(Errno) -> [UInt8]
}
