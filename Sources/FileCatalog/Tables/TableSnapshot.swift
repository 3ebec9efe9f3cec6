internal import SQLite
public import SystemPackage

/// A table of entries as it is in one state of the catalog: how many rows, and which is where.
///
/// A snapshot holds which entry is in which row, in twelve bytes a row, or in four where it shares a
/// list of all entries with others; it reads what it is asked to show. Row four million costs what the
/// first one costs.
///
/// ```swift
/// let photos = try await catalog.snapshot(
///   of: TableRequest(Query(.kind(.image)), order: SortOrder([SortOrder.Term(.modified, .descending)])))
/// print(photos.count, try await photos.rows(in: 0..<50))
/// ```
///
/// All answers are of the state that the snapshot was made in. Once a scan has written another state,
/// rows can no longer be read, and asking for them throws ``/CatalogStore/CatalogError/Code/snapshotTooOld``: make a
/// new snapshot then, and compare the two with ``diff(to:shape:)``. ``ObservedTable`` does so by
/// itself.
public struct TableSnapshot: Sendable {
  /// What the table shows. Its limit and offset play no part, nor do its columns, but for those of further
  /// values: rows have them in ``Entry/values``.
  public let request: TableRequest
  let catalog: Catalog
  let state: CatalogState
  /// The last scan that the state comes from; 0 if there was none.
  let lastScan: Int64
  let content: TableRows
  /// By which it is seen that further values of a row have changed.
  let values: ValueVersions

  /// How many rows there are.
  public var count: Int { content.count }

  /// Whether there are no rows.
  public var isEmpty: Bool { content.count == 0 }

  /// The entry in a row.
  ///
  /// - Throws: ``/CatalogStore/CatalogError/Code/outOfRange`` when there is no such row.
  /// - Complexity: O(1).
  public func id(at index: Int) throws(CatalogError) -> EntryID {
    guard (0..<count).contains(index) else {
      throw CatalogError(
        .outOfRange, "there is no row \(index); the table has \(count) rows, counted from 0")
    }
    return EntryID(rawValue: content.id(at: index))
  }

  /// The row of an entry, or `nil` when the table does not show it.
  ///
  /// - Complexity: O(n), at about a nanosecond a row.
  public func index(of id: EntryID) -> Int? {
    content.index(of: id.rawValue)
  }

  /// The row of the entry at a path, or `nil` when the table does not show it.
  ///
  /// - Throws: ``/CatalogStore/CatalogError/Code/snapshotTooOld``.
  public func index(of path: FilePath) async throws -> Int? {
    let state = state
    let id = try await catalog.read { db -> EntryID? in
      try state.expect(in: db)
      do {
        return EntryID(rawValue: try PathLookup(db).entry(at: path))
      } catch let error as CatalogError where error.code == .notInCatalog {
        return nil
      }
    }
    return id.flatMap { index(of: $0) }
  }

  /// The entry in a row, with all its values.
  ///
  /// - Throws: ``/CatalogStore/CatalogError/Code/outOfRange`` when there is no such row, and
  ///   ``/CatalogStore/CatalogError/Code/snapshotTooOld``.
  public func row(at index: Int) async throws -> Entry {
    let id = try id(at: index)
    guard let entry = try await entries([id.rawValue]).first else { throw CatalogState.tooOld }
    return entry
  }

  /// The entries in some rows; those beyond either end are left out.
  ///
  /// - Throws: ``/CatalogStore/CatalogError/Code/snapshotTooOld``.
  public func rows(in range: Range<Int>) async throws -> [Entry] {
    try await entries(range.clamped(to: 0..<count).map { content.id(at: $0) })
  }

  /// Some columns of the entries in some rows; those beyond either end are left out.
  ///
  /// - Throws: ``/CatalogStore/CatalogError/Code/snapshotTooOld``.
  public func values(
    of columns: [EntryColumn], in range: Range<Int>
  ) async throws -> [[ColumnValue]] {
    let ids = range.clamped(to: 0..<count).map { content.id(at: $0) }
    let state = state
    return try await catalog.read { db in
      try state.expect(in: db)
      return try EntryTable(db).values(of: columns.map { .entry($0) }, ids)
    }
  }

  /// Some columns of the entries in some rows, as the catalog has them now, whatever its state: which entry is in
  /// which row is as ever. Of an entry that is gone there is the id alone. Rows beyond either end are left out.
  package func presentValues(
    of columns: [TableColumn], in range: Range<Int>
  ) async throws -> [[ColumnValue]] {
    let ids = range.clamped(to: 0..<count).map { content.id(at: $0) }
    return try await catalog.read { try EntryTable($0).values(of: columns, ids) }
  }

