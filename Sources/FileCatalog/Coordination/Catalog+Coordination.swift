public import FileCoordination
internal import FileSystem
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
  /// What a registered container has only to be read, such as its resources, is not changed: writing, moving and
  /// deleting it, or a directory around it, throws ``/FileCoordination/CoordinationError/Code/readOnly``.
  ///
  /// - Parameters:
  ///   - origin: marks the changes in the history, so that ``changeSets(since:leavingOut:)`` and
  ///     ``ObservedTable`` can do without them. ``watch(_:request:options:)`` never tells of them: the
  ///     catalog has them before it looks.
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

  func coordinator(_ coordinator: FileCoordinator, readOnlyAmong items: [FilePath]) -> FilePath? {
    do {
      return try catalog.readOnlyPlaces().first(among: items)
    } catch {
      Self.logger.warning("the catalog could not say what is only read: \(error)")
      return nil
    }
  }

  func coordinator(
    _ coordinator: FileCoordinator, willChange items: [FilePath]
  ) -> (any AnyObject & Sendable)? {
    catalog.ownWrites.claim(items, for: origin)
  }

  func coordinator(_ coordinator: FileCoordinator, didCommit changes: [CoordinatedChange]) async {
    do {
      var request = ScanRequest(jobs: 1)
      request.origin = origin
      request.originShare = .claimed
      let items = changes.flatMap(\.places)
      // Beside what was claimed before: the places in the trash.
      let ticket = catalog.ownWrites.claim(items, for: origin)
      defer { withExtendedLifetime(ticket) {} }
      for target in try await targets(of: items) {
        // A root that is an item itself has lost what the coordinator took away.
        if case .whole = target.scope { request.loss = .accepted } else { request.loss = .refused }
        _ = try await catalog.scan(target, request) { _ in }
      }
    } catch {
      Self.logger.warning("the catalog could not follow a write: \(error)")
    }
  }

  /// The directories that the items are in, root by root, and the roots that are items or inside of
  /// one. Of those the ones that are gone are marked as offline.
  private func targets(of items: [FilePath]) async throws -> [ScanTarget] {
    let roots = try catalog.knownRoots()
    var targets: [ScanTarget] = []
    for path in Set(items) {
      let directory = path.removingLastComponent()
      for location in roots.map(\.location) {
        if location.path.contains(directory) {
          let part = ScanScope.Part(directory, below: location.path, extent: .children)
          ScanTarget(location, .parts([part])).add(to: &targets)
        } else if path.contains(location.path) {
          if location.path.resolved == nil {
            try await catalog.markOffline(location)
          } else {
            ScanTarget(location, .whole).add(to: &targets)
          }
        }
      }
    }
    return targets
  }
}

extension CoordinatedChange {
  /// Every place where something is different now, without symbolic links.
  fileprivate var places: [FilePath] {
    let inTrash = [trashedItem?.path, trashedItem?.informationPath].compactMap { item in
      item.flatMap { path in
        path.lastComponent.flatMap { path.removingLastComponent().resolved?.appending($0) }
      }
    }
    return [path] + [previousPath].compactMap(\.self) + inTrash
  }
}
