import Foundation
import SystemPackage

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Another process with a coordinator of its own: the program `coordination-probe` of this build.
final class Probe {
  private let process = Process()
  private let output = Pipe()

  init(_ mode: String, _ path: FilePath, _ argument: String = "") throws {
    let own = Bundle.main.executablePath ?? CommandLine.arguments[0]
    let program = FilePath(own).removingLastComponent().appending("coordination-probe")
    process.executableURL = URL(fileURLWithPath: program.string)
    process.arguments = [mode, path.string, argument]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    try process.run()
  }

  /// Waits for its first words.
  func waitForOutput() { _ = output.fileHandleForReading.availableData }

  /// Waits for its end and returns its status.
  func wait() -> Int32 {
    process.waitUntilExit()
    return process.terminationStatus
  }

  var isRunning: Bool { process.isRunning }

  /// Ends it as a crash would.
  func kill() {
    #if canImport(Darwin)
      Darwin.kill(process.processIdentifier, SIGKILL)
    #else
      Glibc.kill(process.processIdentifier, SIGKILL)
    #endif
    process.waitUntilExit()
  }
}
