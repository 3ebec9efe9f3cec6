internal import FileCatalog
internal import FileSystem

/// A table that is kept current for all clients that show the same rows in the same order.
///
/// What takes time for millions of rows, whether two snapshots differ and in what, is found out once for all of them,
/// and on no thread that answers.
actor LiveTable {
  /// The rows as they were read last.
  struct Reading: Sendable {
    let snapshot: TableSnapshot
    /// Rises with each reading whose rows are not those of the one before.
    let version: Int
  }

  private let catalog: Catalog
  private let request: TableRequest
  private(set) var reading: Reading
  private var refreshing: Task<Void, any Error>?
  /// The last differences: many clients ask for the same one.
  private var differences: [(Difference, Task<TableDiff, Never>)] = []

  private struct Difference: Equatable {
    let from: CatalogMoment
    let to: CatalogMoment
    let shape: TableDiff.Shape
  }

  init(_ catalog: Catalog, _ request: TableRequest) async throws {
    self.catalog = catalog
    self.request = request
    reading = Reading(snapshot: try await catalog.snapshot(of: request), version: 1)
  }

  /// Reads the table again if the catalog has changed. One at a time: whoever comes meanwhile looks afterwards.
  ///
  /// - Throws: `CancellationError` where the one who waits is cancelled, while the reading goes on.
  func refresh() async throws {
    while let refreshing {
      _ = try? await refreshing.valueUnlessCancelled
      try Task.checkCancellation()
    }
    let task = Task {
      // Before it ends: who waits for it must not find it again.
      defer { refreshing = nil }
      try await read()
    }
    refreshing = task
    try await task.valueUnlessCancelled
  }

  private func read() async throws {
    let old = reading
    guard try await !old.snapshot.isCurrent() else { return }
    let new = try await catalog.snapshot(of: request)
    let isSame = await Blocking.run { new.hasSameRows(as: old.snapshot) }
    reading = Reading(snapshot: new, version: old.version + (isSame ? 0 : 1))
  }

  /// What lies between two of its snapshots.
  func difference(
    from old: TableSnapshot, to new: TableSnapshot, _ shape: TableDiff.Shape
  ) async -> TableDiff {
    let wanted = Difference(from: old.moment, to: new.moment, shape: shape)
    if let known = differences.first(where: { $0.0 == wanted }) { return await known.1.value }
    let diff = Task { await Blocking.run { old.diff(to: new, shape: shape) } }
    differences = [(wanted, diff)] + differences.prefix(3)
    return await diff.value
  }
}