  /// Whether the catalog is still in the state of the snapshot.
  public func isCurrent() async throws -> Bool {
    let state = state
    return try await catalog.read { try CatalogState(in: $0) == state }
  }

  private func entries(_ ids: [Int64]) async throws -> [Entry] {
    let (state, keys) = (state, request.valueKeys)
    return try await catalog.read { db in
      try state.expect(in: db)
      return try EntryTable(db).entries(ids, values: keys)
    }
  }
}

extension TableSnapshot {
  /// What has to be changed in a list of the rows of this snapshot to make it one of another's.
  ///
  /// The snapshots may be of different states, filters and orders, but must be of one catalog. A row
  /// is updated when a scan has seen any of its values changed, and when one of the further values differs
  /// that the requests ask for.
  ///
  /// - Complexity: O(n log n) for the moves; linear where rows keep their order.
  public func diff(to new: TableSnapshot, shape: TableDiff.Shape = .full) -> TableDiff {
    let before = content.listed
    let after = new.content.listed
    let haveValues = !values.isEmpty || !new.values.isEmpty
    func isChanged(_ place: Int, _ index: Int) -> Bool {
      before.versions[place] != after.versions[index]
        || haveValues && !values.isSame(as: new.values, of: after.ids[index])
    }
    var matching = RowMatching(old: count, new: new.count)
    matching.matchEnds({ before.ids[$0] == after.ids[$1] }, isChanged: isChanged)
    let places = PlaceTable(of: before.ids, in: matching.oldMiddle)
    for index in matching.newMiddle {
      guard let place = places.place(of: after.ids[index]) else { continue }
      matching.match(old: place, new: index, isChanged: isChanged(place, index))
    }
    return TableDiff(matching, shape: shape)
  }
}

extension TableSnapshot {
  /// This table, with some entries as a later one has them.
  func adopting(_ entries: Set<Int64>, from later: TableSnapshot) -> TableSnapshot {
    TableSnapshot(
      request: request, catalog: catalog, state: state, lastScan: lastScan,
      content: content.adopting(entries, from: later.content),
      values: values.adopting(entries, from: later.values))
  }

  /// Whether both show the same entries with the same values in the same order.
  package func hasSameRows(as other: TableSnapshot) -> Bool {
    content.isSame(as: other.content) && values == other.values
  }
}

/// What a catalog holds at a moment, for comparing.
package struct CatalogMoment: Sendable, Hashable {
  fileprivate let state: CatalogState
}

extension TableSnapshot {
  /// The moment that the rows are of.
  package var moment: CatalogMoment { CatalogMoment(state: state) }
}

/// What a catalog holds at a moment, told apart from every other moment at which entries may differ.
///
/// Each scan that changes an entry makes another state, and so does a root that is dropped, types that
/// are declared otherwise, a container that comes, changes or goes, a tag that somebody sets, or values that
/// are read in the content of files. What does not touch entries, such as a saved search, a scan that failed
/// or one that found everything as it was, does not.
struct CatalogState: Hashable, Sendable {
  /// Numbers joined by dots: of each root its id, the last scan that changed it, and when that began,
  /// which tells catalogs apart that were made anew in the same place; the types; and how often
  /// containers and values have changed that no scan writes.
  let description: String

  init(_ description: String) {
    self.description = description
  }

  /// The state that a transaction sees.
  init(in db: Connection) throws {
    // Asked with every page, so SQLite keeps the statement.
    let parts = SQL(
      """
      SELECT ifnull(group_concat(part, '.'), '') FROM (
        SELECT r.id || '.' || ifnull(r.changed_scan_id, 0) || '.' || ifnull(s.started, 0) AS part
        FROM _roots r LEFT JOIN _scan_log s ON s.id = r.changed_scan_id
        UNION ALL
        SELECT value FROM _catalog_settings WHERE key = 'type_registry'
        UNION ALL
        SELECT 'c' || value FROM _catalog_settings WHERE key = 'containers'
        UNION ALL
        SELECT 't' || value FROM _catalog_settings WHERE key = 'tags')
      """)
    description = try db.first(cached: parts) { $0.text(0) } ?? ""
  }
}

extension CatalogState {
  /// - Throws: ``/CatalogStore/CatalogError/Code/snapshotTooOld`` when a transaction sees another state.
  func expect(in db: Connection) throws {
    guard try CatalogState(in: db) == self else { throw Self.tooOld }
  }

  /// What readers of a snapshot are told when the catalog has moved on.
  static var tooOld: CatalogError {
    CatalogError(
      .snapshotTooOld,
      "the snapshot is too old: the catalog has been changed since")
  }
}
