internal import Migrations
internal import SQLite

/// What a schema defines: the statements of tables, indexes, views and whatever else there is, as SQLite
/// keeps them.
///
/// SQLite keeps a statement as it was written, from its first word to its end. So what a catalog must have
/// are the statements of the migrations, byte for byte, and need not be made to be known.
struct SchemaDefinitions {
  /// The first words of a statement, and what SQLite calls what it makes.
  private static let beginnings: [(words: [UInt8], kind: String)] = [
    (Array("CREATE TABLE ".utf8), "table"), (Array("CREATE INDEX ".utf8), "index"),
    (Array("CREATE UNIQUE INDEX ".utf8), "index"), (Array("CREATE VIEW ".utf8), "view"),
  ]

  private struct Key: Hashable {
    let kind: String
    let name: [UInt8]

    /// The error for what is wrong with it.
    func error(_ fault: SchemaObject.Fault, _ words: String) -> SQLiteError {
      let object = SchemaObject(kind, String(decoding: name, as: UTF8.self), fault)
      return .corrupt("the \(kind) \(object.name) \(words)", object)
    }
  }

  private var statements: [Key: [UInt8]] = [:]

  /// The tables and indexes of a version.
  init(ofVersion version: Int64) {
    for migration in Migrations.all where Int64(migration.version) <= version { add(migration.sql) }
  }

  /// The views of today.
  static let views: SchemaDefinitions = {
    var views = SchemaDefinitions(ofVersion: 0)
    views.add(Migrations.views)
    return views
  }()

  /// What is defined, by name.
  var names: [String] { statements.keys.map { String(decoding: $0.name, as: UTF8.self) }.sorted() }

  /// Takes in the definitions of a text in which each statement begins and ends with a line.
  private mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      var statement: Range<Int>?
      var start = 0
      while start < bytes.count {
        let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        let line = bytes[start..<end]
        if statement == nil, line.starts(with: "CREATE ".utf8) { statement = start..<start }
        if let beginning = statement?.lowerBound, line.last == UInt8(ascii: ";") {
          add(bytes[beginning..<end - 1])
          statement = nil
        }
        start = end + 1
      }
    }
  }

  private mutating func add(_ statement: Slice<UnsafeBufferPointer<UInt8>>) {
    for (words, kind) in Self.beginnings where statement.starts(with: words) {
      let name = statement.dropFirst(words.count).prefix {
        $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "(")
      }
      statements[Key(kind: kind, name: Array(name))] = Array(statement)
    }
  }

  // MARK: - A file

  /// Makes sure that a file has these tables and indexes, and nothing else but views.
  ///
  /// What is missing or different makes a catalog fail in ways that nobody has thought of, and what is
  /// more may be there for that.
  ///
  /// - Throws: ``SQLiteError/Code/corrupt``, which says what is wrong.
  func requireTables(in db: Connection) throws {
    var missing = statements
    var pages: Set<Int64> = []
    try db.forEach("SELECT type, name, sql, rootpage FROM sqlite_master WHERE type <> 'view'") {
      row in
      let key = Key(kind: row.text(0), name: Array(row.bytes(1)))
      guard pages.insert(row.integer(3)).inserted else {
        throw key.error(.unfit, "is where another table or index is")
      }
      if let expected = missing.removeValue(forKey: key) {
        guard row.bytes(2).elementsEqual(expected) else {
          throw key.error(.unfit, "is not as catalogs have it")
        }
      } else if !Self.mayBeThere(key, row) {
        throw key.error(.foreign, "is none that catalogs have")
      }
    }
    if let key = missing.keys.min(by: { $0.name.lexicographicallyPrecedes($1.name) }) {
      throw key.error(.unfit, "is missing")
    }
  }

  /// Whether something may be there that is not the same in every catalog: an index of values, and what SQLite
  /// has made by itself: what keeps values unique, numbers that were given, and what `ANALYZE` has found.
  private static func mayBeThere(_ key: Key, _ row: Row) -> Bool {
    switch key.kind {
    case "index":
      row.isNull(2)
        ? key.name.starts(with: "sqlite_autoindex_".utf8)
        : ValueIndex(name: row.text(1), definition: row.text(2)) != nil
    case "table":
      [
        "CREATE TABLE sqlite_sequence(name,seq)", "CREATE TABLE sqlite_stat1(tbl,idx,stat)",
        "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
      ].contains(row.text(2))
    default: false
    }
  }

  /// Whether a file has these views, beside others.
  func areViews(in db: Connection) throws -> Bool {
    var missing = statements
    try db.forEach("SELECT name, sql FROM sqlite_master WHERE type = 'view'") { row in
      let key = Key(kind: "view", name: Array(row.bytes(0)))
      if let expected = missing[key], row.bytes(1).elementsEqual(expected) { missing[key] = nil }
    }
    return missing.isEmpty
  }
}
