internal import FileSystem
internal import SQLite
internal import SystemPackage

/// The SQL of a report.
///
/// About everything it reads the view. About one directory it runs the very statement of the view
/// over fewer entries: common table expressions stand in for the views that reports read entries
/// through. So there is one definition of a report, which stock programs read too.
struct ReportStatement {
  private let db: Connection

  /// The views between reports and those that they read entries through.
  private static let between =
    ["_repeated_links", "_usage_by_place", "_usage_by_age", "_usage_by_access_age"]
    + ["_hard_links", "_duplicates", "_asset_gaps"].flatMap { [$0, $0 + "_as_text"] }

  /// Stand in for `_report_sums`, `_report_hours` and `_report_places`: what the catalog keeps is of all
  /// entries.
  private static let sums = """
    _report_sums AS (
      SELECT u.kind, u.type_id, u.extension_id, u.uid, 1 AS entries, u.files, u.size,
        u.allocated - ifnull(r.allocated, 0) AS allocated
      FROM _report_entries u LEFT JOIN _repeated_links r ON r.entry_id = u.id),
    _report_hours AS (
      SELECT u.modified_hour, 1 AS entries, u.files, u.size,
        u.allocated - ifnull(r.allocated, 0) AS allocated
      FROM _report_entries u LEFT JOIN _repeated_links r ON r.entry_id = u.id),
    _report_places AS (
      SELECT
        CASE u.kind
          WHEN 2 THEN (SELECT o.place_id FROM _directory_paths o WHERE o.id = u.id)
          WHEN 3 THEN ifnull((SELECT k.place_id FROM _packages k WHERE k.id = u.id),
            (SELECT d.place_id FROM _directory_paths d WHERE d.id = u.parent_id))
          ELSE (SELECT d.place_id FROM _directory_paths d WHERE d.id = u.parent_id)
        END AS place_id,
        1 AS entries, u.files, u.size, u.allocated - ifnull(r.allocated, 0) AS allocated
      FROM _report_entries u LEFT JOIN _repeated_links r ON r.entry_id = u.id)
    """

  init(_ db: Connection) throws {
    self.db = db
  }

  /// - Parameter columns: those to read; `nil` for the report's own.
  func fragment(for request: ReportRequest, columns: [String]? = nil) throws -> SQL {
    let report = request.report
    let select = SQL("SELECT " + (columns ?? report.exactColumns).joined(separator: ", "))
    let directory = try request.directory.map { try PathLookup(db).directory(at: $0) }
    var statement: SQL
    switch (report.narrowing, directory) {
    case (.entries, let directory):
      guard let directory, try !isEverything(directory) else {
        statement = select + SQL(" FROM \(report.name)")
        break
      }
      statement = Self.narrowed(to: directory)
      // Views between a report and what it reads would read everything.
      let between = try Self.between.map { "\($0) AS (\(try body(of: $0)))" } + [Self.sums]
      statement += SQL(between.joined(separator: ", ") + " ")
      statement += select + SQL(" FROM (\(try body(of: report.name)))")
    case (.paths, _):
      statement = select + SQL(" FROM \(report.name) WHERE ")
      statement += directory.map { $0.isAtOrAbove() } ?? SQL("1")
    case (.growth, _):
      for case .scan(let scan)? in [request.since, request.until] {
        try HistoryTable(db).requireKnown(scan.rawValue)
      }
      if case .scan(let scan) = request.since {
        try HistoryTable(db).requireKept(since: scan.rawValue)
      }
      statement = growth(request, directory)
    case (.names, let directory):
      statement = select + SQL(" FROM (") + Self.rows(of: try NameCollisions.all(in: directory, db))
      statement += SQL(")")
    }
    let order = request.order.map { $0.sql + ", " } ?? ""
    statement += SQL(
      " ORDER BY \(order)\(report.order) LIMIT ?", [.integer(request.limit.map { Int64($0) } ?? -1)]
    )
    return statement
  }

  /// The entries of findings, in their order.
  private static func rows(of findings: [NameCollisions.Finding]) -> SQL {
    // A value has room for so many.
    let chunk = 50_000
    let starts = findings.isEmpty ? [0] : Array(stride(from: 0, to: findings.count, by: chunk))
    let parts = starts.map { start in
      let list = findings[start..<min(start + chunk, findings.count)].map {
        "[\($0.entry),\($0.count),\"\($0.difference.rawValue)\"]"
      }
      return SQL(
        """
        SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS alike,
          json_extract(value, '$[2]') AS differ_in, key + \(start) AS position FROM json_each(?)
        """, [.text("[\(list.joined(separator: ","))]")])
    }
    return SQL(
      """
      SELECT f.path, f.path_bytes, f.name, f.name_bytes, c.alike, c.differ_in, f.kind, f.size,
        f.modified, c.position
      FROM (
      """) + parts.dropFirst().reduce(parts[0]) { $0 + SQL(" UNION ALL ") + $1 }
      + SQL(") c JOIN files f ON f.id = c.id")
  }

  /// Whether the catalog has no other root, so that all that it keeps is about this one.
  private func isEverything(_ directory: FoundDirectory) throws -> Bool {
    let others = SQL("SELECT 1 FROM _roots WHERE entry_id IS NOT ?", [.integer(directory.id)])
    return try db.first(others, { _ in true }) == nil
  }

  /// Changes are stored for each scan; a report says what they come to.
  private func growth(_ request: ReportRequest, _ directory: FoundDirectory?) -> SQL {
    let sums = request.report.columns.filter { !["path", "depth"].contains($0.name) }.map(\.name)
    let conditions = [
      directory.map { $0.isAtOrAbove() }, request.since?.lowerBound, request.until?.upperBound,
    ].compactMap { $0 }
    return SQL(
      "SELECT * FROM (SELECT ifnull(path_bytes, path) AS path, min(depth) AS depth, "
        + sums.map { "sum(\($0)) AS \($0)" }.joined(separator: ", ")
        + " FROM \(request.report.name) WHERE ")
      + SQL.joined(conditions[...], by: "AND")
      + SQL(
        " GROUP BY 1) WHERE " + sums.map { "\($0) <> 0" }.joined(separator: " OR "))
  }

  /// The statement of a view, as it stands in the schema.
  private func body(of view: String) throws -> String {
    let definition = SQL(
      "SELECT sql FROM sqlite_master WHERE type = 'view' AND name = ?", [.text(view)])
    guard let sql = try db.first(definition, { $0.text(0) }),
      let end = sql.firstIndex(of: "\n"), sql[..<end].hasSuffix(" AS")
    else {
      throw SQLiteError.corrupt("the view \(view) is missing")
    }
    return String(sql[end...])
  }

  /// Stands in for `_report_entries` and `_report_links`; a further expression may follow.
  static func narrowed(to directory: FoundDirectory) -> SQL {
    SQL("WITH inside(id) AS MATERIALIZED (SELECT id FROM _directory_paths WHERE ")
      + directory.isAtOrAbove()
      + SQL(
        """
        ),
        _report_entries AS (SELECT * FROM main._report_entries
          WHERE id = ? OR parent_id IN (SELECT id FROM inside)),
        _report_links AS (SELECT * FROM main._report_links
          WHERE (SELECT e.parent_id FROM _entries e WHERE e.id = entry_id)
            IN (SELECT id FROM inside)),

        """, [.integer(directory.id)])
  }
}
