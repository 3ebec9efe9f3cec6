internal import CPlatform
package import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// An open file or directory, closed when nobody refers to it any more.
///
/// The thin layer over system calls that take descriptors: each method is one call, named after what
/// it does, and throws the error number of the system. All of them may block.
///
/// A walk has thousands of directories open and closes them by its own count; it uses a plain
/// ``DirectoryHandle``, which a simulated tree can give out as well.
package final class OpenFile: Sendable {
  package let descriptor: CInt

  /// Takes over an open descriptor.
  package init(taking descriptor: CInt) {
    self.descriptor = descriptor
  }

  deinit {
    // Whoever wrote and wants to know about it has flushed before.
    _ = close(descriptor)
  }

  /// What a file is opened for.
  package struct Purpose: Sendable {
    let flags: CInt

    package static let reading = Purpose(flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    package static let writing = Purpose(flags: O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    /// A directory that is no symbolic link.
    package static let listing = Purpose(flags: reading.flags | O_DIRECTORY)
    package static let creating = Purpose(
      flags: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC)
    /// A directory by any path: links are followed.
    package static let directory = Purpose(flags: O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    #if os(Linux)
      /// A directory in which names are looked up, but which is neither read nor locked (`O_PATH`).
      package static let passage = Purpose(flags: 0o10_000_000 | O_DIRECTORY | O_CLOEXEC)
    #else
      package static let passage = directory
    #endif
    fileprivate static let unlinkedPassage = Purpose(flags: passage.flags | O_NOFOLLOW)
  }

  /// Opens by path.
  package convenience init(_ path: FilePath, for purpose: Purpose) throws(Errno) {
    self.init(
      taking: try Errno.retrying {
        path.withPlatformString { openat(AT_FDCWD, $0, purpose.flags, 0o666) }
      })
  }

  /// Opens a directory by a path that leads through no symbolic link: one of them, wherever it is, is no
  /// directory (`ENOTDIR`). Nobody can put one there meanwhile.
  package convenience init(unlinked path: FilePath, for purpose: Purpose) throws(Errno) {
    var place = try OpenFile(path.isAbsolute ? "/" : ".", for: .passage)
    var names = Array(path.components)
    let last = names.popLast()
    for name in names { place = try place.open(name, for: .unlinkedPassage) }
    let parent = place.descriptor
    self.init(
      taking: try Errno.retrying {
        guard let last else { return openat(parent, ".", purpose.flags) }
        return last.withPlatformString { openat(parent, $0, purpose.flags | O_NOFOLLOW) }
      })
    withExtendedLifetime(place) {}
  }

  /// Opens a name in a directory. A symbolic link of that name is not followed.
  package func open(
    _ name: FilePath.Component, for purpose: Purpose, mode: CInterop.Mode = 0o666
  ) throws(Errno) -> OpenFile {
    OpenFile(
      taking: try Errno.retrying {
        name.withPlatformString { openat(descriptor, $0, purpose.flags, mode) }
      })
  }

  /// ``open(_:for:mode:)`` with a name that ends with NUL.
  package func open(
    platformName name: UnsafePointer<CChar>, for purpose: Purpose
  ) throws(Errno) -> OpenFile {
    OpenFile(taking: try Errno.retrying { openat(descriptor, name, purpose.flags, 0o666) })
  }

  /// Opens what lies at a path of names below a directory. No symbolic link is followed, neither on the
  /// way nor at the end: what has come into the place of a directory is an error.
  package func open(beneath path: FilePath, for purpose: Purpose) throws(Errno) -> OpenFile {
    OpenFile(
      taking: try Errno.unlessNegative(
        path.withPlatformString { cplatform_open_beneath(descriptor, $0, purpose.flags) }))
  }

  /// The values of what is open.
  package func status() throws(Errno) -> FileStatus {
    try FileStatus(ofOpen: descriptor)
  }

  /// The file system that it is on.
  package func volume() throws(Errno) -> VolumeIdentity {
    try VolumeIdentity(descriptor: descriptor, device: try status().device)
  }

  /// The bytes that this user may still write on that file system.
  package func availableBytes() throws(Errno) -> Int64 {
    var volume = statvfs()
    try Errno.retrying { fstatvfs(descriptor, &volume) }
    return cplatform_bytes(UInt64(volume.f_bavail), max(1, UInt64(volume.f_frsize)))
  }

  /// The path by which the system knows what is open, without symbolic links.
  ///
  /// - Throws: `ENAMETOOLONG` if it is longer than the system tells, `ENOENT` if there is none.
  package func path() throws(Errno) -> FilePath {
    let capacity = 4096
    var length = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      buffer.withMemoryRebound(to: CChar.self) {
        length = cplatform_path_of(descriptor, $0.baseAddress, capacity)
      }
      count = max(0, length)
    }
    if length < 0 { throw Errno(rawValue: CInt(-length)) }
    guard bytes.first == UInt8(ascii: "/") else { throw .noSuchFileOrDirectory }
    return FilePath(bytes: bytes)
  }

  /// A path by which calls that take none of these reach what is open, whatever has become of its own
  /// path; `nil` where the system has no such paths. It is a link, which a path that goes on follows.
  package var systemPath: FilePath? { Self.systemPath(of: descriptor) }

  static func systemPath(of descriptor: CInt) -> FilePath? {
    hasSystemPaths ? FilePath("/proc/self/fd/\(descriptor)") : nil
  }

  private static let hasSystemPaths = access("/proc/self/fd", X_OK) == 0

  /// Whether it is on a file system that other machines keep, or programs in place of a kernel.
  package var isRemote: Bool { RemoteVolume.holds(descriptor) }

  /// Calls `body` with each entry of a directory that was opened for this: the name, which ends with
  /// NUL and is only lent, its length, and the kind where the file system tells it with the name.
  package func forEachEntry(
    _ body: (UnsafePointer<CChar>, Int, EntryKind?) -> Void
  ) throws(Errno) {
    let capacity = 64 * 1024
    let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: capacity)
    defer { buffer.deallocate() }
    var listing = cplatform_listing()
    try Errno.check(cplatform_listing_start(&listing, descriptor, buffer, capacity))
    defer { cplatform_listing_end(&listing) }
    while true {
      var name: UnsafePointer<CChar>?
      var length = 0
      var type: UInt8 = 0
      let outcome = cplatform_listing_next(&listing, &name, &length, &type)
      if outcome < 0 { throw Errno(rawValue: -outcome) }
      guard outcome == 1, let name else { return }
      body(name, length, EntryKind(directoryEntryType: type))
    }
  }
}

/// A directory that is open, and below which files are opened by their absolute paths.
///
/// Links lead to the directory, as far as its own path says so, and nowhere below it: a directory that is
/// exchanged for a link after it was listed leads to no file outside.
package struct OpenRoot: Sendable {
  /// The absolute path of the directory.
  package let path: FilePath
  private let directory: OpenFile

  /// Opens the directory, which is no link itself.
  package init(_ path: FilePath) throws(Errno) {
    self.path = path
    directory = try OpenFile(path, for: .listing)
  }

  /// Whether a path is that of the directory or of something below it.
  package func contains(_ file: FilePath) -> Bool { file.starts(with: path) }

  /// Opens a file for reading.
  ///
  /// - Parameter file: the path of something below the directory, as a path from the root of the system.
  package func open(_ file: FilePath) throws(Errno) -> OpenFile {
    var below = file
    guard below.removePrefix(path) else { throw .noSuchFileOrDirectory }
    return try directory.open(beneath: below, for: .reading)
  }
}
