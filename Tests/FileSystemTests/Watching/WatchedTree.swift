import FileSystem
import Foundation
import SystemPackage

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A directory to watch, `root`, and one beside it to move things to and from, `other`.
struct WatchedTree: Sendable {
  /// Without symbolic links.
  let path: FilePath

  var root: FilePath { path.appending("root") }

  /// A path inside the root.
  func inside(_ name: String) -> FilePath {
    name.isEmpty ? root : root.pushing(FilePath(name))
  }

  // All names below are relative to the directory, so they begin with `root/` or `other/`.

  func file(_ name: String, _ text: String = "x", appending: Bool = false) throws {
    let descriptor = try FileDescriptor.open(
      path.pushing(FilePath(name)), .writeOnly,
      options: appending ? [.create, .append] : [.create, .truncate],
      permissions: [.ownerReadWrite])
    try descriptor.closeAfter { _ = try descriptor.writeAll(text.utf8) }
  }

  /// Makes a directory with all that are missing above it.
  func directory(_ name: String) throws {
    try FileManager.default.createDirectory(
      atPath: path.pushing(FilePath(name)).string, withIntermediateDirectories: true)
  }

  func move(_ name: String, to other: String) throws {
    try check(
      path.pushing(FilePath(name)).withPlatformString { from in
        path.pushing(FilePath(other)).withPlatformString { rename(from, $0) }
      }, name)
  }

  func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: path.pushing(FilePath(name)).string)
  }

  func mode(_ name: String, _ mode: mode_t) throws {
    try check(path.pushing(FilePath(name)).withPlatformString { chmod($0, mode) }, name)
  }

  func link(_ name: String, to other: String) throws {
    try check(
      path.pushing(FilePath(other)).withPlatformString { existing in
        path.pushing(FilePath(name)).withPlatformString { Self.systemLink(existing, $0) }
      }, name)
  }

  private static func systemLink(
    _ from: UnsafePointer<CChar>, _ to: UnsafePointer<CChar>
  ) -> Int32 {
    linkat(AT_FDCWD, from, AT_FDCWD, to, 0)
  }

  private func check(_ result: Int32, _ name: String) throws {
    guard result == 0 else { throw FileError(.open, FilePath(name), Errno(rawValue: errno)) }
  }
}

/// Makes both, runs `body` with them and removes them.
func withWatchedTree<Result>(
  at place: String = NSTemporaryDirectory(), _ body: (WatchedTree) async throws -> Result
) async throws -> Result {
  var template = Array("\(place)/filecat-watch-XXXXXX".utf8CString)
  guard mkdtemp(&template) != nil, let resolved = realpath(template, nil) else {
    throw FileError(.open, FilePath(place), Errno(rawValue: errno))
  }
  defer { free(resolved) }
  let tree = WatchedTree(path: FilePath(platformString: resolved))
  defer { try? FileManager.default.removeItem(atPath: tree.path.string) }
  try tree.directory("root")
  try tree.directory("other")
  return try await body(tree)
}
