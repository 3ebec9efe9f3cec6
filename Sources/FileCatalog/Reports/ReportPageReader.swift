internal import SQLite
internal import SystemPackage

/// Reads from the catalog what the page shows.
struct ReportPageReader {
  /// As many directories as a picture can show; the largest ones.
  private static let directoryLimit = 4000
  /// The tables of the page, with how many rows they have at most and whether they need the whole
  /// width of the page.
  private static let tables: [(report: String, limit: Int, columns: [String], isWide: Bool)] = [
    ("usage_by_type", 200, ["description", "type", "files", "allocated", "size"], false),
    ("usage_by_extension", 200, ["extension", "files", "allocated", "size"], false),
    ("usage_by_owner", 200, ["owner", "files", "allocated", "size"], false),
    ("usage_by_age", 20, ["age", "files", "allocated", "size"], false),
    (
      "largest_files", 100, ["path", "type", "owner", "modified", "size", "allocated"], true
    ),
    (
      "usage_by_directory", 300,
      ["path", "newest_modified", "files", "directories", "size", "allocated"], true
    ),
    (
      "hard_links", 100,
      ["path", "links", "names", "outside", "freed_with", "freed", "allocated"], true
    ),
    ("broken_links", 100, ["path", "link_target", "owner", "modified"], true),
  ]

  private let db: Connection
  private let statements: ReportStatement
  private let directory: FilePath?

  init(_ db: Connection, directory: FilePath?) throws {
    self.db = db
    self.directory = directory
    statements = try ReportStatement(db)
  }

  func page() throws -> ReportPage {
    let found = try directory.map { try PathLookup(db).directory(at: $0) }
    var page = ReportPage(
      subject: found.map(\.path.string) ?? "everything in the catalog",
      made: Clock.now / 1_000_000_000)
    let tops =
      SQL(
        "SELECT path, total_files, total_directories, total_size, total_allocated FROM directories "
          + "WHERE ")
      + (found.map { SQL("id = ?", [.integer($0.id)]) } ?? SQL("depth = 0"))
      + SQL(" ORDER BY path")
    try db.forEach(tops) { row in
      page.roots.append(
        ReportPage.Root(
          path: ReportPage.Value.shortened(row.bytes(0)), files: row.integer(1),
          directories: row.integer(2),
          size: row.integer(3), allocated: row.integer(4)))
    }
    page.directories = try directories(below: found)
    if found == nil { page.history = try history() }
    page.reports = try Self.tables.map { try table($0.report, $0.limit, $0.columns, $0.isWide) }
    if let growth = try growth() { page.reports.insert(growth, at: 4) }
    return page
  }

  /// The largest directories, parents before children: a parent is never smaller.
  private func directories(below top: FoundDirectory?) throws -> [[ReportPage.Value]] {
    var positions: [Int64: Int64] = [:]
    var directories: [[ReportPage.Value]] = []
    let statement =
      SQL(
        """
        SELECT d.id, e.parent_id, d.path, e.name, d.total_files, d.total_size, d.total_allocated
        FROM directories d JOIN _entries e ON e.id = d.id WHERE
        """) + SQL(" ") + (top.map(ReportStatement.isInside) ?? SQL("1"))
      + SQL(
        " ORDER BY d.total_allocated DESC, d.total_size DESC, d.depth LIMIT ?",
        [.integer(Int64(Self.directoryLimit))])
    try db.forEach(statement) { row in
      let parent = row.optionalInteger(1).flatMap { positions[$0] }
      let isTop = parent == nil
      guard !isTop || directories.isEmpty || row.optionalInteger(1) == nil else { return }
      positions[row.integer(0)] = Int64(directories.count)
      directories.append([
        .number(parent ?? -1),
        .text(ReportPage.Value.shortened(row.bytes(isTop ? 2 : 3))), .number(row.integer(4)),
        .number(row.integer(5)), .number(row.integer(6)),
      ])
    }
    return directories
  }

  /// The scans of each root. Bytes on disk are reckoned back from those of today.
  private func history() throws -> [ReportPage.History] {
    var histories: [ReportPage.History] = []
    let statement = SQL(
      """
      SELECT r.path, s.finished_at, s.entries,
        (SELECT d.total_allocated FROM directories d WHERE d.id = r.entry_id)
        - (SELECT ifnull(sum(g.total_allocated), 0) FROM growth_by_directory g
            WHERE g.root_id = r.id AND g.depth = 0 AND g.scan_id > s.id),
        EXISTS (SELECT 1 FROM growth_by_directory g WHERE g.root_id = r.id)
      FROM scans s JOIN _roots r ON r.id = s.root_id
      WHERE s.state IN ('complete', 'partial') AND s.finished_at IS NOT NULL
      ORDER BY r.path, s.finished_at, s.id
      """)
    try db.forEach(statement) { row in
      let root = ReportPage.Value.shortened(row.bytes(0))
      if histories.last?.root != root {
        histories.append(ReportPage.History(root: root, points: []))
      }
      let allocated = row.integer(4) != 0 ? row.optionalInteger(3) : nil
      histories[histories.count - 1].points.append([
        .number(row.integer(1)), .number(row.integer(2)),
        allocated.map { .number($0) } ?? .null,
      ])
    }
    return histories
  }

  /// What has grown; `nil` while there is no history.
  private func growth() throws -> ReportPage.Table? {
    let table = try table(
      "growth_by_directory", 200, ["path", "total_files", "total_size", "total_allocated"], true)
    return table.rows.isEmpty ? nil : table
  }

  private func table(
    _ name: String, _ limit: Int, _ columns: [String], _ isWide: Bool
  ) throws -> ReportPage.Table {
    let report = try Report(named: name)
    let request = ReportRequest(report, in: directory, limit: limit)
    let places = columns.compactMap { column in
      report.columns.firstIndex { $0.name == column }.map { Int32($0) }
    }
    var table = ReportPage.Table(
      name: name, title: Self.title(name), abstract: report.abstract, measure: report.measure,
      isWide: isWide,
      columns: places.map { place in
        let column = report.columns[Int(place)]
        return ReportPage.Table.Column(
          name: column.name, title: Self.title(column.name), form: "\(column.form)")
      }, rows: [])
    try db.forEach(try statements.fragment(for: request)) { row in
      table.rows.append(places.map { ReportPage.Value(row.value($0)) })
    }
    return table
  }

  /// A name of the schema as people write it.
  private static func title(_ name: String) -> String {
    switch name {
    case "allocated": "On disk"
    case "total_allocated": "On disk, change"
    case "total_size": "Size, change"
    case "total_files": "Files, change"
    case "newest_modified": "Last change"
    default: name.prefix(1).uppercased() + name.dropFirst().map { $0 == "_" ? " " : $0 }
    }
  }
}
