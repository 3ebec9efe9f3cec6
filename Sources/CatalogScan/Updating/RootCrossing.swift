internal import CatalogStore
internal import FileSystem
internal import SQLite

/// Finds what has gone from one root into another, and makes one entry and one change of it.
///
/// Roots are scanned one by one: a scan of the one loses an entry, and a scan of the other finds a new
/// one with the same identity (volume, inode, time of birth), in this order or the other. Whichever is
/// later finds the pair in the history of the earlier: the new row gets the id of the old entry, with what
/// only that had, and in place of the removal and the addition there is a move, which is the later scan's.
/// What lay in a directory that moves comes along with it and is no change of its own.
///
/// It runs at the end of the transaction of a scan, when all rows are there. What it takes depends on how
/// much this scan, or the others in the time, have added or removed, whichever is less.
struct RootCrossing {
  private let rows: RootRows
  /// The last scan that is too long ago.
  private let horizon: Int64

  private var db: Connection { rows.db }

  /// Whether the changes of a scan can be part of a move between roots.
  static func identities(of root: Int64, within: Duration, in db: Connection) throws
    -> ChangeLog.Identities
  {
    guard within > .zero else { return .leftOut }
    let others = SQL("SELECT EXISTS (SELECT 1 FROM _roots WHERE id <> ?)", [.integer(root)])
    return try db.first(others) { $0.integer(0) } == 1 ? .noted : .leftOut
  }

  /// - Parameters:
  ///   - time: how long before `started` the other scan may have ended.
  ///   - started: when this scan began, in nanoseconds since 1970.
  init(_ rows: RootRows, within time: Duration, before started: Int64) throws {
    self.rows = rows
    let (oldest, isEndless) = started.subtractingReportingOverflow(time.nanoseconds)
    // Found from the end of the table: scans are written in the order of their ids.
    horizon =
      isEndless
      ? 0
      : try rows.db.integer("SELECT max(id) FROM _scan_log WHERE finished < ?", [oldest]) ?? 0
  }

  /// Finds and writes the moves between this root and others.
  ///
  /// - Returns: how many of the entries that this root has lost are in others.
  func run() throws -> Int {
    guard rows.log.added + rows.log.removed + rows.log.modified > 0 else { return 0 }
    let others = try changesOfOthers()
    let directions = Direction.allCases.filter { direction in
      direction.count(in: rows.log) > 0 && direction.opposite(in: others) > 0
    }
    guard try directions.contains(where: { try hasPair($0, others) }) else { return 0 }
    try db.execute(
      """
      CREATE TEMP TABLE root_crossings (
        new_id INTEGER PRIMARY KEY, old_id INTEGER NOT NULL UNIQUE, addition INTEGER NOT NULL UNIQUE,
        removal INTEGER NOT NULL UNIQUE, is_along INTEGER NOT NULL DEFAULT 0)
      """)
    // Directories first: what is in them is matched by where it lies, if it has several names.
    for contents in [Contents.directories, .others] {
      for direction in directions { try match(contents, direction, others) }
    }
    let departed = try departures()
    try findAlong()
    try withdrawIDs()
    try logReplaced()
    try logMoves()
    try logChangesAlong()
    try correctCounts()
    try keepValues()
    try UsageSums.withoutFollowing(in: db) { try renumber() }
    try db.execute("DROP TABLE temp.root_crossings")
    return departed
  }

  private func departures() throws -> Int {
    let count = SQL(
      """
      SELECT count(*) FROM temp.root_crossings c CROSS JOIN _change_log g ON g.id = c.removal
      WHERE g.scan_id = ?
      """, [.integer(rows.scanID)])
    return Int(try db.first(count) { $0.count(0) } ?? 0)
  }

  // MARK: - Pairs

  /// What this scan has of a move; another scan has the opposite.
  private enum Direction: CaseIterable {
    case arrival
    case departure

    func count(in log: ChangeLog) -> Int {
      self == .arrival ? log.added + log.modified : log.removed
    }

    func opposite(in others: OtherChanges) -> Int {
      self == .arrival ? others.removed : others.arrived
    }

