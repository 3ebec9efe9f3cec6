internal import FileSystem
internal import SQLite

extension Catalog {
  /// A test of an entry in the program's own words.
  public typealias EntryFilter = @Sendable (Entry) throws -> Bool

  /// The rows of a table in order, all of one state of the catalog.
  ///
  /// The first snapshot in a state and an order puts all entries in order, which takes about a second
  /// for a million of them, unless few match; the order is kept in memory, four bytes an entry, until
  /// the catalog changes. Cancelling the task stops the work within a moment.
  ///
  /// - Parameters:
  ///   - request: the query, the scope and the order, and the columns of further values that rows are to
  ///     have. Its limit, offset and other columns play no part.
  ///   - filters: tests that each row must pass besides the query. They are asked one after the other,
  ///     in the order of the rows, and not after the first that fails. What they throw is thrown on.
  ///   - firstPage: what to show while the order is still being made, if it is not known yet.
  public func snapshot(
    of request: TableRequest, filters: [EntryFilter] = [], firstPage: TableSnapshot.FirstPage? = nil
  ) async throws -> TableSnapshot {
    let attempts = 3
    for _ in 1..<attempts {
      do {
        return try await attemptSnapshot(of: request, filters: filters, firstPage)
      } catch let error as CatalogError where error.code == .snapshotTooOld {
        // A scan was written between the order and the tests of the rows.
        continue
      }
    }
    return try await attemptSnapshot(of: request, filters: filters, firstPage)
  }

  private func attemptSnapshot(
    of request: TableRequest, filters: [EntryFilter], _ firstPage: TableSnapshot.FirstPage?
  ) async throws -> TableSnapshot {
    // Which rows come first is not known before the tests of the program have been asked.
    let early = filters.isEmpty ? firstPage : nil
    let cancellation = Cancellation()
    return try await withTaskCancellationHandler {
      let cached = orders
      let rows = try await read { db in
        try SnapshotRows(request, in: db, orders: cached, early, cancellation)
      }
      try Task.checkCancellation()
      var snapshot = TableSnapshot(
        request: request, catalog: self, state: rows.state, lastScan: rows.lastScan,
        content: rows.content, values: rows.values)
      if !filters.isEmpty { snapshot = try await snapshot.filtered(by: filters) }
      return snapshot
    } onCancel: {
      cancellation.cancel()
    }
  }
}

extension TableSnapshot {
  /// The first rows of a table whose order is still being made.
  public struct FirstPage: Sendable {
    private let count: Int
    private let show: @Sendable ([Entry]) -> Void

    /// Asks for the first rows as soon as they are known.
    ///
    /// - Parameters:
    ///   - count: how many.
    ///   - show: is given the rows, of the same state as the snapshot that follows, on a thread of the
    ///     catalog. It is called at most once an attempt, and only where it comes well before the
    ///     snapshot: the order is not known, and its first key is a number, such as a size or a date, or a
    ///     further value.
    public init(count: Int, show: @escaping @Sendable ([Entry]) -> Void) {
      self.count = count
      self.show = show
    }

    /// Shows the page if it can be had without the whole order.
    fileprivate func deliver(_ request: TableRequest, _ table: EntryTable) throws {
      var page = request
      page.limit = count
      page.offset = 0
      guard PageBounds.suit(page) else { return }
      show(try table.entries(page))
    }
  }
}

extension TableSnapshot {
  /// The same table with the rows that pass some tests.
  func filtered(by filters: [Catalog.EntryFilter]) async throws -> TableSnapshot {
    let pageSize = 1000
    var passing: [Int] = []
    for start in stride(from: 0, to: count, by: pageSize) {
      try Task.checkCancellation()
      let page = try await rows(in: start..<start + pageSize)
      for (index, entry) in zip(start..., page)
      where try filters.allSatisfy({ try $0(entry) }) {
        passing.append(index)
      }
    }
    let content = content.selecting(passing)
    return TableSnapshot(
      request: request, catalog: catalog, state: state, lastScan: lastScan, content: content,
      values: values.selecting(content))
  }
}

/// The rows of a request in order, found in the way that suits it.
struct SnapshotRows {
  let state: CatalogState
  /// The last scan that the state comes from.
  let lastScan: Int64
  let content: TableRows
  let values: ValueVersions

  /// Up to so many rows are sorted by themselves; for more, all entries are put in order once.
  private static let fewRows = 10_000

  init(
    _ request: TableRequest, in db: Connection, orders cache: OrderCache,
    _ firstPage: TableSnapshot.FirstPage?,
    _ cancellation: Cancellation
  ) throws {
    state = try CatalogState(in: db)
    lastScan = try db.integer("SELECT max(changed_scan_id) FROM _roots") ?? 0
    content = try Self.content(request, state, in: db, orders: cache, firstPage, cancellation)
    values = try ValueVersions(of: request, for: content, in: db)
  }

  private static func content(
    _ request: TableRequest, _ state: CatalogState, in db: Connection, orders cache: OrderCache,
    _ firstPage: TableSnapshot.FirstPage?, _ cancellation: Cancellation
  ) throws -> TableRows {
    let table = try EntryTable(db)
    if case .children = request.scope { return try table.sortedRows(request) }
    // Every entry is wanted: nothing needs to be looked for.
    let showsAll = request.query.filter == .all && request.scope == .everything
    let matches = showsAll ? [] : try table.ids(request)
    try cancellation.check()
    if !showsAll, matches.count <= fewRows {
      return try table.sortedRows(matches, request.order)
    }
    let known = cache.orders(of: state)
    if known?.known(request.order) == nil { try firstPage?.deliver(request, table) }
    try cancellation.check()
    var orders = try known ?? EntryOrders(state, in: db)
    try cancellation.check()
    let positions = try orders.positions(request.order, in: db, cancellation)
    cache.keep(orders)
    let roster = orders.roster
    if showsAll { return .positions(positions, roster) }
    var isMatch = [Bool](repeating: false, count: roster.count)
    for id in matches {
      if let position = roster.position(of: id) { isMatch[position] = true }
    }
    return .positions(positions.filter { isMatch[Int($0)] }, roster)
  }
}
