import Foundation
import SystemPackage

/// Runs other programs.
enum Subprocess {
  struct Outcome {
    var status: Int32
    var output: String
    var errors: String
  }

  /// Runs a program found on the search path to its end.
  static func run(_ program: String, _ arguments: [String]) throws -> Outcome {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.standardInput = FileHandle.nullDevice
    // Files rather than pipes: nothing has to be read while the program runs.
    let folder = URL(fileURLWithPath: NSTemporaryDirectory())
    let files = ["out", "err"].map { folder.appendingPathComponent("\(UUID().uuidString).\($0)") }
    defer { for file in files { try? FileManager.default.removeItem(at: file) } }
    let handles = try files.map { file in
      try Data().write(to: file)
      return try FileHandle(forWritingTo: file)
    }
    process.standardOutput = handles[0]
    process.standardError = handles[1]
    try process.run()
    process.waitUntilExit()
    for handle in handles { try handle.close() }
    let texts = try files.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
    return Outcome(status: process.terminationStatus, output: texts[0], errors: texts[1])
  }

  /// Whether a program is on the search path.
  static func exists(_ program: String) -> Bool {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
    }
  }

  /// The command `filecat` of this build, which lies beside the tests.
  static var filecat: String? {
    let own = Bundle.main.executablePath ?? CommandLine.arguments[0]
    let path = FilePath(own).removingLastComponent().appending("filecat").string
    return FileManager.default.isExecutableFile(atPath: path) ? path : nil
  }

  /// Whether this process may mount file systems.
  static let canMount: Bool = {
    let folder = NSTemporaryDirectory() + "/filecat-mount-\(UUID().uuidString)"
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    guard let mounted = try? run("mount", ["-t", "tmpfs", "none", folder]), mounted.status == 0
    else { return false }
    _ = try? run("umount", [folder])
    return true
  }()
}

/// Runs `body` while an empty file system of this size lies over a folder.
func withMountedFileSystem<Result>(
  at folder: FilePath, kilobytes: Int, _ body: () async throws -> Result
) async throws -> Result {
  let options = "size=\(kilobytes)k,mode=755"
  let mounted = try Subprocess.run("mount", ["-t", "tmpfs", "-o", options, "none", folder.string])
  if mounted.status != 0 { throw Errno.notPermitted }
  defer { _ = try? Subprocess.run("umount", ["-l", folder.string]) }
  return try await body()
}
