internal import Migrations
package import SQLite

/// The schema of a catalog: tables, which are migrated step by step, and views, which hold no data and
/// are made anew wherever a catalog has them from another text.
package enum Schema {
  /// What has to be done before a catalog can be used.
  package enum State {
    case current
    /// Tables are missing, or views are those of another build.
    case outdated
  }

  package static func state(of db: Connection) throws -> State {
    guard try version(of: db) == Int64(Migrations.currentVersion) else { return .outdated }
    return try SchemaDefinitions.views.areViews(in: db) ? .current : .outdated
  }

  /// Refuses a file whose tables and indexes are not those of its version.
  ///
  /// - Throws: ``SQLiteError/Code/corrupt``.
  package static func requireTables(in db: Connection) throws {
    try SchemaDefinitions(ofVersion: version(of: db)).requireTables(in: db)
  }

  private static func version(of db: Connection) throws -> Int64 {
    try db.integer("PRAGMA user_version") ?? 0
  }

  /// Brings a catalog up to date, or makes one of an empty file, in one transaction.
  package static func update(_ db: Connection) throws {
    try db.transaction(.immediate) {
      let version = try version(of: db)
      for migration in Migrations.all where Int64(migration.version) > version {
        try db.execute(migration.sql)
        try db.execute("PRAGMA user_version = \(migration.version)")
      }
      try db.execute("PRAGMA application_id = \(Migrations.applicationID)")
      try remakeViews(in: db)
    }
  }

  // MARK: - Views

  /// What is said of each view, in the order of the schema: the first sentence above it.
  package static let summaries: [(name: String, summary: String)] = {
    var views: [(String, String)] = []
    var comment: [Substring] = []
    for line in Migrations.views.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("--") {
        comment.append(line.dropFirst(2).drop { $0 == " " })
      } else if line.hasPrefix("CREATE VIEW ") {
        let text = comment.joined(separator: " ")
        let end = text.firstIndex(of: ".") ?? text.endIndex
        let name = line.split(separator: " ")[2]
        views.append((String(name), String(text[..<end]) + "."))
        comment = []
      } else {
        comment = []
      }
    }
    return views
  }()

  /// The views that another build has made.
  private static func knownViews(in db: Connection) throws -> Set<String> {
    var names: Set<String> = []
    try db.forEach(
      """
      SELECT v.value FROM _catalog_settings s, json_each(
        CASE WHEN json_valid(s.value) THEN s.value ELSE '[]' END) v
      WHERE s.key = 'view_names' AND typeof(v.value) = 'text'
      """
    ) { names.insert($0.text(0)) }
    return names
  }

  private static func remakeViews(in db: Connection) throws {
    guard try !SchemaDefinitions.views.areViews(in: db) else { return }
    let list = "[" + SchemaDefinitions.views.names.map { "\"\($0)\"" }.joined(separator: ",") + "]"
    // Those that another build has made, those that are called as one of today, and nobody else's.
    let made = SQL(
      """
      SELECT m.name FROM sqlite_master m WHERE m.type = 'view' AND m.name IN (
        SELECT v.value FROM json_each(?) v
        UNION SELECT v.value FROM _catalog_settings s, json_each(
          CASE WHEN json_valid(s.value) THEN s.value ELSE '[]' END) v
        WHERE s.key = 'view_names')
      """, [.text(list)])
    var names: [String] = []
    try db.forEach(made) { names.append($0.text(0)) }
    // What they are called is what the file says, and may be anything.
    let known = try knownViews(in: db)
    for name in names {
      if !known.contains(name) { try OwnViews.moveOutOfTheWay(name, in: db) }
      let quoted = name.split(separator: "\"", omittingEmptySubsequences: false)
        .joined(separator: "\"\"")
      try db.execute("DROP VIEW \"\(quoted)\"")
    }
    try db.execute(Migrations.views)
    try db.execute(
      "INSERT OR REPLACE INTO _catalog_settings (key, value) VALUES ('view_names', ?)", [list])
  }
}

/// A view of the catalog, as the data dictionary tells of it.
///
/// ```swift
/// for view in try SchemaView.all() {
///   print(view.name, view.columns.map(\.name))
/// }
/// ```
public struct SchemaView: Sendable, Hashable {
  /// A column of a view.
  public struct Column: Sendable, Hashable {
    /// The name in SQL.
    public let name: String
    /// How values are stored, and their unit.
    public let form: ValueForm
    /// What the values say, in one sentence.
    public let meaning: String

    /// A column of a view of a catalog.
    package init(_ name: String, of view: String) {
      let term = Glossary.term(name, of: view)
      self.name = name
      form = term?.form ?? .any
      meaning = term?.meaning ?? ""
    }
  }

  /// The name in SQL.
  public let name: String
  /// What its rows are, in one sentence.
  public let summary: String
  /// Its columns, in their order.
  public let columns: [Column]

  /// All views that are a promise to users, in the order of the schema.
  ///
  /// - Throws: ``CatalogError/Code/database`` where SQLite has no memory.
  /// - Complexity: Makes the schema in memory, which takes a few milliseconds.
  public static func all() throws -> [SchemaView] {
    let db = try Connection.inMemory()
    try Schema.update(db)
    var views: [SchemaView] = []
    for (name, summary) in Schema.summaries where !summary.hasPrefix("Internal:") {
      var columns: [Column] = []
      try db.forEach(SQL("SELECT name FROM pragma_table_info(?)", [.text(name)])) { row in
        columns.append(Column(row.text(0), of: name))
      }
      views.append(SchemaView(name: name, summary: summary, columns: columns))
    }
    try db.close()
    return views
  }

}

extension SchemaView {
  /// The view with a name.
  ///
  /// - Throws: ``CatalogError/Code/viewNotFound`` with the nearest name when there is none.
  public init(named name: String) throws {
    let views = try Self.all()
    guard let view = views.first(where: { $0.name == name.lowercased() }) else {
      throw CatalogError(
        .viewNotFound, named: name, among: views.map(\.name), "there is no view “\(name)”")
    }
    self = view
  }

  /// All that the glossary explains: names of columns, some with that of their view.
  package static var glossary: [String] { Array(Glossary.terms.keys) }

  /// The tables that scans write, with the columns as they are encoded.
  package static var writtenTables: [(name: String, columns: [String])] {
    [
      EntryRow.table, DirectoryRow.table, TotalsRow.table, SymlinkRow.table, PackageRow.table,
      PackagedLinkRow.table, AssetRow.table, OddNameRow.table,
    ].map { ($0.name, $0.columns) }
  }
}
