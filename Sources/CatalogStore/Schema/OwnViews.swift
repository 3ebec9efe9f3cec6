package import SQLite

/// The views that somebody has added to a catalog, beside those that every catalog has.
///
/// They are views like any other, so that any program reads them. Only their first line says whose they are;
/// nothing but their name keeps them apart from what a later version of this program brings, and there they
/// get another.
package enum OwnViews {
  /// A view, with the statement that it stands for.
  package struct View: Hashable, Sendable {
    package let name: String
    package let statement: String

    package init(name: String, statement: String) {
      self.name = name
      self.statement = statement
    }
  }

  private static func beginning(_ name: String) -> String { "CREATE VIEW \"\(name)\" AS\n" }

  /// Whether a word can name one: letters and digits of ASCII and underscores, no digit at the beginning.
  /// Names that begin with an underscore or with `sqlite_` belong to others.
  package static func canName(_ name: String) -> Bool {
    guard let first = name.utf8.first, name.utf8.count <= 60 else { return false }
    let isWord = name.unicodeScalars.allSatisfy {
      $0.isASCII && ($0.properties.isAlphabetic || $0 == "_" || ("0"..."9").contains($0))
    }
    return isWord && first != UInt8(ascii: "_") && !(0x30...0x39).contains(first)
      && !name.lowercased().hasPrefix("sqlite_")
  }

  /// All of a catalog, by their names.
  package static func all(in db: Connection) throws -> [View] {
    let known = Set(SchemaDefinitions.views.names)
    var views: [View] = []
    try db.forEach("SELECT name, sql FROM sqlite_master WHERE type = 'view' ORDER BY name") { row in
      let (name, sql) = (row.text(0), row.text(1))
      guard !known.contains(name), sql.hasPrefix(beginning(name)) else { return }
      views.append(View(name: name, statement: String(sql.dropFirst(beginning(name).count))))
    }
    return views
  }

  /// What a name stands for already: a table, an index or a view.
  package static func isTaken(_ name: String, in db: Connection) throws -> Bool {
    try db.integer(
      "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = ? COLLATE NOCASE)", [name]) == 1
  }

  /// Adds a view. The statement is one that reads, and no more than that: whoever calls this has seen to it.
  package static func add(_ view: View, in db: Connection) throws {
    try db.execute(beginning(view.name) + view.statement)
  }

  /// Takes a view away.
  ///
  /// - Returns: whether it was there.
  package static func remove(_ name: String, in db: Connection) throws -> Bool {
    guard try all(in: db).contains(where: { $0.name == name }) else { return false }
    try db.execute("DROP VIEW \"\(name)\"")
    return true
  }

  /// Gives a view another name, where a view of every catalog has come to have its own.
  static func moveOutOfTheWay(_ name: String, in db: Connection) throws {
    let sql = SQL(
      "SELECT sql FROM sqlite_master WHERE type = 'view' AND name = ?", [.text(name)])
    guard let text = try db.first(sql, { $0.text(0) }), text.hasPrefix(beginning(name)) else {
      return
    }
    var other = "\(name)_own"
    while try isTaken(other, in: db) { other += "_own" }
    try add(View(name: other, statement: String(text.dropFirst(beginning(name).count))), in: db)
  }
}
