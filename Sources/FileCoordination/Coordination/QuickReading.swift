internal import CPlatform
internal import FileSystem
internal import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Reading small files on the thread of the task.
///
/// Another thread costs several times what it takes to lock and read a file that is in memory, and most
/// are. So reading is tried here first, by calls that return when there would be something to wait for:
/// a lock of somebody else, the disk, another machine. The same things are locked and looked up as by
/// ``ItemLocks``.
final class QuickReading: Sendable {
  /// Copying more bytes takes longer than changing the thread.
  private static let largest: Int64 = 64 * 1024

  /// The devices of volumes on which opening a file does not ask another machine.
  private let localDevices = Monitor<Set<UInt64>>([])

  /// Takes note of the volume that a directory is on. May block.
  func learnVolume(of directory: OpenFile) {
    guard let device = try? directory.status().device, !isLocal(device),
      !directory.isRemote
    else { return }
    localDevices.withLock { _ = $0.insert(device) }
  }

  private func isLocal(_ device: UInt64) -> Bool {
    localDevices.withLock { $0.contains(device) }
  }

  /// The content of a file; `nil` if it cannot be had at once. Whether that is an error does not show
  /// here.
  func read(_ path: FilePath) -> [UInt8]? {
    path.withPlatformString { path in
      guard let slash = strrchr(path, 0x2F) else { return read(path, in: ".") }
      let length = UnsafePointer(slash) - path
      // The slash of the root belongs to its name.
      let kept = max(length, 1)
      return withUnsafeTemporaryAllocation(of: CChar.self, capacity: kept + 1) { directory in
        guard let start = directory.baseAddress else { return nil }
        start.initialize(from: path, count: kept)
        start[kept] = 0
        return read(slash + 1, in: start)
      }
    }
  }

  private func read(
    _ name: UnsafePointer<CChar>, in path: UnsafePointer<CChar>
  ) -> [UInt8]? {
    // Names of directories, or none.
    if name[0] == 0 || strcmp(name, ".") == 0 || strcmp(name, "..") == 0 { return nil }
    let descriptor = cplatform_open_known_directory(path)
    guard descriptor >= 0 else { return nil }
    let directory = OpenFile(taking: descriptor)
    guard let place = cplatform_status(ofOpen: descriptor), isLocal(place.device),
      (try? directory.tryLock(.shared)) == true
    else { return nil }
    defer { directory.unlock() }
    guard let above = lockAncestors(of: directory) else { return nil }
    defer { for directory in above { directory.unlock() } }
    guard cplatform_status(of: path, in: AT_FDCWD, cplatform_follow)?.isSame(as: place) == true,
      // Opening anything but a file could do something.
      let seen = cplatform_status(of: name, in: descriptor, cplatform_nofollow), seen.isFile,
      seen.device == place.device, seen.size <= Self.largest,
      let file = try? directory.open(platformName: name, for: .reading),
      (try? file.tryLock(.shared)) == true
    else { return nil }
    defer { file.unlock() }
    guard let status = cplatform_status(ofOpen: file.descriptor),
      cplatform_status(of: name, in: descriptor, cplatform_nofollow)?.isSame(as: status) == true,
      status.size <= Self.largest
    else { return nil }
    return content(of: file, size: Int(status.size))
  }

  /// Locks the directories above one that is locked; `nil` if somebody holds one of them. The system
  /// has in memory what is above an open directory.
  private func lockAncestors(of directory: OpenFile) -> [OpenFile]? {
    guard var ancestors = try? Ancestors(of: directory) else { return nil }
    var locked: [OpenFile] = []
    do throws(Errno) {
      while let (directory, _) = try ancestors.next() {
        guard try directory.tryLock(.shared) else { return nil }
        locked.append(directory)
      }
      return locked
    } catch {
      return nil
    }
  }

  private func content(of file: OpenFile, size: Int) -> [UInt8]? {
    // One byte more, so that a file that has grown is noticed.
    let capacity = size + 1
    var count = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, used in
      count = cplatform_read_known(file.descriptor, buffer.baseAddress, capacity)
      used = max(0, count)
    }
    return count == size ? bytes : nil
  }
}

extension cplatform_status {
  fileprivate init?(
    of name: UnsafePointer<CChar>, in directory: Int32, _ links: cplatform_follow
  ) {
    self.init()
    guard cplatform_status_at(directory, name, links, &self) == 0 else { return nil }
  }

  fileprivate init?(ofOpen descriptor: Int32) {
    var empty: CChar = 0
    self.init(of: &empty, in: descriptor, cplatform_nofollow)
  }

  fileprivate var isFile: Bool { EntryKind(mode: mode) == .file }

  fileprivate func isSame(as other: cplatform_status) -> Bool {
    device == other.device && inode == other.inode
  }
}
