import Foundation
import Testing

/// Runs the built command as a process of its own, in a home of its own.
struct CommandRunner {
  let home: URL

  /// What a run left behind.
  struct Result {
    let status: Int32
    let output: String
    let errors: String
    /// The lines of the error output.
    var errorLines: [Substring] { errors.split(separator: "\n") }

    /// The output as one JSON object.
    func object() throws -> [String: Any] {
      try #require(
        try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any], "\(output)")
    }
  }

  init() throws {
    home = FileManager.default.temporaryDirectory
      .appendingPathComponent("filecat-command-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
  }

  /// Removes what the runs have left. To be called at the end of a test.
  func remove() {
    try? FileManager.default.removeItem(at: home)
  }

  /// The command stands beside the bundle of the tests.
  private static var executable: URL {
    var places = [URL(fileURLWithPath: CommandLine.arguments[0]), Bundle.main.bundleURL]
    places += Bundle.allBundles.map(\.bundleURL)
    let candidates = places.flatMap { place in
      [place.deletingLastPathComponent(), place].map { $0.appendingPathComponent("filecat") }
    }
    return candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) }
      ?? candidates[0]
  }

  func write(_ text: String, to name: String) throws -> String {
    let file = home.appendingPathComponent(name)
    try Data(text.utf8).write(to: file)
    return file.path
  }

  func run(_ arguments: String...) throws -> Result {
    try run(arguments)
  }

  func run(_ arguments: [String]) throws -> Result {
    let process = Process()
    process.executableURL = Self.executable
    process.arguments = arguments
    process.environment = [
      "HOME": home.path, "XDG_CONFIG_HOME": home.appendingPathComponent("config").path,
      // No layer of the system's: tests say the same everywhere.
      "XDG_DATA_HOME": home.appendingPathComponent("data").path,
      "XDG_DATA_DIRS": home.appendingPathComponent("none").path,
      "PATH": "/usr/bin:/bin",
    ]
    let output = Pipe()
    let errors = home.appendingPathComponent("errors")
    try Data().write(to: errors)
    process.standardOutput = output
    process.standardError = try FileHandle(forWritingTo: errors)
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Result(
      status: process.terminationStatus, output: String(decoding: data, as: UTF8.self),
      errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
  }
}