    /// What the lines of the addition and of the removal are called in a statement.
    var names: (addition: String, removal: String) {
      self == .arrival ? ("mine", "theirs") : ("theirs", "mine")
    }
  }

  private enum Contents: String {
    case directories = "="
    case others = "<>"
  }

  /// How much scans of other roots have found since the horizon.
  private struct OtherChanges {
    /// Added, or modified: perhaps what was put over something else.
    var arrived = 0
    var removed = 0
  }

  /// The kinds of lines that have an inode because something is there that was not: under a new name, or
  /// under that of something else.
  private static let arrivals = "(\(Change.Kind.added.number), \(Change.Kind.modified.number))"

  private func changesOfOthers() throws -> OtherChanges {
    let counts = SQL(
      """
      SELECT ifnull(sum(added + modified), 0), ifnull(sum(removed), 0) FROM _scan_log
      WHERE id > ? AND root_id <> ? AND NOT is_first
      """, [.integer(horizon), .integer(rows.root.id)])
    return try db.first(counts) {
      OtherChanges(arrived: Int($0.count(0)), removed: Int($0.count(1)))
    } ?? OtherChanges()
  }

  /// The tables and the condition of a statement that lists pairs: the new entry is `e`, in the directory `d`.
  private func pairs(_ direction: Direction, _ others: OtherChanges) -> SQL {
    let (addition, removal) = direction.names
    // From the side that has less. The sign keeps SQLite from taking the whole scan instead.
    let lines =
      direction.count(in: rows.log) <= direction.opposite(in: others)
      ? """
      _change_log mine CROSS JOIN _change_log theirs ON theirs.inode = mine.inode
        CROSS JOIN _scan_log s ON s.id = theirs.scan_id
      WHERE mine.scan_id = ?1
      """
      : """
      _scan_log s CROSS JOIN _change_log theirs ON theirs.scan_id = s.id
        CROSS JOIN _change_log mine ON mine.inode = theirs.inode
      WHERE +mine.scan_id = ?1
      """
    return SQL(
      """
      (SELECT \(addition).id AS addition, \(removal).id AS removal, \(addition).entry_id AS new_id,
          \(removal).entry_id AS old_id, \(removal).volume_id, \(removal).inode, \(removal).created,
          \(removal).entry_kind, \(direction == .arrival ? "s.root_id" : "?3") AS old_root
        FROM \(lines) AND mine.inode IS NOT NULL AND s.id > ?2 AND s.root_id <> ?3
          AND \(addition).kind IN \(Self.arrivals)
          AND \(removal).kind = \(Change.Kind.removed.number)) l
      CROSS JOIN _entries e ON e.id = l.new_id
      CROSS JOIN _directory_paths d ON d.id = e.parent_id
      """,
      [.integer(rows.scanID), .integer(horizon), .integer(rows.root.id)])
  }

  /// What holds of a pair: the identity is the same, nothing has the old id, and what was gone is not back where
  /// it was.
  private func condition(_ direction: Direction) -> SQL {
    SQL(
      """
      (e.volume_id, e.inode, e.created, e.kind)
        = (l.volume_id, l.inode, l.created, l.entry_kind)
        AND (d.root_id = ?3) = \(direction == .arrival ? 1 : 0)
        AND l.old_id BETWEEN 1 AND \(Row.highestID)
        AND NOT EXISTS (SELECT 1 FROM _entries o WHERE o.id = l.old_id)
        AND NOT EXISTS (SELECT 1 FROM _change_log b CROSS JOIN _scan_log t ON t.id = b.scan_id
          CROSS JOIN _entries o ON o.id = b.entry_id
          WHERE b.inode = l.inode AND b.kind IN \(Self.arrivals) AND b.id > l.removal
            AND t.root_id = l.old_root AND (o.volume_id, o.inode, o.created, o.kind)
              = (l.volume_id, l.inode, l.created, l.entry_kind))
      """)
  }

  private func hasPair(_ direction: Direction, _ others: OtherChanges) throws -> Bool {
    let statement =
      SQL("SELECT EXISTS (SELECT 1 FROM ") + pairs(direction, others) + SQL(" WHERE ")
      + condition(direction) + SQL(")")
    return try db.first(statement) { $0.integer(0) } == 1
  }

