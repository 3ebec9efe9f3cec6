/// A question about a whole catalog that has a name: what occupies the disk, by type, owner or age,
/// what is broken, what is there twice.
///
/// Each report but one is an SQL view of the same name, so that any program that reads SQLite gets it too.
///
/// ```swift
/// let request = ReportRequest(try Report(named: "usage_by_type"), in: "/home/me", limit: 10)
/// try catalog.forEachRow(of: request) { values in print(values) }
/// ```
public struct Report: Sendable, Hashable {
  /// A column of a report.
  public struct Column: Sendable, Hashable {
    /// The name, as in the view.
    public let name: String
    /// What the values are.
    public let form: ValueForm

    init(_ name: String, _ form: ValueForm) {
      self.name = name
      self.form = form
    }
  }

  /// How a report is narrowed to a directory.
  enum Narrowing: Sendable, Hashable {
    /// Its statement is run over fewer entries.
    case entries
    /// Its rows are chosen by their column `path`.
    case paths
    /// Its rows are added up by path, over the scans in question.
    case growth
    /// Names are compared, in a directory or everywhere.
    case names
  }

  /// The name of the report and of its view.
  public let name: String
  /// What it tells, in one sentence.
  public let abstract: String
  /// Its columns, in the order of the rows.
  public let columns: [Column]
  /// The column that says how much a row matters, and that a bar can show; where there is one.
  public let measure: String?
  let order: String
  let narrowing: Narrowing

  /// A report of the view with this name. What it tells stands above the view, and what its columns
  /// are in the glossary.
  ///
  /// - Parameters:
  ///   - columns: the names of the columns, with spaces between them.
  ///   - order: the terms of `ORDER BY`.
  private init(
    _ name: String, _ columns: String, measure: String? = nil, order: String,
    narrowing: Narrowing = .entries
  ) {
    self.name = name
    abstract = Schema.summaries.first { $0.name == name }?.summary ?? ""
    self.columns = Self.columns(columns, of: name)
    self.measure = measure
    self.order = order
    self.narrowing = narrowing
  }

  /// A report that is no view.
  private init(
    _ name: String, _ abstract: String, _ columns: [Column], order: String, narrowing: Narrowing
  ) {
    self.name = name
    self.abstract = abstract
    self.columns = columns
    measure = nil
    self.order = order
    self.narrowing = narrowing
  }

  /// The columns of a view with these names.
  private static func columns(_ names: String, of view: String) -> [Column] {
    names.split(separator: " ").map { column in
      Column(String(column), Glossary.term(String(column), of: view)?.form ?? .any)
    }
  }

  /// The report with a name.
  ///
  /// - Throws: ``/CatalogStore/CatalogError/Code/reportNotFound`` with the nearest name when there is none.
  public init(named name: String) throws(CatalogError) {
    let wanted = String(name.lowercased().map { $0 == "-" ? "_" : $0 })
    guard let report = Self.all.first(where: { $0.name == wanted }) else {
      throw CatalogError(
        .reportNotFound, named: wanted, among: Self.all.map(\.name), "there is no report “\(name)”")
    }
    self = report
  }

  /// The columns for a statement that reads the view, with names and paths as they are and not as views
  /// show them.
  var exactColumns: [String] {
    columns.map { column in
      guard let bytes = Self.bytes[column.name] else { return column.name }
      return "ifnull(\(bytes), \(column.name)) AS \(column.name)"
    }
  }

  private static let bytes = [
    "path": "path_bytes", "name": "name_bytes", "freed_with": "freed_with_bytes",
  ]

  /// Whether there is an SQL view of its name. SQL by itself does not know which names are alike.
  public var isView: Bool { narrowing != .names }

  /// Whether the report tells about a span of time, which ``ReportRequest/since`` and
  /// ``ReportRequest/until`` bound.
  public var isAboutTime: Bool { narrowing == .growth }
}

// MARK: - All reports

extension Report {
  /// All reports.
  ///
  /// A new one is a view of its name in `views.sql`, and a line here.
  public static let all: [Report] = [
    Report(
      "usage_by_directory",
      "path depth files directories size allocated newest_modified state",
      measure: "allocated", order: "allocated DESC, path", narrowing: .paths),
    usage("usage_by_type", "type description", order: "type"),
    usage("usage_by_kind", "kind", order: "kind"),
    usage("usage_by_extension", "extension", order: "extension"),
    usage("usage_by_role", "role backup_policy purgeable", order: "role"),
    Report(
      "asset_gaps", "path stem extension idiom height hd scales missing_scales has_plain",
      order: "path, stem, extension, idiom, height, hd"),
    usage("usage_by_owner", "owner uid", order: "uid"),
    usage("usage_by_group", "group_name gid", order: "gid"),
    // From young to old; what is in the future or unknown has no lower end and comes last.
    Report(
      "usage_by_age", "age min_days max_days \(usageColumns)", measure: "allocated",
      order: "min_days IS NULL, min_days, max_days IS NULL"),
    Report(
      "usage_by_access_age", "age min_days max_days \(usageColumns)", measure: "allocated",
      order: "min_days IS NULL, min_days, max_days IS NULL"),
    // From small to large; directories come last.
    Report(
      "usage_by_size", "size_class min_size max_size \(usageColumns)", measure: "allocated",
      order: "min_size IS NULL, min_size"),
    Report(
      "largest_files", "path kind type size allocated modified owner links",
      measure: "allocated", order: "allocated DESC, size DESC, id"),
    Report(
      "growth_by_directory",
      "path depth total_files total_directories total_size total_allocated files directories size "
        + "allocated",
      measure: "total_allocated", order: "abs(total_allocated) DESC, path", narrowing: .growth),
    Report(
      "hard_links", "path links names outside size allocated freed freed_with inode device",
      measure: "allocated", order: "allocated DESC, device, inode"),
    Report(
      "hard_link_names", "path kind links allocated inode id", order: "volume_id, inode, id"),
    Report("broken_links", "path link_target modified owner", order: "path"),
    Report(
      "duplicate_candidates", "path name size copies wasted allocated modified",
      measure: "wasted", order: "wasted DESC, name, name_bytes, size, id"),
    Report(
      "name_collisions",
      "Names in one directory that differ only in case, or in how letters with marks are encoded.",
      [
        Column("path", .path), Column("name", .path), Column("alike", .number),
        Column("differ_in", .text), Column("kind", .text), Column("size", .bytes),
        Column("modified", .seconds),
      ],
      order: "position", narrowing: .names),
  ]

  private static let usageColumns = "entries files size allocated"

  /// What each row of a report on usage has, behind what it is about.
  static var usageSums: [Column] { columns(usageColumns, of: "usage_by_kind") }

  /// A report whose rows add up to all that there is.
  private static func usage(_ name: String, _ keys: String, order: String) -> Report {
    Report(
      name, "\(keys) \(usageColumns)", measure: "allocated", order: "allocated DESC, \(order)")
  }
}
