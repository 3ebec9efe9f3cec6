import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The screens of `filecat browse` on a real pseudo-terminal, as an emulator of one reads them. What is done and
/// what is seen is in Tests/Terminal.
@Suite(
  "filecat browse on a terminal",
  .enabled(
    if: BrowserScenarios.areReady,
    "there is no emulator of a terminal; Scripts/setup-tests installs it"))
struct BrowseCommandTests {
  @Test("as it is written", arguments: BrowserScenarios.names)
  func scenario(name: String) throws {
    let filecat = try #require(CommandRunner.built("filecat"))
    let run = try BrowserScenarios.run(["--filecat", filecat.program, name])
    #expect(run.status == 0, "\(run.text)\(run.errors)")
    #expect(run.text.contains("ok \(name)"))
  }
}

/// The scenarios, which are in Python, as the emulator is.
enum BrowserScenarios {
  private static let python = "\(Clients.root)/.build/terminal/bin/python"
  private static let script = "\(Clients.root)/Tests/Terminal/run.py"

  static let areReady = access(python, X_OK) == 0

  /// None where there is no emulator.
  static let names: [String] = {
    guard areReady, let run = try? run(["--list"]) else { return [] }
    return run.text.split(separator: "\n").map(String.init)
  }()

  static func run(_ arguments: [String]) throws -> CommandResult {
    try CommandRunner(python, ["-B", script]).run(arguments)
  }
}
