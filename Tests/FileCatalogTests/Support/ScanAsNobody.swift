import FileCatalog
import SystemPackage
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
    let command = try #require(Subprocess.filecat)
    let folder = lab.catalog.path.removingLastComponent()
    // Both folders are private to whoever made them.
    chmod(lab.tree.path.removingLastComponent().string, 0o755)
    try TestTree(path: folder).make([.mode("", 0o755)])
    let identity = ["--reuid=65534", "--regid=65534", "--clear-groups"]
    _ = try Subprocess.run("chown", ["-R", "65534:65534", folder.string])
    let outcome = try Subprocess.run(
      "setpriv",
      identity + [command, "--catalog", lab.catalog.path.string, "scan", lab.tree.path.string])
    #expect(outcome.status == 3, "\(outcome.errors)")
  }
}
