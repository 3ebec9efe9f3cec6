import SystemPackage

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What the file system says of an entry, read without the code that is tested.
struct DiskEntry {
  let path: [UInt8]
  let status: stat
  let depth: Int
  /// For a package, all that it holds.
  var held: [DiskEntry] = []

  /// With U+FFFD for what is not UTF-8.
  var shownPath: String { String(decoding: path, as: UTF8.self) }
  var shownName: String {
    String(
      decoding: path.suffix(from: (path.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1),
      as: UTF8.self)
  }
  var isValidUTF8: Bool { String(validating: path, as: UTF8.self) != nil }

  var isPackage: Bool { !held.isEmpty }

  var kind: String {
    switch status.st_mode & S_IFMT {
    case S_IFDIR: isPackage ? "package" : "directory"
    case S_IFLNK: "symlink"
    case S_IFREG: "file"
    default: "other"
    }
  }

  var size: Int64 {
    isPackage ? held.filter { $0.kind != "directory" }.map(\.size).sum : Int64(status.st_size)
  }
  var allocated: Int64 { Int64(status.st_blocks) * 512 + held.map(\.allocated).sum }
  var modified: Int64 {
    #if canImport(Darwin)
      Int64(status.st_mtimespec.tv_sec)
    #else
      Int64(status.st_mtim.tv_sec)
    #endif
  }

  /// The values that every format of a table of entries is compared by.
  static let columns = [
    "path", "kind", "size", "modified", "mode", "uid", "gid", "inode", "links", "depth",
  ]

  /// The same values of this entry, as text.
  var values: [String: String?] {
    [
      "path": shownPath, "kind": kind, "size": "\(size)", "modified": "\(modified)",
      "mode": "\(status.st_mode)", "uid": "\(status.st_uid)", "gid": "\(status.st_gid)",
      "inode": "\(status.st_ino)", "links": "\(status.st_nlink)", "depth": "\(depth)",
    ]
  }
}

extension Sequence<Int64> {
  var sum: Int64 { reduce(0, +) }
}

/// An independent walk.
enum Disk {
  /// The directory and everything below it, by path; packages hold what is in them.
  static func walk(_ directory: String) throws -> [DiskEntry] {
    try walk(Array(directory.utf8), depth: 0)
      .sorted { $0.path.lexicographicallyPrecedes($1.path) }
  }

  private static func walk(_ path: [UInt8], depth: Int) throws -> [DiskEntry] {
    let name = path.map { CChar(bitPattern: $0) } + [0]
    var status = stat()
    guard lstat(name, &status) == 0 else {
      throw Errno(rawValue: errno)
    }
    var entry = DiskEntry(path: path, status: status, depth: depth)
    guard status.st_mode & S_IFMT == S_IFDIR else { return [entry] }
    guard let stream = opendir(name) else {
      throw Errno(rawValue: errno)
    }
    defer { closedir(stream) }
    var below: [DiskEntry] = []
    while let next = readdir(stream) {
      let child = withUnsafePointer(to: &next.pointee.d_name) {
        $0.withMemoryRebound(to: UInt8.self, capacity: 1024) {
          Array(
            UnsafeBufferPointer(
              start: $0, count: strlen(UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))))
        }
      }
      guard child != Array(".".utf8), child != Array("..".utf8) else { continue }
      below += try walk(path + [UInt8(ascii: "/")] + child, depth: depth + 1)
    }
    guard path.suffix(5) == Array(".rtfd".utf8) else { return [entry] + below }
    entry.held = below
    return [entry]
  }
}
