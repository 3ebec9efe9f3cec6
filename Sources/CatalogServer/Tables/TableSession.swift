internal import FileCatalog

/// A table that one client has opened.
///
/// Its generation rises with each change of its rows or of what it shows. A client knows the rows of the
/// generation that it was last told of, and hears what leads from there to the present: however much
/// happened, that is one difference.
actor TableSession {
  /// Rows with the number of their generation.
  struct Generation: Sendable {
    let number: Int
    fileprivate let reading: LiveTable.Reading
    fileprivate let key: String

    var snapshot: TableSnapshot { reading.snapshot }
  }

  let id: String
  let peer: String
  private(set) var question: TableQuestion
  private(set) var live: LiveTable
  private var current: Generation
  /// What the client was last told of.
  private(set) var told: Generation
  private(set) var lastUsed = ContinuousClock.now
  private var listeners = 0

  /// So many streams of events one table may have.
  static let listenerLimit = 4

  init(
    id: String, peer: String, _ question: TableQuestion, _ live: LiveTable,
    _ reading: LiveTable.Reading
  ) {
    self.id = id
    self.peer = peer
    self.question = question
    self.live = live
    current = Generation(number: 1, reading: reading, key: question.key)
    told = current
  }

  /// Since when nobody has asked for it; `nil` while somebody listens.
  var idleSince: ContinuousClock.Instant? { listeners == 0 ? lastUsed : nil }

  private func use() { lastUsed = .now }

  // MARK: - Rows

  /// The table as it is now, which the client knows from then on.
  func read() async -> (TableQuestion, Generation) {
    use()
    let now = await catchUp()
    told = now
    return (question, now)
  }

  /// The table as it is now.
  func catchUp() async -> Generation {
    let live = live
    let reading = await live.reading
    // Meanwhile it may have begun to show something else.
    guard live === self.live else { return current }
    if reading.snapshot.moment != current.snapshot.moment {
      let isSame = reading.version == current.reading.version
      current = Generation(
        number: current.number + (isSame ? 0 : 1), reading: reading, key: question.key)
      if told.number == current.number { told = current }
    }
    return current
  }

  /// Values of some rows, as they are now: what has changed since the generation is told as an update of it.
  ///
  /// - Parameter generation: the one that the client knows; `nil` for any.
  /// - Throws: the status 409 where the table has another by now.
  func rows(
    from first: Int, count: Int, generation: Int?
  ) async throws -> (Generation, [TableColumn], [[ColumnValue]]) {
    use()
    let now = await catchUp()
    if let generation, generation != now.number {
      var problem = Problem(
        409, "snapshot_too_old",
        "the table is at generation \(now.number), not \(generation) any more")
      problem.generation = now.number
      throw problem
    }
    let columns = [.entry(.id)] + question.columns.filter { $0 != .entry(.id) }
    let start = min(first, now.snapshot.count)
    let values = try await now.snapshot.presentValues(
      of: columns, in: start..<min(start + count, now.snapshot.count))
    if generation == nil { told = now }
    return (now, columns, values)
  }

  /// The row of an entry.
  func index(of find: @Sendable (TableSnapshot) async throws -> Int?) async throws -> Int? {
    use()
    var attempts = 3
    while true {
      attempts -= 1
      do {
        return try await find(await catchUp().snapshot)
      } catch let error as CatalogError where error.code == .snapshotTooOld && attempts > 0 {
        try await live.refresh()
      }
    }
  }

  // MARK: - Showing something else

  /// - Returns: the table that it has shown so far, which it does without now.
  func show(_ question: TableQuestion, _ live: LiveTable, _ reading: LiveTable.Reading) -> LiveTable
  {
    let old = self.live
    self.question = question
    self.live = live
    current = Generation(number: current.number + 1, reading: reading, key: question.key)
    use()
    return old
  }

  // MARK: - Events

  /// What a listener has to be told.
  enum News: Sendable {
    case nothing
    case diff(TableDiff, from: Generation, to: Generation)
    /// Too much has changed, or nobody knows what the listener has.
    case reset(Generation)
  }

  /// A larger difference is not told, but that everything is to be read again.
  static let largestDifference = 10_000

  /// Throws the status 429 where nobody more may listen.
  func requireRoomForListener() throws(Problem) {
    guard listeners < Self.listenerLimit else {
      throw Problem(
        429, "too_many_listeners", "the table has \(listeners) streams of events already")
    }
  }

  /// Begins to listen.
  ///
  /// - Parameter last: the generation that the listener knows, if it says so.
  /// - Returns: where it goes on from; `nil` where that is not known any more.
  func beginListening(after last: Int?) -> Generation? {
    listeners += 1
    use()
    guard let last else { return told }
    return [told, current].first { $0.number == last }
  }

  func endListening() {
    listeners -= 1
    use()
  }

  /// What has happened since a generation.
  func news(since old: Generation?, _ shape: TableDiff.Shape) async -> News {
    let now = await catchUp()
    guard let old else {
      told = now
      return .reset(now)
    }
    guard old.number != now.number else { return .nothing }
    told = now
    let diff: TableDiff
    if old.key == now.key {
      diff = await live.difference(from: old.snapshot, to: now.snapshot, shape)
    } else {
      // Something else is shown: of long tables hardly a row stays where it was.
      guard max(old.snapshot.count, now.snapshot.count) <= Self.largestDifference else {
        return .reset(now)
      }
      diff = old.snapshot.diff(to: now.snapshot, shape: shape)
    }
    return diff.changeCount > Self.largestDifference ? .reset(now) : .diff(diff, from: old, to: now)
  }
}
