internal import FileSystem
internal import SQLite
public import SystemPackage

extension Catalog {
  /// Calls `body` with each row of a report: a value for each of its columns. Blocks the calling
  /// thread and sees one state of the catalog throughout.
  ///
  /// - Throws: ``/CatalogStore/CatalogError/Code/notInCatalog`` and ``/CatalogStore/CatalogError/Code/notADirectory`` for the
  ///   directory of the request.
  public func forEachRow(
    of request: ReportRequest, _ body: ([ColumnValue]) throws -> Void
  ) throws {
    let count = Int32(request.report.columns.count)
    try translatingReadErrors { db in
      let statement = try ReportStatement(db).fragment(for: request)
      try db.forEach(statement) { row in
        try body((0..<count).map { row.value($0) })
      }
    }
  }

  /// All rows of a report. Cancelling the task ends the reading.
  package func rows(of request: ReportRequest) async throws -> [[ColumnValue]] {
    let count = Int32(request.report.columns.count)
    return try await read { db in
      var rows: [[ColumnValue]] = []
      try db.forEach(try ReportStatement(db).fragment(for: request)) { row in
        rows.append((0..<count).map { row.value($0) })
      }
      return rows
    }
  }

  /// A page for a browser: all reports as tables, the directories as a treemap, and how things grew
  /// where there is a history. It is one file of HTML that loads nothing.
  ///
  /// - Parameters:
  ///   - directory: what the page is about; `nil` for all roots.
  ///   - advice: returns how to get all rows of a report that the page shows a part of, such as a
  ///     command to type. The limit of the request is how many rows there are.
  /// - Returns: the page as UTF-8.
  /// - Throws: ``/CatalogStore/CatalogError/Code/notInCatalog`` and ``/CatalogStore/CatalogError/Code/notADirectory``.
  public func reportPage(
    in directory: FilePath? = nil,
    advice: @Sendable (ReportRequest) -> String? = { _ in nil }
  ) async throws -> [UInt8] {
    try await read { try ReportPageReader($0, directory: directory).page() }.html(advice)
  }

  /// What a deletion of a directory would free, and what it would not because of further names.
  ///
  /// - Throws: ``/CatalogStore/CatalogError/Code/notInCatalog`` and ``/CatalogStore/CatalogError/Code/notADirectory``.
  public func freedSpace(deleting directory: FilePath) async throws -> FreedSpace {
    try await read { db in
      let found = try PathLookup(db).directory(at: directory)
      let total = SQL(
        "SELECT total_allocated FROM _directory_totals WHERE id = ?", [.integer(found.id)])
      var space = FreedSpace(
        allocated: try db.first(total) { $0.count(0) } ?? 0)
      let links = ReportRequest(try Report(named: "hard_links"), in: found.path)
      let columns = Dictionary(
        uniqueKeysWithValues: zip(links.report.columns.map(\.name), Int32(0)...))
      let (allocated, freed) = (columns["allocated"] ?? 0, columns["freed"] ?? 0)
      try db.forEach(try ReportStatement(db).fragment(for: links)) { row in
        space.add(row.count(allocated), freed: row.optionalInteger(freed))
      }
      return space
    }
  }
}

/// What a deletion would free, in bytes on disk.
public struct FreedSpace: Sendable, Hashable {
  /// What is there, as `du` counts it.
  public let allocated: Int64
  /// What stays on the disk because files have further names elsewhere.
  public private(set) var kept: Int64 = 0
  /// Of how many files that is.
  public private(set) var keptFiles = 0
  /// What files take that are in packages and of which is not known how many names they have.
  public private(set) var unknown: Int64 = 0

  /// What is free afterwards, at least.
  public var freed: Int64 {
    var freed = allocated - kept
    freed.add(clamped: -unknown)
    return freed
  }

  init(allocated: Int64) { self.allocated = allocated }

  mutating func add(_ bytes: Int64, freed: Int64?) {
    switch freed {
    case 0?:
      kept.add(clamped: bytes)
      keptFiles += bytes > 0 ? 1 : 0
    case nil: unknown.add(clamped: bytes)
    default: break
    }
  }
}
