internal import SQLite

/// What a catalog holds at a moment, told apart from every other moment at which entries may differ.
///
/// Each scan that changes an entry makes another state, and so does a root that is dropped, types that
/// are declared otherwise, or a container that comes, changes or goes. What does not touch entries, such as a saved search, a scan that failed
/// or one that found everything as it was, does not.
struct CatalogState: Hashable, Sendable {
  /// Numbers joined by dots: of each root its id, the last scan that changed it, and when that began,
  /// which tells catalogs apart that were made anew in the same place; the types; and how often
  /// containers have changed.
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
        FROM roots r LEFT JOIN scan_log s ON s.id = r.changed_scan_id
        UNION ALL
        SELECT value FROM catalog_settings WHERE key = 'type_registry'
        UNION ALL
        SELECT 'c' || value FROM catalog_settings WHERE key = 'containers')
      """)
    description = try db.first(cached: parts) { $0.text(0) } ?? ""
  }
}

extension CatalogState {
  /// - Throws: ``CatalogError/Code/snapshotTooOld`` when a transaction sees another state.
  func expect(in db: Connection) throws {
    guard try CatalogState(in: db) == self else { throw Self.tooOld }
  }

  /// What readers of a snapshot are told when the catalog has moved on.
  static var tooOld: CatalogError {
    CatalogError(
      .snapshotTooOld,
      "the snapshot is too old: the catalog has been changed since; make a new one")
  }
}
