/// What must hold between the rows of a catalog.
struct IntegrityRule {
  let rule: IntegrityProblem.Rule
  /// Lists what is wrong: a line, and the number of the root that it is about, if there is one. The
  /// parameter is how many rows are wanted.
  let sql: String
  let remedy: @Sendable (_ root: Int64?) -> Remedy

  init(
    _ rule: IntegrityProblem.Rule, _ sql: String,
    remedy: @escaping @Sendable (_ root: Int64?) -> Remedy
  ) {
    self.rule = rule
    self.sql = sql
    self.remedy = remedy
  }

  /// A rule about rows of a root, which all go where one of them is wrong: nobody knows what else is.
  private static func rows(
    _ rule: IntegrityProblem.Rule, _ sql: String
  ) -> IntegrityRule {
    IntegrityRule(rule, sql) { $0.map { .dropEntries(root: $0) } ?? .dropAllEntries }
  }

  /// A rule that rows of a table break which nothing needs.
  private static func strays(
    in table: String, where condition: String, _ description: String
  ) -> IntegrityRule {
    IntegrityRule(
      .reference, "SELECT \(description), NULL FROM \(table) WHERE \(condition) LIMIT ?"
    ) { _ in .removeRows(table: table, condition: condition) }
  }

  /// The root of the entry `e`.
  static let rootOfEntry =
    "(SELECT d.root_id FROM _directory_paths d WHERE d.id = ifnull(e.parent_id, e.id))"

  /// The root of the entry that a row is about.
  static func root(ofEntry id: String) -> String {
    "(SELECT \(rootOfEntry) FROM _entries e WHERE e.id = \(id))"
  }

  /// The rules about rows, which those about sums rest on.
  static let ofRows: [IntegrityRule] = ofRoots + ofReferences + ofPaths

  private static let ofRoots: [IntegrityRule] = [
    IntegrityRule(
      .root,
      """
      SELECT 'root ' || r.path || ': no root has such a path', r.id FROM _roots r
      WHERE typeof(r.exact_path) NOT IN ('text', 'blob')
        OR substr(CAST(r.exact_path AS BLOB), 1, 1) IS NOT x'2f'
        OR instr(CAST(r.exact_path AS BLOB), x'00')
      LIMIT ?
      """
    ) { .dropRoot($0 ?? 0) },
    IntegrityRule(
      .root,
      """
      SELECT 'root ' || i.path || ' lies in root ' || o.path || ': its entries stand twice', i.id
      FROM _roots o JOIN _roots i ON i.id <> o.id
        AND (i.id > o.id OR CAST(i.exact_path AS BLOB) <> CAST(o.exact_path AS BLOB))
        AND (CAST(o.exact_path AS BLOB) IN (x'2f', CAST(i.exact_path AS BLOB))
          OR substr(CAST(i.exact_path AS BLOB), 1, length(CAST(o.exact_path AS BLOB)) + 1)
            = CAST(o.exact_path || '/' AS BLOB))
      LIMIT ?
      """
    ) { .dropRoot($0 ?? 0) },
    rows(
      .root,
      """
      SELECT 'root ' || r.path || ': its own row is not that of a root', r.id FROM _roots r
      WHERE r.entry_id IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM _entries e JOIN _directory_paths f ON f.id = e.id
        WHERE e.id = r.entry_id AND e.parent_id IS NULL AND f.parent_id IS NULL
          AND f.root_id = r.id AND f.depth = 0
          AND CAST(f.exact_path AS BLOB) = CAST(r.exact_path AS BLOB))
      LIMIT ?
      """),
    rows(
      .root,
      """
      SELECT 'root ' || r.path || ': its own name does not follow from its path', r.id
      FROM _roots r JOIN _entries e ON e.id = r.entry_id
      WHERE CASE CAST(r.exact_path AS BLOB)
        WHEN x'2f' THEN CAST(e.name AS BLOB) <> x'2f'
        ELSE instr(CAST(e.name AS BLOB), x'2f') OR CAST('/' || e.name AS BLOB)
          <> substr(CAST(r.exact_path AS BLOB), -1 - length(CAST(e.name AS BLOB)))
      END
      LIMIT ?
      """),
    rows(
      .root,
      """
      SELECT f.path || ': its root has no row of its own', r.id
      FROM _directory_paths f JOIN _roots r ON r.id = f.root_id WHERE r.entry_id IS NULL
      LIMIT ?
      """),
  ]

