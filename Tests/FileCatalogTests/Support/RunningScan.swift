import Foundation
import SystemPackage

/// The command scanning a root in a process of its own.
final class RunningScan {
  private let process = Process()

  /// - Throws: when this build has no command, or it cannot be started.
  init(_ root: FilePath, into catalog: FilePath) throws {
    guard let command = Subprocess.filecat else { throw Errno.noSuchFileOrDirectory }
    process.executableURL = URL(fileURLWithPath: command)
    process.arguments = ["--catalog", catalog.string, "scan", root.string, "--allow-empty"]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  var isRunning: Bool { process.isRunning }

  /// Ends the process as a crash would: it runs no further instruction.
  func crash() {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Runs `body` while the process stands still.
  func holdStill<Result>(_ body: () throws -> Result) rethrows -> Result {
    kill(process.processIdentifier, SIGSTOP)
    defer { kill(process.processIdentifier, SIGCONT) }
    return try body()
  }

  /// Waits for the end.
  ///
  /// - Returns: the exit status.
  func finish() -> Int32 {
    process.waitUntilExit()
    return process.terminationStatus
  }
}
