import FileSystem
import SystemPackage

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What an entry is according to the C library alone, as the truth that catalogs are compared with.
struct WalkedEntry {
  var path: [UInt8]
  var parent: [UInt8]?
  var name: [UInt8]
  var depth: Int
  var status: stat
  var linkTarget: [UInt8]?

  var type: UInt32 { UInt32(status.st_mode) & 0o170000 }
  var isDirectory: Bool { type == 0o040000 }
  var inode: UInt64 { UInt64(status.st_ino) }
  var allocated: Int64 { Int64(status.st_blocks) * 512 }

  static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

/// A walk with `opendir` and `fstatat` that shares no code with the scanner.
enum IndependentWalk {
  /// Everything at and below `root`, by path.
  ///
  /// - Parameter enters: whether the content of a directory belongs to the tree.
  static func entries(
    of root: FilePath, enters: (WalkedEntry) -> Bool = { _ in true }
  ) throws -> [[UInt8]: WalkedEntry] {
    var entries: [[UInt8]: WalkedEntry] = [:]
    let path = root.bytes
    let name = Array(path.split(separator: UInt8(ascii: "/")).last ?? [])
    let first = try entry(
      at: path, parent: nil, name: name, depth: 0, in: AT_FDCWD, as: path)
    entries[path] = first
    try visit(first, in: AT_FDCWD, as: path, enters, &entries)
    return entries
  }

  private static func visit(
    _ directory: WalkedEntry, in parent: Int32, as name: [UInt8], _ enters: (WalkedEntry) -> Bool,
    _ entries: inout [[UInt8]: WalkedEntry]
  ) throws {
    let descriptor = openat(parent, terminated(name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    guard descriptor >= 0, let stream = fdopendir(descriptor) else {
      throw FileError(.open, FilePath(bytes: directory.path), Errno(rawValue: errno))
    }
    defer { closedir(stream) }
    var names: [[UInt8]] = []
    while let item = readdir(stream) {
      let bytes = withUnsafeBytes(of: &item.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      if bytes != [46], bytes != [46, 46] { names.append(bytes) }
    }
    for name in names {
      let found = try entry(
        at: directory.path + [UInt8(ascii: "/")] + name, parent: directory.path, name: name,
        depth: directory.depth + 1, in: descriptor, as: name)
      entries[found.path] = found
      if found.isDirectory, enters(found) {
        try visit(found, in: descriptor, as: name, enters, &entries)
      }
    }
  }

  private static func entry(
    at path: [UInt8], parent: [UInt8]?, name: [UInt8], depth: Int, in directory: Int32,
    as relative: [UInt8]
  ) throws -> WalkedEntry {
    var status = stat()
    guard fstatat(directory, terminated(relative), &status, AT_SYMLINK_NOFOLLOW) == 0 else {
      throw FileError(.status, FilePath(bytes: path), Errno(rawValue: errno))
    }
    var entry = WalkedEntry(
      path: path, parent: parent, name: name, depth: depth, status: status, linkTarget: nil)
    if entry.type == 0o120000 {
      var target = [UInt8](repeating: 0, count: 4096)
      let length = target.withUnsafeMutableBytes { buffer in
        buffer.withMemoryRebound(to: CChar.self) { characters in
          characters.baseAddress.map {
            readlinkat(directory, terminated(relative), $0, characters.count)
          } ?? -1
        }
      }
      entry.linkTarget = Array(target.prefix(max(0, length)))
    }
    return entry
  }

  private static func terminated(_ bytes: [UInt8]) -> [CChar] {
    bytes.map { CChar(bitPattern: $0) } + [0]
  }
}
