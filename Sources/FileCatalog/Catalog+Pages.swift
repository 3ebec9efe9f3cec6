internal import SQLite

extension Catalog {
  /// Where a page begins.
  public enum PageStart: Sendable {
    /// With the first row.
    case beginning
    /// Behind the page that a cursor came with.
    case cursor(PageCursor)
  }

  /// Calls `body` with each row of a page, and returns the cursor of the page behind it.
  ///
  /// All pages of a table together have neither gaps nor repeats. Where scans come between, the next page
  /// shows the new state from where the last row of the page before stood: rows that did not move
  /// in the order are neither left out nor repeated. Blocks the calling thread.
  ///
  /// - Parameters:
  ///   - request: the table, the same for all pages. Its limit is the size of the page.
  ///   - start: where the page begins.
  /// - Returns: the cursor of the next page; `nil` when this one was not full, so that none follows.
  /// - Throws: ``/CatalogStore/CatalogError/Code/foreignCursor`` for a cursor of another table, and what `body`
  ///   throws.
  public func forEachRow(
    of request: TableRequest, from start: PageStart, _ body: ([ColumnValue]) throws -> Void
  ) throws -> PageCursor? {
    let count = Int32(request.columns.count)
    return try forEach(of: request, from: start) { row in
      try body((0..<count).map { row.value($0) })
    }
  }

  /// ``forEachRow(of:from:_:)`` for the path alone, as the bytes it has. The memory is only lent.
  public func forEachPath(
    of request: TableRequest, from start: PageStart, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> PageCursor? {
    var request = request
    request.columns = [.entry(.path)]
    return try forEach(of: request, from: start) { try body($0.bytes(0)) }
  }

  private func forEach(
    of request: TableRequest, from start: PageStart, _ body: (Row) throws -> Void
  ) throws -> PageCursor? {
    var next: PageCursor?
    try translatingReadErrors { next = try $0.forEach(of: request, from: start, body) }
    return next
  }

  /// A page as rows, and the cursor of the page behind it. Cancelling the task ends the reading.
  package func page(
    of request: TableRequest, from start: PageStart
  ) async throws -> (rows: [[ColumnValue]], next: PageCursor?) {
    let count = Int32(request.columns.count)
    return try await read { db in
      var rows: [[ColumnValue]] = []
      let next = try db.forEach(of: request, from: start) { row in
        rows.append((0..<count).map { row.value($0) })
      }
      return (rows, next)
    }
  }
}

extension Connection {
  /// Calls `body` with each row of a page, whose columns are those of the request and the id.
  fileprivate func forEach(
    of request: TableRequest, from start: Catalog.PageStart, _ body: (Row) throws -> Void
  ) throws -> PageCursor? {
    let table = request.fingerprint
    let state = try CatalogState(in: self)
    var page = request
    // Behind those that were asked for.
    page.columns.append(.entry(.id))
    let idColumn = Int32(request.columns.count)
    var now = Clock.now
    var place: TablePlace?
    if case .cursor(let cursor) = start {
      guard cursor.request == table else {
        throw CatalogError(.foreignCursor, "the cursor belongs to another table")
      }
      // It counts from the first row of all, so the rows left out before the first page may be
      // named again or not.
      page.offset = cursor.offset
      now = cursor.now
      if cursor.state != state { place = cursor.place }
    }
    var rows = 0
    var last: Int64?
    func take(_ row: Row) throws {
      rows += 1
      last = row.integer(idColumn)
      try body(row)
    }
    let entries = try EntryTable(self, now: now)
    if let place {
      try entries.forEach(page, behind: place, take)
    } else {
      try entries.forEach(page, take)
    }
    guard let limit = request.limit, limit > 0, rows == limit, let last,
      let end = try entries.place(of: last, in: page)
    else { return nil }
    // Rows that are counted are found again in less time than those behind a place.
    let offset = try place == nil ? page.offset + rows : entries.count(page, notBehind: end)
    return PageCursor(state: state, request: table, offset: offset, now: now, place: end)
  }
}
