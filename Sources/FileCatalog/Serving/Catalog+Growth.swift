internal import SQLite
package import SystemPackage

/// What a directory took, scan by scan.
package struct GrowthLine: Sendable {
  /// The sums of a directory after a scan.
  package struct Point: Sendable, Hashable {
    /// The scan; `nil` for the present.
    package var scan: Int64?
    /// Seconds since 1970.
    package var at: Int64
    package var totalSize: Int64
    package var totalAllocated: Int64
    package var totalFiles: Int64
  }

  /// The directory.
  package let path: FilePath
  /// Those scans that changed the sums, in their order, and the present.
  package let points: [Point]
}

extension Catalog {
  /// How a directory grew, and its largest directories.
  ///
  /// - Parameters:
  ///   - most: about how many points a line has; the first and the last are always among them.
  ///   - children: at most so many directories.
  /// - Throws: ``/CatalogStore/CatalogError/Code/notInCatalog`` and
  ///   ``/CatalogStore/CatalogError/Code/notADirectory``.
  package func growth(
    of directory: FilePath, points most: Int, children: Int
  ) async throws -> (line: GrowthLine, children: [GrowthLine]) {
    try await read { db in
      let totals = try TotalsReader(db).totals(below: directory, depth: 1)
      guard let top = totals.first else {
        throw CatalogError(
          .notADirectory, path: directory, "\(directory.string) is not a directory in the catalog")
      }
      let largest = totals.dropFirst().sorted { $0.totalAllocated > $1.totalAllocated }
        .prefix(children)
      let reader = try GrowthReader(db, most)
      return (try reader.line(of: top), try largest.map { try reader.line(of: $0) })
    }
  }
}

/// Reckons back from what is there today.
private struct GrowthReader {
  private let db: Connection
  private let most: Int
  private let now = Clock.now / 1_000_000_000

  init(_ db: Connection, _ most: Int) throws {
    self.db = db
    self.most = most
  }

  func line(of directory: DirectoryTotals) throws -> GrowthLine {
    var changes: [GrowthLine.Point] = []
    let statement = SQL(
      """
      SELECT scan_id, at, total_size, total_allocated, total_files FROM growth_by_directory
      WHERE directory_id = ? ORDER BY scan_id
      """, [.integer(directory.id.rawValue)])
    try db.forEach(statement) { row in
      changes.append(
        GrowthLine.Point(
          scan: row.integer(0), at: row.integer(1), totalSize: row.integer(2),
          totalAllocated: row.integer(3), totalFiles: row.integer(4)))
    }
    var sums = GrowthLine.Point(
      scan: nil, at: now, totalSize: directory.totalSize,
      totalAllocated: directory.totalAllocated, totalFiles: Int64(directory.totalFiles))
    var points = [sums]
    for change in changes.reversed() {
      points.append(
        GrowthLine.Point(
          scan: change.scan, at: change.at, totalSize: sums.totalSize,
          totalAllocated: sums.totalAllocated, totalFiles: sums.totalFiles))
      sums.totalSize.add(clamped: 0 - max(change.totalSize, -.max))
      sums.totalAllocated.add(clamped: 0 - max(change.totalAllocated, -.max))
      sums.totalFiles.add(clamped: 0 - max(change.totalFiles, -.max))
    }
    if let first = try firstScan(of: directory, before: changes.first?.scan) {
      sums.scan = first.id
      sums.at = first.at
      points.append(sums)
    }
    return GrowthLine(path: directory.path, points: thinned(points.reversed()))
  }

  /// The scan that found what the first change starts from.
  private func firstScan(
    of directory: DirectoryTotals, before change: Int64?
  ) throws -> (id: Int64, at: Int64)? {
    let statement = SQL(
      """
      SELECT id, finished_at FROM scans
      WHERE root_id = (SELECT root_id FROM directories WHERE id = ?) AND id < ? AND id >= ?
        AND id >= (SELECT first_seen_scan FROM files WHERE id = ?)
        AND finished_at IS NOT NULL AND state IN ('complete', 'quick', 'partial')
      ORDER BY id LIMIT 1
      """,
      [
        .integer(directory.id.rawValue), .integer(change ?? .max),
        .integer(try HistoryTable(db).horizon), .integer(directory.id.rawValue),
      ])
    return try db.first(statement) { ($0.integer(0), $0.integer(1)) }
  }

  /// The first point, and the last of each span of time.
  private func thinned(_ points: [GrowthLine.Point]) -> [GrowthLine.Point] {
    guard points.count > most, most > 2, let first = points.first, let last = points.last else {
      return points
    }
    let span = max(1, Double(last.at) - Double(first.at))
    func place(_ point: GrowthLine.Point) -> Int {
      Int((Double(point.at) - Double(first.at)) / span * Double(most - 2))
    }
    var kept = [first]
    for index in points.indices.dropFirst()
    where index == points.endIndex - 1 || place(points[index]) != place(points[index + 1]) {
      kept.append(points[index])
    }
    return kept
  }
}
