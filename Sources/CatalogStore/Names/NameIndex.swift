package import SQLite
package import TextMatching

/// Finds entries by their names without reading their rows.
///
/// Names stand in blocks of a thousand (``NameBlock``), with the trigrams that occur in each and in each part
/// of it. A block is
/// right or it is not there: triggers of the connection that writes, which no file has, note the blocks
/// whose names have changed (`_name_gaps`), and for these, as for those that are missing or damaged, the
/// rows are read. So no answer depends on when blocks are made anew.
package struct NameIndex {
  private let db: Connection

  package init(_ db: Connection) {
    self.db = db
  }

  // MARK: - Searching

  /// How many entries have a name that matches.
  package func count(_ search: TextListSearch) throws -> Int {
    var count = 0
    try forEachMatch(search) { _ in
      count += 1
      return true
    }
    return count
  }

  /// The ids of the entries whose names match, in ascending order; `nil` if there are more than so many.
  package func ids(_ search: TextListSearch, most: Int) throws -> [Int64]? {
    var ids: [Int64] = []
    try forEachMatch(search) { id in
      ids.append(id)
      return ids.count <= most
    }
    return ids.count <= most ? ids : nil
  }

  /// The ids of the first entries whose names match, at most so many.
  package func firstIDs(_ search: TextListSearch, limit: Int) throws -> [Int64] {
    var ids: [Int64] = []
    try forEachMatch(search) { id in
      ids.append(id)
      return ids.count < limit
    }
    return ids
  }

  /// The ids of the first entries whose names match and that `body` leaves of those that it is given; `nil` if it
  /// has left too few of so many.
  package func firstIDs(
    _ search: TextListSearch, limit: Int, most: Int, leftBy body: ([Int64]) throws -> [Int64]
  ) throws -> [Int64]? {
    var ids: [Int64] = []
    var batch: [Int64] = []
    var tried = 0

    func tryBatch() throws {
      ids += try body(batch).prefix(limit - ids.count)
      tried += batch.count
      batch.removeAll(keepingCapacity: true)
    }

    try forEachMatch(search) { id in
      batch.append(id)
      // Few at first, where nearly all may be left.
      if batch.count >= max(limit, tried) { try tryBatch() }
      return ids.count < limit && tried < most
    }
    if !batch.isEmpty, ids.count < limit, tried < most { try tryBatch() }
    return ids.count < limit && tried >= most ? nil : ids
  }

  /// The highest id of an entry; 0 without entries.
  package func lastID() throws -> Int64 {
    try db.integer("SELECT max(id) FROM \(EntryRow.table.name)") ?? 0
  }

  /// Calls `body` with the id of each match until it says that this is enough.
  private func forEachMatch(_ search: TextListSearch, _ body: (Int64) throws -> Bool) throws {
    let blocks = try NameBlockReader()
    let names = try db.prepare("SELECT names FROM \(NameBlockRow.table.name) WHERE id = ?")
    let last = NameBlock.number(of: min(try lastID(), Row.highestID))
    let gaps = try gaps()
    var found: [Int] = []

    /// Whether there is more to look for; `nil` where the block says nothing.
    func isWanted(afterBlock number: Int64) throws -> Bool? {
      names.bind(number, at: 1)
      defer { names.reset() }
      guard try names.step() else { return nil }
      found.removeAll(keepingCapacity: true)
      var isSound = true
      let isBlock = blocks.forEachPart(of: names.row.bytes(0), for: search) { start, names in
        let list = TextList(names)
        let before = found.count
        list.forEachMatch(search) { found.append(start + $0) }
        guard found.count > before else { return }
        // What the file has may be anything: a place in a list must be that of an entry of the part.
        isSound = isSound && list.count.map { $0 <= NameBlock.partSize } ?? false
      }
      guard isBlock, isSound else { return nil }
      let first = NameBlock.ids(of: number).lowerBound
      return try found.allSatisfy { try body(first + Int64($0)) }
    }

    // Numbers below those of the first block are only in files that somebody else has made.
    var next = Int64.min
    let sets = try db.prepare(
      "SELECT id, trigrams FROM \(NameTrigramsRow.table.name) WHERE id BETWEEN 1 AND ? ORDER BY id")
    sets.bind(last, at: 1)
    while try sets.step() {
      let number = sets.row.integer(0)
      guard !gaps.contains(number) else { continue }
      let ids = NameBlock.ids(of: number)
      if next < ids.lowerBound {
        guard try forEachRow(in: next...ids.lowerBound - 1, search, body) else { return }
      }
      next = ids.upperBound + 1
      guard search.mayMatch(sets.row.bytes(1)) else { continue }
      guard try isWanted(afterBlock: number) ?? forEachRow(in: ids, search, body) else { return }
    }
    _ = try forEachRow(in: next...Int64.max, search, body)
  }

  /// The same for entries without a block, from their rows.
  ///
  /// - Returns: whether there is more to look for.
  private func forEachRow(
    in ids: ClosedRange<Int64>, _ search: TextListSearch, _ body: (Int64) throws -> Bool
  ) throws -> Bool {
    let rows = try db.cached("SELECT id, name FROM _entries WHERE id BETWEEN ? AND ? ORDER BY id")
    rows.bind(ids.lowerBound, at: 1)
    rows.bind(ids.upperBound, at: 2)
    while try rows.step() {
      guard search.matches(rows.row.bytes(1)) else { continue }
      guard try body(rows.row.integer(0)) else { return false }
    }
    return true
  }

  private func gaps() throws -> Set<Int64> {
    var gaps: Set<Int64> = []
    try db.forEach("SELECT id FROM _name_gaps") { gaps.insert($0.integer(0)) }
    return gaps
  }

  // MARK: - What happens to rows

  private static let tables = [NameBlockRow.table, NameTrigramsRow.table].map(\.name)

  /// Makes a connection note the blocks whose names it changes.
  static func follow(in db: Connection) throws {
    func note(_ row: String, _ event: String, _ condition: String) -> String {
      """
      CREATE TEMP TRIGGER IF NOT EXISTS names_after_\(event.prefix(6).lowercased())_\(row)
      AFTER \(event) ON _entries
      WHEN \(condition) AND NOT EXISTS
        (SELECT 1 FROM _name_gaps WHERE id = \(NameBlock.number(of: row + ".id")))
      BEGIN
        INSERT INTO _name_gaps VALUES (\(NameBlock.number(of: row + ".id")));
      END;
      """
    }
    let isOther = "(old.id, old.name) IS NOT (new.id, new.name)"
    try db.execute(
      note("new", "INSERT", "1") + note("old", "UPDATE OF id, name", isOther)
        + note("new", "UPDATE OF id, name", isOther) + note("old", "DELETE", "1"))
  }

  /// Removes all names, and stops following, for all entries to be removed at once.
  static func removeAll(in db: Connection) throws {
    try db.execute("DROP TRIGGER IF EXISTS temp.names_after_delete_old; DELETE FROM _name_gaps")
    for table in tables { try db.execute("DELETE FROM \(table)") }
  }

  /// Notes that names have come into the block of an entry otherwise than by statements.
  package static func noteGap(at id: Int64, in db: Connection) throws {
    try db.execute("INSERT OR IGNORE INTO _name_gaps VALUES (?)", [NameBlock.number(of: id)])
  }

  /// Makes the blocks anew whose names have changed.
  package static func fillGaps(in db: Connection) throws {
    let gaps = try NameIndex(db).gaps()
    guard !gaps.isEmpty else { return }
    let deletions = try tables.map { try db.prepare("DELETE FROM \($0) WHERE id = ?") }
    let block = try db.prepare(NameBlockRow.table.insertion)
    let trigrams = try db.prepare(NameTrigramsRow.table.insertion)
    let rows = try db.prepare("SELECT id, name FROM _entries WHERE id BETWEEN ? AND ? ORDER BY id")
    let builder = try NameBlockBuilder()
    for number in gaps.sorted() where (1...NameBlock.number(of: Row.highestID)).contains(number) {
      for deletion in deletions {
        deletion.bind(number, at: 1)
        try deletion.run()
      }
      let ids = NameBlock.ids(of: number)
      builder.begin(with: ids.lowerBound)
      rows.bind(ids.lowerBound, at: 1)
      rows.bind(ids.upperBound, at: 2)
      while try rows.step() {
        builder.add(rows.row.bytes(1).assumingMemoryBound(to: UInt8.self), of: rows.row.integer(0))
      }
      rows.reset()
      try builder.end { blockRow, trigramsRow in
        block.bind(number, at: 1)
        block.bindBlob(blockRow.names, at: 2)
        try block.run()
        trigrams.bind(number, at: 1)
        trigrams.bindBlob(trigramsRow.trigrams, at: 2)
        try trigrams.run()
      }
    }
    try db.execute("DELETE FROM _name_gaps")
  }

  /// Makes all blocks anew.
  package static func rebuild(in db: Connection) throws {
    for table in tables { try db.execute("DELETE FROM \(table)") }
    try db.execute(
      """
      INSERT OR IGNORE INTO _name_gaps
      SELECT DISTINCT \(NameBlock.number(of: "id")) FROM _entries
      WHERE id BETWEEN 0 AND \(Row.highestID)
      """)
    try fillGaps(in: db)
  }

  // MARK: - Checking

  /// The numbers of blocks that are not those of the rows, and what is wrong with them: at most so many.
  func wrongBlocks(most: Int) throws -> [(number: Int64, description: String)] {
    var wrong: [(number: Int64, description: String)] = []
    var known = try gaps()
    let stored = try db.prepare(
      """
      SELECT (SELECT names FROM \(NameBlockRow.table.name) WHERE id = ?1),
        (SELECT trigrams FROM \(NameTrigramsRow.table.name) WHERE id = ?1)
      """)
    let builder = try NameBlockBuilder()
    let blocks = try NameBlockReader()
    func compare() throws {
      guard builder.number > 0, known.insert(builder.number).inserted else { return }
      stored.bind(builder.number, at: 1)
      defer { stored.reset() }
      guard try stored.step() else { return }
      let (row, trigrams) = (stored.row, builder.trigrams)
      let hasNames =
        trigrams == nil
        ? row.isNull(0) : blocks.names(row.bytes(0)).map(builder.list.elementsEqual) ?? false
      let hasTrigrams =
        trigrams.map {
          $0.all.bytes.elementsEqual(row.bytes(1))
            && $0.head.elementsEqual(row.bytes(0).prefix(NameBlock.headSize))
        } ?? row.isNull(1)
      guard !hasNames || !hasTrigrams else { return }
      let fault =
        hasNames ? "the trigrams are not those of the names" : "the names are not those of the rows"
      wrong.append((builder.number, fault))
    }
    let rows = try db.prepare("SELECT id, name FROM _entries WHERE id BETWEEN 0 AND ? ORDER BY id")
    rows.bind(Row.highestID, at: 1)
    while wrong.count < most, try rows.step() {
      let id = rows.row.integer(0)
      if !builder.isWithin(id) {
        try compare()
        builder.begin(with: id)
      }
      builder.add(rows.row.bytes(1).assumingMemoryBound(to: UInt8.self), of: id)
    }
    try compare()
    for table in Self.tables {
      try db.forEach(SQL("SELECT id FROM \(table)")) { row in
        guard wrong.count < most, !known.contains(row.integer(0)) else { return }
        wrong.append((row.integer(0), "they are those of no entries"))
      }
    }
    return wrong
  }
}
