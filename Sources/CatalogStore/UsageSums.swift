internal import FileSystem
package import SQLite

/// What entries come to that are alike: by kind, type, extension and owner in the table `_usage_sums`, by
/// kind and the hour of their last modification in `_usage_hours`, and by kind and place among the containers
/// in `_usage_places`.
///
/// Reports on usage add up some thousand rows of them instead of all entries. What is inserted is added up
/// here; what else happens to rows of entries and to the places of directories, wherever it is done, is
/// followed by triggers of the connection that writes. These are no part of the file.
package struct UsageSums {
  private struct Sort: Hashable {
    let kind: EntryKind
    let typeID: Int64
    let extensionID: Int64
    let uid: Int64
  }

  private struct Hour: Hashable {
    let kind: EntryKind
    let hour: Int64
  }

  private struct Place: Hashable {
    let kind: EntryKind
    let place: Int64
  }

  /// Stands for a place that is not known: that of what is in a directory whose place is open.
  package static let noPlace = UsageTable.noPlace

  private var sorts = Accounts<Sort>()
  private var hours = Accounts<Hour>()
  private var places = Accounts<Place>()

  package init() {}

  /// Adds an entry.
  ///
  /// - Parameter place: where a directory itself, or the directory of what is none, is stored to be among the
  ///   containers once the row is.
  @inline(__always)
  package mutating func add(_ row: borrowing EntryRow, place: Int64) {
    let isKnown = !row.values.traits.contains(.withoutStatus)
    let status = row.values.status
    let kind = row.values.kind
    let share = Share(
      entries: 1, size: isKnown && kind != .directory ? status.size : 0,
      allocated: isKnown ? status.allocated : 0)
    sorts.add(
      share,
      to: Sort(
        kind: kind, typeID: row.typeID, extensionID: row.name.extensionID ?? 0,
        uid: isKnown ? Int64(status.uid) : -1))
    hours.add(
      share,
      to: Hour(kind: kind, hour: isKnown ? UsageTable.hour(of: status.modified) : UsageTable.noHour)
    )
    places.add(share, to: Place(kind: kind, place: place))
  }

  /// Adds what was added here to what the catalog has.
  package func write(to db: Connection) throws {
    try sorts.write(to: .sorts, of: db) { sort in
      [Int64(sort.kind.rawValue), sort.typeID, sort.extensionID, sort.uid]
    }
    try hours.write(to: .hours, of: db) { [Int64($0.kind.rawValue), $0.hour] }
    try places.write(to: .places, of: db) { [Int64($0.kind.rawValue), $0.place] }
  }

  // MARK: - What happens to rows

  /// Makes a connection follow what it does to rows of entries, but for inserting them, and to the places of
  /// directories.
  static func follow(in db: Connection) throws {
    for table in UsageTable.all { try db.execute(table.triggers) }
    try db.execute(UsageTable.places.triggersOfPlaces)
  }

  /// Calls `body`, which gives entries other ids and changes nothing else of them: what they come to stays as
  /// it is.
  package static func withoutFollowing(in db: Connection, _ body: () throws -> Void) throws {
    for table in UsageTable.all {
      try db.execute("DROP TRIGGER IF EXISTS temp.\(table.name)_after_update")
    }
    try body()
    try follow(in: db)
  }

  /// Removes all sums, and stops following, for all entries to be removed at once.
  static func removeAll(in db: Connection) throws {
    for table in UsageTable.all {
      try db.execute(
        "DROP TRIGGER IF EXISTS temp.\(table.name)_after_delete; DELETE FROM \(table.name)")
    }
    try db.execute("DROP TRIGGER IF EXISTS temp.\(UsageTable.places.name)_after_directory")
  }

  /// Removes what nothing is counted under any more.
  package static func removeEmpty(in db: Connection) throws {
    for table in UsageTable.all { try db.execute("DELETE FROM \(table.name) WHERE entries = 0") }
  }

  /// Counts all entries anew.
  package static func rebuild(in db: Connection) throws {
    for table in UsageTable.all {
      try db.execute("DELETE FROM \(table.name); INSERT INTO \(table.name) \(table.counted)")
    }
  }
}

/// What some entries come to.
private struct Share {
  var entries: Int64
  var size: Int64
  var allocated: Int64
}

/// What was added up, by what it is kept under.
private struct Accounts<Key: Hashable> {
  private var shares: [Share] = []
  private var places: [Key: Int] = [:]
  /// Neighbours are often alike.
  private var last: (key: Key, place: Int)?

  @inline(__always)
  mutating func add(_ share: Share, to key: Key) {
    let place = place(of: key)
    shares[place].entries += share.entries
    shares[place].size.add(clamped: share.size)
    shares[place].allocated.add(clamped: share.allocated)
  }

  @inline(__always)
  private mutating func place(of key: Key) -> Int {
    if let last, last.key == key { return last.place }
    let place: Int
    if let known = places[key] {
      place = known
    } else {
      place = shares.count
      shares.append(Share(entries: 0, size: 0, allocated: 0))
      places[key] = place
    }
    last = (key, place)
    return place
  }

  func write(to table: UsageTable, of db: Connection, _ values: (Key) -> [Int64]) throws {
    let width = table.keys.count + 3
    let marks = Array(repeating: "?", count: width).joined(separator: ", ")
    let insert = try db.prepare("INSERT INTO \(table.name) VALUES (\(marks)) \(table.adding)")
    for (key, place) in places {
      let share = shares[place]
      let row = values(key) + [share.entries, share.size, share.allocated]
      for (position, value) in row.enumerated() { insert.bind(value, at: Int32(position + 1)) }
      try insert.run()
    }
  }
}

