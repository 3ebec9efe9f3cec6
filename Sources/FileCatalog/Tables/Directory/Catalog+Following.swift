internal import CatalogScan
internal import CatalogStore
internal import FileSystem
internal import SystemPackage

extension Catalog {
  /// Whether a directory was there when it was looked at.
  enum Presence: Sendable {
    case present, gone
  }

  /// Brings what the catalog knows of one directory up to date: what is right in it, and of what is new there
  /// everything.
  ///
  /// - Throws: ``/CatalogStore/CatalogError/Code/notARoot`` for a directory that is in no root.
  func follow(_ directory: FilePath, _ presence: Presence) async throws {
    let roots = try knownRoots().map(\.location)
    guard let root = roots.first(where: { $0.path.contains(directory) }) else {
      throw CatalogError(
        .notARoot, path: directory, "\(directory.string) is in no root of the catalog")
    }
    var directory = directory
    if presence == .gone {
      if directory == root.path { return try await markOffline(root) }
      // What is gone shows in what was around it.
      repeat {
        directory.removeLastComponent()
      } while directory != root.path && directory.resolved != directory
    }
    let part = ScanScope.Part(directory, below: root.path, extent: .children)
    _ = try await scan(ScanTarget(root, .parts([part])), ScanRequest(jobs: 1)) { _ in }
  }
}
