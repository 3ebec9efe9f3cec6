internal import FileSystem
internal import SQLite
internal import SystemPackage

/// Reads from the catalog which files may be the same.
struct DuplicateCandidates {
  private let db: Connection

  init(_ db: Connection) throws {
    self.db = db
  }

  /// Files of the same name and size, as the report has them.
  func sameNames(_ request: DuplicateGroup.Request) throws -> DuplicateGroup.Findings {
    let report = ReportRequest(try Report(named: "duplicate_candidates"), in: request.directory)
    let statement =
      SQL(
        """
        SELECT id, size, ifnull(name_bytes, name), ifnull(path_bytes, path), allocated FROM (
        """)
      + (try ReportStatement(db).fragment(for: report, columns: ["*"]))
      + SQL(") WHERE size >= ?", [.integer(request.minimumSize)])
    var findings = DuplicateGroup.Findings()
    var name: [UInt8] = []
    var files: [ContentCandidate] = []
    func endGroup() {
      if files.count > 1 { findings.groups.append(DuplicateGroup(files, hash: nil)) }
      files = []
    }
    try db.forEach(statement) { row in
      if files.last?.size != row.count(1) || name != Array(row.bytes(2)) { endGroup() }
      name = Array(row.bytes(2))
      files.append(
        ContentCandidate(
          id: row.id(0), volume: 0, inode: 0, size: row.count(1),
          allocated: row.count(4), modified: 0, changed: 0, path: row.path(3)))
    }
    endGroup()
    findings.groups.sort(by: ContentComparison.comesFirst)
    return findings
  }

  /// Files of the same size, each at the first of its names, with the hashes that are known.
  func sameSizes(_ request: DuplicateGroup.Request) throws -> [[ContentCandidate]] {
    let directory = try request.directory.map { try PathLookup(db).directory(at: $0) }
    var statement = directory.map(ReportStatement.narrowed) ?? SQL("WITH ")
    statement += SQL(
      """
      candidates AS MATERIALIZED (
        SELECT min(id) AS id, volume_id, inode, size FROM _report_entries
        WHERE kind = 1 AND size >= ? GROUP BY size, volume_id, inode),
      sizes AS MATERIALIZED (SELECT size FROM candidates GROUP BY size HAVING count(*) > 1)
      SELECT c.id, c.volume_id, c.inode, c.size, f.allocated, f.modified_ns, f.changed_ns, f.path,
        h.ends, h.whole
      FROM candidates c JOIN sizes s ON s.size = c.size
        CROSS JOIN _entry_rows f ON f.id = c.id
        LEFT JOIN _content_hashes h ON h.volume_id = c.volume_id AND h.inode = c.inode
          AND h.size = c.size AND h.modified = f.modified_ns AND h.changed = f.changed_ns
      WHERE f.modified_ns IS NOT NULL AND f.changed_ns IS NOT NULL
      ORDER BY c.size DESC, c.id
      """, [.integer(request.minimumSize)])
    var classes: [[ContentCandidate]] = []
    try db.forEach(statement) { row in
      let file = ContentCandidate(
        id: row.id(0), volume: row.integer(1), inode: row.integer(2), size: row.count(3),
        allocated: row.count(4), modified: row.integer(5), changed: row.integer(6),
        path: row.path(7), ends: row.optionalBytes(8), whole: row.optionalBytes(9))
      if classes.last?.first?.size != file.size { classes.append([]) }
      classes[classes.count - 1].append(file)
    }
    return classes
  }
}

extension Row {
  fileprivate func optionalBytes(_ index: Int32) -> [UInt8]? {
    isNull(index) ? nil : Array(bytes(index))
  }
}
