internal import CPlatform
internal import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// What tells the directory at a root's path from another that took its place.
struct RootIdentity: Hashable {
  let device: UInt64
  let inode: UInt64
  let volume: VolumeIdentity
}

/// An open directory, closed when it is let go.
final class OpenDirectory {
  let descriptor: Int32

  /// Opens a directory at a path; a link in the last component is not followed.
  init(path: FilePath) throws(Errno) {
    let result = path.withPlatformString { cplatform_open_directory(AT_FDCWD, $0) }
    guard result >= 0 else { throw Errno(rawValue: -result) }
    descriptor = result
  }

  /// Takes over an open descriptor.
  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  func status() throws(Errno) -> FileStatus {
    var code: Int32 = 0
    var empty: CChar = 0
    let status = FileStatus(of: &empty, in: descriptor, errno: &code)
    guard code == 0 else { throw Errno(rawValue: code) }
    return status
  }

  func identity() throws(Errno) -> RootIdentity {
    let status = try status()
    return RootIdentity(
      device: status.device, inode: status.inode,
      volume: VolumeIdentity(descriptor: descriptor, device: status.device))
  }

  /// The path the kernel has for it now.
  ///
  /// - Throws: `ENAMETOOLONG` if it is longer than the kernel tells, `ENOENT` if it has none.
  func canonicalPath() throws(Errno) -> [UInt8] {
    let capacity = 4096
    var outcome = 0
    let path = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      let address = UnsafeMutableRawPointer(buffer.baseAddress)?.assumingMemoryBound(to: CChar.self)
      outcome = cplatform_path_of(descriptor, address, capacity)
      count = max(0, outcome)
    }
    guard outcome >= 0 else { throw Errno(rawValue: Int32(-outcome)) }
    guard path.first == UInt8(ascii: "/") else { throw .noSuchFileOrDirectory }
    return path
  }

  /// Whether other machines, or programs in place of a kernel, change the file system.
  var isRemote: Bool {
    RemoteVolume.holds(descriptor)
  }
}
