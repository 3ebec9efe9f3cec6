import FileSystem
import Foundation
import SystemPackage

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A small file system in memory, mounted on a directory.
final class Mount: Sendable {
  private let place: FilePath

  init(at place: FilePath) throws {
    self.place = place
    try Self.run("mount", ["-t", "tmpfs", "-o", "size=1m", "filecat-test", place.string])
  }

  deinit {
    try? Self.run("umount", ["-l", place.string], errors: FileHandle.nullDevice)
  }

  func unmount() throws {
    try Self.run("umount", [place.string])
  }

  /// Whether file systems may be mounted here, tried once.
  static let isPermitted: Bool = {
    #if os(Linux)
      guard getuid() == 0 else { return false }
      let place = FilePath("\(NSTemporaryDirectory())/filecat-mount-\(getpid())")
      guard mkdir(place.string, 0o700) == 0 else { return false }
      defer { rmdir(place.string) }
      guard let mount = try? Mount(at: place) else { return false }
      return (try? mount.unmount()) != nil
    #else
      return false
    #endif
  }()

  private static func run(
    _ command: String, _ arguments: [String], errors: FileHandle = .standardError
  ) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [command] + arguments
    process.standardError = errors
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Errno.notPermitted }
  }
}

/// Makes a directory on a file system of its own, where that is permitted, and removes it.
///
/// fanotify tells of everything on a file system: where others are busy its queue may overflow, and
/// then a root is rightly reported as a whole. What must *not* be reported can only be tested alone.
func withSecludedTree(_ body: (WatchedTree) async throws -> Void) async throws {
  guard Mount.isPermitted else { return try await withWatchedTree(body) }
  try await withWatchedTree { outer in
    let mount = try Mount(at: outer.path.appending("other"))
    try await withWatchedTree(at: outer.path.appending("other").string, body)
    try mount.unmount()
  }
}
