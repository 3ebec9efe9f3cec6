internal import FileSystem
internal import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Removes a tree, however deep it is, with one directory open at a time.
///
/// Links are never followed: below the item every step is relative to an open directory, and a step up
/// is checked to lead back to where the one down came from.
struct TreeRemoval {
  private var directory: Int32
  /// The way from the item to ``directory``: which directory each name is in.
  private var way: [(parent: Identity, name: [CChar])] = []

  private struct Identity: Equatable {
    let device: UInt64
    let inode: UInt64
  }

  static func remove(_ item: FilePath) throws(Errno) {
    let name = item.withPlatformString {
      Array(UnsafeBufferPointer(start: $0, count: strlen($0) + 1))
    }
    if unlinkat(AT_FDCWD, name, 0) == 0 { return }
    let error = Errno(rawValue: errno)
    let root = openat(AT_FDCWD, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    // What is no directory could not be removed as what it is.
    guard root >= 0 else {
      throw errno == ENOTDIR || errno == ELOOP ? error : Errno(rawValue: errno)
    }
    var removal = TreeRemoval(directory: root)
    defer { close(removal.directory) }
    try removal.empty()
    guard unlinkat(AT_FDCWD, name, AT_REMOVEDIR) == 0 else { throw Errno(rawValue: errno) }
  }

  private init(directory: Int32) {
    self.directory = directory
  }

  private mutating func empty() throws(Errno) {
    while true {
      if let child = try removeFiles() {
        try descend(to: child)
      } else {
        guard let (parent, name) = way.popLast() else { return }
        try ascend(to: parent)
        guard unlinkat(directory, name, AT_REMOVEDIR) == 0 else { throw Errno(rawValue: errno) }
      }
    }
  }

  /// Removes the entries that are no directories, up to the first that is one.
  private func removeFiles() throws(Errno) -> [CChar]? {
    let copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0 else { throw Errno(rawValue: errno) }
    guard let stream = fdopendir(copy) else {
      let error = Errno(rawValue: errno)
      close(copy)
      throw error
    }
    defer { closedir(stream) }
    errno = 0
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        bytes.prefix { $0 != 0 }.map { CChar(bitPattern: $0) } + [0]
      }
      let dot = CChar(bitPattern: UInt8(ascii: "."))
      if name == [dot, 0] || name == [dot, dot, 0] { continue }
      if unlinkat(directory, name, 0) != 0 {
        switch errno {
        // Linux says the one about directories, POSIX and macOS the other.
        case EISDIR, EPERM:
          var status = stat()
          let error = Errno(rawValue: errno)
          guard fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
            status.st_mode & S_IFMT == S_IFDIR
          else { throw error }
          return name
        case ENOENT: break
        default: throw Errno(rawValue: errno)
        }
      }
      errno = 0
    }
    if errno != 0 { throw Errno(rawValue: errno) }
    return nil
  }

  private mutating func descend(to child: [CChar]) throws(Errno) {
    let here = try identity(of: directory)
    let next = openat(directory, child, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard next >= 0 else { throw Errno(rawValue: errno) }
    close(directory)
    directory = next
    way.append((here, child))
  }

  private mutating func ascend(to parent: Identity) throws(Errno) {
    let next = openat(directory, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard next >= 0 else { throw Errno(rawValue: errno) }
    close(directory)
    directory = next
    // Somebody has moved the directory away: what is above it now is not ours to remove.
    guard try identity(of: directory) == parent else { throw .noSuchFileOrDirectory }
  }

  private func identity(of directory: Int32) throws(Errno) -> Identity {
    var status = stat()
    guard fstat(directory, &status) == 0 else { throw Errno(rawValue: errno) }
    return Identity(
      device: UInt64(truncatingIfNeeded: status.st_dev),
      inode: UInt64(truncatingIfNeeded: status.st_ino))
  }
}
