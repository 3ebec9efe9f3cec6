internal import FileSystem
internal import SQLite

/// The names of all entries, directory by directory, each directory's in the order of their bytes.
struct EntryNames {
  /// By row: the position of the entry in the roster.
  private(set) var positions: [UInt32] = []
  /// By row: where the name begins; one more for the end of the last.
  private var starts: [Int] = [0]
  private var bytes: [UInt8] = []
  /// By position of a directory: its rows.
  private(set) var children: [UInt32: Range<Int>] = [:]
  /// The rows of the roots, whose names are their whole paths here.
  private(set) var roots = 0..<0

  init(of roster: Roster, in db: Connection) throws {
    positions.reserveCapacity(roster.count)
    starts.reserveCapacity(roster.count + 1)
    // BLOBs, names that are not UTF-8, come after TEXT whatever their bytes.
    var isMixed = false
    var parent: Int64?
    var first = 0
    // Answered by the index on (parent, name) alone.
    let statement = SQL(
      """
      SELECT parent_id, id, name, typeof(name) = 'blob' FROM _entries
      WHERE parent_id IS NOT NULL ORDER BY parent_id, name
      """)
    try db.forEach(statement) { row in
      let id = row.id(0)
      if id != parent {
        try close(parent, from: first, in: roster, isMixed: isMixed)
        parent = id
        first = positions.count
        isMixed = false
      }
      if row.integer(3) != 0 { isMixed = true }
      try append(row.id(1), row.bytes(2), roster)
    }
    try close(parent, from: first, in: roster, isMixed: isMixed)
    first = positions.count
    try db.forEach(
      SQL("SELECT entry_id, exact_path FROM _roots WHERE entry_id IS NOT NULL")
    ) { try append($0.id(0), $0.bytes(1), roster) }
    roots = first..<positions.count
    sort(roots)
  }

  /// No names so far; those of one directory are to be added.
  init() {}

  /// Adds the name of an entry of the directory.
  mutating func append(_ name: UnsafeRawBufferPointer, at position: Int) {
    positions.append(UInt32(truncatingIfNeeded: position))
    bytes.append(contentsOf: name)
    starts.append(bytes.count)
  }

  /// Puts all names in the order of their bytes.
  mutating func sort() {
    sort(0..<count)
  }

  var count: Int { positions.count }

  /// Calls `body` with the bytes of the name in a row.
  @inline(__always)
  func withName<Result>(_ row: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    bytes.withUnsafeBytes { all in
      body(UnsafeRawBufferPointer(rebasing: all[starts[row]..<starts[row + 1]]))
    }
  }

  private mutating func append(
    _ id: Int64, _ name: UnsafeRawBufferPointer, _ roster: Roster
  ) throws {
    guard let position = roster.position(of: id) else { return }
    append(name, at: position)
  }

  private mutating func close(
    _ parent: Int64?, from first: Int, in roster: Roster, isMixed: Bool
  ) throws {
    guard let parent, let position = roster.position(of: parent) else { return }
    let rows = first..<positions.count
    if isMixed { sort(rows) }
    children[UInt32(truncatingIfNeeded: position)] = rows
  }

  /// Puts some of the last rows in the order of the bytes of their names.
  private mutating func sort(_ rows: Range<Int>) {
    let isSorted = zip(rows, rows.dropFirst()).allSatisfy { first, second in
      withName(first) { first in withName(second) { first.lexicographicallyPrecedes($0) } }
    }
    if isSorted { return }
    let items = rows.map { row in (positions[row], Array(bytes[starts[row]..<starts[row + 1]])) }
      .sorted { $0.1.lexicographicallyPrecedes($1.1) }
    var start = starts[rows.lowerBound]
    for (row, item) in zip(rows, items) {
      positions[row] = item.0
      bytes.replaceSubrange(start..<start + item.1.count, with: item.1)
      start += item.1.count
      starts[row + 1] = start
    }
  }
}

/// The ids of all entries, ascending. Orders and sets of entries are kept as positions in it: half
/// the memory of ids, and arrays where there would be dictionaries.
struct Roster: Sendable {
  /// The ids; no two are equal.
  let ids: [Int64]
  /// By position: the scan that last saw the entry changed.
  let versions: [UInt32]

  init(in db: Connection) throws {
    var ids: [Int64] = []
    var versions: [UInt32] = []
    let count = Int(try db.integer("SELECT count(*) FROM _entries") ?? 0)
    ids.reserveCapacity(count)
    versions.reserveCapacity(count)
    try db.forEach(SQL("SELECT id, last_changed_scan FROM _entries ORDER BY id")) { row in
      ids.append(row.id(0))
      versions.append(UInt32(truncatingIfNeeded: row.integer(1)))
    }
    self.ids = ids
    self.versions = versions
  }

  var count: Int { ids.count }

  /// Where an id stands. As ids are nearly always given out without gaps, the first guess is right
  /// but for entries that came later.
  @inline(__always)
  func position(of id: Int64) -> Int? {
    guard let first = ids.first, id >= first else { return nil }
    // Ids ascend by one at least, so none stands further back than if there were no gaps.
    let guess = min(Int(clamping: id - first), ids.count - 1)
    if ids[guess] == id { return guess }
    var low = 0
    var high = guess
    while low < high {
      let middle = (low + high) / 2
      if ids[middle] < id { low = middle + 1 } else { high = middle }
    }
    return ids[low] == id ? low : nil
  }
}
