import FileCoordination
import FileSystem
import Foundation
import SystemPackage

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A temporary folder, looked at without the code under test.
struct Folder {
  /// Without symbolic links.
  let path: FilePath

  func callAsFunction(_ name: FilePath) -> FilePath { path.pushing(name) }

  func write(_ text: String, to name: FilePath, mode: mode_t = 0o644) throws {
    try Data(text.utf8).write(to: url(name))
    try check(chmod(self(name).string, mode))
  }

  func text(_ name: FilePath) throws -> String {
    String(decoding: try Data(contentsOf: url(name)), as: UTF8.self)
  }

  func status(_ name: FilePath) throws -> FileStatus { try FileStatus(ofPath: self(name)) }

  func mode(_ name: FilePath) throws -> UInt32 { try status(name).mode & 0o7777 }

  /// The names in a folder, hidden ones too.
  func names(_ name: FilePath = "") throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: self(name).string))
  }

  func directory(_ name: FilePath) throws {
    try FileManager.default.createDirectory(
      at: url(name), withIntermediateDirectories: true)
  }

  func link(_ name: FilePath, to target: FilePath) throws {
    try check(symlink(target.string, self(name).string))
  }

  private func url(_ name: FilePath) -> URL { URL(fileURLWithPath: self(name).string) }
}

/// Makes a folder, runs `body` with it and removes it.
///
/// - Parameter parent: where to make it.
func withFolder<Result>(
  in parent: String = NSTemporaryDirectory(), _ body: (Folder) async throws -> Result
) async throws -> Result {
  var template = Array("\(parent)/filesystem-XXXXXX".utf8CString)
  guard mkdtemp(&template) != nil, let resolved = realpath(template, nil) else {
    throw Errno(rawValue: errno)
  }
  defer { free(resolved) }
  let path = FilePath(platformString: resolved)
  return try await withCleanup(
    { _ = try await Tool.run("rm", ["-rf", "--", path.string]) },
    after: { try await body(Folder(path: path)) })
}

/// Runs `body` and then `cleanup`, whatever has become of `body`.
private func withCleanup<Result>(
  _ cleanup: () async throws -> Void, after body: () async throws -> Result
) async throws -> Result {
  let result: Result
  do {
    result = try await body()
  } catch {
    try? await cleanup()
    throw error
  }
  try await cleanup()
  return result
}

/// Runs `body` while an empty file system of this size lies over a folder.
func withMountedFileSystem<Result>(
  at folder: FilePath, kilobytes: Int, _ body: () async throws -> Result
) async throws -> Result {
  let options = "size=\(kilobytes)k,mode=755"
  try check(try await Tool.run("mount", ["-t", "tmpfs", "-o", options, "none", folder.string]))
  return try await withCleanup(
    { _ = try await Tool.run("umount", ["-l", folder.string]) }, after: body)
}

func check(_ result: Int32) throws {
  if result != 0 { throw Errno(rawValue: errno) }
}

/// Other programs.
enum Tool {
  /// Runs a program of the search path to its end and returns its status.
  static func run(_ program: String, _ arguments: [String]) async throws -> Int32 {
    try await WorkerThread.run(named: "tool") { try runBlocking(program, arguments) }
  }

  private static func runBlocking(_ program: String, _ arguments: [String]) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Whether this process may mount file systems.
  static let canMount: Bool = {
    let folder = NSTemporaryDirectory() + "/filesystem-mount-\(UUID().uuidString)"
    guard mkdir(folder, 0o755) == 0 else { return false }
    defer { rmdir(folder) }
    guard (try? runBlocking("mount", ["-t", "tmpfs", "none", folder])) == 0 else { return false }
    return (try? runBlocking("umount", [folder])) == 0
  }()

  /// Whether this process can do something with the rights of an ordinary user.
  static let canBeOrdinary = getuid() != 0 || access("/usr/bin/setpriv", X_OK) == 0

  /// Whether other programs can be made to call functions of these tests.
  static let canPreload: Bool = {
    #if os(Linux)
      (try? runBlocking("clang", ["--version"])) == 0
    #else
      false
    #endif
  }()

  /// A folder on another volume than the temporary one, if there is one.
  static let otherVolume: String? = {
    var temporary = stat()
    var other = stat()
    guard stat(NSTemporaryDirectory(), &temporary) == 0, stat("/dev/shm", &other) == 0,
      temporary.st_dev != other.st_dev, access("/dev/shm", W_OK) == 0
    else { return nil }
    return "/dev/shm"
  }()
}
