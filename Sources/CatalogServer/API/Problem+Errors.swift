internal import Console
internal import FileCatalog

// What errors of the library are to who asks over HTTP.

extension Problem {
  init(_ error: any Error) {
    switch error {
    case let problem as Problem: self = problem
    case let error as QueryError: self.init(error)
    case let error as CatalogError: self.init(error)
    case let error as SortOrder.ParseError:
      self = .parameter("sort", ": \(error.message)", nearest: error.suggestion)
    case let error as FileError:
      self.init(404, "not_readable", "\(error)")
    case is CancellationError:
      self.init(503, "timed_out", "the answer took too long, or the server ends")
    default:
      self.init(500, "internal", "something went wrong here")
    }
  }

  private init(_ error: QueryError) {
    self.init(400, "query", error.message)
    query = error.query
    let bytes = error.query.utf8
    let start = bytes.index(bytes.startIndex, offsetBy: min(error.range.lowerBound, bytes.count))
    let end = bytes.index(bytes.startIndex, offsetBy: min(error.range.upperBound, bytes.count))
    let scalars = error.query.unicodeScalars
    position = Position(
      offset: scalars[..<start].count, length: scalars[start..<max(start, end)].count)
    expected = error.expected
    nearest = error.suggestion
  }

  private init(_ error: CatalogError) {
    let (status, code) = Self.statuses[error.code] ?? (500, "internal")
    // What is wrong with the file is no business of others.
    self.init(status, code, status == 500 ? "the catalog cannot be read" : error.description)
    nearest = error.nearest
    if error.code == .busy || error.code == .interrupted { expected = nil }
  }

  private static let statuses: [CatalogError.Code: (Int, String)] = [
    .notInCatalog: (404, "not_in_catalog"), .notADirectory: (404, "not_a_directory"),
    .reportNotFound: (404, "report_not_found"), .scanNotFound: (404, "scan_not_found"),
    .viewNotFound: (404, "view_not_found"), .notARoot: (404, "not_a_root"),
    .snapshotTooOld: (409, "snapshot_too_old"), .historyDropped: (410, "history_dropped"),
    .unknownColumn: (400, "unknown_column"), .invalidArgument: (400, "invalid_argument"),
    .invalidCursor: (400, "invalid_cursor"), .foreignCursor: (400, "foreign_cursor"),
    .outOfRange: (400, "out_of_range"),
    .invalidSQL: (400, "invalid_sql"), .notReadOnlySQL: (403, "not_read_only_sql"),
    .rowTooLong: (422, "row_too_long"), .outOfMemory: (422, "out_of_memory"),
    .timedOut: (503, "timed_out"), .interrupted: (503, "timed_out"), .busy: (503, "busy"),
    .catalogNotFound: (503, "catalog_not_found"), .cannotOpen: (503, "cannot_open"),
    .systemLimit: (503, "system_limit"), .corrupt: (503, "catalog_damaged"),
    .wrongSchema: (503, "catalog_damaged"), .notACatalog: (503, "catalog_damaged"),
    .newerSchema: (503, "newer_schema"), .olderSchema: (503, "older_schema"),
    .database: (503, "catalog_unreadable"),
  ]
}
