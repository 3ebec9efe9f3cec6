/// A question about many machines that has a name.
///
/// Where there is a ``Report`` of the name, the columns are its own, after the machine.
public struct FleetReport: Sendable, Hashable {
  /// The name of the report and of its view.
  public let name: String
  /// What it tells, in one sentence.
  public let abstract: String
  /// Its columns, in the order of the rows.
  public let columns: [Report.Column]
  /// The column that says how much a row matters.
  public let measure: String?
  private let order: [String]
  private let sums: [String]

  /// A report that is made of a report on one machine.
  private init?(_ name: String) {
    guard let report = Report.all.first(where: { $0.name == name }) else { return nil }
    self.init(
      name, report.abstract, report.columns, measure: report.measure,
      order: report.order.split(separator: ",").map { $0.drop { $0 == " " } }.map(String.init),
      sums: report.isAboutTime
        ? report.columns.map(\.name).filter { $0 != "path" && $0 != "depth" } : [])
  }

  private init(
    _ name: String, _ abstract: String, _ columns: [Report.Column], measure: String?,
    order: [String], sums: [String] = []
  ) {
    self.name = name
    self.abstract = abstract
    self.columns = [Report.Column("host", .text)] + columns
    self.measure = measure
    self.order = order + ["host"]
    self.sums = sums
  }

  /// Whether the report tells about a span of time.
  public var isAboutTime: Bool { !sums.isEmpty }

  /// All reports.
  public static let all: [FleetReport] = [FleetReport?]([
    usage("usage_by_host", "Usage by machine.", [], order: nil),
    FleetReport("usage_by_kind"),
    FleetReport("usage_by_type"),
    FleetReport("usage_by_extension"),
    FleetReport("usage_by_owner"),
    FleetReport("usage_by_age"),
    usage(
      "usage_by_month", "Usage by the month of the last change, such as 202611.",
      [Report.Column("month", .identifier)], order: "month"),
    usage(
      "usage_by_top_directory",
      "Usage by root, and by each directory in a root, with all below it.",
      [Report.Column("path", .path)], order: "path"),
    FleetReport("largest_files"),
    FleetReport("growth_by_directory"),
    FleetReport(
      "growth_by_owner",
      "By how much files of each owner have grown, and how many changes that were.",
      [
        Report.Column("owner", .text), Report.Column("changes", .number),
        Report.Column("size", .bytes),
      ], measure: "size", order: ["abs(size) DESC", "owner"], sums: ["changes", "size"]),
    FleetReport("duplicate_candidates"),
  ]).compactMap { $0 }

  /// A report whose rows add up to all that there is.
  private static func usage(
    _ name: String, _ abstract: String, _ keys: [Report.Column], order: String?
  ) -> FleetReport {
    let sums = Report.columns(Report.usageColumns, of: "usage_by_kind")
    return FleetReport(
      name, abstract, keys + sums, measure: "allocated",
      order: ["allocated DESC"] + (order.map { [$0] } ?? []))
  }

  /// The report with a name.
  ///
  /// - Throws: ``/CatalogStore/CatalogError/Code/reportNotFound`` with the nearest name when there is none.
  public init(named name: String) throws(CatalogError) {
    let wanted = String(name.lowercased().map { $0 == "-" ? "_" : $0 })
    guard let report = Self.all.first(where: { $0.name == wanted }) else {
      throw CatalogError(
        .reportNotFound, named: wanted, among: Self.all.map(\.name),
        "there is no report “\(name)” about a fleet")
    }
    self = report
  }
}

/// Which report to make.
public struct FleetReportRequest: Sendable, Hashable {
  /// The report.
  public var report: FleetReport
  /// At most so many rows; `nil` for all.
  public var limit: Int?
  /// In a report about time: only what came at or after this and before that, in seconds since 1970.
  public var since: Int64?
  public var until: Int64?

  /// Asks for all rows, unless told otherwise.
  public init(_ report: FleetReport) { self.report = report }

  /// The statement over the views of any engine.
  public var statement: String { report.statement(self) }
}

extension FleetReport {
  fileprivate func statement(_ request: FleetReportRequest) -> String {
    let limit = request.limit.map { "\nLIMIT \($0)" } ?? ""
    let names = columns.map(\.name).joined(separator: ", ")
    return "SELECT \(names) FROM \(rows(request)) t\nORDER BY \(Self.terms(order))\(limit)"
  }

  /// What is selected from: the view, or what its rows come to over a span of time.
  private func rows(_ request: FleetReportRequest) -> String {
    guard isAboutTime else { return name }
    let conditions = [
      request.since.map { "v.at >= \($0)" }, request.until.map { "v.at < \($0)" },
    ].compactMap { $0 }
    let keys = columns.map(\.name).filter { !sums.contains($0) && $0 != "depth" }
    let depth = columns.contains { $0.name == "depth" } ? ["min(depth) AS depth"] : []
    let added = sums.map { "CAST(sum(\($0)) AS BIGINT) AS \($0)" }
    let isChanged = sums.map { "\($0) <> 0" }.joined(separator: " OR ")
    return """
      (SELECT * FROM (
        SELECT \((keys + depth + added).joined(separator: ", ")) FROM \(name) v
        \(conditions.isEmpty ? "" : "WHERE \(conditions.joined(separator: " AND "))")
        GROUP BY \(keys.joined(separator: ", "))) s
      WHERE \(isChanged))
      """
  }

  /// What is not known stands where SQLite puts it; engines differ in that.
  private static func terms(_ order: [String]) -> String {
    order.map { $0.hasSuffix(" DESC") ? "\($0) NULLS LAST" : "\($0) NULLS FIRST" }
      .joined(separator: ", ")
  }
}
