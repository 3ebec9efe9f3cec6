import FileCatalog
import SystemPackage
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Scans with the rights of an ordinary user, even where the tests run as root.
enum ScanAsNobody {
  static func scan(_ lab: Laboratory) async throws {
    guard getuid() == 0 else {
      _ = try await lab.catalog.scan([lab.tree.path])
      return
    }
    let command = try #require(CommandRunner.filecat)
    let directory = lab.catalog.path.removingLastComponent()
    // Both directories are private to whoever made them.
    chmod(lab.tree.path.removingLastComponent().string, 0o755)
    try TemporaryDirectory(at: directory).make([.mode("", 0o755)])
    try CommandRunner("chown").run(["-R", "65534:65534", directory.string])
    let outcome = try command.asNobody().run([
      "--catalog", lab.catalog.path.string, "scan", lab.tree.path.string,
    ])
    #expect(outcome.status == 3, "\(outcome.errors)")
  }
}
