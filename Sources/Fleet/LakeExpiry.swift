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
    /// Why records could not be read. Of their catalogs nothing was removed, as nobody knows what follows.
    public var faults: [FleetError] = []
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
    var expired = Expired()
    let publications = try store.publications()
    let compactions = try expired.known(reader.compactions())
    // Whoever has seen no record of them may still be reading what they tell.
    let told = CompactionRecord.ends(
      of: compactions?.filter { isOver($0.made, retention.leftovers) } ?? [])
    var records: [FilePath] = []
    var files: [FilePath] = []
    for (catalog, numbers) in publications {
      guard let known = try expired.known(reader.records(numbers.map { (catalog, $0) })),
        let full = known.last(where: { $0.kind == .full })
      else { continue }
      for record in known where record.publication < full.publication {
        let isReplaced = isOver(full.published, retention.states)
        let isCompacted = record.publication <= told[catalog] ?? 0
        let isForgotten =
          isOver(record.published, retention.history) || isReplaced && isCompacted
        if isForgotten { records.append(Self.place(ofCommit: record.publication, catalog)) }
        files += record.files.map(\.table)
          .filter { isForgotten || ($0.isState ? isReplaced : isCompacted) }
          .map { Self.place(of: $0, catalog, record.publication) }
      }
    }
    for compaction in compactions ?? []
    where compaction.number > 0 && isOver(compaction.newest, retention.history) {
      records.append(Self.place(ofCompaction: compaction.number))
      files += compaction.files.map { compaction.place(of: $0) }
    }
    var leftovers = try FleetStatus.leftovers(in: store, besides: publications)
    if let compactions { leftovers += try store.compactionLeftovers(besides: compactions) }
    let abandoned = try zip(leftovers, store.status(of: leftovers)).filter { _, status in
      status.map { isOver($0.modified, retention.leftovers) } == true
    }
    for files in [records, files, abandoned.map(\.0)] {
      let found = try zip(files, store.status(of: files)).filter { $0.1 != nil }
      try store.remove(found.map(\.0))
      expired.files += found.count
      expired.size += found.reduce(0) { $0 + ($1.1?.size ?? 0) }
    }
    return expired
  }
}

extension Lake.Expired {
  /// All of some records; `nil` where one of them could not be read.
  fileprivate mutating func known<Record>(
    _ results: [Result<Record, FleetError>]
  ) -> [Record]? {
    var records: [Record] = []
    for result in results {
      switch result {
      case .success(let record): records.append(record)
      case .failure(let error): faults.append(error)
      }
    }
    return records.count == results.count ? records : nil
  }
}
