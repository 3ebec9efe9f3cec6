internal import Console
internal import FileCatalog
internal import HTTPTypes

/// What happens to the catalog as a whole.
struct CatalogEvents: Sendable {
  let catalog: Catalog
  let follower: CatalogFollower

  /// Of a scan that changed more, the rest is not told.
  private static let changesOfScan = 1000
  /// Of so many scans at a time changes are told.
  private static let scansAtOnce = 20

  var endpoint: Endpoint {
    Endpoint(
      .get, "\(EntryEndpoints.root)/events",
      "What scans change: `change` for each change, `more` where there are too many, `state` after each",
      reply: .events
    ) { ask in
      let last = ask.fields[.lastEventID].flatMap { Int64($0) }
      return Answer(
        fields: [.contentType: "text/event-stream"],
        body: .events { try await write(after: last, to: $0) })
    }
  }

  private func write(after last: Int64?, to writer: EventWriter) async throws {
    let rings = follower.bell.rings()
    var stamp = await follower.stamp
    var scan = min(last ?? stamp.lastScan, stamp.lastScan)
    var pulse = Pulse()
    try await writer.comment("listening")
    var iterator = rings.makeAsyncIterator()
    var isBehind = scan < stamp.lastScan
    repeat {
      let now = await follower.stamp
      if isBehind || now != stamp {
        try await tell(from: scan, to: now, writer)
        (stamp, scan, isBehind) = (now, now.lastScan, false)
        pulse.note()
      }
      if pulse.isDue {
        try await writer.comment("here")
        pulse.note()
      }
    } while await iterator.next() != nil
  }

  private func tell(
    from scan: Int64, to stamp: CatalogStamp, _ writer: EventWriter
  ) async throws {
    if stamp.lastScan - scan > Self.scansAtOnce {
      try await writer.send("more", id: stamp.lastScan, try await catalog.stateEvent(stamp))
    } else if scan < stamp.lastScan {
      let columns = JSONRows(columns: Change.printedColumns)
      for number in (scan + 1)...stamp.lastScan {
        var filter = ChangeFilter()
        filter.limit = Self.changesOfScan + 1
        let changes =
          (try? await catalog.changes(
            since: .scan(ScanID(rawValue: number - 1)), until: .scan(ScanID(rawValue: number)),
            filter: filter)) ?? []
        for change in changes.prefix(Self.changesOfScan) {
          var data: [UInt8] = []
          columns.append(change.cells, to: &data)
          try await writer.send("change", id: number, data)
        }
        if changes.count > Self.changesOfScan {
          try await writer.send("more", id: number, try await catalog.stateEvent(stamp))
        }
      }
    }
    try await writer.send("state", id: stamp.lastScan, try await catalog.stateEvent(stamp))
  }
}