  private static let ofReferences: [IntegrityRule] = [
    strays(
      in: "_directory_paths", where: "root_id NOT IN (SELECT id FROM _roots)",
      "path || ': its root is not there'"),
    strays(
      in: "_entries",
      where: """
        parent_id IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM _directory_paths f WHERE f.id = _entries.parent_id)
        """, "'entry ' || id || ' “' || name || '” is in no directory'"),
    strays(
      in: "_entries",
      where: """
        parent_id IS NULL AND NOT EXISTS (SELECT 1 FROM _roots r WHERE r.entry_id = _entries.id)
          AND NOT EXISTS (SELECT 1 FROM _directory_paths f WHERE f.id = _entries.id)
        """, "'entry ' || id || ' “' || name || '” is in no directory'"),
    rows(
      .reference,
      """
      SELECT 'directory ' || e.id || ' “' || e.name || '” is in no directory',
        \(rootOfEntry) FROM _entries e JOIN _directory_paths f ON f.id = e.id
      WHERE e.parent_id IS NULL AND NOT EXISTS (SELECT 1 FROM _roots r WHERE r.entry_id = e.id)
      LIMIT ?
      """),
    rows(
      .reference,
      """
      SELECT 'directory ' || e.id || ' “' || e.name || '” has no path or no totals',
        \(rootOfEntry) FROM _entries e
      WHERE e.kind = 2 AND (NOT EXISTS (SELECT 1 FROM _directory_paths f WHERE f.id = e.id)
        OR NOT EXISTS (SELECT 1 FROM _directory_totals t WHERE t.id = e.id))
      LIMIT ?
      """),
    rows(
      .reference,
      """
      SELECT f.path || ' has no entry, or that of something else', f.root_id
      FROM _directory_paths f
      WHERE NOT EXISTS (SELECT 1 FROM _entries e WHERE e.id = f.id AND e.kind = 2)
      LIMIT ?
      """),
    strays(
      in: "_directory_totals", where: "id NOT IN (SELECT id FROM _directory_paths)",
      "'the sums of ' || id || ' are those of no directory'"),
    rows(
      .reference,
      """
      SELECT 'entry ' || e.id || ' “' || e.name || '” has an unknown type', \(rootOfEntry)
      FROM _entries e WHERE NOT EXISTS (SELECT 1 FROM _uniform_types t WHERE t.id = e.type_id)
      LIMIT ?
      """),
    rows(
      .reference,
      """
      SELECT 'entry ' || e.id || ' “' || e.name || '” has an unknown extension', \(rootOfEntry)
      FROM _entries e
      WHERE e.extension_id IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM _extensions x WHERE x.id = e.extension_id)
      LIMIT ?
      """),
    rows(
      .reference,
      """
      SELECT 'entry ' || e.id || ' “' || e.name || '” is on an unknown volume', \(rootOfEntry)
      FROM _entries e
      WHERE e.volume_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM _volumes v WHERE v.id = e.volume_id)
      LIMIT ?
      """),
    strays(
      in: "_uniform_type_conformance",
      where: """
        type_id NOT IN (SELECT id FROM _uniform_types)
          OR ancestor_id NOT IN (SELECT id FROM _uniform_types)
        """,
      "'type ' || type_id || ' conforms to ' || ancestor_id || ', and one of them is no type'"),
    strays(
      in: "_uniform_type_tags", where: "type_id NOT IN (SELECT id FROM _uniform_types)",
      "'“' || tag || '” is a tag of no type'"),
    strays(
      in: "_assets", where: "id NOT IN (SELECT id FROM _entries)",
      "'the marks of ' || id || ' are those of no entry'"),
    strays(
      in: "_odd_names", where: "id NOT IN (SELECT id FROM _entries)",
      "'how ' || id || ' is shown is that of no entry'"),
    rows(
      .reference,
      """
      SELECT 'entry ' || e.id || ': its name is not shown as it is', \(rootOfEntry)
      FROM _entries e LEFT JOIN _odd_names o ON o.id = e.id
      WHERE CASE typeof(e.name) WHEN 'blob' THEN o.bytes IS NOT e.name ELSE o.id IS NOT NULL END
      LIMIT ?
      """),
    strays(
      in: "_symlinks", where: "id NOT IN (SELECT id FROM _entries)",
      "'the target of ' || id || ' is that of no entry'"),
    strays(
      in: "_packages", where: "id NOT IN (SELECT id FROM _entries)",
      "'the content of ' || id || ' is that of no entry'"),
    strays(
      in: "_packaged_links", where: "package_id NOT IN (SELECT id FROM _entries)",
      "'the files of ' || package_id || ' are those of no entry'"),
    strays(
      in: "_entry_values", where: "entry_id NOT IN (SELECT id FROM _entries)",
      "'a value of ' || entry_id || ' is that of no entry'"),
    strays(
      in: "_entry_values",
      where:
        "provider_id IS NOT NULL AND provider_id NOT IN (SELECT id FROM _content_providers)",
      "'a value of ' || entry_id || ' was read by nobody'"),
    strays(
      in: "_content_readings",
      where: """
        entry_id NOT IN (SELECT id FROM _entries)
          OR provider_id NOT IN (SELECT id FROM _content_providers)
        """,
      "'what was read of ' || entry_id || ' is that of no entry, or by nobody'"),
    IntegrityRule(
      .reference,
      """
      SELECT f.path || ': its place among the containers is unknown', f.root_id
      FROM _directory_paths f
      WHERE f.place_id IS NULL OR f.place_id <> 0
        AND NOT EXISTS (SELECT 1 FROM _places p WHERE p.id = f.place_id)
      LIMIT ?
      """
    ) { _ in .settlePlaces },
  ]

