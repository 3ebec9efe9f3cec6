public import FileSystem
internal import Logging
internal import SystemPackage

extension Catalog {
  /// A coordinator whose writes the catalog follows: when an operation returns, the row, the totals
  /// and the history have what it did.
  ///
  /// What lies in no root of the catalog is none of its business. A package is one entry and one
  /// change. If the catalog cannot be written to, the file operation succeeds all the same, and the
  /// next scan finds what it did.
  ///
  /// - Parameters:
  ///   - origin: marks the changes in the history, so that ``changeSets(since:leavingOut:)`` can do
  ///     without them.
  ///   - writeConcern: what has to be true when a write returns.
  ///   - timeout: how long to wait for items that others hold.
  ///   - trash: where deleted items go.
  public func coordinator(
    origin: ChangeOrigin = .unique(), writeConcern: WriteConcern = .durable,
    timeout: Duration = .seconds(60), trash: Trash = Trash()
  ) -> FileCoordinator {
    FileCoordinator(
      writeConcern: writeConcern, timeout: timeout, trash: trash,
      observer: CoordinationFollower(catalog: self, origin: origin))
  }
}

/// Brings the catalog up to date with what a coordinator has done.
private struct CoordinationFollower: CoordinationObserver {
  let catalog: Catalog
  let origin: ChangeOrigin

  private static let logger = Logger(label: "FileCatalog.Coordination")

  func coordinator(_ coordinator: FileCoordinator, didCommit changes: [CoordinatedChange]) async {
    do {
      var request = ScanRequest(jobs: 1)
      request.origin = origin
      for target in try targets(of: changes) {
        _ = try await catalog.scan(target, request) { _ in }
      }
    } catch {
      Self.logger.warning("the catalog could not follow a write: \(error)")
    }
  }

  /// The directories that the changes were made in, root by root.
  private func targets(of changes: [CoordinatedChange]) throws -> [ScanTarget] {
    let roots = try catalog.knownRoots()
    var targets: [ScanTarget] = []
    for path in Set(changes.flatMap { [$0.path, $0.previousPath].compactMap(\.self) }) {
      let directory = path.removingLastComponent()
      guard let root = roots.first(where: { $0.location.path.contains(directory) }) else {
        continue
      }
      let part = ScanScope.Part(directory, below: root.location.path, extent: .children)
      ScanTarget(root.location, .parts([part])).add(to: &targets)
    }
    return targets
  }
}
