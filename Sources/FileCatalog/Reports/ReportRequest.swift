internal import SQLite
public import SystemPackage

/// Which report to make, and of what.
public struct ReportRequest: Sendable, Hashable {
  /// The report.
  public var report: Report
  /// The directory to tell about, with everything below it; `nil` for all roots. A file with names
  /// inside and outside counts with those inside, and the rest is `outside` in `hard_links`.
  public var directory: FilePath?
  /// The order of the rows by the columns of the report; `nil` for the report's own.
  public var order: ColumnOrder?
  /// At most so many rows; `nil` for all.
  public var limit: Int?
  /// In a report about time: only what came after this.
  public var since: HistoryPoint?
  /// In a report about time: only what came up to this.
  public var until: HistoryPoint?

  /// Asks for a report about everything, unless told otherwise.
  public init(
    _ report: Report, in directory: FilePath? = nil, order: ColumnOrder? = nil,
    limit: Int? = nil, since: HistoryPoint? = nil, until: HistoryPoint? = nil
  ) {
    self.report = report
    self.directory = directory
    self.order = order
    self.limit = limit
    self.since = since
    self.until = until
  }
}

extension HistoryPoint {
  /// Reads the end of something: the number of a scan, or a date or an age as in queries. A date
  /// covers all of its day, so this is the beginning of the next.
  ///
  /// - Throws: ``/CatalogStore/CatalogError/Code/invalidArgument``.
  public init(parsingEnd text: String) throws(CatalogError) {
    let start = try HistoryPoint(parsing: text)
    guard case .time = start, let query = try? Query(parsing: "modified:<=\(text)"),
      case .date(_, let range) = query.filter.condition,
      case .exclusive(let end) = range.resolved(now: Clock.now).upper
    else {
      // A scan, or an age, which has no length.
      self = start
      return
    }
    self = .time(end)
  }

  /// The condition that a change came after this.
  var lowerBound: SQL {
    switch self {
    case .scan(let id): SQL("scan_id > ?", [.integer(id.rawValue)])
    case .time(let time): SQL("at >= ?", [.integer(Self.seconds(time))])
    }
  }

  /// The condition that a change came before this.
  var upperBound: SQL {
    switch self {
    case .scan(let id): SQL("scan_id <= ?", [.integer(id.rawValue)])
    case .time(let time): SQL("at < ?", [.integer(Self.seconds(time))])
    }
  }

  private static func seconds(_ nanoseconds: Int64) -> Int64 {
    nanoseconds.flooredDivision(by: 1_000_000_000)
  }
}
