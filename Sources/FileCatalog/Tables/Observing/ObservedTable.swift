internal import FileSystem
internal import SQLite
internal import SystemPackage

/// A table that stays current: it follows the scans of this process and of any other that writes to
/// the same catalog, and tells what changes by index.
///
/// ```swift
/// let table = try await ObservedTable(catalog, TableRequest(Query(.kind(.image))))
/// for await event in table.events {
///   guard case .changed(let change) = event else { continue }
///   list.apply(change.diff, rows: change.new)
/// }
/// ```
///
/// A row is updated when a scan has seen the entry changed, and when further values differ that the request
/// asks for (``TableRequest/columns``), whoever has written them: a scan, the reading of files after it, or
/// somebody who sets a tag.
///
/// The first snapshot is silent, and so is every scan after which the rows are what they were. Changes
/// that come in a burst are told together. What an observer did not fetch yet is told in one diff from
/// what it saw last, so one that is slow misses nothing and piles up nothing.
///
/// Whoever writes through ``Catalog/coordinator(origin:writeConcern:timeout:trash:protection:)`` and knows what it
/// wrote can leave out its own origin: the table follows these writes without an event, and events tell
/// of the rest alone.
///
/// Events end after ``cancel()``, and when the table is let go: they do not keep it alive.
public actor ObservedTable {
  /// How a table is observed.
  public struct Options: Sendable {
    /// How diffs tell updates.
    public var shape: TableDiff.Shape
    /// How long the catalog must have been left alone before a change is told.
    public var delay: Duration
    /// The longest a change waits while the catalog is being changed on and on.
    public var maximumDelay: Duration
    /// How often the catalog is asked whether anybody has written to it.
    public var pollInterval: Duration

    /// Waits for a fifth of a second without changes, but no longer than a second.
    public init(
      shape: TableDiff.Shape = .full, delay: Duration = .milliseconds(200),
      maximumDelay: Duration = .seconds(1), pollInterval: Duration = .milliseconds(50)
    ) {
      self.shape = shape
      self.delay = delay
      self.maximumDelay = maximumDelay
      self.pollInterval = pollInterval
    }
  }

  /// The table as it is now.
  public var snapshot: TableSnapshot { loaded.table }
  /// What the table shows.
  public private(set) var request: TableRequest
  /// Tests that rows must pass besides the query.
  public private(set) var filters: [Catalog.EntryFilter]

  private let catalog: Catalog
  private let options: Options
  private let ownOrigin: ChangeOrigin?
  private let writes: WriteCounter
  private let signals: AsyncStream<Void>
  private let signal: AsyncStream<Void>.Continuation
  /// A table, and how many times something else was shown before.
  private struct Shown {
    var table: TableSnapshot
    let number: Int
  }

  private var loaded: Shown
  /// What the observer saw last, and what it has done itself since.
  private var delivered: Shown
  /// How many times something else has been shown.
  private var shownNumber = 0
  private var failure: CatalogError?
  private var lastFailure: String?
  private var isCancelled = false
  private var batches = 0
  private var writesSeen: Int64
  private var debounce: Debounce<ContinuousClock.Instant>
  private var watch: Task<Void, Never>?
  /// The last of the loads, which run one after the other.
  private var loading: Task<Void, any Error>?

  /// Takes the first snapshot and begins to watch.
  ///
  /// - Parameters:
  ///   - request: the query, the scope and the order, and the columns of further values that rows have. Its
  ///     limit, offset and other columns play no part.
  ///   - filters: tests that each row must pass besides the query; see
  ///     ``Catalog/snapshot(of:filters:firstPage:)``.
  ///   - origin: whose changes to leave out: those that one makes oneself. ``ObservedTable/Update/old`` has
  ///     them, as if they had been told. An entry that others have changed as well is told of.
  public init(
    _ catalog: Catalog, _ request: TableRequest, filters: [Catalog.EntryFilter] = [],
    leavingOut origin: ChangeOrigin? = nil, options: Options = Options()
  ) async throws {
    // The catalog must exist for its writes to be counted, and the count must be older than the
    // snapshot.
    _ = try await catalog.read { try CatalogState(in: $0) }
    do {
      writes = try WriteCounter(catalog.store)
      writesSeen = try await writes.value()
    } catch {
      throw CatalogError(error, path: catalog.path)
    }
    let first = try await catalog.snapshot(of: request, filters: filters)
    self.catalog = catalog
    self.request = request
    self.filters = filters
    self.options = options
    ownOrigin = origin
    loaded = Shown(table: first, number: 0)
    delivered = loaded
    debounce = Debounce(delay: options.delay, limit: options.maximumDelay)
    (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    watch = Task { [weak self, interval = options.pollInterval] in
      while !Task.isCancelled {
        try? await Task.sleep(for: interval)
        guard let self, await self.look() else { return }
      }
    }
  }

  deinit {
    watch?.cancel()
    signal.finish()
    writes.close()
  }

  // MARK: - What observers see

  /// What happens to the table from now on. One loop at a time: two would share the events.
  public nonisolated var events: Events { Events(table: Reference(self), signals: signals) }

  /// Ends the events: none comes after this has returned.
  public func cancel() {
    isCancelled = true
    watch?.cancel()
    loading?.cancel()
    signal.finish()
  }

  /// Events of a table, one after the other.
  public struct Events: AsyncSequence, Sendable {
    fileprivate let table: Reference
    fileprivate let signals: AsyncStream<Void>

    /// Begins to fetch events.
    public func makeAsyncIterator() -> Iterator {
      Iterator(table: table, signals: signals.makeAsyncIterator())
    }

    /// Fetches events of a table.
    public struct Iterator: AsyncIteratorProtocol {
      fileprivate let table: Reference
      fileprivate var signals: AsyncStream<Void>.Iterator

      /// The next event; `nil` once the table is cancelled or gone, or the task is cancelled.
      public mutating func next() async -> ObservedTable.Event? {
        while !Task.isCancelled {
          if let event = await table.target?.takeEvent() { return event }
          guard await signals.next() != nil else { return nil }
        }
        return nil
      }
    }
  }

  /// A reference that does not keep the table alive.
  fileprivate struct Reference: Sendable {
    weak let target: ObservedTable?

    init(_ target: ObservedTable) {
      self.target = target
    }
  }

  private func takeEvent() -> ObservedTable.Event? {
    guard !isCancelled, batches == 0 else { return nil }
    if let failure {
      self.failure = nil
      return .failed(failure)
    }
    let old = delivered.table
    delivered = loaded
    if old.hasSameRows(as: snapshot) { return nil }
    return .changed(
      ObservedTable.Update(
        old: old, new: snapshot, diff: old.diff(to: snapshot, shape: options.shape)))
  }

  // MARK: - What makes it change

  /// Shows something else, and tells the difference as any other.
  ///
  /// - Throws: when the table cannot be read in this way; it stays as it was.
  public func show(
    _ request: TableRequest, filters: [Catalog.EntryFilter]? = nil
  ) async throws {
    // What has been written so far is left out of the table as it was, not of the difference.
    if ownOrigin != nil, try await !snapshot.isCurrent() { try? await load() }
    let old = (self.request, self.filters)
    self.request = request
    self.filters = filters ?? self.filters
    shownNumber += 1
    do {
      try await load()
    } catch {
      (self.request, self.filters) = old
      throw error
    }
  }

  /// Shows the same rows in another order.
  public func setOrder(_ order: SortOrder) async throws {
    var request = request
    request.order = order
    try await show(request)
  }

  /// Shows the rows that match another query.
  public func setQuery(_ query: Query) async throws {
    var request = request
    request.query = query
    try await show(request)
  }

  /// Shows the rows that pass other tests.
  public func setFilters(_ filters: [Catalog.EntryFilter]) async throws {
    try await show(request, filters: filters)
  }

  /// Reads the table at once, instead of when the catalog has been left alone for a while.
  ///
  /// - Returns: how the table differs from what it was, whoever has changed it; empty when nothing has.
  @discardableResult
  public func refresh() async throws -> TableDiff {
    let old = snapshot
    try await load()
    return old.diff(to: snapshot, shape: options.shape)
  }

  /// Does something that changes the catalog several times, and tells all of it in one event.
  ///
  /// What others write meanwhile is told with it.
  public func performBatch<Result: Sendable>(
    _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    batches += 1
    let outcome: Swift.Result<Result, any Error>
    do {
      outcome = .success(try await body())
    } catch {
      outcome = .failure(error)
    }
    batches -= 1
    if batches == 0 { try await load() }
    return try outcome.get()
  }

  /// Looks whether anybody has written, and whether it is time to read the table.
  ///
  /// - Returns: whether to go on looking.
  private func look() async -> Bool {
    guard !isCancelled else { return false }
    do {
      let count = try await writes.value()
      let now = ContinuousClock.now
      if count != writesSeen {
        writesSeen = count
        debounce.note(at: now)
      }
      guard batches == 0, let due = debounce.due, due <= now else { return !isCancelled }
      debounce.clear()
      if try await !snapshot.isCurrent() { try await load() }
      lastFailure = nil
    } catch {
      report(error)
    }
    return !isCancelled
  }

  /// Tells of a failure, once as long as it stays the same.
  private func report(_ error: any Error) {
    let new = CatalogError(error, path: catalog.path)
    guard !isCancelled, new.description != lastFailure else { return }
    lastFailure = new.description
    failure = new
    signal.yield()
  }

  /// Reads the table, after any reading that goes on already: what is read last is the newest.
  private func load() async throws {
    let task = Task { [loading] in
      _ = await loading?.result
      let number = shownNumber
      let new = Shown(
        table: try await catalog.snapshot(of: request, filters: filters), number: number)
      let known = try await adoptingOwnChanges(from: new)
      guard !isCancelled else { return }
      loaded = new
      let isTold = known.hasSameRows(as: new.table)
      delivered = isTold ? new : Shown(table: known, number: delivered.number)
      if !isTold { signal.yield() }
    }
    loading = task
    try await task.value
  }

  /// What the observer saw last, with what it has done itself until a later state.
  private func adoptingOwnChanges(from new: Shown) async throws -> TableSnapshot {
    guard let ownOrigin else { return delivered.table }
    while true {
      let told = delivered.table.lastScan
      // What was adopted before stands where the order of that time had it, and is adopted again: else it
      // could be one of two that have changed places. In another order it has its place from that.
      let first = delivered.number == new.number ? told : snapshot.lastScan
      let changes = OwnChanges(
        origin: ownOrigin, adopted: first, told: told, last: new.table.lastScan)
      let own = try await catalog.read { try changes.entries(in: $0) }
      // Meanwhile an event may have been fetched.
      if delivered.table.lastScan == told {
        return own.isEmpty ? delivered.table : delivered.table.adopting(own, from: new.table)
      }
    }
  }
}

extension ObservedTable {
  /// A table before and after a change, and what lies between.
  public struct Update: Sendable {
    /// What the observer saw last, with those of its own changes that it is not told.
    public let old: TableSnapshot
    /// The table now. Its rows can be read as long as the catalog is not changed again.
    public let new: TableSnapshot
    /// What turns the one into the other; never empty.
    public let diff: TableDiff
  }
}

extension ObservedTable {
  /// What an observer of a table is told.
  public enum Event: Sendable {
    /// Rows came, went, changed or moved.
    case changed(ObservedTable.Update)
    /// The table could not be read. It stays as it was; the next change of the catalog is looked at
    /// again.
    case failed(CatalogError)
  }
}

/// Tells whether anybody has written to a catalog, this process or another.
///
/// SQLite counts, for each connection, the commits of all others (sqlite.org/pragma.html, under
/// `data_version`). This connection never writes, so it sees all of them; asking takes microseconds.
struct WriteCounter: Sendable {
  private let connection: ConnectionQueue

  init(_ store: CatalogStore) throws {
    let path = store.path
    connection = ConnectionQueue(limit: 1) {
      try OpeningToRead(path).open(usually: .readOnly) { try Connection(path: path, $0) }
    }
    // What cannot be opened is told now.
    _ = try connection.use { try $0.dataVersion() }
  }

  /// A number that differs from the one before when there has been a commit.
  func value() async throws -> Int64 {
    try await connection.use { try $0.dataVersion() }
  }

  func close() {
    // A connection that only reads has nothing to lose.
    try? connection.close()
  }
}
