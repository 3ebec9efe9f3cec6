import FileSystem
import Foundation
import SystemPackage
import TestSupport

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension TemporaryDirectory {
  func status(_ name: FilePath) throws -> FileStatus { try FileStatus(ofPath: self(name)) }

  func mode(_ name: FilePath) throws -> UInt32 { try status(name).mode & 0o7777 }
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

  /// A directory on another volume than the temporary one, if there is one.
  static let otherVolume: String? = {
    var temporary = stat()
    guard stat(NSTemporaryDirectory(), &temporary) == 0 else { return nil }
    return ["/dev/shm", "/var/tmp"].first { place in
      var other = stat()
      return stat(place, &other) == 0 && temporary.st_dev != other.st_dev
        && access(place, W_OK) == 0
    }
  }()
}
