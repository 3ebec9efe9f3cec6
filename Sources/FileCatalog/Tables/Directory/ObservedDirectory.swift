internal import CatalogStore
public import FileSystem
public import StandardDirectories
public import SystemPackage

/// A directory as a table that stays current: read from the disk, watched, and told of by index, without a
/// catalog, or with one that follows.
///
/// ```swift
/// let pictures = try await ObservedDirectory(at: "/home/me/Pictures", order: .modificationNewestFirst)
/// for await event in await pictures.events {
///   switch event {
///   case .changed(let update): list.apply(update.diff, items: update.new)
///   case .gone: list.showThatItIsGone()
///   case .returned(let update): list.apply(update.diff, items: update.new)
///   case .failed(let error): print(error)
///   }
/// }
/// ```
///
/// The first state is silent. Changes that come in a burst are told together, and what an observer did not fetch
/// yet is told in one diff from what it saw last, so one that is slow misses nothing and piles up nothing.
///
/// An item stays the same row when it is renamed, and when another file takes its name, as whoever saves in one
/// step makes it. It has changed when any value has that the file system keeps of it, but for the time of
/// reading and for the bytes on disk, which come by themselves later.
///
/// A directory that is removed, or renamed, is gone: that is told, and its rows stay what they were. When there
/// is a directory at the path again, that is told with the difference.
///
/// Events end after ``stop()``, and when this object is let go: they do not keep it alive. A directory that is
/// given by a link is the one to which the link led at first.
public actor ObservedDirectory {
  /// How a directory is observed.
  public struct Options: Sendable {
    /// How diffs tell updates.
    public var shape: TableDiff.Shape
    /// How long the directory must have been left alone before a change is told.
    public var delay: Duration
    /// The longest a change waits while the directory is being changed on and on.
    public var maximumDelay: Duration
    /// Whether the directory is held while it is read.
    public var coordination: DirectoryTable.Coordination
    /// How changes are learned of.
    public var method: DirectoryWatcher.Method
    /// How often a directory is looked at that cannot be watched, and one looked for that is gone.
    public var pollingInterval: Duration
    /// A catalog that is brought up to date with the directory before a change is told, and when observing starts.
    ///
    /// The directory has to be in one of its roots. Where the catalog cannot follow later on, that is told as
    /// ``ObservedDirectory/Event/failed(_:)``, and the rows are those of the disk all the same.
    public var catalog: Catalog?

    /// Waits for a fifth of a second without changes, but no longer than a second.
    public init(
      shape: TableDiff.Shape = .full, delay: Duration = .milliseconds(200),
      maximumDelay: Duration = .seconds(1),
      coordination: DirectoryTable.Coordination = .uncoordinated,
      method: DirectoryWatcher.Method = .automatic, pollingInterval: Duration = .seconds(2),
      catalog: Catalog? = nil
    ) {
      self.shape = shape
      self.delay = delay
      self.maximumDelay = maximumDelay
      self.coordination = coordination
      self.method = method
      self.pollingInterval = pollingInterval
      self.catalog = catalog
    }
  }

  /// What is shown, and how.
  public private(set) var table: DirectoryTable

  private let options: Options
  /// What is watched: a directory that a link leads to changes without the link.
  private let place: FilePath

  /// What there was to see at a time.
  private struct Shown {
    var rows = NumberedItems()
    var isPresent = true
  }

  private var loaded = Shown()
  /// What the observer saw last.
  private var delivered = Shown()
  private var failure: (any Error)?
  private var lastFailure: String?
  private var batches = 0
  /// The last of the loads, which run one after the other.
  private var loading: Task<Void, any Error>?

  /// The time from one start to the next stop.
  private struct Session: Sendable {
    let number: Int
    let signals: AsyncStream<Void>
    let signal: AsyncStream<Void>.Continuation
    var watcher: DirectoryWatcher?
    var watch: Task<Void, Never>?

    init(number: Int) {
      self.number = number
      (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }
  }

  private var session: Session?
  private var sessionCount = 0

  /// Reads a table for the first time and begins to observe it.
  ///
  /// - Throws: as ``DirectoryTable/items(_:)``; `DirectoryWatcher.WatchError` if the method that
  ///   was asked for is not to be had; `Errno` if there are too many open files or threads.
  public init(_ table: DirectoryTable, options: Options = Options()) async throws {
    self.table = table
    self.options = options
    let path = table.path.absolute
    place = path.resolved ?? path
    try await start()
  }

  /// Opens a directory and begins to observe it.
  ///
  /// - Throws: ``DirectoryTable/Failure``, and as ``init(_:options:)``.
  public init(
    at path: FilePath, ifMissing missing: DirectoryTable.Missing = .refuse,
    order: DirectoryTable.Order = .nameAFirst, filters: [DirectoryTable.ItemFilter] = [],
    hiddenItems: DirectoryTable.HiddenItems = .skipped, options: Options = Options()
  ) async throws {
    try await self.init(
      DirectoryTable(
        at: path, ifMissing: missing, order: order, filters: filters, hiddenItems: hiddenItems),
      options: options)
  }

  /// Opens a directory of a container, that of a role or one inside it, and begins to observe it.
  ///
  /// - Throws: `DirectoryError` when the container has no directory for the role, or the
  ///   path does not stay inside; and as ``init(at:ifMissing:order:filters:hiddenItems:options:)``.
  public init(
    _ role: Role, _ component: FilePath? = nil, of container: Container,
    parameters: DirectoryPattern.Values = [:], ifMissing missing: DirectoryTable.Missing = .refuse,
    order: DirectoryTable.Order = .nameAFirst, filters: [DirectoryTable.ItemFilter] = [],
    hiddenItems: DirectoryTable.HiddenItems = .skipped, options: Options = Options()
  ) async throws {
    try await self.init(
      DirectoryTable(
        role, component, of: container, parameters: parameters, ifMissing: missing, order: order,
        filters: filters, hiddenItems: hiddenItems),
      options: options)
  }

  deinit {
    session?.watch?.cancel()
    session?.signal.finish()
  }

  // MARK: - What observers see

  /// Whether a directory is there and observed.
  public enum State: Sendable, Hashable {
    /// It is, and the items are those that it has.
    case present
    /// There is none. The items are the last that there were.
    case gone
    /// Nobody observes it. The items are the last that were read.
    case stopped
  }

  /// Whether the directory is there and observed.
  public var state: State {
    if session == nil { return .stopped }
    return loaded.isPresent ? .present : .gone
  }

  /// The items in order, as they were read last.
  public var items: [DirectoryTable.Item] { loaded.rows.items }

  /// What happens to the table from now on, until the next ``stop()``. One loop at a time: two would share the
  /// events.
  public var events: Events {
    let session =
      session
      ?? {
        let ended = Session(number: 0)
        ended.signal.finish()
        return ended
      }()
    return Events(
      directory: Reference(self), session: session.number, signals: session.signals)
  }

  /// Events of a directory, one after the other.
  public struct Events: AsyncSequence, Sendable {
    fileprivate let directory: Reference
    fileprivate let session: Int
    fileprivate let signals: AsyncStream<Void>

    /// Begins to fetch events.
    public func makeAsyncIterator() -> Iterator {
      Iterator(directory: directory, session: session, signals: signals.makeAsyncIterator())
    }

    /// Fetches events of a directory.
    public struct Iterator: AsyncIteratorProtocol {
      fileprivate let directory: Reference
      fileprivate let session: Int
      fileprivate var signals: AsyncStream<Void>.Iterator

      /// The next event; `nil` once observing has stopped, or the task is cancelled.
      public mutating func next() async -> ObservedDirectory.Event? {
        while !Task.isCancelled {
          if let event = await directory.target?.takeEvent(of: session) { return event }
          guard await signals.next() != nil else { return nil }
        }
        return nil
      }
    }
  }

  /// A reference that does not keep the object alive.
  fileprivate struct Reference: Sendable {
    weak let target: ObservedDirectory?

    init(_ target: ObservedDirectory) {
      self.target = target
    }
  }

  private func takeEvent(of number: Int) -> ObservedDirectory.Event? {
    guard session?.number == number, batches == 0 else { return nil }
    if let failure {
      self.failure = nil
      return .failed(failure)
    }
    let old = delivered
    guard loaded.isPresent else {
      // What changed before it went was not seen, and shows when it returns.
      delivered.isPresent = false
      return old.isPresent ? .gone : nil
    }
    delivered = loaded
    let update = ObservedDirectory.Update(
      old: old.rows.items, new: loaded.rows.items,
      diff: old.rows.diff(to: loaded.rows, shape: options.shape))
    if !old.isPresent { return .returned(update) }
    return update.diff.isEmpty ? nil : .changed(update)
  }

  // MARK: - Starting and stopping

  /// Observes the directory again after ``stop()``. What has changed between is no event: the state that is found
  /// is silent, as the first one was.
  ///
  /// - Throws: as ``init(_:options:)``, but not because the directory is gone: then this is its state.
  public func start() async throws {
    guard session == nil else { return }
    sessionCount += 1
    let number = sessionCount
    session = Session(number: number)
    (failure, lastFailure) = (nil, nil)
    do {
      // Before the first reading: no change goes by between.
      let watcher = try await DirectoryWatcher.start(roots: [place], options: watchOptions)
      guard session?.number == number else { return await watcher.stop() }
      session?.watcher = watcher
      try await load(.whatIsThere, for: number)
      guard session?.number == number else { return }
      // Nobody knows yet of what there is to follow.
      if let failure { throw failure }
      delivered = loaded
      session?.watch = Task { [weak self] in
        for await dirty in watcher { await self?.notice(dirty, in: number) }
      }
    } catch {
      if session?.number == number { await stop() }
      throw error
    }
  }

  /// Ends the events: none comes after this has returned. Nothing is watched then.
  public func stop() async {
    guard let session else { return }
    self.session = nil
    session.watch?.cancel()
    session.signal.finish()
    await session.watcher?.stop()
  }

  private var watchOptions: DirectoryWatcher.Options {
    var watching = DirectoryWatcher.Options()
    watching.method = options.method
    watching.quiet = options.delay
    watching.longestDelay = options.maximumDelay
    watching.pollingInterval = options.pollingInterval
    // The values of a sub-directory change with what is in it, and with nothing further down.
    let deepest = place.components.count + 1
    watching.isExcluded = { $0.components.count > deepest }
    return watching
  }

  // MARK: - What makes it change

  /// Reads the directory at once, instead of when it has been left alone for a while.
  ///
  /// - Returns: how the table differs from what it was; empty when nothing has changed, and while nobody observes.
  /// - Throws: as ``DirectoryTable/items(_:)``. That a directory is gone is an event all the same.
  @discardableResult
  public func update() async throws -> TableDiff {
    guard let number = session?.number else { return TableDiff(shape: options.shape) }
    let old = loaded.rows
    try await load(.whatIsThere, for: number)
    guard loaded.isPresent else { throw DirectoryTable.Failure(gone: table.path) }
    return old.diff(to: loaded.rows, shape: options.shape)
  }

  /// Does something that changes the directory several times, and tells all of it in one event.
  ///
  /// What others do meanwhile is told with it.
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
    if batches == 0, let number = session?.number { try await load(.whatIsThere, for: number) }
    return try outcome.get()
  }

  /// Shows the items in another order, and tells the difference as any other.
  public func setOrder(_ order: DirectoryTable.Order) async throws {
    try await show { $0.order = order }
  }

  /// Shows the items that pass other tests, and tells the difference as any other.
  public func setFilters(_ filters: [DirectoryTable.ItemFilter]) async throws {
    try await show { $0.filters = filters }
  }

  /// Shows hidden items or does not, and tells the difference as any other.
  public func setHiddenItems(_ hiddenItems: DirectoryTable.HiddenItems) async throws {
    try await show { $0.hiddenItems = hiddenItems }
  }

  /// Changes what is shown. Where it cannot be read in this way, it stays as it was.
  private func show(_ change: (inout DirectoryTable) -> Void) async throws {
    let old = table
    change(&table)
    guard let number = session?.number else { return }
    do {
      try await load(.whatIsThere, for: number)
    } catch {
      table = old
      throw error
    }
  }

  private func notice(_ dirty: DirectoryWatcher.DirtyDirectories, in number: Int) async {
    // What happens during a batch is read at its end.
    guard session?.number == number, batches == 0 || dirty.loss != nil else { return }
    do {
      try await load(dirty.loss == nil ? .whatIsThere : .nothing, for: number)
    } catch {
      report(error, in: number)
    }
  }

  /// Tells of a failure, once as long as it stays the same. It is no change: the rows stay.
  private func report(_ error: any Error, in number: Int) {
    let text = "\(error)"
    guard session?.number == number, text != lastFailure else { return }
    lastFailure = text
    failure = error
    session?.signal.yield()
  }

  /// Has the catalog follow, if there is one.
  ///
  /// - Returns: why it could not.
  private func follow(_ presence: Catalog.Presence) async -> (any Error)? {
    do {
      try await options.catalog?.follow(place, presence)
      return nil
    } catch {
      return error
    }
  }

  private enum Found {
    case whatIsThere
    /// There is no directory, or another file system in its place, which is not watched.
    case nothing
  }

  /// Reads the directory, after any reading that goes on already: what is read last is the newest.
  private func load(_ found: Found, for number: Int) async throws {
    let task = Task { [loading] in
      _ = await loading?.result
      guard session?.number == number else { return }
      var new = loaded
      do {
        if found == .nothing { throw DirectoryTable.Failure(gone: table.path) }
        let items = try await table.items(options.coordination)
        new = Shown(rows: loaded.rows.followed(by: items))
      } catch let error as DirectoryTable.Failure where error.code == .gone {
        new.isPresent = false
      }
      let unfollowed = await follow(new.isPresent ? .present : .gone)
      guard session?.number == number else { return }
      loaded = new
      session?.signal.yield()
      if let unfollowed { report(unfollowed, in: number) } else { lastFailure = nil }
    }
    loading = task
    try await task.value
  }
}

