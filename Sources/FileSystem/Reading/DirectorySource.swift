package import SystemPackage

/// An open directory, in the numbers of the source that opened it.
package struct DirectoryHandle: Sendable, Hashable {
  package let rawValue: Int32
  package init(rawValue: Int32) { self.rawValue = rawValue }
}

/// Where the walker gets directories from: the file system, or a simulated tree in tests.
///
/// Each walking thread has a source of its own, so a source needs no locks. Handles may be used by
/// the sources of other threads of the same walk.
package protocol DirectorySource: AnyObject {
  /// Opens the directory where a walk begins. A path that leads through a symbolic link leads nowhere.
  func open(root: FilePath) throws(Errno) -> DirectoryHandle

  /// Opens a directory below an open one. No symbolic link is followed: what has come into the place
  /// of a directory on the way is an error.
  ///
  /// - Parameter path: names joined by slashes, or `.` for the directory itself.
  func open(_ path: UnsafePointer<CChar>, in parent: DirectoryHandle) throws(Errno)
    -> DirectoryHandle

  func close(_ handle: DirectoryHandle)

  /// The values of an open directory.
  func status(of handle: DirectoryHandle) throws(Errno) -> FileStatus

  /// A path by which other calls of the system reach an open directory, whatever has become of its own;
  /// `nil` where there is none.
  func systemPath(of handle: DirectoryHandle) -> FilePath?

  /// The identity of the file system that an open directory is on.
  func volume(of handle: DirectoryHandle, device: UInt64) throws(Errno) -> VolumeIdentity

  /// Whether there is something at a path below an open directory. No symbolic link is followed.
  ///
  /// - Throws: where that could not be found out.
  func exists(_ path: UnsafePointer<CChar>, in parent: DirectoryHandle) throws(Errno) -> Bool

  /// An extended attribute of an open directory; `nil` where there is none that may be read.
  func attribute(_ name: String, of directory: DirectoryHandle) throws(Errno) -> [UInt8]?

  /// The first bytes of a regular file inside an open directory; `nil` where there is none.
  func beginning(
    of file: UnsafePointer<CChar>, in parent: DirectoryHandle, length: Int
  ) throws(Errno) -> [UInt8]?

  /// Starts reading a directory's entries from the first.
  func startReading(_ handle: DirectoryHandle) throws(Errno)

  /// Adds the next entries, until the batch is full or there are no more. Entries that vanish
  /// meanwhile are left out.
  func readEntries(
    into batch: EntryBatch,
    leavingOut isExcluded: ((UnsafeBufferPointer<UInt8>) -> Bool)?,
    onFailure: (FileError.Operation, UnsafeBufferPointer<UInt8>, Errno) -> Void
  ) throws(Errno) -> ReadProgress
}

package enum ReadProgress: Sendable {
  /// The batch is full; the directory may have more.
  case more
  case finished
}

/// What tells a directory from every other that is there at the time.
package struct DirectoryIdentity: Sendable, Hashable {
  let device: UInt64
  let inode: UInt64

  init(device: UInt64, inode: UInt64) {
    self.device = device
    self.inode = inode
  }

  init(_ status: FileStatus) {
    self.init(device: status.device, inode: status.inode)
  }
}

extension DirectorySource {
  /// Sources without a file system behind them have nothing for other calls.
  package func systemPath(of handle: DirectoryHandle) -> FilePath? { nil }

  /// Sources without a file system behind them have no extended attributes.
  package func attribute(_ name: String, of directory: DirectoryHandle) throws(Errno) -> [UInt8]? {
    nil
  }

  /// Sources without a file system behind them have directories only.
  package func beginning(
    of file: UnsafePointer<CChar>, in parent: DirectoryHandle, length: Int
  ) throws(Errno) -> [UInt8]? {
    nil
  }

  /// Opens the directory that was listed at a path, and no other.
  ///
  /// - Throws: `ENOENT` where something else has its place: renamed meanwhile, or exchanged.
  func open(
    _ path: UnsafePointer<CChar>, in parent: DirectoryHandle, expecting listed: DirectoryIdentity
  ) throws(Errno) -> DirectoryHandle {
    let handle = try open(path, in: parent)
    do throws(Errno) {
      let status = try status(of: handle)
      // Some places are mounted by being opened.
      let isMounted = status.isMountRoot && status.device != listed.device
      if DirectoryIdentity(status) != listed && !isMounted { throw .noSuchFileOrDirectory }
      return handle
    } catch {
      close(handle)
      throw error
    }
  }

  /// Opens a directory below an open one.
  ///
  /// - Parameter path: names joined by slashes; empty for the directory itself.
  func open(below base: DirectoryHandle, path: [UInt8]) throws(Errno) -> DirectoryHandle {
    try open(Self.platformPath(path), in: base)
  }

  /// Opens the directory that was listed at a path below an open one, and no other.
  func open(
    below base: DirectoryHandle, path: [UInt8], expecting listed: DirectoryIdentity
  ) throws(Errno) -> DirectoryHandle {
    try open(Self.platformPath(path), in: base, expecting: listed)
  }

  private static func platformPath(_ path: [UInt8]) -> [CChar] {
    (path.isEmpty ? [UInt8(ascii: ".")] : path).map { CChar(bitPattern: $0) } + [0]
  }
}
