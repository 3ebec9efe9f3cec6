internal import CatalogStore
internal import SQLite

/// A view that somebody has added to a catalog.
public struct OwnView: Sendable, Hashable {
  /// The name in SQL.
  public let name: String
  /// The statement that it stands for.
  public let statement: String
}

extension Catalog {
  /// The views of one's own, by their names.
  public func ownViews() async throws -> [OwnView] {
    try await read { db in
      try OwnViews.all(in: db).map { OwnView(name: $0.name, statement: $0.statement) }
    }
  }

  /// Adds a view of one's own: a statement with a name, which any program can select from. It stays when the
  /// catalog gets a newer schema; should that bring a view of the same name, this one gets `_own` at its end.
  ///
  /// - Parameters:
  ///   - name: letters, digits and underscores.
  ///   - statement: one statement that reads, from the views of the catalog.
  /// - Throws: ``/CatalogStore/CatalogError/Code/invalidArgument`` for a name that can be none or is taken,
  ///   ``/CatalogStore/CatalogError/Code/invalidSQL``,
  ///   ``/CatalogStore/CatalogError/Code/notReadOnlySQL``.
  public func addView(_ name: String, as statement: String) async throws {
    guard OwnViews.canName(name) else {
      throw CatalogError(
        .invalidArgument,
        "“\(name)” cannot name a view: use letters, digits and underscores, with a letter first")
    }
    let statement = Self.withoutEnd(statement)
    // As any program would run it: with nothing but what SQLite knows.
    _ = try runSQL(statement, maximumRows: 0, begin: { _ in }, row: { _ in })
    try await write { db in
      guard try !OwnViews.isTaken(name, in: db) else {
        throw CatalogError(.invalidArgument, "the catalog has “\(name)” already")
      }
      do {
        try OwnViews.add(OwnViews.View(name: name, statement: statement), in: db)
        try db.forEach(SQL("SELECT * FROM \"\(name)\" LIMIT 0")) { _ in }
      } catch let error as SQLiteError {
        throw CatalogError(.invalidSQL, "SQL: \(error.message)")
      }
    }
  }

  /// Takes a view of one's own away.
  ///
  /// - Throws: ``/CatalogStore/CatalogError/Code/viewNotFound``, with the nearest name.
  public func removeView(_ name: String) async throws {
    try await write { db in
      guard try !OwnViews.remove(name, in: db) else { return }
      throw CatalogError(
        .viewNotFound, named: name, among: try OwnViews.all(in: db).map(\.name),
        "nobody has added a view “\(name)”")
    }
  }

  private static func withoutEnd(_ statement: String) -> String {
    var text = Substring(statement)
    while let last = text.last, last.isWhitespace || last == ";" { text.removeLast() }
    while let first = text.first, first.isWhitespace { text.removeFirst() }
    return String(text)
  }

  // MARK: - Indexes of values

  /// The keys of the values that have an index, in their order.
  public func indexedValues() async throws -> [String] {
    try await read { try ValueIndex.all(in: $0).map(\.key) }
  }

  /// Makes an index of the values under a key, such as `pixel_width`: queries that compare them, as
  /// `value:pixel_width>=4000` does, then read no others. It grows with the values.
  public func indexValues(of key: String) async throws {
    try await write { try ValueIndex(of: key).create(in: $0) }
  }

  /// Takes an index of values away.
  ///
  /// - Returns: whether there was one.
  @discardableResult
  public func removeIndex(ofValues key: String) async throws -> Bool {
    try await write { try ValueIndex(of: key).remove(in: $0) }
  }
}