/// A table of sums, and the SQL that keeps it.
struct UsageTable {
  let name: String
  /// What an entry is counted under: the columns of its row that tell, and how; `$` stands for the row.
  let keys: [(column: String, from: String, value: String)]

  static let sorts = UsageTable(
    name: "_usage_sums",
    keys: [
      ("kind", "kind", "$.kind"), ("type_id", "type_id", "$.type_id"),
      ("extension_id", "extension_id", "ifnull($.extension_id, 0)"),
      ("uid", "uid", "ifnull($.uid, -1)"),
    ])
  static let hours = UsageTable(
    name: "_usage_hours",
    keys: [
      ("kind", "kind", "$.kind"),
      (
        "modified_hour", "modified",
        "ifnull($.modified - $.modified % \(nanosecondsInHour), \(noHour))"
      ),
    ])
  static let places = UsageTable(
    name: "_usage_places",
    keys: [
      ("kind", "kind", "$.kind"),
      (
        "place_id", "parent_id",
        """
        ifnull((SELECT d.place_id FROM _directory_paths d
          WHERE d.id = CASE $.kind WHEN 2 THEN $.id ELSE $.parent_id END), \(noPlace))
        """
      ),
    ])
  static let all = [sorts, hours, places]

  private static let nanosecondsInHour: Int64 = 3_600_000_000_000
  /// Stands for a time that is not known: no hour begins then.
  static let noHour: Int64 = 1
  /// Stands for a place that is not known.
  static let noPlace: Int64 = -1

  /// The beginning of the hour of a time in nanoseconds; its end, before 1970.
  static func hour(of time: Int64) -> Int64 { time - time % nanosecondsInHour }

  /// What a row of entries adds.
  private static let share = [
    "1", "CASE $.kind WHEN 2 THEN 0 ELSE ifnull($.size, 0) END", "ifnull($.allocated, 0)",
  ]

  /// Follows an insertion of what may be there.
  fileprivate var adding: String {
    """
    ON CONFLICT (\(keys.map(\.column).joined(separator: ", "))) DO UPDATE SET
      entries = entries + excluded.entries, size = size + excluded.size,
      allocated = allocated + excluded.allocated
    """
  }

  /// What the entries come to, counted: the rows that the table should have.
  var counted: String {
    let keys = keys.map { $0.value.of("e") }.joined(separator: ", ")
    return """
      SELECT \(keys), count(*), sum(\(Self.share[1].of("e"))), sum(\(Self.share[2].of("e")))
      FROM _entries e GROUP BY \((1...self.keys.count).map { "\($0)" }.joined(separator: ", "))
      """
  }

  /// Those that follow what happens to rows of entries.
  fileprivate var triggers: String {
    // The columns that decide where a row adds, and what.
    let columns = keys.map(\.from) + ["size", "allocated"]
    let rows = ["old", "new"].map { row in
      "(" + columns.map { "\(row).\($0)" }.joined(separator: ", ") + ")"
    }
    func add(_ row: String, _ sign: String) -> String {
      let values = keys.map { $0.value.of(row) } + Self.share.map { sign + $0.of(row) }
      return "INSERT INTO \(name) VALUES (\(values.joined(separator: ", "))) \(adding);"
    }
    return """
      CREATE TEMP TRIGGER IF NOT EXISTS \(name)_after_update
      AFTER UPDATE OF \(columns.joined(separator: ", ")) ON _entries
      WHEN \(rows[0]) IS NOT \(rows[1])
      BEGIN
        \(add("old", "-"))
        \(add("new", ""))
      END;
      CREATE TEMP TRIGGER IF NOT EXISTS \(name)_after_delete AFTER DELETE ON _entries
      BEGIN
        \(add("old", "-"))
      END;
      """
  }

  /// Those that move what counts where a directory is, when that changes.
  ///
  /// Where a directory is inserted, its place is one that nothing counts under yet, or is open.
  fileprivate var triggersOfPlaces: String {
    func add(_ sign: String, _ place: String) -> String {
      let share = Self.share.map { "\(sign)sum(\($0.of("e")))" }.joined(separator: ", ")
      return """
        INSERT INTO \(name) SELECT e.kind, \(place), \(share) FROM (
          SELECT * FROM _entries WHERE parent_id = old.id AND kind <> 2
          UNION ALL SELECT * FROM _entries WHERE id = old.id AND kind = 2) e
        WHERE 1 GROUP BY e.kind \(adding);
        """
    }
    let old = "ifnull(old.place_id, \(Self.noPlace))"
    let new = "ifnull(new.place_id, \(Self.noPlace))"
    return """
      CREATE TEMP TRIGGER IF NOT EXISTS \(name)_after_move
      AFTER UPDATE OF place_id ON _directory_paths WHEN \(old) <> \(new)
      BEGIN
        \(add("-", old))
        \(add("", new))
      END;
      CREATE TEMP TRIGGER IF NOT EXISTS \(name)_after_directory
      AFTER DELETE ON _directory_paths WHEN \(old) <> \(Self.noPlace)
      BEGIN
        \(add("-", old))
        \(add("", "\(Self.noPlace)"))
      END;
      """
  }
}

extension String {
  /// The text about one row.
  fileprivate func of(_ row: String) -> String {
    split(separator: "$", omittingEmptySubsequences: false).joined(separator: row)
  }
}
