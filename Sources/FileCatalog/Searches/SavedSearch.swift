public import SystemPackage

/// A query with a name, kept in the catalog.
public struct SavedSearch: Sendable, Hashable, Identifiable {
  /// The name: letters, digits, `-`, `_` and `.`, at most a hundred.
  public let name: String
  /// What is looked for. Ages stay ages: `modified:<7d` means the last week on every day.
  public let query: Query
  /// Below which directories to look; none for all roots.
  public let directories: [FilePath]
  /// On which levels below the directories to look: 1 for their children, `nil` for all.
  public let levels: Filter.ValueRange<Int64>?
  /// The order of the rows; `nil` for the usual one.
  public let order: SortOrder?

  /// The name.
  public var id: String { name }

  /// The scope that ``directories`` and ``levels`` stand for.
  public var scope: TableRequest.Scope {
    switch (directories.count, levels) {
    case (0, _): .everything
    case (1, nil): .subtree(of: directories[0])
    case (_, let levels): .subtrees(of: directories, levels: levels)
    }
  }

  /// Makes a search.
  ///
  /// - Throws: ``/CatalogStore/CatalogError/Code/invalidArgument`` for a name that nobody could type, and for a
  ///   query that is larger than its text may be (``Query/Limits``).
  public init(
    name: String, query: Query, directories: [FilePath] = [],
    levels: Filter.ValueRange<Int64>? = nil,
    order: SortOrder? = nil
  ) throws {
    try Self.check(name)
    // What could not be read again must not be stored; no name and no SQL text holds a NUL.
    let text = query.description
    guard !text.utf8.contains(0), (try? Query(parsing: text)) == query else {
      throw CatalogError(
        .invalidArgument,
        "the query cannot be saved as “\(name)”: it is larger than a text may be, or has a pattern "
          + "that is not well formed")
    }
    self.name = name
    self.query = query
    self.directories = directories.map(\.absolute)
    self.levels = levels
    self.order = order
  }

  static func check(_ name: String) throws(CatalogError) {
    let isPlain = name.unicodeScalars.allSatisfy { scalar in
      scalar.properties.isAlphabetic || scalar.properties.numericType != nil
        || "-_.".unicodeScalars.contains(scalar)
    }
    guard isPlain, (1...100).contains(name.unicodeScalars.count) else {
      throw CatalogError(
        .invalidArgument,
        "“\(name)” cannot be the name of a search: one has 1 to 100 letters, digits, -, _ and .")
    }
  }
}

extension SavedSearch {
  /// The query with further conditions.
  ///
  /// Letter case counts if it does in either.
  public func query(and more: Query) -> Query {
    Query(
      query.filter && more.filter,
      caseSensitivity: more.caseSensitivity == .sensitive ? .sensitive : query.caseSensitivity)
  }
}
