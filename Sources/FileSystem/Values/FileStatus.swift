internal import CPlatform
public import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// The values a file system keeps of one entry, read with one system call.
///
/// Times are nanoseconds since 1970-01-01 UTC, clamped to the years 1677 to 2262. Sizes are bytes.
public struct FileStatus: Sendable, Hashable {
  /// The length of the content (`st_size`).
  public var size: Int64 = 0
  /// What the content occupies on the disk: the number of 512-byte blocks times 512.
  public var allocated: Int64 = 0
  /// The time of birth; ``unknownTime`` where the file system has none.
  public var created: Int64 = FileStatus.unknownTime
  /// The last change of the content (`st_mtim`).
  public var modified: Int64 = FileStatus.unknownTime
  /// The last change of the content or of these values (`st_ctim`).
  public var changed: Int64 = FileStatus.unknownTime
  /// The last reading of the content, as exact as the mount options allow (`st_atim`).
  public var accessed: Int64 = FileStatus.unknownTime
  /// The number of the entry on its device.
  public var inode: UInt64 = 0
  /// The device number. It may differ after a remount: never an identity by itself.
  public var device: UInt64 = 0
  /// The file type and the permission bits (`st_mode`).
  public var mode: UInt32 = 0
  /// The owner's user id.
  public var uid: UInt32 = 0
  /// The group id.
  public var gid: UInt32 = 0
  /// The number of names this entry has.
  public var links: UInt32 = 0
  /// The attributes of the file system: `stx_attributes` on Linux, `st_flags` on macOS.
  public var attributes: UInt32 = 0

  /// Stands for a time that the file system does not record.
  public static let unknownTime = Int64.min

  package init() {}

  /// Whether this is the root of a mounted file system, as far as the system tells.
  package var isMountRoot: Bool {
    #if os(Linux)
      attributes & 0x2000 != 0  // STATX_ATTR_MOUNT_ROOT, since Linux 5.8
    #else
      false
    #endif
  }
}

extension FileStatus {
  /// Reads the values of `name` in the open directory `directory`; an empty name means the directory
  /// itself. Returns an errno, 0 for success.
  @inline(__always)
  package init(of name: UnsafePointer<CChar>, in directory: Int32, errno: inout Int32) {
    var raw = cplatform_status()
    errno = cplatform_status_at(directory, name, cplatform_nofollow, &raw)
    self.init()
    guard errno == 0 else { return }
    size = raw.size
    allocated = raw.allocated
    created = raw.created
    modified = raw.modified
    changed = raw.changed
    accessed = raw.accessed
    inode = raw.inode
    device = raw.device
    mode = raw.mode
    uid = raw.uid
    gid = raw.gid
    links = raw.links
    attributes = raw.attributes
  }
}

extension FileStatus {
  /// Reads the values of the entry at a path. A symbolic link is not followed.
  ///
  /// The corresponding C function is `lstat`.
  public init(ofPath path: FilePath) throws(Errno) {
    var code: Int32 = 0
    // An empty path would mean the current directory to the call below.
    guard !path.isEmpty else { throw .noSuchFileOrDirectory }
    self = path.withPlatformString { FileStatus(of: $0, in: AT_FDCWD, errno: &code) }
    try Errno.check(code)
  }
}

extension FileStatus {
  /// The values of an open file.
  package init(of descriptor: FileDescriptor) throws(Errno) {
    try self.init(ofOpen: descriptor.rawValue)
  }

  /// The values of what a descriptor refers to.
  package init(ofOpen descriptor: CInt) throws(Errno) {
    var code: CInt = 0
    var empty: CChar = 0
    self.init(of: &empty, in: descriptor, errno: &code)
    try Errno.check(code)
  }
}