  /// Pairs off removals and additions. A file that has several names may have several of both: that in the same
  /// place in the same directory comes first, then the same name, then what is gone for the shortest time.
  private func match(
    _ contents: Contents, _ direction: Direction, _ others: OtherChanges
  ) throws {
    let statement =
      SQL(
        """
        INSERT OR IGNORE INTO temp.root_crossings (new_id, old_id, addition, removal)
        SELECT l.new_id, l.old_id, l.addition, l.removal FROM
        """ + " ") + pairs(direction, others)
      + SQL(
        """
         JOIN _change_log gone ON gone.id = l.removal
        LEFT JOIN temp.root_crossings p ON p.new_id = e.parent_id
        LEFT JOIN _change_log above ON above.id = p.removal
        WHERE e.kind \(contents.rawValue) \(EntryKind.directory.rawValue) AND
        """ + " ") + condition(direction)
      + SQL(
        """
         ORDER BY \(Self.isInPlace) DESC,
          CAST(substr(CAST(gone.exact_path AS BLOB), -1 - length(CAST(e.name AS BLOB))) AS BLOB)
            = CAST('/' || e.name AS BLOB) DESC,
          l.removal DESC, l.addition
        """)
    try db.execute(statement.text, statement.parameters)
  }

  /// Whether an entry `e` was in the directory of the line `above` where it is now.
  private static let isInPlace = """
    (CAST(gone.exact_path AS BLOB) IS CAST(above.exact_path || '/' || e.name AS BLOB))
    """

  /// Notes what is where it was in a directory that has moved itself.
  private func findAlong() throws {
    try db.execute(
      """
      UPDATE temp.root_crossings SET is_along = 1 WHERE new_id IN (
        SELECT c.new_id FROM temp.root_crossings c
          CROSS JOIN _entries e ON e.id = c.new_id
          CROSS JOIN temp.root_crossings p ON p.new_id = e.parent_id
          CROSS JOIN _change_log gone ON gone.id = c.removal
          CROSS JOIN _change_log above ON above.id = p.removal
        WHERE \(Self.isInPlace))
      """)
  }

  // MARK: - History

  /// Notes the ids that are given up although others may know them: whoever follows the catalog learns from
  /// this that nothing has them any more.
  private func withdrawIDs() throws {
    try db.execute(
      """
      INSERT INTO _change_log
        (scan_id, kind, entry_id, entry_kind, path, path_bytes, is_content, uid)
      SELECT ?1, \(Change.Kind.removed.number), c.new_id, a.entry_kind, a.path, a.path_bytes, 1, a.uid
      FROM temp.root_crossings c CROSS JOIN _change_log a ON a.id = c.addition
      WHERE a.scan_id <> ?1 AND a.kind = \(Change.Kind.added.number) ORDER BY c.new_id
      """, [rows.scanID])
  }

  /// Writes that those are gone over which something was put that has come from another root.
  private func logReplaced() throws {
    let replaced = SQL(
      """
      SELECT c.new_id, a.exact_path, a.entry_kind, a.uid, a.old_size, a.old_modified
      FROM temp.root_crossings c CROSS JOIN _change_log a ON a.id = c.addition
      WHERE a.kind = \(Change.Kind.modified.number) ORDER BY c.new_id
      """)
    try db.forEach(replaced) { row in
      try rows.log.add(
        ChangeLog.Item(
          kind: .removed, id: row.integer(0), entryKind: Self.kind(row.integer(2)),
          uid: UInt32(truncatingIfNeeded: row.integer(3)), path: Array(row.bytes(1)),
          size: row.optionalInteger(4), oldSize: row.optionalInteger(4),
          oldModified: row.optionalInteger(5)))
    }
  }

  private static func kind(_ number: Int64) -> EntryKind {
    EntryKind(rawValue: UInt8(truncatingIfNeeded: number)) ?? .file
  }

