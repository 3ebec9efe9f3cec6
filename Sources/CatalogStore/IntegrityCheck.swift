internal import FileSystem
package import SQLite

/// Something in a catalog that is not as it must be.
public struct IntegrityProblem: Sendable, Hashable, CustomStringConvertible {
  /// Which rule is broken.
  public enum Rule: String, Sendable, Hashable {
    /// SQLite found the file damaged.
    case file
    /// A value is of another kind than its column, or below zero where it counts something.
    case value
    /// A row refers to one that is not there.
    case reference
    /// The path of a directory does not follow from the names above it.
    case path
    /// The sums of a directory are not those of its content.
    case totals
    /// What rescans tell an unchanged directory by does not follow from its rows.
    case fingerprint
  }

  /// The rule that is broken.
  public let rule: Rule
  /// Where it is broken, in one line.
  public let description: String
}

/// Proves that a catalog is whole, from what it holds alone.
package struct IntegrityCheck {
  private let db: Connection
  /// More of the same would only scroll by.
  private static let limit: Int64 = 100

  package init(_ db: Connection) throws {
    self.db = db
  }

  package func run() throws -> [IntegrityProblem] {
    var problems = try damage()
    // What follows would only stumble over a damaged file.
    guard problems.isEmpty else { return problems }
    problems = try wrongValues()
    for (rule, sql) in Self.rules { problems += try findings(rule, sql) }
    // Rows with such values have no fingerprint.
    return problems.contains { $0.rule == .value } ? problems : problems + (try wrongFingerprints())
  }

  private func findings(
    _ rule: IntegrityProblem.Rule, _ sql: String
  ) throws -> [IntegrityProblem] {
    var problems: [IntegrityProblem] = []
    do {
      try db.forEach(SQL(sql, [.integer(Self.limit)])) { row in
        problems.append(IntegrityProblem(rule: rule, description: row.text(0)))
      }
    } catch let error as SQLiteError where error.code == .error {
      // Sums that no number holds.
      problems.append(IntegrityProblem(rule: rule, description: error.message))
    }
    return problems
  }

  /// Looks for values that the columns for numbers do not have.
  private func wrongValues() throws -> [IntegrityProblem] {
    var columns: [String: [String]] = [:]
    try db.forEach(
      """
      SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c
      WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' AND c.type = 'INTEGER'
      """
    ) { columns[$0.text(0), default: []].append($0.text(1)) }
    return try columns.sorted { $0.key < $1.key }.flatMap { table, columns in
      let conditions = columns.map { column in
        let isCount = Self.counting.contains(table) && Self.counts.contains(column)
        return """
          WHEN typeof(\(column)) NOT IN ('integer', 'null')\(isCount ? " OR \(column) < 0" : "")
            THEN '\(column)'
          """
      }
      return try findings(
        .value,
        """
        SELECT 'a value of ' || column || ' in \(table) is none that can be there'
        FROM (SELECT CASE \(conditions.joined(separator: " ")) END AS column FROM \(table))
        WHERE column IS NOT NULL LIMIT ?
        """)
    }
  }

  /// The tables in which some columns count something, and those columns.
  private static let counting = [
    EntryRow.table, DirectoryRow.table, TotalsRow.table, PackageRow.table, PackagedLinkRow.table,
  ].map(\.name)
  private static let counts: Set = [
    "depth", "size", "allocated", "links", "files", "directories", "total_files",
    "total_directories", "total_size", "total_allocated",
  ]

  /// Compares the fingerprints of directories that were read to their end with those of their rows.
  private func wrongFingerprints() throws -> [IntegrityProblem] {
    var problems: [IntegrityProblem] = []
    let directories = SQL(
      """
      SELECT f.id, f.path, t.fingerprint_high, t.fingerprint_low
      FROM directory_paths f JOIN directory_totals t ON t.id = f.id
      WHERE t.state = 0 AND t.fingerprint_high IS NOT NULL ORDER BY f.id
      """)
    try db.forEach(directories) { row in
      guard problems.count < Self.limit else { return }
      let stored = DirectoryFingerprint(
        high: UInt64(bitPattern: row.integer(2)), low: UInt64(bitPattern: row.integer(3)))
      guard try fingerprint(of: row.integer(0)) != stored else { return }
      problems.append(
        IntegrityProblem(
          rule: .fingerprint,
          description: "\(row.text(1)): the fingerprint is not that of its rows"))
    }
    return problems
  }

  private func fingerprint(of directory: Int64) throws -> DirectoryFingerprint {
    var fingerprint = DirectoryFingerprint()
    try StoredEntry.forEachChild(of: directory, db) { entry in
      let record = entry.record
      entry.name.withUnsafeBufferPointer { name in
        entry.target.withUnsafeBufferPointer { target in
          fingerprint.add(record, name: name, target: target)
        }
      }
    }
    return fingerprint
  }

  private func damage() throws -> [IntegrityProblem] {
    var problems: [IntegrityProblem] = []
    try db.forEach(SQL("PRAGMA integrity_check(100)")) { row in
      let text = row.text(0)
      if text != "ok" { problems.append(IntegrityProblem(rule: .file, description: text)) }
    }
    try db.forEach(SQL("PRAGMA foreign_key_check")) { row in
      problems.append(
        IntegrityProblem(
          rule: .reference,
          description: "row \(row.integer(1)) of \(row.text(0)) refers to a missing row of "
            + row.text(2)))
    }
    return problems
  }

  /// Each statement lists what is wrong, one line a row.
  private static let rules: [(IntegrityProblem.Rule, String)] = [
    (
      .reference,
      """
      SELECT 'entry ' || e.id || ' “' || e.name || '” is in no directory' FROM entries e
      WHERE e.parent_id IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM directory_paths f WHERE f.id = e.parent_id)
      LIMIT ?
      """
    ),
    (
      .reference,
      """
      SELECT 'directory ' || e.id || ' “' || e.name || '” has no path or no totals'
      FROM entries e
      WHERE e.kind = 2 AND (NOT EXISTS (SELECT 1 FROM directory_paths f WHERE f.id = e.id)
        OR NOT EXISTS (SELECT 1 FROM directory_totals t WHERE t.id = e.id))
      LIMIT ?
      """
    ),
    (
      .reference,
      """
      SELECT 'entry ' || e.id || ' “' || e.name || '” has an unknown type' FROM entries e
      WHERE NOT EXISTS (SELECT 1 FROM uniform_types t WHERE t.id = e.type_id)
      LIMIT ?
      """
    ),
    (
      .reference,
      """
      SELECT 'entry ' || e.id || ' “' || e.name || '” has an unknown extension' FROM entries e
      WHERE e.extension_id IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM extensions x WHERE x.id = e.extension_id)
      LIMIT ?
      """
    ),
    (
      .reference,
      """
      SELECT 'the marks of ' || a.id || ' are those of no entry' FROM assets a
      WHERE NOT EXISTS (SELECT 1 FROM entries e WHERE e.id = a.id)
      LIMIT ?
      """
    ),
    (
      .reference,
      """
      SELECT f.path || ': its place among the containers is unknown' FROM directory_paths f
      WHERE f.place_id IS NULL OR f.place_id <> 0
        AND NOT EXISTS (SELECT 1 FROM places p WHERE p.id = f.place_id)
      LIMIT ?
      """
    ),
    (
      .path,
      """
      SELECT f.path || ': the path does not follow from the names'
      FROM directory_paths f JOIN entries e ON e.id = f.id JOIN directory_paths p ON p.id = e.parent_id
      WHERE CAST(f.path AS BLOB)
        <> CAST(CASE p.path WHEN '/' THEN '' ELSE p.path END || '/' || e.name AS BLOB)
        OR f.depth <> p.depth + 1 OR f.root_id <> p.root_id
      LIMIT ?
      """
    ),
    (
      .totals,
      """
      WITH own AS (
        SELECT parent_id AS id, sum(kind <> 2) AS files, sum(kind = 2) AS directories,
          ifnull(sum(size) FILTER (WHERE kind <> 2), 0) AS size
        FROM entries WHERE parent_id IS NOT NULL GROUP BY parent_id
      )
      SELECT f.path || ': the sums of its children are wrong'
      FROM directory_paths f JOIN directory_totals t ON t.id = f.id LEFT JOIN own ON own.id = f.id
      WHERE (t.files, t.directories, t.size)
        IS NOT (ifnull(own.files, 0), ifnull(own.directories, 0), ifnull(own.size, 0))
      LIMIT ?
      """
    ),
    (
      .totals,
      """
      WITH below AS (
        SELECT e.parent_id AS id, sum(t.total_files) AS files,
          sum(t.total_directories) AS directories, sum(t.total_size) AS size
        FROM entries e JOIN directory_totals t ON t.id = e.id GROUP BY e.parent_id
      )
      SELECT f.path || ': the totals are not those of its content'
      FROM directory_paths f JOIN directory_totals t ON t.id = f.id LEFT JOIN below b ON b.id = f.id
      WHERE (t.total_files, t.total_directories, t.total_size) IS NOT (
        t.files + ifnull(b.files, 0), t.directories + ifnull(b.directories, 0),
        t.size + ifnull(b.size, 0))
      LIMIT ?
      """
    ),
    (.totals, allocatedSQL),
  ]

  /// Blocks on disk from the entries themselves: every file once in every directory above it, with the
  /// most that one of its names in the root tells.
  private static let allocatedSQL = """
    WITH RECURSIVE up(file, id) AS (
      SELECT l.file, l.parent_id FROM linked l
      UNION
      SELECT up.file, e.parent_id FROM up JOIN entries e ON e.id = up.id
      WHERE e.parent_id IS NOT NULL
    ),
    linked AS (
      SELECT f.root_id || ':' || e.volume_id || ':' || e.inode AS file, e.parent_id, e.allocated
      FROM entries e JOIN directory_paths f ON f.id = e.parent_id
      WHERE e.links > 1 AND e.kind NOT IN (2, 3)
      UNION ALL
      SELECT f.root_id || ':' || p.volume_id || ':' || p.inode, e.parent_id, p.allocated
      FROM packaged_links p JOIN entries e ON e.id = p.package_id
        JOIN directory_paths f ON f.id = e.parent_id
    ),
    once AS (
      SELECT up.id, sum(l.allocated) AS allocated
      FROM up JOIN (SELECT file, max(allocated) AS allocated FROM linked GROUP BY file) l
        ON l.file = up.file
      GROUP BY up.id
    ),
    tops AS (
      SELECT t.id, t.total_allocated - ifnull(o.allocated, 0) AS allocated
      FROM directory_totals t LEFT JOIN once o ON o.id = t.id
    ),
    own AS (
      SELECT parent_id AS id, sum(allocated - ifnull(
        (SELECT sum(p.allocated) FROM packaged_links p WHERE p.package_id = entries.id), 0)
      ) AS allocated
      FROM entries
      WHERE parent_id IS NOT NULL AND kind <> 2 AND NOT (links > 1 AND kind <> 3)
      GROUP BY parent_id
    ),
    below AS (
      SELECT e.parent_id AS id, sum(p.allocated) AS allocated
      FROM entries e JOIN tops p ON p.id = e.id GROUP BY e.parent_id
    )
    SELECT f.path || ': the bytes on disk are not those of its content'
    FROM directory_paths f JOIN tops p ON p.id = f.id JOIN entries e ON e.id = f.id
    LEFT JOIN own ON own.id = f.id LEFT JOIN below b ON b.id = f.id
    WHERE p.allocated <> ifnull(e.allocated, 0) + ifnull(own.allocated, 0) + ifnull(b.allocated, 0)
    LIMIT ?
    """
}
