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

  /// The whole content of a regular file inside an open directory; `nil` where there is none.
  ///
  /// - Throws: `EFBIG` for one that is longer than `limit`.
  func content(
    of file: UnsafePointer<CChar>, in parent: DirectoryHandle, limit: Int
  ) throws(Errno) -> [UInt8]?

  /// The type of the file system that an entry of an open directory is on; `nil` where nobody knows.
  /// Nothing is mounted for that, and no other machine asked if that can be helped.
  func fileSystem(
    of entry: UnsafePointer<CChar>, in parent: DirectoryHandle, device: UInt64
  ) -> FileSystemType?

  /// Starts reading a directory's entries from the first.
  func startReading(_ handle: DirectoryHandle) throws(Errno)

  /// Which of some names the directory has whose reading has just been started.
  func find(_ names: SoughtNames) throws(Errno) -> SoughtNames.Found

  /// Adds the next entries, until the batch is full or there are no more. Entries that vanish
  /// meanwhile are left out.
  func readEntries(
    into batch: EntryBatch,
    leavingOut isExcluded: EntryExclusion?,
    onFailure: (FileError.Operation, UnsafeBufferPointer<UInt8>, Errno) -> Void
  ) throws(Errno) -> ReadProgress
}

/// Whether an entry of a directory is left out. It is asked before anything else is asked about the entry;
/// where the directory does not tell what the entry is, afterwards. The kind is `nil` where nobody knows.
package typealias EntryExclusion = (UnsafeBufferPointer<UInt8>, EntryKind?) -> Bool

/// A few names to look for in directories, each of which begins with a dot.
package struct SoughtNames: Sendable {
  /// Which of the names were found: the first is the lowest bit.
  package struct Found: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The name at a place among those that are looked for.
    package static func name(at place: Int) -> Found { Found(rawValue: 1 << place) }
  }

  /// One behind the other, each ended by NUL; an empty one ends them.
  let bytes: [CChar]
  let names: [[CChar]]

  package init(_ names: [String]) {
    self.names = names.map { Array($0.utf8CString) }
    bytes = self.names.flatMap { $0 } + [0]
  }
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

  /// Sources without a file system behind them have directories only.
  package func content(
    of file: UnsafePointer<CChar>, in parent: DirectoryHandle, limit: Int
  ) throws(Errno) -> [UInt8]? {
    nil
  }

  /// Sources without a file system behind them are on none.
  package func fileSystem(
    of entry: UnsafePointer<CChar>, in parent: DirectoryHandle, device: UInt64
  ) -> FileSystemType? {
    nil
  }

  /// Sources without a file system behind them have none of the names.
  package func find(_ names: SoughtNames) throws(Errno) -> SoughtNames.Found { [] }

  /// Which of some names there are in an open directory that is not being read.
  func find(
    _ names: SoughtNames, in directory: DirectoryHandle
  ) throws(Errno) -> SoughtNames.Found {
    var found: SoughtNames.Found = []
    for (place, name) in names.names.enumerated() where try exists(name, in: directory) {
      found.insert(.name(at: place))
    }
    return found
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
