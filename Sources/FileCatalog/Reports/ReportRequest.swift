public import SystemPackage

/// Which report to make, and of what.
public struct ReportRequest: Sendable, Hashable {
  /// The report.
  public var report: Report
  /// The directory to tell about, with everything below it; `nil` for all roots. A file with names
  /// inside and outside counts with those inside, and the rest is `outside` in `hard_links`.
  public var directory: FilePath?
  /// At most so many rows; `nil` for all.
  public var limit: Int?
  /// In a report about time: only what came after this.
  public var since: ReportTime?
  /// In a report about time: only what came up to this.
  public var until: ReportTime?

  /// Asks for a report about everything, unless told otherwise.
  public init(
    _ report: Report, in directory: FilePath? = nil, limit: Int? = nil,
    since: ReportTime? = nil, until: ReportTime? = nil
  ) {
    self.report = report
    self.directory = directory
    self.limit = limit
    self.since = since
    self.until = until
  }
}

/// A place in the history of a catalog.
public enum ReportTime: Sendable, Hashable {
  /// The end of a scan.
  case scan(ScanID)
  /// A span of time, in seconds since 1970: a date covers all of its day.
  case date(Range<Int64>)

  /// Reads the number of a scan, or a date of ISO 8601 (`2026-11-21`, `2026-11-21T08:30`).
  ///
  /// - Parameter timeZone: the zone of dates that name none.
  /// - Throws: ``CatalogError/Code/invalidArgument``.
  public init(parsing text: String, timeZone: LocalTimeZone = .current) throws(CatalogError) {
    // A year alone looks like the number of a scan, and is meant as one less often.
    if let number = Int64(text), number >= 0 {
      self = .scan(ScanID(rawValue: number))
      return
    }
    guard let (start, end) = WrittenDate(text)?.nanoseconds(in: timeZone) else {
      throw CatalogError(
        .invalidArgument,
        "“\(text)” is neither the number of a scan nor a date; write it as 2026-11-21 or "
          + "2026-11-21T08:30, or see: filecat sql 'SELECT * FROM scans'")
    }
    let second: Int64 = 1_000_000_000
    self = .date(start.flooredDivision(by: second)..<end.flooredDivision(by: second))
  }

  /// The condition that a change came after this.
  var lowerBound: SQLFragment {
    switch self {
    case .scan(let id): SQLFragment("scan_id > ?", [.integer(id.rawValue)])
    case .date(let span): SQLFragment("at >= ?", [.integer(span.lowerBound)])
    }
  }

  /// The condition that a change came before this was over.
  var upperBound: SQLFragment {
    switch self {
    case .scan(let id): SQLFragment("scan_id <= ?", [.integer(id.rawValue)])
    case .date(let span): SQLFragment("at < ?", [.integer(span.upperBound)])
    }
  }
}
