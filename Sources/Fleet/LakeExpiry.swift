internal import SystemPackage

extension Lake {
  /// How long is kept what nobody needs to know the last state.
  public struct Retention: Sendable {
    /// How many days after a full publication the entries of those before it are kept: somebody may be
    /// reading them.
    public var states = 7
    /// How many days changes and growth are kept, which say what came when.
    public var history = 56
    /// After how many days a file that no record names is taken for left behind.
    public var leftovers = 1

    /// Entries for a week, history for eight weeks, files that no record names for a day.
    public init() {}
  }

  /// What ``expire(_:now:)`` has removed.
  public struct Expired: Sendable, Hashable {
    public var files = 0
    /// How many bytes they had.
    public var size: Int64 = 0
  }

  /// Removes what is not kept any longer. The last full publication of a catalog and those after it stay.
  ///
  /// Records go before their files: whoever reads meanwhile sees all of a publication or none of it.
  ///
  /// - Parameter now: seconds since 1970.
  /// - Throws: ``FleetError``.
  public func expire(_ retention: Retention, now: Int64) throws -> Expired {
    let store = try store()
    let reader = try CommitReader(self, store)
    func isOver(_ time: Int64, _ days: Int) -> Bool { time < now - Int64(days) * 86_400 }
    let publications = try store.publications()
    var records: [FilePath] = []
    var tables: [FilePath] = []
    for (catalog, numbers) in publications {
      // Where a record cannot be read nobody knows what follows from it.
      let known = try reader.records(numbers.map { (catalog, $0) }).map { try $0.get() }
      guard let full = known.last(where: { $0.kind == .full }) else { continue }
      for record in known where record.publication < full.publication {
        let isForgotten = isOver(record.published, retention.history)
        if isForgotten { records.append(Self.place(ofCommit: record.publication, catalog)) }
        guard isForgotten || isOver(full.published, retention.states) else { continue }
        tables += record.files.map(\.table).filter { isForgotten || $0.isState }
          .map { Self.place(of: $0, catalog, record.publication) }
      }
    }
    let leftovers = try FleetStatus.leftovers(in: store, besides: publications)
    let abandoned = try zip(leftovers, store.status(of: leftovers)).filter { _, status in
      status.map { isOver($0.modified, retention.leftovers) } == true
    }
    var expired = Expired()
    for files in [records, tables, abandoned.map(\.0)] {
      let found = try zip(files, store.status(of: files)).filter { $0.1 != nil }
      try store.remove(found.map(\.0))
      expired.files += found.count
      expired.size += found.reduce(0) { $0 + ($1.1?.size ?? 0) }
    }
    return expired
  }
}