  /// Writes a move for each entry that has not come along with a directory.
  private func logMoves() throws {
    let moves = SQL(
      """
      SELECT c.old_id, e.parent_id, e.name, e.kind, e.uid, e.size, e.modified,
        g.exact_path, g.uid, g.old_size, g.old_modified
      FROM temp.root_crossings c CROSS JOIN _entries e ON e.id = c.new_id
        CROSS JOIN _change_log g ON g.id = c.removal
      WHERE NOT c.is_along ORDER BY c.new_id
      """)
    try db.forEach(moves) { row in
      let kind = Self.kind(row.integer(3))
      let (uid, oldUID) = (row.integer(4), row.integer(8))
      let (size, oldSize) = (row.optionalInteger(5), row.optionalInteger(9))
      let (modified, oldModified) = (row.optionalInteger(6), row.optionalInteger(10))
      var fields: [EntryColumn] = []
      // Of a directory that is what its content comes to.
      if kind != .directory {
        if size != oldSize { fields.append(.size) }
        if modified != oldModified { fields.append(.modified) }
      }
      if uid != oldUID { fields.append(.uid) }
      try rows.log.add(
        ChangeLog.Item(
          kind: .moved, id: row.integer(0), entryKind: kind,
          uid: UInt32(truncatingIfNeeded: uid),
          path: try rows.path(of: Array(row.bytes(2)), inDirectory: row.integer(1)),
          oldPath: Array(row.bytes(7)), fields: fields, size: size, oldSize: oldSize,
          modified: modified, oldModified: oldModified))
    }
  }

  /// Writes what has come along with a directory and has other values than it had.
  private func logChangesAlong() throws {
    let changes = SQL(
      """
      SELECT c.old_id, e.parent_id, e.name, e.kind, e.uid, e.size, e.modified, g.old_size,
        g.old_modified
      FROM temp.root_crossings c CROSS JOIN _entries e ON e.id = c.new_id
        CROSS JOIN _change_log g ON g.id = c.removal
      WHERE c.is_along AND (e.size IS NOT g.old_size OR e.modified IS NOT g.old_modified)
      ORDER BY c.new_id
      """)
    try db.forEach(changes) { row in
      let kind = Self.kind(row.integer(3))
      let (size, oldSize) = (row.optionalInteger(5), row.optionalInteger(7))
      let (modified, oldModified) = (row.optionalInteger(6), row.optionalInteger(8))
      var fields: [EntryColumn] = []
      if size != oldSize { fields.append(.size) }
      if modified != oldModified { fields.append(.modified) }
      try rows.log.add(
        ChangeLog.Item(
          kind: .modified, id: row.integer(0), entryKind: kind,
          uid: UInt32(truncatingIfNeeded: row.integer(4)),
          path: try rows.path(of: Array(row.bytes(2)), inDirectory: row.integer(1)),
          fields: fields, size: size, oldSize: oldSize, modified: modified,
          oldModified: oldModified, isContent: kind == .directory))
    }
  }

  /// Counts the removals and additions no more that were moves.
  private func correctCounts() throws {
    let statement: SQL = """
      SELECT l.scan_id, l.kind, count(*) FROM temp.root_crossings c
        CROSS JOIN _change_log l ON l.id IN (c.addition, c.removal)
      GROUP BY l.scan_id, l.kind
      """
    var counts: [(scan: Int64, kind: Change.Kind, count: Int64)] = []
    try db.forEach(statement) { row in
      guard let kind = Change.Kind(number: row.integer(1)) else { return }
      counts.append((row.integer(0), kind, row.count(2)))
    }
    for (scan, kind, count) in counts {
      if scan == rows.scanID {
        rows.log.takeBack(kind, Int(count))
      } else {
        // The columns are called as the kinds are.
        try db.execute(
          """
          UPDATE _scan_log SET \(kind.rawValue) = max(0, \(kind.rawValue) - ?) WHERE id = ?
          """, [count, scan])
      }
    }
  }

  // MARK: - Rows

