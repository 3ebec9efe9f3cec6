internal import FileCatalog

/// Follows the catalog: reads tables again when somebody has written to it, and wakes those who listen.
actor CatalogFollower {
  private let catalog: Catalog
  private let shelf: TableShelf
  nonisolated let bell = Bell()
  /// What answers depend on, as of the last look.
  private(set) var stamp: CatalogStamp

  /// How often it is looked whether anybody has written.
  private static let interval = Duration.milliseconds(100)
  /// How long a burst of commits is waited for.
  private static let pause = Duration.milliseconds(60)
  /// How often everybody is woken for nothing, to see who is still there.
  private static let pulse = Duration.seconds(5)

  init(_ catalog: Catalog, _ shelf: TableShelf) async throws {
    self.catalog = catalog
    self.shelf = shelf
    stamp = try await catalog.stamp()
  }

  /// Goes on until the task is cancelled.
  func run() async throws {
    let commits = try catalog.commits(every: Self.interval)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { [self] in
        // What was written before the counter was there.
        try? await look()
        for await _ in commits {
          try? await Task.sleep(for: Self.pause)
          try? await look()
        }
      }
      group.addTask { [shelf, bell] in
        while !Task.isCancelled {
          try await Task.sleep(for: Self.pulse)
          await shelf.closeIdle()
          bell.ring()
        }
      }
      try await group.waitForAll()
    }
  }

  private func look() async throws {
    let new = try await catalog.stamp()
    guard new != stamp else { return }
    // Those who look at a table that is ready hear of it.
    await shelf.refresh { [bell] in bell.ring() }
    stamp = new
    bell.ring()
  }
}
