public import SystemPackage

/// A query with a name, kept in the catalog.
public struct SavedSearch: Sendable, Hashable, Identifiable {
  /// The name: letters, digits, `-`, `_` and `.`, at most a hundred.
  public let name: String
  /// What is looked for. Ages stay ages: `modified:<7d` means the last week on every day.
  public let query: Query
  /// Below which directory to look; `nil` for all roots.
  public let directory: FilePath?
  /// The order of the rows; `nil` for the usual one.
  public let order: SortOrder?

  /// The name.
  public var id: String { name }

  /// The scope that ``directory`` stands for.
  public var scope: TableRequest.Scope {
    directory.map { .subtree(of: $0) } ?? .everything
  }

  /// Makes a search.
  ///
  /// - Throws: ``/CatalogStore/CatalogError/Code/invalidArgument`` for a name that nobody could type, and for a
  ///   query that is larger than its text may be (``Query/Limits``).
  public init(
    name: String, query: Query, directory: FilePath? = nil, order: SortOrder? = nil
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
    self.directory = directory.map(\.absolute)
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
