import SystemPackage
import TestSupport

extension CommandRunner {
  /// The command of this build, where there is one.
  static let filecat = built("filecat")

  /// Starts a scan by the command in a process of its own.
  static func scan(_ root: FilePath, into catalog: FilePath) throws -> RunningCommand {
    guard let filecat else { throw Errno.noSuchFileOrDirectory }
    return try filecat.start(["--catalog", catalog.string, "scan", root.string, "--allow-empty"])
  }
}
