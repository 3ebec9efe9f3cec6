/// What `sqlite_schema` says of tables and indexes (file format, 2.6).
struct Schema {
  struct Entry {
    var type: String
    var name: String
    var table: String
    var root: UInt32
    /// Empty for an index that a constraint made.
    var sql: String
  }

  private(set) var entries: [Entry] = []

  init(_ entries: [Entry]) {
    self.entries = entries
  }

  /// The table of that name, which SQLite compares without regard to ASCII case.
  func entry(type: String, name: String) -> Entry? {
    entries.first { $0.type == type && $0.name.lowercased() == name.lowercased() }
  }

  /// Whether an index may have another order than that of its columns' bytes, or not all rows.
  ///
  /// A word in the definition is enough: better to leave an index to SQLite than to guess.
  ///
  /// - Parameter orRows: Whether not to have all rows counts.
  func mayHaveOwnOrder(_ index: Entry, orRows: Bool) -> Bool {
    let table = entry(type: "table", name: index.table)?.sql ?? ""
    let words = ["COLLATE", "DESC"] + (orRows ? ["WHERE"] : [])
    return Self.words(index.sql).contains { words.contains($0) }
      || Self.words(table).contains("COLLATE")
  }

  /// Whether no two rows may have the same key. SQLite stores definitions with this beginning.
  func isUnique(_ index: Entry) -> Bool {
    index.sql.isEmpty || Self.words(index.sql).prefix(2) == ["CREATE", "UNIQUE"]
  }

  private static func words(_ sql: String) -> [String] {
    sql.uppercased().split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map { String($0) }
  }
}
