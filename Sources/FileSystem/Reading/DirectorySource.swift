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

  /// Opens a directory inside an open one. `path` is relative; only its last component is certain
  /// not to be a symbolic link.
  func open(_ path: UnsafePointer<CChar>, in parent: DirectoryHandle) throws(Errno)
    -> DirectoryHandle

  func close(_ handle: DirectoryHandle)

  /// The values of an open directory.
  func status(of handle: DirectoryHandle) throws(Errno) -> FileStatus

  /// The identity of the file system that an open directory is on.
  func volume(of handle: DirectoryHandle, device: UInt64) -> VolumeIdentity

  /// Whether there is something at a path inside an open directory.
  func exists(_ path: UnsafePointer<CChar>, in parent: DirectoryHandle) -> Bool

  /// Extended attributes of a directory inside an open one, in the order of `names`; `nil` for what
  /// is not there or may not be read.
  func attributes(
    _ names: [String], of directory: UnsafePointer<CChar>, in parent: DirectoryHandle
  ) -> [[UInt8]?]

  /// The first bytes of a regular file inside an open directory; `nil` if it cannot be read.
  func beginning(
    of file: UnsafePointer<CChar>, in parent: DirectoryHandle, length: Int
  ) -> [UInt8]?

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

extension DirectorySource {
  /// Opens a directory below an open one, in steps shorter than the longest path a system takes.
  ///
  /// - Parameter path: names joined by slashes; empty for the directory itself.
  func open(below base: DirectoryHandle, path: [UInt8]) throws(Errno) -> DirectoryHandle {
    let longestStep = 1000
    var handle = base
    var start = 0
    repeat {
      var end = min(start + longestStep, path.count)
      while end < path.count && path[end] != UInt8(ascii: "/") { end += 1 }
      var step = path[start..<end].map { CChar(bitPattern: $0) }
      if step.isEmpty { step.append(CChar(bitPattern: UInt8(ascii: "."))) }
      step.append(0)
      let next: DirectoryHandle
      do throws(Errno) {
        next = try open(step, in: handle)
      } catch {
        if handle != base { close(handle) }
        throw error
      }
      if handle != base { close(handle) }
      handle = next
      start = end + 1
    } while start < path.count
    return handle
  }
}
