internal import FileSystem
internal import SQLite
internal import SystemPackage

extension Catalog {
  /// The saved searches, by name.
  public func savedSearches() async throws -> [SavedSearch] {
    try await read { try SearchTable(in: $0).all() }
  }

  /// The saved search with a name.
  ///
  /// - Throws: ``/CatalogStore/CatalogError/Code/searchNotFound``, with the nearest name that there is.
  public func savedSearch(named name: String) async throws -> SavedSearch {
    try await read { db in
      let searches = try SearchTable(in: db).all()
      guard let search = searches.first(where: { $0.name == name }) else {
        throw SearchTable.missing(name, among: searches.map(\.name))
      }
      return search
    }
  }

  /// Saves a search; one with the same name is replaced.
  public func save(_ search: SavedSearch) async throws {
    try await write { try SearchTable(in: $0).save(search) }
  }

  /// Deletes a saved search.
  ///
  /// - Throws: ``/CatalogStore/CatalogError/Code/searchNotFound``, with the nearest name that there is.
  public func deleteSavedSearch(named name: String) async throws {
    try await write { db in
      let table = SearchTable(in: db)
      guard try table.delete(name) else {
        throw SearchTable.missing(name, among: try table.all().map(\.name))
      }
    }
  }
}

/// The rows of saved searches.
private struct SearchTable {
  private let db: Connection

  init(in db: Connection) {
    self.db = db
  }

  func all() throws -> [SavedSearch] {
    var searches: [SavedSearch] = []
    try db.forEach(
      SQL(
        """
        SELECT name, query, ifnull(directory_bytes, directory), sort FROM _saved_searches
        ORDER BY name
        """)
    ) { row in
      searches.append(
        try SavedSearch(
          name: row.text(0), query: try Query(parsing: row.text(1)),
          directory: row.optionalText(2) == nil ? nil : row.path(2),
          order: try row.optionalText(3).map { try SortOrder(parsing: $0) }))
    }
    return searches
  }

  func save(_ search: SavedSearch) throws {
    try db.execute(
      """
      INSERT OR REPLACE INTO _saved_searches (name, query, directory, directory_bytes, sort, saved)
      VALUES (?, ?, ?, ?, ?, ?)
      """,
      [
        search.name, search.query.description, search.directory?.shown, search.directory?.oddBytes,
        search.order?.description, Clock.now,
      ])
  }

  /// - Returns: whether there was one.
  func delete(_ name: String) throws -> Bool {
    try db.execute("DELETE FROM _saved_searches WHERE name = ?", [name])
    return db.changedRows > 0
  }

  static func missing(_ name: String, among names: [String]) -> CatalogError {
    CatalogError(
      .searchNotFound, named: name, among: names,
      "there is no saved search “\(name)”")
  }
}
