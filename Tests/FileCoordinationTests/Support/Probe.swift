import FileSystem
import Foundation
import SystemPackage

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Another process with a coordinator of its own: the program `coordination-probe` of this build.
final class Probe: @unchecked Sendable {
  // Sendable: one test uses it, a step at a time.
  private let process = Process()
  private let output = Pipe()

  /// With whose rights it runs.
  enum User {
    case same
    /// An ordinary user; where the tests run as one, the same.
    case ordinary

    static let id: uid_t = getuid() == 0 ? 65534 : getuid()
  }

  /// - Parameter environment: variables that differ from those of this process.
  init(
    _ mode: String, _ path: FilePath, _ argument: String = "", as user: User = .same,
    environment: [String: String] = [:]
  ) throws {
    let own = Bundle.main.executablePath ?? CommandLine.arguments[0]
    let program = FilePath(own).removingLastComponent().appending("coordination-probe")
    process.arguments = [mode, path.string, argument]
    if user == .ordinary && getuid() == 0 {
      process.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
      process.arguments =
        ["--reuid=\(User.id)", "--regid=\(User.id)", "--clear-groups", program.string]
        + (process.arguments ?? [])
    } else {
      process.executableURL = URL(fileURLWithPath: program.string)
    }
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    try process.run()
  }

  deinit {
    if process.isRunning { kill() }
  }

  // Waiting takes a thread of its own: those that run tasks are as few as there are processors, and
  // the tests that run beside need them.

  /// Waits for its first words.
  func waitForOutput() async throws {
    try await WorkerThread.run(named: "probe") { [self] in
      _ = output.fileHandleForReading.availableData
    }
  }

  /// Waits for its end and returns what it has said.
  func lines() async throws -> [String] {
    try await WorkerThread.run(named: "probe") { [self] in
      let data = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }
  }

  /// Waits for its end and returns its status.
  func wait() async throws -> Int32 {
    try await WorkerThread.run(named: "probe") { [self] in
      process.waitUntilExit()
      return process.terminationStatus
    }
  }

  var isRunning: Bool { process.isRunning }

  /// Ends it as a crash would, and returns when it is gone.
  func crash() async throws {
    kill()
    _ = try await wait()
  }

  private func kill() {
    #if canImport(Darwin)
      Darwin.kill(process.processIdentifier, SIGKILL)
    #else
      Glibc.kill(process.processIdentifier, SIGKILL)
    #endif
  }
}
