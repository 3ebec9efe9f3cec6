public import Fleet
internal import SystemPackage

/// The views by which an engine asks what machines have published: the statements that make them.
///
/// They read what is there when they are asked, and count what has a record alone: of each catalog the last
/// full publication and those that follow it without a gap. Their names and columns are those of a
/// catalog, with the machine beside them.
public struct FleetViews: Sendable {
  /// A program that answers SQL from Parquet.
  public enum Engine: String, Sendable, CaseIterable {
    /// [DuckDB](https://duckdb.org), tried with version 1.5.
    case duckdb
    /// [Apache Spark](https://spark.apache.org), tried with version 4.3.
    case spark
  }

  /// The statements, each ended by a semicolon.
  public let sql: String

  /// The views of a lake.
  ///
  /// They have no credentials: an engine asks for what is in a bucket in its own name.
  ///
  /// - Throws: ``/CatalogStore/CatalogError/Code/invalidArgument`` where the path of the lake is not UTF-8, or
  ///   has characters that engines take for a pattern.
  public init(of lake: Lake, for engine: Engine) throws(CatalogError) {
    let path = try Self.path(of: lake, for: engine)
    let sources = FleetTable.allCases.map { Self.source(of: $0, path, engine) }
    let views = Self.views.map { name, statement in
      "\(Self.beginning(engine)) \(name) AS\n\(statement);"
    }
    sql = ([Self.commits(path, engine)] + sources + views).joined(separator: "\n\n") + "\n"
  }

  /// How an engine calls the lake.
  private static func path(of lake: Lake, for engine: Engine) throws(CatalogError) -> String {
    let path: String
    var isText = true
    switch lake.place {
    case .directory(let directory):
      path = directory.absolute.string
      isText = String(validating: directory) != nil
    case .bucket(let address):
      // Hadoop, by which Spark reads, has a name of its own for them.
      path = engine == .spark ? address.text(scheme: "s3a") : address.description
    }
    guard isText, !path.contains(where: { "*?[]{}\\".contains($0) }) else {
      throw CatalogError(
        .invalidArgument,
        "\(path) is not UTF-8, or would be taken for a pattern by an engine")
    }
    return path
  }

  private static func beginning(_ engine: Engine) -> String {
    engine == .spark ? "CREATE OR REPLACE TEMPORARY VIEW" : "CREATE OR REPLACE VIEW"
  }

  private static func quoted(_ path: String) -> String {
    "'"
      + path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")
      + "'"
  }

  // MARK: - What is read

  /// Of the records, what views need.
  private static let commitColumns: [(name: String, type: String)] = [
    ("catalog", "STRING"), ("publication", "BIGINT"), ("host", "STRING"), ("kind", "STRING"),
    ("scan", "BIGINT"), ("oldest_scan", "BIGINT"), ("newest_scan", "BIGINT"),
    ("published", "BIGINT"), ("clock_skew", "BIGINT"), ("entries", "BIGINT"),
    ("allocated", "BIGINT"),
  ]

  private static func commits(_ lake: String, _ engine: Engine) -> String {
    let place = "\(lake)/\(Lake.commitsDirectory)"
    switch engine {
    case .duckdb:
      let columns = commitColumns.map { "\($0.name): '\($0.type)'" }.joined(separator: ", ")
      return """
        \(beginning(engine)) commits AS
        SELECT * FROM read_json(\(quoted("\(place)/*/*.json")),
          format = 'newline_delimited', hive_partitioning = false, columns = {\(columns)});
        """
    case .spark:
      let columns = commitColumns.map { "\($0.name) \($0.type)" }.joined(separator: ", ")
      return """
        \(beginning(engine)) commits (\(columns))
        USING json OPTIONS (path \(quoted(place)), pathGlobFilter '*.json');
        """
    }
  }

  private static func source(
    of table: FleetTable, _ lake: String, _ engine: Engine
  ) -> String {
    let place = "\(lake)/\(table.rawValue)"
    switch engine {
    case .duckdb:
      return """
        \(beginning(engine)) published_\(table.rawValue) AS
        SELECT * FROM read_parquet(\(quoted("\(place)/*/*/\(Lake.part)")),
          hive_partitioning = true, hive_types = {catalog: VARCHAR, publication: BIGINT});
        """
    case .spark:
      let columns =
        PublishedTable(table, since: nil).columns
        .map { "`\($0.name)` \($0.form.sparkType)" } + ["catalog STRING", "publication BIGINT"]
      return """
        \(beginning(engine)) published_\(table.rawValue) (\(columns.joined(separator: ", ")))
        USING parquet OPTIONS (path \(quoted(place)));
        """
    }
  }

