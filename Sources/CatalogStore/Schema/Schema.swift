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
    guard try db.integer("PRAGMA user_version") == Int64(Migrations.currentVersion) else {
      return .outdated
    }
    return try rememberedViews(in: db) == viewsMark ? .current : .outdated
  }

  /// Brings a catalog up to date, or makes one of an empty file, in one transaction.
  package static func update(_ db: Connection) throws {
    try db.transaction(.immediate) {
      let version = try db.integer("PRAGMA user_version") ?? 0
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

  private static func remakeViews(in db: Connection) throws {
    guard try rememberedViews(in: db) != viewsMark else { return }
    // Those that the other build has made, and none of somebody else's.
    let made = """
      SELECT m.name FROM catalog_settings s, json_each(s.value) v
        JOIN sqlite_master m ON m.type = 'view' AND m.name = v.value
      WHERE s.key = 'view_names'
      """
    var names: [String] = []
    try db.forEach(SQL(made)) { names.append($0.text(0)) }
    // What they are called is what the file says, and may be anything.
    for name in names {
      let quoted = name.split(separator: "\"", omittingEmptySubsequences: false)
        .joined(separator: "\"\"")
      try db.execute("DROP VIEW \"\(quoted)\"")
    }
    try db.execute(Migrations.views)
    let list = summaries.map { "\"\($0.name)\"" }.joined(separator: ",")
    try db.execute(
      """
      INSERT OR REPLACE INTO catalog_settings (key, value)
      VALUES ('views', ?1), ('view_names', ?2)
      """, [viewsMark, "[\(list)]"])
  }

  private static func rememberedViews(in db: Connection) throws -> Int64? {
    try db.integer("SELECT value FROM catalog_settings WHERE key = 'views'")
  }

  /// What tells the text of the views from any other: its FNV-1a hash of 64 bits.
  private static let viewsMark: Int64 = {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in Migrations.views.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return Int64(bitPattern: hash)
  }()
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
        let column = row.text(0)
        let term = Glossary.term(column, of: name)
        columns.append(
          Column(name: column, form: term?.form ?? .any, meaning: term?.meaning ?? ""))
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
      PackagedLinkRow.table, AssetRow.table,
    ].map { ($0.name, $0.columns) }
  }
}
