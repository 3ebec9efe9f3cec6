import CPlatform
package import SystemPackage

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// One thing to make in a tree. Paths are relative to it; missing directories on the way are made.
package enum Piece: Sendable {
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

extension TemporaryDirectory {
  package func make(_ pieces: [Piece]) throws {
    for piece in pieces { try make(piece) }
  }

  package func make(_ piece: Piece) throws {
    switch piece {
    case .file(let name, let bytes):
      try write([UInt8](repeating: UInt8(ascii: "x"), count: bytes), to: name)
    case .sparse(let name, let length):
      try write([1], to: name)
      try check(name) { truncate($0, off_t(length)) }
    case .directory(let name):
      try makeDirectory(name)
    case .symlink(let name, let target):
      try makeLink(name, to: target)
    case .fifo(let name):
      _ = try prepare(name)
      try check(name) { mkfifo($0, 0o644) }
    case .socket(let name):
      try makeSocket(at: try prepare(name))
    case .hardLink(let name, let existing):
      let link = try prepare(name)
      try check(existing) { existing in
        link.withPlatformString { linkat(AT_FDCWD, existing, AT_FDCWD, $0, 0) }
      }
    case .mode(let name, let mode):
      try check(name) { chmod($0, mode_t(mode)) }
    case .owner(let name, let uid, let gid):
      try check(name) { lchown($0, uid, gid) }
    case .times(let name, let accessed, let modified):
      let times = [Self.time(accessed), Self.time(modified)]
      try check(name) { utimensat(AT_FDCWD, $0, times, AT_SYMLINK_NOFOLLOW) }
    case .attribute(let name, let key, let value):
      let bytes = Array(value.utf8)
      try check(name) { lsetxattr($0, key, bytes, bytes.count, 0) }
    }
  }

  /// Makes a chain of directories, each inside the one before it, however long its path gets.
  package func makeChain(in start: FilePath = "", names: some Sequence<String>) throws {
    var directory = try Self.check(self(start).withPlatformString { open($0, O_DIRECTORY) })
    defer { close(directory) }
    for name in names {
      try Self.check(mkdirat(directory, name, 0o755))
      let next = try Self.check(openat(directory, name, O_DIRECTORY))
      close(directory)
      directory = next
    }
  }

  private func check(_ name: FilePath, _ call: (UnsafePointer<CChar>) -> Int32) throws {
    try Self.check(self(name).withPlatformString(call))
  }

  /// A time of nanoseconds since 1970, which may lie before.
  private static func time(_ nanoseconds: Int) -> timespec {
    let second = 1_000_000_000
    let rest = ((nanoseconds % second) + second) % second
    return timespec(tv_sec: (nanoseconds - rest) / second, tv_nsec: rest)
  }

  /// Binds a socket through `/proc`, because the name of a socket may have only 107 bytes.
  private func makeSocket(at place: FilePath) throws {
    let directory = try Self.check(
      place.removingLastComponent().withPlatformString { open($0, O_DIRECTORY) })
    defer { close(directory) }
    let name = Array("/proc/self/fd/\(directory)/\(place.lastComponent?.string ?? "")".utf8)
    let descriptor = try Self.check(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name.prefix(107)) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    try Self.check(
      withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
      })
  }
}

/// Makes a tree inside a directory of its own, runs `body` with it and removes both.
package func withTree<Result>(
  _ pieces: [Piece] = [], _ body: (TemporaryDirectory) async throws -> Result
) async throws -> Result {
  try await withTemporaryDirectory { outside in
    let tree = TemporaryDirectory(at: outside("tree"))
    try tree.makeDirectory("")
    try tree.make(pieces)
    return try await body(tree)
  }
}
