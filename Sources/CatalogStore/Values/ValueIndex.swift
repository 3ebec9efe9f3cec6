package import SQLite

/// An index of the values of all entries under one key, which somebody has asked for: queries that compare
/// such values read no others.
package struct ValueIndex: Hashable, Sendable {
  /// The key of the values.
  package let key: String

  package init(of key: String) {
    self.key = key
  }

  private static let prefix = "values_of_"

  private var name: String { Self.prefix + key }

  /// The statement that makes it, as SQLite keeps it.
  var definition: String {
    "CREATE INDEX \(Self.quoted(name, "\"")) ON _entry_values(value, entry_id) WHERE key = \(literal)"
  }

  /// The key as SQL writes a text: SQLite takes such an index only where a query has the key itself.
  package var literal: String {
    guard key.utf8.contains(0) else { return Self.quoted(key, "'") }
    // No statement goes on behind a NUL.
    let digits = key.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    return "CAST(x'\(digits.joined())' AS TEXT)"
  }

  private static func quoted(_ text: String, _ quote: Character) -> String {
    let parts = text.split(separator: quote, omittingEmptySubsequences: false)
    return "\(quote)\(parts.joined(separator: "\(quote)\(quote)"))\(quote)"
  }

  /// The index that an object of the schema is; `nil` for any other.
  init?(name: String, definition: String) {
    guard name.hasPrefix(Self.prefix) else { return nil }
    self.init(of: String(name.dropFirst(Self.prefix.count)))
    guard definition == self.definition else { return nil }
  }

  // MARK: - In a catalog

  /// All that a catalog has, by their keys.
  package static func all(in db: Connection) throws -> [ValueIndex] {
    var indexes: [ValueIndex] = []
    try db.forEach(
      "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY name"
    ) { row in
      if let index = ValueIndex(name: row.text(0), definition: row.text(1)) {
        indexes.append(index)
      }
    }
    return indexes
  }

  /// Makes the index, unless it is there.
  package func create(in db: Connection) throws {
    guard try !Self.all(in: db).contains(self) else { return }
    try db.execute(definition)
  }

  /// Takes the index away.
  ///
  /// - Returns: whether it was there.
  package func remove(in db: Connection) throws -> Bool {
    guard try Self.all(in: db).contains(self) else { return false }
    try db.execute("DROP INDEX \(Self.quoted(name, "\""))")
    return true
  }
}
