/// A question about a whole catalog that has a name: what occupies the disk, by type, owner or age,
/// what is broken, what is there twice.
///
/// Each report is an SQL view of the same name, so that any program that reads SQLite gets it too.
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
    public let form: EntryColumn.Form

    init(_ name: String, _ form: EntryColumn.Form) {
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

  init(
    _ name: String, _ abstract: String, _ columns: [Column], measure: String? = nil,
    order: String, narrowing: Narrowing = .entries
  ) {
    self.name = name
    self.abstract = abstract
    self.columns = columns
    self.measure = measure
    self.order = order
    self.narrowing = narrowing
  }

  /// The report with a name.
  ///
  /// - Throws: ``CatalogError/Code/reportNotFound`` with the nearest name when there is none.
  public init(named name: String) throws(CatalogError) {
    let wanted = name.lowercased().replacing("-", with: "_")
    guard let report = Self.all.first(where: { $0.name == wanted }) else {
      throw CatalogError(
        .reportNotFound, named: wanted, among: Self.all.map(\.name), "there is no report “\(name)”")
    }
    self = report
  }

  /// Whether the report tells about a span of time, which ``ReportRequest/since`` and
  /// ``ReportRequest/until`` bound.
  public var isAboutTime: Bool { narrowing == .growth }
}
