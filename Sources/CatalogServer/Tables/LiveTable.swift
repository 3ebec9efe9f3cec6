internal import FileCatalog

/// A table that is kept current for all clients that show the same rows in the same order.
actor LiveTable {
  let observed: ObservedTable
  /// The last differences: many clients ask for the same one.
  private var differences: [(Difference, TableDiff)] = []

  private struct Difference: Equatable {
    let from: CatalogMoment
    let to: CatalogMoment
    let shape: TableDiff.Shape
  }

  init(_ catalog: Catalog, _ request: TableRequest) async throws {
    // Nobody looks but the one who tells all tables of a change.
    var options = ObservedTable.Options()
    options.pollInterval = .seconds(86_400)
    observed = try await ObservedTable(catalog, request, options: options)
  }

  /// The table as it is now.
  nonisolated var snapshot: TableSnapshot { get async { await observed.snapshot } }

  /// Reads the table again if the catalog has changed.
  func refresh() async throws {
    guard try await !observed.snapshot.isCurrent() else { return }
    try await observed.refresh()
  }

  /// What lies between two of its snapshots.
  func difference(
    from old: TableSnapshot, to new: TableSnapshot, _ shape: TableDiff.Shape
  ) -> TableDiff {
    let wanted = Difference(from: old.moment, to: new.moment, shape: shape)
    if let known = differences.first(where: { $0.0 == wanted }) { return known.1 }
    let diff = old.diff(to: new, shape: shape)
    differences = [(wanted, diff)] + differences.prefix(3)
    return diff
  }

  func close() async { await observed.cancel() }
}