  // MARK: - What is made of it

  /// In an order in which each needs those before it alone.
  private static let views: [(name: String, statement: String)] = [
    ("publications", publications),
    ("entries", newest(.entries)),
    ("directories", newest(.directories)),
    ("files", files),
    ("changes", told(.changes)),
    ("growth_by_directory", told(.growth)),
    ("contributions", contributions),
    ("usage_by_host", usage(by: [])),
    ("usage_by_kind", usage(by: [("kind", "kind")])),
    ("usage_by_type", usage(by: [("type", "type"), ("description", "type_description")])),
    (
      "usage_by_extension",
      usage(by: [("extension", "CASE WHEN kind <> 'directory' THEN extension END")])
    ),
    ("usage_by_owner", usage(by: [("owner", "owner"), ("uid", "uid")])),
  ]

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

  /// The newest row of each id that is still there.
  private static func newest(_ table: FleetTable) -> String {
    let columns = PublishedTable(table, since: nil).columns.map(\.name).filter { $0 != "removed" }
    return """
      SELECT host, catalog, \(columns.joined(separator: ", "))
      FROM (
        SELECT t.*, p.host,
          row_number() OVER (PARTITION BY t.catalog, t.id ORDER BY t.publication DESC) AS age
        FROM published_\(table.rawValue) t
        JOIN publications p ON p.catalog = t.catalog AND p.publication = t.publication) n
      WHERE age = 1 AND NOT removed
      """
  }

  /// What each publication tells once.
  private static func told(_ table: FleetTable) -> String {
    let columns = PublishedTable(table, since: nil).columns.map { "t.\($0.name)" }
    return """
      SELECT c.host, t.catalog, \(columns.joined(separator: ", "))
      FROM published_\(table.rawValue) t
      JOIN commits c ON c.catalog = t.catalog AND c.publication = t.publication
      """
  }

  /// The path of an entry is put together from that of its directory; a root has its own.
  private static let files: String = {
    let columns = PublishedTable(.entries, since: nil).columns.map(\.name)
      .filter { $0 != "removed" }.map { "e.\($0)" }
    return """
      SELECT e.host, e.catalog,
        CASE WHEN d.path = '/' THEN '/' || e.name WHEN d.path IS NOT NULL THEN d.path || '/' || e.name
          ELSE r.path END AS path,
        \(columns.joined(separator: ", ")), coalesce(d.container, r.container) AS container,
        coalesce(d.role, r.role) AS role
      FROM entries e
      LEFT JOIN directories d ON d.catalog = e.catalog AND d.id = e.parent_id
      LEFT JOIN directories r ON r.catalog = e.catalog AND r.id = e.id AND e.parent_id IS NULL
      """
  }()

  /// What each entry adds to reports on usage.
  private static let contributions = """
    SELECT e.host, e.catalog, e.id, e.kind, e.type, e.type_description, e.extension, e.owner, e.uid,
      e.modified_ns, e.files, CASE WHEN e.kind = 'directory' THEN 0 ELSE coalesce(e.size, 0) END AS size,
      coalesce(e.allocated, 0) - coalesce(r.allocated, 0) AS allocated
    FROM entries e LEFT JOIN (
      SELECT t.catalog, t.entry_id, t.allocated FROM published_repeated t
      JOIN publications p ON p.catalog = t.catalog AND p.publication = t.publication
      WHERE p.publication = p.last_publication) r ON r.catalog = e.catalog AND r.entry_id = e.id
    """

  private static func usage(by keys: [(name: String, value: String)]) -> String {
    let named = (["host"] + keys.map { "\($0.value) AS \($0.name)" }).joined(separator: ", ")
    let grouped = (["host"] + keys.map(\.value)).joined(separator: ", ")
    return """
      SELECT \(named), count(*) AS entries, CAST(sum(files) AS BIGINT) AS files,
        CAST(sum(size) AS BIGINT) AS size, CAST(sum(allocated) AS BIGINT) AS allocated
      FROM contributions GROUP BY \(grouped)
      """
  }
}

extension ValueForm {
  /// The type of a column in Spark.
  fileprivate var sparkType: String {
    switch storageClass {
    case .integer: self == .truth ? "BOOLEAN" : "BIGINT"
    case .real: "DOUBLE"
    case .text: "STRING"
    case .blob, .any: "BINARY"
    }
  }
}