  private static let ofPaths: [IntegrityRule] = [
    rows(
      .path,
      """
      SELECT f.path || ': the path does not follow from the names', f.root_id
      FROM _directory_paths f JOIN _entries e ON e.id = f.id
        JOIN _directory_paths p ON p.id = e.parent_id
      WHERE CAST(f.exact_path AS BLOB)
        <> CAST(CASE p.exact_path WHEN '/' THEN '' ELSE p.exact_path END || '/' || e.name AS BLOB)
        OR f.depth <> p.depth + 1 OR f.root_id <> p.root_id
      LIMIT ?
      """),
    rows(
      .path,
      """
      SELECT f.path || ': its row is not that of its entry', f.root_id
      FROM _directory_paths f JOIN _entries e ON e.id = f.id
      WHERE f.parent_id IS NOT e.parent_id OR e.inode IS NOT NULL AND f.inode <> e.inode
      LIMIT ?
      """),
    rows(
      .path,
      """
      SELECT 'entry ' || e.id || ': no entry has the name “' || e.name || '”', \(rootOfEntry)
      FROM _entries e
      WHERE e.parent_id IS NOT NULL AND (e.name IN ('', '.', '..', x'') OR instr(e.name, '/')
        OR instr(CAST(e.name AS BLOB), x'00'))
      LIMIT ?
      """),
  ]

  // MARK: - Sums

  private static func sums(_ sql: String) -> IntegrityRule {
    IntegrityRule(.totals, sql) { $0.map { .sumUp(root: $0) } ?? .sumUpAll }
  }

  /// The rules about sums.
  static let ofSums: [IntegrityRule] = [
    sums(
      """
      WITH own AS (
        SELECT parent_id AS id, sum(kind <> 2) AS files, sum(kind = 2) AS directories,
          ifnull(sum(size) FILTER (WHERE kind <> 2), 0) AS size
        FROM _entries WHERE parent_id IS NOT NULL GROUP BY parent_id
      )
      SELECT f.path || ': the sums of its children are wrong', f.root_id
      FROM _directory_paths f JOIN _directory_totals t ON t.id = f.id LEFT JOIN own ON own.id = f.id
      WHERE (t.files, t.directories, t.size)
        IS NOT (ifnull(own.files, 0), ifnull(own.directories, 0), ifnull(own.size, 0))
      LIMIT ?
      """),
    sums(
      """
      WITH below AS (
        SELECT e.parent_id AS id, sum(t.total_files) AS files,
          sum(t.total_directories) AS directories, sum(t.total_size) AS size
        FROM _entries e JOIN _directory_totals t ON t.id = e.id GROUP BY e.parent_id
      )
      SELECT f.path || ': the totals are not those of its content', f.root_id
      FROM _directory_paths f JOIN _directory_totals t ON t.id = f.id LEFT JOIN below b ON b.id = f.id
      WHERE (t.total_files, t.total_directories, t.total_size) IS NOT (
        t.files + ifnull(b.files, 0), t.directories + ifnull(b.directories, 0),
        t.size + ifnull(b.size, 0))
      LIMIT ?
      """),
    sums(allocatedSQL),
  ]

