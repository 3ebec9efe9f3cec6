import CPlatform
import FileSystem
import Foundation
import SystemPackage

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// One thing to make in a tree. Paths are relative to the tree; missing folders on the way are made.
enum Piece {
  /// A file with so many bytes in it.
  case file(FilePath, bytes: Int = 0)
  /// A file of this length of which only the first byte is stored.
  case sparse(FilePath, length: Int)
  case directory(FilePath)
  case symlink(FilePath, to: FilePath)
  case fifo(FilePath)
  case socket(FilePath)
  /// A further name of what is at `to`, which is not followed if it is a symbolic link.
  case hardLink(FilePath, to: FilePath)
  case mode(FilePath, UInt32)
  case owner(FilePath, uid: UInt32, gid: UInt32)
  /// Times of access and modification, in nanoseconds since 1970.
  case times(FilePath, accessed: Int, modified: Int)
  case attribute(FilePath, name: String, value: String)
}

/// A real directory tree in a temporary folder.
///
/// Made by ``withTree(_:_:)``, which removes it again.
struct TestTree {
  /// Without symbolic links.
  let path: FilePath

  func make(_ pieces: [Piece]) throws {
    for piece in pieces { try make(piece) }
  }

  func make(_ piece: Piece) throws {
    switch piece {
    case .file(let name, let bytes):
      try write([UInt8](repeating: UInt8(ascii: "x"), count: bytes), to: name)
    case .sparse(let name, let length):
      try write([1], to: name)
      try check(truncate(path.pushing(name).string, length), name)
    case .directory(let name):
      try makeDirectories(to: path.pushing(name))
    case .symlink(let name, let target):
      let link = try place(for: name)
      try check(
        target.withPlatformString { target in
          link.withPlatformString { symlinkat(target, AT_FDCWD, $0) }
        }, name)
    case .fifo(let name):
      try check(try place(for: name).withPlatformString { mkfifo($0, 0o644) }, name)
    case .socket(let name):
      try makeSocket(at: try place(for: name))
    case .hardLink(let name, let existing):
      let link = try place(for: name)
      try check(
        path.pushing(existing).withPlatformString { existing in
          link.withPlatformString { linkat(AT_FDCWD, existing, AT_FDCWD, $0, 0) }
        }, name)
    case .mode(let name, let mode):
      try check(path.pushing(name).withPlatformString { chmod($0, mode) }, name)
    case .owner(let name, let uid, let gid):
      try check(path.pushing(name).withPlatformString { lchown($0, uid, gid) }, name)
    case .times(let name, let accessed, let modified):
      let second = 1_000_000_000
      let times = [accessed, modified].map {
        timespec(
          tv_sec: ($0 - (($0 % second) + second) % second) / second,
          tv_nsec: (($0 % second) + second) % second)
      }
      try check(
        path.pushing(name).withPlatformString {
          utimensat(AT_FDCWD, $0, times, AT_SYMLINK_NOFOLLOW)
        }, name)
    case .attribute(let name, let key, let value):
      let bytes = Array(value.utf8)
      try check(
        path.pushing(name).withPlatformString { lsetxattr($0, key, bytes, bytes.count, 0) }, name)
    }
  }

  /// Replaces the content of a file.
  func write(_ bytes: [UInt8], to name: FilePath) throws {
    let descriptor = try FileDescriptor.open(
      try place(for: name), .writeOnly, options: [.create, .truncate],
      permissions: [.ownerReadWrite, .groupRead, .otherRead])
    try descriptor.closeAfter { _ = try descriptor.writeAll(bytes) }
  }

  /// Removes an entry with everything below it.
  func remove(_ name: FilePath) throws {
    try TestTree.remove(path.pushing(name))
  }

  func rename(_ name: FilePath, to other: FilePath) throws {
    let target = try place(for: other)
    try check(
      path.pushing(name).withPlatformString { from in
        target.withPlatformString { renameat(AT_FDCWD, from, AT_FDCWD, $0) }
      }, name)
  }

  /// Makes a chain of directories, each inside the one before it, however long its path gets.
  func makeChain(in start: FilePath = "", names: some Sequence<String>) throws {
    var directory = try check(
      path.pushing(start).withPlatformString { open($0, O_DIRECTORY) }, start)
    defer { close(directory) }
    for name in names {
      try check(mkdirat(directory, name, 0o755), FilePath(name))
      let next = try check(openat(directory, name, O_DIRECTORY), FilePath(name))
      close(directory)
      directory = next
    }
  }

  /// A path inside the tree whose folder exists.
  private func place(for name: FilePath) throws -> FilePath {
    let place = path.pushing(name)
    // Asked first because taking paths apart is slow without optimization.
    let folder = Array(place.bytes.prefix(upTo: place.bytes.lastIndex(of: UInt8(ascii: "/")) ?? 0))
    if access(folder.map { CChar(bitPattern: $0) } + [0], F_OK) != 0 {
      try makeDirectories(to: FilePath(bytes: folder))
    }
    return place
  }

  private func makeDirectories(to place: FilePath) throws {
    guard place.withPlatformString({ mkdir($0, 0o755) }) != 0, errno != EEXIST else { return }
    guard errno == ENOENT else { throw FileError(.open, place, Errno(rawValue: errno)) }
    try makeDirectories(to: place.removingLastComponent())
    // Still impossible where a link without a target is in the way.
    guard place.withPlatformString({ mkdir($0, 0o755) }) == 0 || errno == EEXIST else {
      throw FileError(.open, place, Errno(rawValue: errno))
    }
  }

  /// Binds a socket through `/proc`, because the name of a socket may have only 107 bytes.
  private func makeSocket(at place: FilePath) throws {
    let folder = place.removingLastComponent()
    let directory = try check(folder.withPlatformString { open($0, O_DIRECTORY) }, folder)
    defer { close(directory) }
    let name = Array("/proc/self/fd/\(directory)/\(place.lastComponent?.string ?? "")".utf8)
    let descriptor = try check(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0), place)
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name.prefix(107)) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    try check(
      withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
      }, place)
  }

  @discardableResult
  private func check(_ result: Int32, _ name: FilePath) throws -> Int32 {
    if result < 0 { throw FileError(.open, name, Errno(rawValue: errno)) }
    return result
  }

  /// Removes a file or a tree, however deep it is.
  static func remove(_ path: FilePath) throws {
    // Directories that may not be entered keep `rm` out, unless root runs it.
    if getuid() != 0 { _ = try? Subprocess.run("chmod", ["-R", "u+rwX", path.string]) }
    _ = try Subprocess.run("rm", ["-rf", "--", path.string])
  }
}

/// Makes a tree, runs `body` with it and removes it.
func withTree<Result>(
  _ pieces: [Piece] = [], _ body: (TestTree) async throws -> Result
) async throws -> Result {
  try await withTemporaryFolder { folder in
    let tree = TestTree(path: folder.appending("tree"))
    try tree.make([.directory("")])
    try tree.make(pieces)
    return try await body(tree)
  }
}

/// Makes an empty folder, runs `body` with its path, which has no symbolic links, and removes it.
func withTemporaryFolder<Result>(
  _ body: (FilePath) async throws -> Result
) async throws -> Result {
  var template = Array("\(NSTemporaryDirectory())/filecat-XXXXXX".utf8CString)
  guard mkdtemp(&template) != nil, let resolved = realpath(template, nil) else {
    throw FileError(.open, FilePath(NSTemporaryDirectory()), Errno(rawValue: errno))
  }
  defer { free(resolved) }
  let folder = FilePath(platformString: resolved)
  defer { try? TestTree.remove(folder) }
  return try await body(folder)
}
