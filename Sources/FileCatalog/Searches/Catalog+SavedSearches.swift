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
    var directories: [String: [FilePath]] = [:]
    try db.forEach(
      "SELECT search, ifnull(path_bytes, path) FROM _searched_directories ORDER BY id"
    ) { directories[$0.text(0), default: []].append($0.path(1)) }
    var searches: [SavedSearch] = []
    try db.forEach("SELECT name, query, levels, sort FROM _saved_searches ORDER BY name") { row in
      let name = row.text(0)
      searches.append(
        try SavedSearch(
          name: name, query: try Query(parsing: row.text(1)),
          directories: directories[name] ?? [],
          levels: try row.optionalText(2).flatMap { try Self.levels($0) },
          order: try row.optionalText(3).map { try SortOrder(parsing: $0) }))
    }
    return searches
  }

  func save(_ search: SavedSearch) throws {
    try db.execute(
      """
      INSERT OR REPLACE INTO _saved_searches (name, query, levels, sort, saved)
      VALUES (?, ?, ?, ?, ?)
      """,
      [
        search.name, search.query.description, search.levels.map(Self.text),
        search.order?.description,
        Clock.now,
      ])
    for directory in search.directories {
      try db.execute(
        "INSERT INTO _searched_directories (search, path, path_bytes) VALUES (?, ?, ?)",
        [search.name, directory.shown, directory.oddBytes])
    }
  }

  private static let depth = "depth:"

  /// Levels as the query language writes them.
  private static func text(_ levels: Filter.ValueRange<Int64>) -> String {
    String(Query(.depth(levels)).description.dropFirst(depth.count))
  }

  private static func levels(_ text: String) throws -> Filter.ValueRange<Int64>? {
    guard case .number(.depth, let levels) = try Query(parsing: depth + text).filter.condition
    else {
      return nil
    }
    return levels
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
