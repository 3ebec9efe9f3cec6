internal import FileSystem
internal import SQLite

/// The values of one sort key, as numbers that compare as the values do, by position in the roster.
struct SortCodes {
  private(set) var codes: [UInt64]
  /// Positions without a value; empty where all have one.
  private(set) var isMissing: [Bool] = []

  /// Ranks that are known already.
  init(ranks: [UInt32]) {
    codes = ranks.map { UInt64($0) }
  }

  /// Numbers, or `nil` where there is none.
  init(numbers: [Int64?]) {
    codes = numbers.map { UInt64(bitPattern: $0 ?? 0) ^ (1 << 63) }
    if numbers.contains(nil) { isMissing = numbers.map { $0 == nil } }
  }

  /// Reads the values of a key. Names and paths are no values of a row: all have equal codes.
  init(of key: SortOrder.Key, for roster: Roster, in db: Connection) throws {
    codes = Array(repeating: 0, count: roster.count)
    switch key {
    case .name, .path:
      // Ranked from all names at once: see ``EntryOrders``.
      break
    case .size, .allocated, .modified, .created, .changed, .accessed, .inode, .links, .mode,
      .fullSize, .fullAllocated:
      guard let column = key.tableColumn else { break }
      try readNumbers("SELECT id, \(column) FROM _entries", db, roster)
    case .depth:
      try readNumbers("SELECT id, depth FROM _entry_rows", db, roster)
    case .totalSize, .totalAllocated, .totalFiles:
      isMissing = Array(repeating: true, count: roster.count)
      try readNumbers("SELECT id, \(key.name) FROM _directory_totals", db, roster)
      let column = key.packageColumn
      try readNumbers(
        "SELECT k.id, \(column) FROM _packages k JOIN _entries e ON e.id = k.id", db, roster)
    case .kind:
      let names = EntryKind.allCases.map { (Int64($0.rawValue), Array($0.name.utf8)) }
      try readNamed("SELECT id, kind FROM _entries", names, db, roster)
    case .type:
      let names = try db.texts("SELECT id, identifier FROM _uniform_types") { Array($0) }
      try readNamed("SELECT id, type_id FROM _entries", names, db, roster)
    case .owner:
      let names = try db.texts("SELECT uid, name FROM _users", Self.folded)
      try readNamed("SELECT id, uid FROM _entries", names, db, roster)
    case .group:
      let names = try db.texts("SELECT gid, name FROM _groups", Self.folded)
      try readNamed("SELECT id, gid FROM _entries", names, db, roster)
    case .extension:
      let names = try db.texts("SELECT id, exact_name FROM _extensions", Self.folded)
      try readNamed("SELECT id, extension_id FROM _entries", names, db, roster)
    case .value(let key):
      isMissing = Array(repeating: true, count: roster.count)
      // One pass, and in the order of the index if there is one.
      try readNumbers(
        "SELECT v.entry_id, dense_rank() OVER (ORDER BY v.value) FROM \(key.values)", db, roster)
    }
  }

  /// Sorts positions by the values; those with equal ones keep their order.
  func sort(
    _ positions: [UInt32], _ direction: SortOrder.Direction, missing: MissingValues
  ) -> [UInt32] {
    let directed = direction == .ascending ? codes : codes.map { ~$0 }
    let sorted = PositionSort.stable(positions, by: directed)
    guard !isMissing.isEmpty else { return sorted }
    let end: PositionSort.End =
      missing == .last || direction == .descending ? .back : .front
    return PositionSort.partition(sorted, to: end) { isMissing[$0] }
  }

  private mutating func set(_ code: UInt64, of id: Int64, _ roster: Roster) {
    guard let position = roster.position(of: id) else { return }
    codes[position] = code
    if !isMissing.isEmpty { isMissing[position] = false }
  }

  private mutating func setMissing(_ id: Int64, _ roster: Roster) {
    guard let position = roster.position(of: id) else { return }
    if isMissing.isEmpty { isMissing = Array(repeating: false, count: codes.count) }
    isMissing[position] = true
  }

  /// Reads pairs of an id and a number.
  private mutating func readNumbers(
    _ sql: String, _ db: Connection, _ roster: Roster
  ) throws {
    try db.forEach(SQL(sql)) { row in
      guard let value = row.optionalInteger(1) else { return setMissing(row.integer(0), roster) }
      // Flipping the sign bit makes signed numbers compare as unsigned ones.
      set(UInt64(bitPattern: value) ^ (1 << 63), of: row.integer(0), roster)
    }
  }

  /// Reads pairs of an id and the number of a name; what is compared are the names.
  private mutating func readNamed(
    _ sql: String, _ names: [(Int64, [UInt8])], _ db: Connection, _ roster: Roster
  ) throws {
    let ranks = Self.ranks(of: names.map(\.1))
    let byNumber = Dictionary(
      names.map { ($0.0, ranks[$0.1] ?? 0) }, uniquingKeysWith: { first, _ in first })
    try db.forEach(SQL(sql)) { row in
      if let number = row.optionalInteger(1), let rank = byNumber[number] {
        set(rank, of: row.integer(0), roster)
      } else {
        setMissing(row.integer(0), roster)
      }
    }
  }

  private static func ranks(of texts: [[UInt8]]) -> [[UInt8]: UInt64] {
    let sorted = Set(texts).sorted { $0.lexicographicallyPrecedes($1) }
    return Dictionary(
      zip(sorted, UInt64(0)...), uniquingKeysWith: { first, _ in first })
  }

  /// The bytes with ASCII letters in lower case, as SQLite's `NOCASE` compares them.
  private static func folded(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    bytes.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
  }
}

extension SortOrder.Key {
  /// Whether entries of one directory do not differ in this, or only as their names do.
  var isTheSameAmongSiblings: Bool { self == .name || self == .path || self == .depth }

  /// What the table `_entries` has for a key whose values are numbers; `nil` for other keys.
  var tableColumn: String? {
    switch self {
    case .size, .allocated, .inode, .links, .modified, .created, .changed, .accessed: name
    case .mode: "mode & 4095"
    case .fullSize: Self.withTotals("total_size", elsewhere: "size")
    case .fullAllocated: Self.withTotals("total_allocated", elsewhere: "allocated")
    case .name, .path, .depth, .kind, .type, .extension, .owner, .group, .totalSize,
      .totalAllocated, .totalFiles, .value:
      nil
    }
  }

  /// What a directory has as a total, and other entries in their own row: for each directory its totals are
  /// looked up.
  private static func withTotals(_ total: String, elsewhere column: String) -> String {
    """
    CASE kind WHEN \(EntryKind.directory.rawValue)
      THEN (SELECT t.\(total) FROM _directory_totals t WHERE t.id = _entries.id)
      ELSE \(column) END
    """
  }

  /// What of a package is a total of a directory, over `_packages` and `_entries`.
  fileprivate var packageColumn: String {
    switch self {
    case .totalAllocated: "e.allocated"
    case .totalFiles: "k.files"
    default: "e.size"
    }
  }
}

extension Connection {
  /// Reads pairs of a number and a text.
  fileprivate func texts(
    _ sql: String, _ transform: (UnsafeRawBufferPointer) -> [UInt8]
  ) throws -> [(Int64, [UInt8])] {
    var texts: [(Int64, [UInt8])] = []
    try forEach(SQL(sql)) { texts.append(($0.integer(0), transform($0.bytes(1)))) }
    return texts
  }
}
