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
  /// That the cursor still holds is found out in the transaction that reads the page, so no scan can
  /// come between: all pages of a table together have neither gaps nor repeats, or an error says that
  /// one must begin again. Blocks the calling thread.
  ///
  /// - Parameters:
  ///   - request: the table, the same for all pages. Its limit is the size of the page.
  ///   - start: where the page begins.
  /// - Returns: the cursor of the next page; `nil` when this one was not full, so that none follows.
  /// - Throws: ``/CatalogStore/CatalogError/Code/cursorTooOld`` when the catalog has changed since the cursor was
  ///   made, ``/CatalogStore/CatalogError/Code/invalidArgument`` for a cursor of another table, and what `body`
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
    request.columns = [.path]
    return try forEach(of: request, from: start) { try body($0.bytes(0)) }
  }

  private func forEach(
    of request: TableRequest, from start: PageStart, _ body: (Row) throws -> Void
  ) throws -> PageCursor? {
    let table = request.fingerprint
    var next: PageCursor?
    try translatingReadErrors { db in
      let state = try CatalogState(in: db)
      var page = request
      var now = Clock.now
      if case .cursor(let cursor) = start {
        try cursor.check(table: table, state: state)
        // It counts from the first row of all, so the rows left out before the first page may be
        // named again or not.
        page.offset = cursor.offset
        now = cursor.now
      }
      var rows = 0
      try EntryTable(db, now: now).forEach(page) { row in
        rows += 1
        try body(row)
      }
      guard let limit = request.limit, limit > 0, rows == limit else { return }
      next = PageCursor(
        state: state, request: table, offset: page.offset + rows,
        now: now)
    }
    return next
  }
}

extension PageCursor {
  fileprivate func check(table: UInt64, state: CatalogState) throws(CatalogError) {
    guard request == table else {
      throw CatalogError(
        .foreignCursor,
        "the cursor belongs to another table")
    }
    guard self.state == state else {
      throw CatalogError(
        .cursorTooOld,
        "the cursor is too old: the catalog has been changed since")
    }
  }
}
