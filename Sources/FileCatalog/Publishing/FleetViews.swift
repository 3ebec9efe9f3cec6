public import Fleet
internal import SystemPackage

/// The views by which an engine asks what machines have published: the statements that make them.
///
/// They read what is there when they are asked, and count what has a record alone: of each catalog the last
/// full publication and those that follow it without a gap. Their names and columns are those of a
/// catalog, with the machine beside them.
public struct FleetViews: Sendable {
  /// What is said before all else.
  private let beginning: [String]
  /// The statements that make each view, in an order in which each needs those before it alone.
  private let views: [(name: String, statements: [String])]

  /// The statements, each ended by a semicolon.
  public var sql: String {
    (beginning + views.flatMap(\.statements)).map { $0 + ";\n" }.joined(separator: "\n")
  }

  /// The statements that make the views that a question needs: an engine looks at the files of each.
  func statements(for question: String) -> [String] {
    var words = Self.words(in: question)
    var needed: [[String]] = []
    for view in views.reversed() where words.contains(view.name) {
      needed.append(view.statements)
      for statement in view.statements { words.formUnion(Self.words(in: statement)) }
    }
    return beginning + needed.reversed().flatMap { $0 }
  }

  private static func words(in text: String) -> Set<String> {
    Set(text.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
  }

  /// The views of a lake.
  ///
  /// They have no credentials: an engine asks for what is in a bucket in its own name.
  ///
  /// - Parameter coverage: which catalogs count; nothing is read of others. All do where there is none.
  /// - Throws: ``/CatalogStore/CatalogError/Code/invalidArgument`` where the path of the lake is not UTF-8, or
  ///   has characters that engines take for a pattern.
  public init(
    of lake: Lake, for dialect: FleetDialect, about coverage: FleetCoverage? = nil
  ) throws(CatalogError) {
    let path = try Self.path(of: lake, for: dialect)
    let left = coverage?.left ?? []
    let chosen = left.isEmpty ? nil : coverage?.counted.map { "\($0.last.catalog)" }
    let condition =
      left.isEmpty
      ? nil : "catalog NOT IN (\(left.map { "'\($0)'" }.joined(separator: ", ")))"
    let ends = (coverage?.ends ?? []).map {
      "NOT (catalog = '\($0.catalog)' AND publication > \($0.publication))"
    }
    let committed = [condition].compactMap { $0 } + ends
    let catalog = (name: "catalog", type: FleetDialect.ColumnType.text)
    let commits = FleetDialect.Source(
      columns: Self.commitColumns, keys: [catalog],
      directory: "\(path)/\(Lake.commitsDirectory)", files: "*.json", isJSON: true,
      chosen: chosen)
    let tables = FleetTable.allCases.map { table in
      let columns = PublishedTable.columns(of: table).map { ($0.name, $0.form.columnType) }
      let source = FleetDialect.Source(
        columns: columns, keys: [catalog, ("publication", .integer)],
        directory: "\(path)/\(table.rawValue)", files: Lake.part, isJSON: false,
        chosen: chosen)
      let name = "published_\(table.rawValue)"
      return (name: name, statements: dialect.view(name, of: source, where: condition))
    }
    let compactions = FleetDialect.Source(
      columns: Self.compactionColumns, keys: [],
      directory: "\(path)/\(Lake.compactionsDirectory)", files: "*.json", isJSON: true,
      chosen: nil)
    let counted = committed.isEmpty ? nil : committed.joined(separator: "\n  AND ")
    let compacted = FleetTable.allCases.filter { !$0.isState }.map { table in
      let source = Self.compacted(
        table, in: "\(path)/\(Lake.directory(ofCompacted: table))",
        keys: [(Self.compaction, .text)])
      let name = "compacted_\(table.rawValue)"
      return (name: name, statements: dialect.view(name, of: source, where: counted))
    }
    beginning = dialect.beginning
    views =
      [
        (name: Self.commits, statements: dialect.view(Self.commits, of: commits, where: counted)),
        (
          name: Self.compactions,
          statements: dialect.view(Self.compactions, of: compactions, where: nil)
        ),
      ] + tables + compacted
      + Self.views(dialect).map { ($0.name, [dialect.view($0.name, $0.statement)]) }
  }

  private static let commits = "commits"
  private static let compactions = "compactions"
  private static let compaction = "compaction"

  /// What compactions have written of a table, as engines read it: of whom each row is stands in it.
  static func compacted(
    _ table: FleetTable, in directory: String, keys: [(name: String, type: FleetDialect.ColumnType)]
  ) -> FleetDialect.Source {
    FleetDialect.Source(
      columns: CompactedHistory.columns(of: table).map { ($0.name, $0.form.columnType) },
      keys: keys, directory: directory, files: "*.parquet", isJSON: false, chosen: nil)
  }

  /// How an engine calls the lake.
  static func path(of lake: Lake, for dialect: FleetDialect) throws(CatalogError) -> String {
    let path: String
    var isText = true
    switch lake.place {
    case .directory(let directory):
      path = directory.absolute.string
      isText = String(validating: directory) != nil
    case .bucket(let address):
      // Hadoop, by which Spark reads, has a name of its own for them.
      path = dialect == .spark ? address.text(scheme: "s3a") : address.description
    }
    guard isText, !path.contains(where: { "*?[]{}\\".contains($0) }) else {
      throw CatalogError(
        .invalidArgument,
        "\(path) is not UTF-8, or would be taken for a pattern by an engine")
    }
    return path
  }

  /// Of the records, what views need.
  private static let commitColumns: [(name: String, type: FleetDialect.ColumnType)] = [
    ("publication", .integer), ("host", .text), ("kind", .text), ("scan", .integer),
    ("oldest_scan", .integer), ("newest_scan", .integer), ("published", .integer),
    ("clock_skew", .integer), ("entries", .integer), ("allocated", .integer),
  ]

  /// Of the records of compactions, what views need: a line for each catalog, and one with no catalog.
  private static let compactionColumns: [(name: String, type: FleetDialect.ColumnType)] = [
    (compaction, .text), ("catalog", .text), ("last_publication", .integer),
  ]

  // MARK: - What is made of it

  /// In an order in which each needs those before it alone.
  private static func views(_ dialect: FleetDialect) -> [(name: String, statement: String)] {
    [
      ("publications", publications),
      ("entries", newest(.entries)),
      ("directories", newest(.directories)),
      ("files", located("entries")),
      ("loose_commits", looseCommits),
      ("changes", told(.changes)),
      ("growth_by_directory", told(.growth)),
      ("growth_by_owner", growthByOwner),
      ("contributions", contributions),
      ("rollup", rollup),
      ("usage_by_host", rolledUp(by: [])),
      ("usage_by_kind", rolledUp(by: ["kind"])),
      ("usage_by_type", rolledUp(by: ["type", "description"])),
      ("usage_by_owner", rolledUp(by: ["owner", "uid"])),
      ("usage_by_month", rolledUp(by: ["month"])),
      ("usage_by_top_directory", usageByTopDirectory),
      ("usage_by_extension", usageByExtension),
      ("usage_by_age", usageByAge(dialect)),
      ("largest_files", largestFiles),
      ("duplicate_candidates", duplicateCandidates(dialect)),
    ]
  }

  /// Of each catalog the last full publication, and those that follow without a gap.
  private static let publications = """
    SELECT catalog, publication, host, kind, scan, oldest_scan, newest_scan, published, clock_skew,
      max(publication) OVER (PARTITION BY catalog) AS last_publication
    FROM (
      SELECT c.*, f.full_publication,
        row_number() OVER (PARTITION BY c.catalog ORDER BY c.publication) AS position
      FROM commits c JOIN (
        SELECT catalog, max(publication) AS full_publication FROM commits WHERE kind = 'full'
        GROUP BY catalog) f ON f.catalog = c.catalog
      WHERE c.publication >= f.full_publication) p
    WHERE publication - full_publication + 1 = position
    """

  /// The newest row of each id that is still there: those of full publications of which nothing is told since,
  /// and of those that follow the newest. Deltas are small, so it is these that are put in order, and looked
  /// for, and not all rows.
  private static func newest(_ table: FleetTable) -> String {
    let columns = PublishedTable.columns(of: table).map(\.name).filter { $0 != "removed" }
    let told = """
      FROM published_\(table.rawValue) t
      JOIN publications p ON p.catalog = t.catalog AND p.publication = t.publication
      """
    return """
      SELECT p.host AS host, t.catalog AS catalog,
        \(columns.map { "t.\($0) AS \($0)" }.joined(separator: ", "))
      \(told)
      LEFT JOIN (
        SELECT DISTINCT t.catalog AS catalog, t.id AS id
        \(told)
        WHERE p.kind = 'delta') d ON d.catalog = t.catalog AND d.id = t.id
      WHERE p.kind = 'full' AND d.id IS NULL
      UNION ALL
      SELECT host, catalog, \(columns.joined(separator: ", "))
      FROM (
        SELECT t.*, p.host,
          row_number() OVER (PARTITION BY t.catalog, t.id ORDER BY t.publication DESC) AS age
        \(told)
        WHERE p.kind = 'delta') n
      WHERE age = 1 AND NOT removed
      """
  }

  /// The records of publications whose history no compaction tells.
  private static let looseCommits = """
    SELECT c.catalog AS catalog, c.publication AS publication, c.host AS host
    FROM commits c LEFT JOIN (
      SELECT catalog, max(last_publication) AS last_publication FROM compactions
      WHERE catalog IS NOT NULL GROUP BY catalog) k ON k.catalog = c.catalog
    WHERE k.last_publication IS NULL OR c.publication > k.last_publication
    """

  /// What each publication tells once, in a file of its own or in that of a compaction.
  private static func told(_ table: FleetTable) -> String {
    let columns = PublishedTable.columns(of: table).map { "t.\($0.name) AS \($0.name)" }
      .joined(separator: ", ")
    return """
      SELECT c.host AS host, t.catalog AS catalog, \(columns)
      FROM published_\(table.rawValue) t
      JOIN loose_commits c ON c.catalog = t.catalog AND c.publication = t.publication
      UNION ALL
      SELECT t.host AS host, t.catalog AS catalog, \(columns)
      FROM compacted_\(table.rawValue) t
      JOIN (SELECT DISTINCT \(compaction) FROM compactions) k ON k.\(compaction) = t.\(compaction)
      """
  }

  /// Entries with their paths, which are put together from those of their directories; a root has its own.
  ///
  /// - Parameters:
  ///   - entries: what they are selected from.
  ///   - more: further columns of it.
  private static func located(_ entries: String, _ more: [String] = []) -> String {
    let columns = PublishedTable.columns(of: .entries).map(\.name).filter { $0 != "removed" } + more
    return """
      SELECT e.host AS host, e.catalog AS catalog,
        CASE WHEN d.path = '/' THEN '/' || e.name WHEN d.path IS NOT NULL THEN d.path || '/' || e.name
          ELSE r.path END AS path,
        \(columns.map { "e.\($0) AS \($0)" }.joined(separator: ", ")),
        coalesce(d.container, r.container) AS container, coalesce(d.role, r.role) AS role
      FROM \(entries) e
      LEFT JOIN directories d ON d.catalog = e.catalog AND d.id = e.parent_id
      LEFT JOIN (SELECT * FROM directories WHERE parent_id IS NULL) r
        ON r.catalog = e.catalog AND r.id = e.id
      """
  }

  /// By how much scans have changed the sizes of files, by whom they belong to. A change of what is gone has
  /// the size that it had.
  private static let growthByOwner = """
    SELECT host, owner, c.at AS at, CAST(count(*) AS BIGINT) AS changes,
      CAST(sum(CASE WHEN kind = 'removed' THEN 0 ELSE coalesce(size, 0) END - coalesce(old_size, 0)) AS BIGINT)
        AS size
    FROM changes c WHERE entry_kind <> 'directory' GROUP BY host, owner, c.at
    """

  /// What each entry adds to reports on usage.
  private static let contributions = """
    SELECT e.host AS host, e.catalog AS catalog, e.id AS id, e.kind AS kind, e.type AS type,
      e.type_description AS type_description, e.extension AS extension, e.owner AS owner,
      e.uid AS uid, e.modified_ns AS modified_ns, e.files AS files,
      CASE WHEN e.kind = 'directory' THEN 0 ELSE coalesce(e.size, 0) END AS size,
      coalesce(e.allocated, 0) - coalesce(r.allocated, 0) AS allocated
    FROM entries e LEFT JOIN (\(repeated)) r ON r.catalog = e.catalog AND r.entry_id = e.id
    """

  /// The names of files that count elsewhere, as the last publication tells them.
  private static let repeated = """
    SELECT t.catalog AS catalog, t.entry_id AS entry_id, t.allocated AS allocated
      FROM published_repeated t
      JOIN publications p ON p.catalog = t.catalog AND p.publication = t.publication
      WHERE p.publication = p.last_publication
    """

  private static func sums(_ entries: String) -> String {
    """
    CAST(\(entries) AS BIGINT) AS entries, CAST(sum(files) AS BIGINT) AS files,
      CAST(sum(size) AS BIGINT) AS size, CAST(sum(allocated) AS BIGINT) AS allocated
    """
  }

  /// The sums that the last publication tells: few rows for many entries.
  private static let rollup = """
    SELECT p.host AS host, t.catalog AS catalog, t.directory_id AS directory_id, t.kind AS kind,
      t.type AS type, t.type_description AS description, t.owner AS owner, t.uid AS uid, t.month AS month,
      t.entries AS entries, t.files AS files, t.size AS size, t.allocated AS allocated
    FROM published_rollup t
    JOIN publications p ON p.catalog = t.catalog AND p.publication = t.publication
    WHERE p.publication = p.last_publication
    """

  private static func rolledUp(by keys: [String]) -> String {
    let keys = (["host"] + keys).joined(separator: ", ")
    return "SELECT \(keys), \(sums("sum(entries)"))\nFROM rollup GROUP BY \(keys)"
  }

  /// By root, and by directory in a root.
  private static let usageByTopDirectory = """
    SELECT r.host AS host, d.path AS path, r.entries AS entries, r.files AS files, r.size AS size,
      r.allocated AS allocated
    FROM (
      SELECT host, catalog, directory_id, \(sums("sum(entries)"))
      FROM rollup GROUP BY host, catalog, directory_id) r
    LEFT JOIN directories d ON d.catalog = r.catalog AND d.id = r.directory_id
    """

  private static let usageByExtension = """
    SELECT host, CASE WHEN kind <> 'directory' THEN extension END AS extension, \(sums("count(*)"))
    FROM contributions GROUP BY host, CASE WHEN kind <> 'directory' THEN extension END
    """

  /// The ages of the view of a catalog, from young to old: from how many days on, and to below how many.
  static let ages: [(name: String, minimum: Int?, maximum: Int?)] = [
    ("under a day", 0, 1), ("under a week", 1, 7), ("under 30 days", 7, 30),
    ("under 90 days", 30, 90), ("under a year", 90, 365), ("under 2 years", 365, 730),
    ("under 5 years", 730, 1825), ("5 years and more", 1825, nil), (future, nil, 0),
    (unknown, nil, nil),
  ]
  private static let future = "in the future"
  private static let unknown = "unknown"

  /// Hours count when they have begun, as in a catalog.
  private static func usageByAge(_ dialect: FleetDialect) -> String {
    let hour = "3600000000000"
    let now = "(\(dialect.now) - \(dialect.now) % 3600) * 1000000000"
    let known = ages.filter { $0.minimum != nil }.map { age in
      age.maximum.map { days in
        "WHEN modified_hour > \(now) - \(days * 24) * \(hour) THEN '\(age.name)'"
      } ?? "ELSE '\(age.name)'"
    }
    func days(_ limit: (_ age: (name: String, minimum: Int?, maximum: Int?)) -> Int?) -> String {
      let cases = ages.compactMap { age in limit(age).map { "WHEN '\(age.name)' THEN \($0)" } }
      return "CAST(CASE age \(cases.joined(separator: " ")) END AS BIGINT)"
    }
    return """
      SELECT host, age, \(days { $0.minimum }) AS min_days, \(days { $0.maximum }) AS max_days,
        \(sums("count(*)"))
      FROM (
        SELECT host, files, size, allocated,
          CASE WHEN modified_hour IS NULL THEN '\(unknown)'
            WHEN modified_hour > \(now) THEN '\(future)'
            \(known.joined(separator: "\n      ")) END AS age
        FROM (SELECT c.*, modified_ns - modified_ns % \(hour) AS modified_hour FROM contributions c) h) a
      GROUP BY host, age
      """
  }

  /// Whole seconds; not all engines have a division of integers.
  private static let modified = """
    CAST((f.modified_ns - f.modified_ns % 1000000000) / 1000000000 AS BIGINT)
          - CASE WHEN f.modified_ns % 1000000000 < 0 THEN 1 ELSE 0 END
    """

  /// Those that are largest of all machines.
  private static let largestFiles = """
    SELECT f.host AS host, f.id AS id, f.path AS path, f.kind AS kind, f.type AS type,
      f.size AS size, f.allocated AS allocated, \(modified) AS modified, f.owner AS owner,
      f.links AS links, f.catalog AS catalog
    FROM (\(located("(SELECT e.* FROM entries e JOIN (\(largest)) l ON l.catalog = e.catalog AND l.id = e.id)"))) f
    """

  private static let largest = """
    SELECT e.catalog AS catalog, e.id AS id
    FROM entries e LEFT JOIN (\(repeated)) r ON r.catalog = e.catalog AND r.entry_id = e.id
    WHERE e.kind <> 'directory' AND (r.entry_id IS NULL OR e.kind = 'package')
    ORDER BY coalesce(e.allocated, 0) DESC, coalesce(e.size, 0) DESC, e.id, e.host, e.catalog
    LIMIT 1000
    """

  /// Files with the same name and size, each once whatever names it has, wherever they are.
  private static func duplicateCandidates(_ dialect: FleetDialect) -> String {
    let name = "coalesce(name_bytes, \(dialect.bytes("name")))"
    let same = "OVER (PARTITION BY size, exact_name)"
    let found = """
      SELECT e.*, w.copies AS copies, w.wasted AS wasted
      FROM entries e JOIN (
        SELECT catalog, id, CAST(count(*) \(same) AS BIGINT) AS copies,
          CAST(sum(allocated) \(same) - max(allocated) \(same) AS BIGINT) AS wasted, size
        FROM (
          SELECT catalog, min(id) AS id, size, \(name) AS exact_name,
            max(coalesce(allocated, 0)) AS allocated
          FROM entries WHERE kind = 'file' AND size > 0
          GROUP BY catalog, size, \(name), volume_id, inode) g) w
        ON w.catalog = e.catalog AND w.id = e.id AND w.size = e.size
      WHERE w.copies > 1
      """
    return """
      SELECT f.host AS host, f.name AS name, f.size AS size, f.copies AS copies,
        f.wasted AS wasted, f.allocated AS allocated, \(modified) AS modified, f.id AS id,
        f.path AS path, f.name_bytes AS name_bytes, f.catalog AS catalog
      FROM (\(located("(\(found))", ["copies", "wasted"]))) f
      """
  }
}