extension ObservedDirectory {
  /// A table before and after a change, and what lies between.
  public struct Update: Sendable {
    /// What the observer saw last.
    public let old: [DirectoryTable.Item]
    /// What there is now.
    public let new: [DirectoryTable.Item]
    /// What turns the one into the other.
    public let diff: TableDiff
  }

  /// What an observer of a directory is told.
  public enum Event: Sendable {
    /// Rows came, went, changed or moved; the diff is never empty.
    case changed(ObservedDirectory.Update)
    /// There is no directory any more. The rows stay what they were.
    case gone
    /// There is a directory again; the diff is from what there was when it went, and may be empty.
    case returned(ObservedDirectory.Update)
    /// The directory could not be read, or a filter has thrown. The rows stay what they were; the next change is
    /// looked at again.
    case failed(any Error)
  }
}

/// Items with numbers that tell which is which from one list to the next.
private struct NumberedItems: Sendable {
  private(set) var items: [DirectoryTable.Item] = []
  private var numbers: [Int] = []
  private var nextNumber = 0

  private struct Identity: Hashable {
    let device: UInt64
    let inode: UInt64
    let created: Int64

    init(_ item: DirectoryTable.Item) {
      device = item.status.device
      inode = item.status.inode
      created = item.status.created
    }
  }