  /// The rules about what entries come to for reports.
  static let ofUsage = UsageTable.all.map { table in
    let keys = table.keys.map(\.column)
    let columns = keys.joined(separator: ", ")
    let alike = keys.map { "'\($0) ' || d.\($0)" }.joined(separator: " || ', ' || ")
    return IntegrityRule(
      .totals,
      """
      WITH counted(\(columns), entries, size, allocated) AS (\(table.counted)),
      kept AS (SELECT * FROM \(table.name) WHERE entries <> 0)
      SELECT 'what entries of ' || \(alike) || ' come to is wrong', NULL
      FROM (
        SELECT \(columns) FROM (SELECT * FROM kept EXCEPT SELECT * FROM counted)
        UNION
        SELECT \(columns) FROM (SELECT * FROM counted EXCEPT SELECT * FROM kept)) d
      LIMIT ?
      """
    ) { _ in .sumUpUsage }
  }

  /// Blocks on disk from the entries themselves: every file once in every directory above it, with the
  /// most that one of its names in the root tells.
  private static let allocatedSQL = """
    WITH RECURSIVE up(file, id) AS (
      SELECT l.file, l.parent_id FROM linked l
      UNION
      SELECT up.file, e.parent_id FROM up JOIN _entries e ON e.id = up.id
      WHERE e.parent_id IS NOT NULL
    ),
    linked AS (
      SELECT f.root_id || ':' || e.volume_id || ':' || e.inode AS file, e.parent_id, e.allocated
      FROM _entries e JOIN _directory_paths f ON f.id = e.parent_id
      WHERE e.links > 1 AND e.kind NOT IN (2, 3)
      UNION ALL
      SELECT f.root_id || ':' || p.volume_id || ':' || p.inode, e.parent_id, p.allocated
      FROM _packaged_links p JOIN _entries e ON e.id = p.package_id
        JOIN _directory_paths f ON f.id = e.parent_id
    ),
    once AS (
      SELECT up.id, sum(l.allocated) AS allocated
      FROM up JOIN (SELECT file, max(allocated) AS allocated FROM linked GROUP BY file) l
        ON l.file = up.file
      GROUP BY up.id
    ),
    tops AS (
      SELECT t.id, t.total_allocated - ifnull(o.allocated, 0) AS allocated
      FROM _directory_totals t LEFT JOIN once o ON o.id = t.id
    ),
    own AS (
      SELECT parent_id AS id, sum(allocated - ifnull(
        (SELECT sum(p.allocated) FROM _packaged_links p WHERE p.package_id = _entries.id), 0)
      ) AS allocated
      FROM _entries
      WHERE parent_id IS NOT NULL AND kind <> 2 AND NOT (links > 1 AND kind <> 3)
      GROUP BY parent_id
    ),
    below AS (
      SELECT e.parent_id AS id, sum(p.allocated) AS allocated
      FROM _entries e JOIN tops p ON p.id = e.id GROUP BY e.parent_id
    )
    SELECT f.path || ': the bytes on disk are not those of its content', f.root_id
    FROM _directory_paths f JOIN tops p ON p.id = f.id JOIN _entries e ON e.id = f.id
    LEFT JOIN own ON own.id = f.id LEFT JOIN below b ON b.id = f.id
    WHERE p.allocated <> ifnull(e.allocated, 0) + ifnull(own.allocated, 0) + ifnull(b.allocated, 0)
    LIMIT ?
    """
}
