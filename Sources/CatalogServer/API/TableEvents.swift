internal import Console
internal import FileCatalog

/// What one listener of a table is told.
///
/// What is to be told is found out when the listener has taken what came before: so nothing piles up.
struct TableEvents: Sendable {
  let catalog: Catalog
  let session: TableSession
  let follower: CatalogFollower
  let shape: TableDiff.Shape

  /// - Parameter last: the generation that the listener knows, if it says so.
  func write(after last: Int?, to writer: EventWriter) async throws {
    let start = await session.beginListening(after: last)
    let rings = follower.bell.rings()
    do {
      try await writeAll(from: start, to: writer, rings)
    } catch {
      await session.endListening()
      throw error
    }
    await session.endListening()
  }

  private func writeAll(
    from start: TableSession.Generation?, to writer: EventWriter, _ rings: AsyncStream<Void>
  ) async throws {
    var known = start
    var seen = SeenStamp(stamp: await follower.stamp)
    var pulse = Pulse()
    try await writer.comment("listening")
    // What has changed before is told at once.
    var iterator = rings.makeAsyncIterator()
    repeat {
      switch await session.news(since: known, shape) {
      case .nothing:
        let now = await follower.stamp
        if seen.isNews(now) {
          let number = known?.number ?? 1
          try await writer.send("state", id: Int64(number), try await catalog.stateEvent(now))
          pulse.note()
        }
      case .diff(let diff, let old, let new):
        try await writer.send("diff", id: Int64(new.number), Self.diff(diff, old, new))
        known = new
        seen.noteChange(await follower.stamp)
        pulse.note()
      case .reset(let new):
        try await writer.send("reset", id: Int64(new.number), Self.reset(new))
        known = new
        seen.noteChange(await follower.stamp)
        pulse.note()
      }
      if pulse.isDue {
        try await writer.comment("here")
        pulse.note()
      }
    } while await iterator.next() != nil
  }

  // MARK: - Data

  private static func reset(_ new: TableSession.Generation) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.member("generation", .integer(Int64(new.number)))
      json.member("count", .integer(Int64(new.snapshot.count)))
    }
    return json.bytes
  }

  private static func diff(
    _ diff: TableDiff, _ old: TableSession.Generation, _ new: TableSession.Generation
  ) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.member("generation", .integer(Int64(new.number)))
      json.member("from_generation", .integer(Int64(old.number)))
      json.member("count", .integer(Int64(new.snapshot.count)))
      json.member("shape", diff.shape == .full ? "full" : "batch")
      json.member("deletions", ranges: diff.deletions)
      json.member("insertions", ranges: diff.insertions)
      json.member("updates", ranges: diff.updates)
      json.member(
        "moves",
        .list(diff.moves.map { .list([.integer(Int64($0.from)), .integer(Int64($0.to))]) }))
    }
    return json.bytes
  }
}

/// Which state of the catalog a listener knows. A table is read again before the follower has the stamp of the new
/// state, so that the change of the table is told first, and the state need not be.
private struct SeenStamp {
  private var stamp: CatalogStamp
  /// Whether the table has changed since.
  private var hasChanged = false

  init(stamp: CatalogStamp) { self.stamp = stamp }

  mutating func noteChange(_ now: CatalogStamp) {
    hasChanged = now == stamp
    stamp = now
  }

  /// Whether the state is another, and nothing of it has been told.
  mutating func isNews(_ now: CatalogStamp) -> Bool {
    guard now != stamp else { return false }
    defer { hasChanged = false }
    stamp = now
    return !hasChanged
  }
}

/// When a listener has to hear something, so that it is known to be there.
struct Pulse {
  private static let time = Duration.seconds(14)
  private var last = ContinuousClock.now

  var isDue: Bool { ContinuousClock.now - last >= Self.time }
  mutating func note() { last = .now }
}

extension JSONWriter {
  /// Writes ascending indexes as pairs: the first and the last of those that follow each other.
  fileprivate mutating func member(_ name: String, ranges indexes: [Int]) {
    var ranges: [(Int, Int)] = []
    for index in indexes {
      if let last = ranges.last, last.1 + 1 == index {
        ranges[ranges.count - 1].1 = index
      } else {
        ranges.append((index, index))
      }
    }
    member(name, .list(ranges.map { .list([.integer(Int64($0.0)), .integer(Int64($0.1))]) }))
  }
}

extension Catalog {
  /// What is told when the catalog is another.
  func stateEvent(_ stamp: CatalogStamp) async throws -> [UInt8] {
    let roots = try await roots()
    var json = JSONWriter()
    json.object { json in
      json.member("scan_id", .integer(stamp.lastScan))
      json.member("at", .integer(roots.compactMap(\.lastScanAt).max() ?? 0))
      json.member("roots", .list(roots.map { .text(bytes: $0.path.bytes) }))
    }
    return json.bytes
  }
}
