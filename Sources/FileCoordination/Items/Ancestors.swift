internal import CPlatform
internal import FileSystem
internal import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// The way from an open directory up to the top of its volume.
///
/// A package is held by its own directory alone, however deep it is: so whoever works inside of it
/// holds, shared, all directories above, wherever the package may begin. There are two ends to that.
/// What is above the top of a volume cannot be swapped for another one with the volume inside. And
/// the directory `/` is left alone: nobody replaces it, and whoever locked it would stop all.
///
/// The way leads over `..`, not over names: so it is the real one, links or not. Where each directory
/// is locked before the next one is asked for, nobody who uses a coordinator can change it.
struct Ancestors {
  private var current: OpenFile
  private var status: FileStatus

  init(of directory: OpenFile) throws(Errno) {
    current = directory
    status = try directory.status()
  }

  /// Opens the next directory above; `nil` at the end. One that this process may pass but not open
  /// cannot be locked and is left out.
  mutating func next() throws(Errno) -> (directory: OpenFile, status: FileStatus)? {
    while !status.isMountRoot {
      var code: Int32 = 0
      let above = FileStatus(of: "..", in: current.descriptor, errno: &code)
      // Without the right to look around there is no way up.
      if code == EACCES { return nil }
      try Errno.check(code)
      if above.device != status.device || above.isSameEntry(as: status) { return nil }
      if above.isMountRoot && Self.isRoot(above) { return nil }
      do throws(Errno) {
        current = try current.open(platformName: "..", for: .listing)
        status = above
        return (current, above)
      } catch {
        guard error == .permissionDenied else { throw error }
        guard let passage = try? current.open(platformName: "..", for: .passage) else { return nil }
        current = passage
        status = above
      }
    }
    return nil
  }

  private static func isRoot(_ status: FileStatus) -> Bool {
    var code: Int32 = 0
    let root = FileStatus(of: "/", in: AT_FDCWD, errno: &code)
    return code == 0 && root.isSameEntry(as: status)
  }
}
