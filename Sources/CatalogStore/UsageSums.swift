internal import FileSystem
package import SQLite

/// What the entries of one kind, type, extension and owner come to: the table `_usage_sums`.
///
/// Reports on usage add up some thousand rows of it instead of all entries. What is inserted is added up
/// here; what else happens to rows of entries, wherever it is done, is followed by triggers of the
/// connection that writes. These are no part of the file.
package struct UsageSums {
  private struct Key: Hashable {
    let kind: EntryKind
    let typeID: Int64
    let extensionID: Int64
    let uid: Int64
  }

  private struct Sum {
    var entries: Int64 = 0
    var size: Int64 = 0
    var allocated: Int64 = 0
  }

  private var sums: [Sum] = []
  private var places: [Key: Int] = [:]
  /// Neighbours are often alike.
  private var last: (key: Key, place: Int)?

  package init() {}

  /// Adds an entry.
  @inline(__always)
  package mutating func add(_ row: borrowing EntryRow) {
    let isKnown = !row.values.traits.contains(.withoutStatus)
    let status = row.values.status
    let key = Key(
      kind: row.values.kind, typeID: row.typeID, extensionID: row.name.extensionID ?? 0,
      uid: isKnown ? Int64(status.uid) : -1)
    let place = place(of: key)
    sums[place].entries += 1
    guard isKnown else { return }
    if key.kind != .directory { sums[place].size.add(clamped: status.size) }
    sums[place].allocated.add(clamped: status.allocated)
  }

  @inline(__always)
  private mutating func place(of key: Key) -> Int {
    if let last, last.key == key { return last.place }
    let place: Int
    if let known = places[key] {
      place = known
    } else {
      place = sums.count
      sums.append(Sum())
      places[key] = place
    }
    last = (key, place)
    return place
  }

  /// Adds what was added here to what the catalog has.
  package func write(to db: Connection) throws {
    let insert = try db.prepare(
      "INSERT INTO _usage_sums VALUES (?, ?, ?, ?, ?, ?, ?) \(Self.adding)")
    for (key, place) in places {
      let sum = sums[place]
      let values = [
        Int64(key.kind.rawValue), key.typeID, key.extensionID, key.uid, sum.entries, sum.size,
        sum.allocated,
      ]
      for (position, value) in values.enumerated() { insert.bind(value, at: Int32(position + 1)) }
      try insert.run()
    }
    try db.execute("DELETE FROM _usage_sums WHERE entries = 0")
  }

  // MARK: - What happens to rows

  private static let adding = """
    ON CONFLICT (kind, type_id, extension_id, uid) DO UPDATE SET entries = entries + excluded.entries,
      size = size + excluded.size, allocated = allocated + excluded.allocated
    """

  /// The columns that decide to which sums a row adds, and what.
  private static let columns = ["kind", "type_id", "extension_id", "uid", "size", "allocated"]

  /// What a row is counted under.
  private static func key(_ row: String) -> String {
    "\(row).kind, \(row).type_id, ifnull(\(row).extension_id, 0), ifnull(\(row).uid, -1)"
  }

  private static func size(_ row: String) -> String {
    "CASE \(row).kind WHEN 2 THEN 0 ELSE ifnull(\(row).size, 0) END"
  }

  private static func allocated(_ row: String) -> String { "ifnull(\(row).allocated, 0)" }

  /// What the entries come to, counted: the rows that `_usage_sums` should have.
  static let counted = """
    SELECT \(key("e")), count(*), sum(\(size("e"))), sum(\(allocated("e"))) FROM _entries e
    GROUP BY 1, 2, 3, 4
    """

  /// Makes a connection follow what it does to rows of entries, but for inserting them.
  static func follow(in db: Connection) throws {
    let rows = ["old", "new"].map { row in
      "(" + columns.map { "\(row).\($0)" }.joined(separator: ", ") + ")"
    }
    func add(_ row: String, _ sign: String) -> String {
      """
      INSERT INTO _usage_sums VALUES
        (\(key(row)), \(sign)1, \(sign)\(size(row)), \(sign)\(allocated(row))) \(adding);
      """
    }
    try db.execute(
      """
      CREATE TEMP TRIGGER IF NOT EXISTS usage_after_update
      AFTER UPDATE OF \(columns.joined(separator: ", ")) ON _entries
      WHEN \(rows[0]) IS NOT \(rows[1])
      BEGIN
        \(add("old", "-"))
        \(add("new", ""))
      END;
      CREATE TEMP TRIGGER IF NOT EXISTS usage_after_delete AFTER DELETE ON _entries
      BEGIN
        \(add("old", "-"))
      END;
      """)
  }

  /// Removes all sums, and stops following, for all entries to be removed at once.
  static func removeAll(in db: Connection) throws {
    try db.execute("DROP TRIGGER IF EXISTS temp.usage_after_delete; DELETE FROM _usage_sums")
  }

  /// Counts all entries anew.
  package static func rebuild(in db: Connection) throws {
    try db.execute("DELETE FROM _usage_sums; INSERT INTO _usage_sums \(counted)")
  }
}
