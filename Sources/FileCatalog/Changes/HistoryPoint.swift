internal import Foundation

/// A point in the history of a catalog: after a scan, or a time.
public enum HistoryPoint: Sendable, Hashable {
  /// When the scan had been written: what it found belongs to what was before.
  case scan(ScanID)
  /// Nanoseconds since 1970-01-01 UTC.
  case time(Int64)

  /// Reads the number of a scan, or a date or an age as in queries: `42`, `2026-01-31`,
  /// `2026-01-31T12:30`, `yesterday`, `7d`.
  ///
  /// - Throws: ``CatalogError/Code/invalidArgument``.
  public init(parsing text: String) throws(CatalogError) {
    if let number = Int64(text), number >= 0 {
      self = .scan(ScanID(rawValue: number))
      return
    }
    let now = Clock.now
    // An age or a date as a lower bound, in the words of the query language.
    for term in ["modified:<\(text)", "modified:>=\(text)"] {
      guard text.allSatisfy({ $0.isLetter || $0.isNumber || "-+:. ".contains($0) }),
        let query = try? Query(parsing: term), case .date(_, let range) = query.filter.condition
      else { continue }
      switch range.resolved(now: now).lower {
      case .inclusive(let start), .exclusive(let start):
        self = .time(start)
        return
      case .unbounded: continue
      }
    }
    throw CatalogError(
      .invalidArgument,
      "“\(text)” is neither the number of a scan nor a date; write 42, 2026-01-31, yesterday or 7d")
  }
}