  /// Gives the rows what only the old entries had.
  private func keepValues() throws {
    let tags = SQL(
      """
      SELECT c.new_id, d.root_id, g.own_tags, v.value, g.file_tags FROM temp.root_crossings c
        CROSS JOIN _change_log g ON g.id = c.removal
        CROSS JOIN _entries e ON e.id = c.new_id
        CROSS JOIN _directory_paths d ON d.id = e.parent_id
        LEFT JOIN _entry_values v ON v.entry_id = c.new_id AND v.key = ?
      WHERE g.own_tags IS NOT NULL OR g.file_tags IS NOT NULL
      """, [.text(TagTable.ownKey)])
    var kept: [(id: Int64, root: Int64, own: TagList, file: TagList)] = []
    try db.forEach(tags) { row in
      var own = TagList(Array(row.bytes(2)))
      own.add(contentsOf: TagList(Array(row.bytes(3))))
      kept.append((row.integer(0), row.integer(1), own, TagList(Array(row.bytes(4)))))
    }
    if !kept.isEmpty {
      let table = AttributeTable(db)
      // Where a scan reads what the files have, that is what holds.
      let reading = Set(
        try RootTable.all(in: db).filter { !$0.settings.resourceValues.isEmpty }.map(\.id))
      for item in kept {
        if !item.own.isEmpty { try table.set(item.own.bytes, TagTable.ownKey, of: item.id) }
        guard !item.file.isEmpty, !reading.contains(item.root),
          try table.stored(TagTable.attributeKey, of: item.id) == nil
        else { continue }
        try table.set(item.file.bytes, TagTable.attributeKey, of: item.id)
      }
    }
    try db.execute(
      """
      UPDATE _entries SET last_changed_scan = ?, first_seen_scan = (
          SELECT ifnull(g.first_seen_scan, _entries.first_seen_scan)
          FROM temp.root_crossings c CROSS JOIN _change_log g ON g.id = c.removal
          WHERE c.new_id = _entries.id)
      WHERE id IN (SELECT new_id FROM temp.root_crossings)
      """, [rows.scanID])
  }

  /// Writes the old ids wherever the new ones stand.
  private func renumber() throws {
    func renumber(_ table: String, _ key: String, also: String = "", where condition: String)
      -> String
    {
      """
      UPDATE \(table) SET \(key) = (
          SELECT c.old_id FROM temp.root_crossings c WHERE c.new_id = \(table).\(key))\(also)
      WHERE \(condition);
      """
    }
    let isNew = "IN (SELECT new_id FROM temp.root_crossings)"
    // Before the lines go that tell since when the new ids are known.
    let first =
      try db.integer(
        """
        SELECT min(a.scan_id) FROM temp.root_crossings c CROSS JOIN _change_log a ON a.id = c.addition
        """) ?? rows.scanID
    try db.execute(
      renumber("_growth_log", "directory_id", where: "scan_id >= ? AND directory_id \(isNew)"),
      [first])
    // What has happened since. That nothing has the id any more remains true of the id.
    try db.execute(
      renumber(
        "_change_log", "entry_id",
        where: """
          id > (SELECT min(addition) FROM temp.root_crossings) AND entry_id \(isNew)
            AND id > (SELECT c.addition FROM temp.root_crossings c WHERE c.new_id = entry_id)
            AND kind <> \(Change.Kind.removed.number)
          """))
    try db.execute(
      """
      DELETE FROM _change_log WHERE id IN (
        SELECT addition FROM temp.root_crossings UNION ALL SELECT removal FROM temp.root_crossings)
      """)
    try db.execute(
      renumber(
        "_directory_paths", "parent_id",
        where: """
          id IN (SELECT e.id FROM temp.root_crossings c CROSS JOIN _entries e ON e.parent_id = c.new_id
            WHERE e.kind = \(EntryKind.directory.rawValue))
          """))
    try db.execute(
      renumber(
        "_entries", "parent_id", also: ", last_changed_scan = \(rows.scanID)",
        where: "parent_id \(isNew)"))
    for (table, key) in EntryUpdates.tables + EntryUpdates.furtherTables {
      try db.execute(renumber(table, key, where: "\(key) \(isNew)"))
    }
  }
}

extension Duration {
  /// The nearest number of nanoseconds that there is.
  fileprivate var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, isLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isLonger) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    return isLong || isLonger ? (seconds < 0 ? .min : .max) : sum
  }
}