  /// The next list: what is the same item keeps its number, whatever its name is now; then what has the name of
  /// one that is not there any more.
  func followed(by new: [DirectoryTable.Item]) -> NumberedItems {
    var places = Dictionary(
      items.indices.map { (items[$0].path, $0) }, uniquingKeysWith: { first, _ in first })
    var found = [Int?](repeating: nil, count: new.count)
    for (index, item) in new.enumerated() {
      if let place = places[item.path], Identity(items[place]) == Identity(item) {
        found[index] = place
        places[item.path] = nil
      }
    }
    var identities = Dictionary(grouping: places.values.sorted(by: >)) { Identity(items[$0]) }
    for (index, item) in new.enumerated() where found[index] == nil {
      guard let place = identities[Identity(item)]?.popLast() else { continue }
      found[index] = place
      places[items[place].path] = nil
    }
    var next = NumberedItems()
    next.items = new
    next.nextNumber = nextNumber
    for (index, item) in new.enumerated() {
      if let place = found[index] ?? places[item.path] {
        next.numbers.append(numbers[place])
      } else {
        next.numbers.append(next.nextNumber)
        next.nextNumber += 1
      }
    }
    return next
  }

  func diff(to new: NumberedItems, shape: TableDiff.Shape) -> TableDiff {
    TableDiff(from: versions, to: new.versions, shape: shape)
  }

  private var versions: [VersionedRow<Int, DirectoryTable.Item>] {
    zip(numbers, items).map { number, item in
      var status = item.status
      // Being read is no change, and blocks are given when the system gets to it.
      (status.accessed, status.allocated) = (FileStatus.unknownTime, 0)
      return VersionedRow(
        number, DirectoryTable.Item(path: item.path, kind: item.kind, status: status))
    }
  }
}
