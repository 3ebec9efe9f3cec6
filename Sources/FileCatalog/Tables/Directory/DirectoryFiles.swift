internal import FileSystem
internal import SystemPackage

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// What a table of one directory does on the disk.
enum DirectoryFiles {
  enum Found {
    case directory, other, nothing
  }

  /// What is at a path, at the end of links.
  static func find(_ path: FilePath) throws(Errno) -> Found {
    var status = stat()
    guard path.withPlatformString({ stat($0, &status) }) != 0 else {
      return status.st_mode & S_IFMT == S_IFDIR ? .directory : .other
    }
    switch Errno(rawValue: errno) {
    case .noSuchFileOrDirectory:
      // A link that leads nowhere is there all the same.
      return path.withPlatformString({ lstat($0, &status) }) == 0 ? .other : .nothing
    case .notDirectory: return .other
    case let error: throw error
    }
  }

  /// Makes a directory with those on the way to it.
  static func create(_ path: FilePath) throws(Errno) {
    try path.makeDirectories(mode: 0o777)
    guard try find(path) == .directory else { throw .fileExists }
  }

  /// The items of a directory. Those that vanish meanwhile are left out.
  static func items(
    of path: FilePath, _ hidden: DirectoryTable.HiddenItems
  ) throws(Errno) -> [DirectoryTable.Item] {
    var items: [DirectoryTable.Item] = []
    for name in try names(in: path, hidden) {
      let item = path.appending(FilePath(bytes: name).components)
      do throws(Errno) {
        let status = try FileStatus(ofPath: item)
        guard let kind = EntryKind(mode: status.mode) else { continue }
        items.append(DirectoryTable.Item(path: item, kind: kind, status: status))
      } catch .noSuchFileOrDirectory {
        continue
      }
    }
    return items
  }

  private static func names(
    in path: FilePath, _ hidden: DirectoryTable.HiddenItems
  ) throws(Errno) -> [[UInt8]] {
    guard let stream = path.withPlatformString({ opendir($0) }) else {
      throw Errno(rawValue: errno)
    }
    defer { closedir(stream) }
    var names: [[UInt8]] = []
    errno = 0
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        Array(bytes.prefix { $0 != 0 })
      }
      let isSelfOrParent = name == [UInt8(ascii: ".")] || name == Array("..".utf8)
      let isHidden = name.first == UInt8(ascii: ".")
      if !isSelfOrParent, hidden == .shown || !isHidden { names.append(name) }
      errno = 0
    }
    if errno != 0 { throw Errno(rawValue: errno) }
    return names
  }
}
