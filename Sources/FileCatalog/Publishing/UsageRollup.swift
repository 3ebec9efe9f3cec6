internal import Console
internal import SQLite

/// The sums that reports on usage need, by top directory, kind, type, owner and month: few rows for many
/// entries.
///
/// Rows add up, so there may be several of one key: what is gathered is written whenever it takes too much
/// memory.
struct UsageRollup {
  /// The columns, in the order of the rows.
  static let columns: [(name: String, form: ValueForm)] = [
    ("directory_id", .identifier), ("kind", .text), ("type", .text), ("type_description", .text),
    ("owner", .text), ("uid", .number), ("month", .number), ("entries", .number),
    ("files", .number), ("size", .bytes), ("allocated", .bytes),
  ]

  /// What the numbers in the rows stand for, by the places of columns.
  static func lookUps(in db: Connection) throws -> [Int: ValuesByNumber] {
    var lookUps: [Int: ValuesByNumber] = [:]
    for place in columns.indices {
      guard let column = entryColumn(place),
        case .lookUp(let statement) = BulkColumn(column).usual.making
      else { continue }
      lookUps[place] = try ValuesByNumber(SQL(statement), in: db)
    }
    return lookUps
  }

  /// The column of entries that is looked up in the same way.
  private static func entryColumn(_ place: Int) -> EntryColumn? {
    switch columns[place].name {
    case "kind": .kind
    case "type": .type
    case "type_description": .typeDescription
    case "owner": .owner
    default: nil
    }
  }

  /// What is gathered in memory before it is written.
  private static let mostKeys = 1 << 16

  private struct Key: Hashable, Comparable {
    /// Stands for what is not known: no number of a row is so small.
    static let unknown = Int64.min

    var directory: Int64
    var kind: Int64
    var type: Int64
    var owner: Int64
    /// Year and month of the last change, such as 202611.
    var month: Int64

    static func < (a: Key, b: Key) -> Bool {
      (a.directory, a.kind, a.type, a.owner, a.month)
        < (b.directory, b.kind, b.type, b.owner, b.month)
    }
  }

  private struct Sums {
    var entries: Int64 = 0
    var files: Int64 = 0
    var size: Int64 = 0
    var allocated: Int64 = 0

    static func += (sums: inout Sums, other: Sums) {
      // What is damaged may be anything.
      sums.entries &+= other.entries
      sums.files &+= other.files
      sums.size &+= other.size
      sums.allocated &+= other.allocated
    }
  }

  private let db: Connection

  init(_ db: Connection) {
    self.db = db
  }

  /// What each entry adds; then what packages hold, and what files with several names take once.
  private static let statements: [SQL] = [
    """
    SELECT CASE e.kind WHEN 2 THEN e.id ELSE e.parent_id END, e.kind, e.type_id, e.uid, e.modified,
      1, e.kind <> 2 AND e.kind <> 3, CASE e.kind WHEN 2 THEN 0 ELSE e.size END, e.allocated
    FROM _entries e
    """,
    """
    SELECT e.parent_id, e.kind, e.type_id, e.uid, e.modified, 0, p.files, 0, 0
    FROM _packages p JOIN _entries e ON e.id = p.id WHERE e.kind = 3
    """,
    """
    SELECT e.parent_id, e.kind, e.type_id, e.uid, e.modified, 0, 0, 0, -r.allocated
    FROM _repeated_links r JOIN _entries e ON e.id = r.entry_id
    """,
  ]

  /// Writes the sums.
  ///
  /// - Parameter step: called with how many rows have been read.
  /// - Returns: how many rows they are.
  func write(to file: inout ParquetRows, step: (Int64) throws -> Void) throws -> Int64 {
    let tops = try topDirectories()
    var sums: [Key: Sums] = [:]
    var rows: Int64 = 0
    var read: Int64 = 0
    for statement in Self.statements {
      try db.forEach(statement) { row in
        let directory = row.optionalInteger(0).flatMap { tops[$0] }
        let key = Key(
          directory: directory ?? Key.unknown, kind: row.integer(1), type: row.integer(2),
          owner: row.optionalInteger(3) ?? Key.unknown,
          month: row.optionalInteger(4).map(Self.month) ?? Key.unknown)
        let sum = Sums(
          entries: row.integer(5), files: row.integer(6), size: row.integer(7),
          allocated: row.integer(8))
        sums[key, default: Sums()] += sum
        if sums.count == Self.mostKeys {
          rows += try write(&sums, to: &file)
        }
        read += 1
        try step(read)
      }
    }
    return rows + (try write(&sums, to: &file))
  }

  private func write(_ sums: inout [Key: Sums], to file: inout ParquetRows) throws -> Int64 {
    let rows = RowBuffer(columns: Self.columns.count)
    func handOver() throws {
      for column in Self.columns.indices {
        let making: RowOutput.Making = Self.entryColumn(column) == nil ? .value : .lookUp
        try file.append(
          rows, 0..<rows.count, RowOutput(value: column, column: column, making: making))
      }
      try file.endRows()
      rows.removeAll()
    }
    // In an order that is the same each time.
    for (key, sum) in sums.sorted(by: { $0.key < $1.key }) {
      let numbers = [
        key.directory, key.kind, key.type, key.type, key.owner, key.owner, key.month, sum.entries,
        sum.files, sum.size, sum.allocated,
      ]
      rows.append(numbers.map { $0 == Key.unknown ? nil : $0 })
      if rows.isFull { try handOver() }
    }
    try handOver()
    defer { sums.removeAll(keepingCapacity: true) }
    return Int64(sums.count)
  }

  /// For each directory the root that it is, or the one below its root that it is in.
  private func topDirectories() throws -> [Int64: Int64] {
    var tops: [Int64: Int64] = [:]
    var roots: Set<Int64> = []
    try db.forEach("SELECT id, parent_id FROM _directory_paths ORDER BY depth") { row in
      let id = row.integer(0)
      guard let parent = row.optionalInteger(1) else {
        roots.insert(id)
        tops[id] = id
        return
      }
      tops[id] = roots.contains(parent) ? id : tops[parent]
    }
    return tops
  }

  private static func month(_ nanoseconds: Int64) -> Int64 {
    let date = CivilDate(daysSince1970: nanoseconds.flooredDivision(by: 86_400_000_000_000))
    return date.year * 100 + date.month
  }
}
