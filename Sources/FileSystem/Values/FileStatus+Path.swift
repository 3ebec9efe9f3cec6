internal import CPlatform
public import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

extension FileStatus {
  /// Reads the values of the entry at a path. A symbolic link is not followed.
  ///
  /// The corresponding C function is `lstat`.
  public init(ofPath path: FilePath) throws(Errno) {
    var code: Int32 = 0
    // An empty path would mean the current directory to the call below.
    guard !path.isEmpty else { throw .noSuchFileOrDirectory }
    self = path.withPlatformString { FileStatus(of: $0, in: AT_FDCWD, errno: &code) }
    guard code == 0 else { throw Errno(rawValue: code) }
  }
}
