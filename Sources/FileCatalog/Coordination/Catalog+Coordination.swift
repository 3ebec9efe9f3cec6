public import FileCoordination
internal import FileSystem
internal import Logging
internal import StandardDirectories
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
  ///   - protection: whether it deletes what the roles of registered containers protect: documents, preferences,
  ///     and whatever else the system may not delete by itself. It throws `protected` where it does not.
  public func coordinator(
    origin: ChangeOrigin = .unique(), writeConcern: WriteConcern = .durable,
    timeout: Duration = .seconds(60), trash: Trash = Trash(),
    protection: RoleProtection = .respected
  ) -> FileCoordinator {
    let places = CatalogProtection { [store] in
      try store.isMissing ? [] : store.read { try ContainerTable($0).all().map(\.container) }
    }
    return FileCoordinator(
      writeConcern: writeConcern, timeout: timeout, trash: trash,
      observer: CoordinationFollower(catalog: self, origin: origin),
      deletionGuard: protection == .respected ? places : nil)
  }

  /// Reads again what holds these items, which a coordinator has changed.
  ///
  /// - Parameters:
  ///   - items: paths without symbolic links.
  ///   - origin: whose the changes of the items are, and of nothing else.
  func follow(_ items: [FilePath], by origin: ChangeOrigin) async throws -> [ScanSummary] {
    var request = ScanRequest(jobs: 1)
    request.origin = origin
    request.originShare = .claimed
    let ticket = ownWrites.claim(items, for: origin)
    defer { withExtendedLifetime(ticket) {} }
    var summaries: [ScanSummary] = []
    for target in try await targets(around: items) {
      // A root that is an item itself has lost what the coordinator took away.
      if case .whole = target.scope { request.loss = .accepted } else { request.loss = .refused }
      summaries.append(try await scan(target, request) { _ in })
    }
    return summaries
  }

  /// The directories that the items are in, root by root, and the roots that are items or inside of
  /// one. Of those the ones that are gone are marked as offline.
  private func targets(around items: [FilePath]) async throws -> [ScanTarget] {
    let locations = try knownRoots().map(\.location)
    var targets: [ScanTarget] = []
    for directory in Set(items.map { $0.removingLastComponent() }) {
      for location in locations where location.path.contains(directory) {
        let part = ScanScope.Part(directory, below: location.path, extent: .children)
        ScanTarget(location, .parts([part])).add(to: &targets)
      }
    }
    for location in locations where items.contains(where: { $0.contains(location.path) }) {
      if location.path.resolved == nil {
        try await markOffline(location)
      } else {
        ScanTarget(location, .whole).add(to: &targets)
      }
    }
    return targets
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
      // Beside what was claimed before: the places in the trash.
      _ = try await catalog.follow(changes.flatMap(\.places), by: origin)
    } catch {
      Self.logger.warning("the catalog could not follow a write: \(error)")
    }
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
