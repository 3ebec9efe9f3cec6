internal import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// The home directory that the system's accounts name for the user of this process.
enum AccountHome {
  /// `nil` for a user without an account, as in many a container image.
  static var path: FilePath? {
    var account = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 1 << 14)
    guard getpwuid_r(getuid(), &account, &buffer, buffer.count, &found) == 0, found != nil,
      let home = account.pw_dir
    else { return nil }
    return FilePath(platformString: home)
  }
}
