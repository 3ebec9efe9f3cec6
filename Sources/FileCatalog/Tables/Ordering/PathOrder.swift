internal import SQLite

/// The order of the bytes of whole paths, found without putting a path together.
struct PathOrder {
  /// Positions in the roster, first path first.
  private(set) var positions: [UInt32] = []

  /// - Throws: ``SQLiteError/Code/corrupt`` where an entry is under no root, or under several.
  init(of names: EntryNames) throws {
    positions.reserveCapacity(names.count)
    var walk = PathWalk(names)
    try walk.forEachRow { row, _ in positions.append(names.positions[row]) }
  }
}

/// The paths of all entries, in their order.
struct PathListing {
  private let names: EntryNames

  /// More entries are left to SQLite, which sorts on the disk: here their names are in memory.
  private static let most = 2_000_000

  /// Whether a request is for all that a listing has.
  static func suits(_ request: TableRequest) -> Bool {
    request.query.filter == .all && request.scope == .everything && request.limit == nil
      && request.offset == 0 && request.order == SortOrder([SortOrder.Term(.path)])
  }

  /// - Returns: `nil` where there are too many.
  init?(_ db: Connection) throws {
    let most = Int64(Self.most)
    let many = SQL(
      "SELECT count(*) FROM (SELECT 1 FROM _entries LIMIT ?)", [.integer(most + 1)])
    guard try db.first(many, { $0.count(0) }) ?? 0 <= most else { return nil }
    names = try EntryNames(of: Roster(in: db), in: db)
  }

  /// Calls `body` with each path. The memory is only lent.
  ///
  /// - Throws: ``SQLiteError/Code/corrupt`` where an entry is under no root, or under several.
  func forEachPath(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    var walk = PathWalk(names)
    var path: [UInt8] = []
    try walk.forEachRow { row, directory in
      path.removeAll(keepingCapacity: true)
      path.append(contentsOf: directory)
      names.withName(row) { path.append(contentsOf: $0) }
      try path.withUnsafeBytes(body)
    }
  }
}

/// Goes through all entries in the order of their paths.
///
/// Within a directory, entries are in the order of their names. What is below a sub-directory `a`
/// comes where a name `a/` would: after `a`, but also after `a.txt`, because the dot comes before the
/// slash.
private struct PathWalk {
  private let names: EntryNames
  /// The path of the directory that is being gone through, with a slash behind it; before it, those of
  /// the ones above.
  private var path: [UInt8] = []

  init(_ names: EntryNames) {
    self.names = names
  }

  /// A directory that is being gone through.
  private struct Level {
    var rows: Range<Int>
    /// How much of the path is its own.
    var length = 0
    /// Rows of directories whose content is still to come: each name begins with the one before it.
    var waiting: [Int] = []
  }

  /// Calls `body` with the row of each entry, and with what stands before its name in its path.
  ///
  /// - Throws: ``SQLiteError/Code/corrupt`` where an entry is under no root, or under several.
  mutating func forEachRow(_ body: (Int, ArraySlice<UInt8>) throws -> Void) throws {
    let slash = UInt8(ascii: "/")
    var count = 0
    // On a stack of its own, however deep the tree is.
    var levels = [Level(rows: names.roots)]
    while var level = levels.popLast() {
      let next = level.rows.first
      if let directory = level.waiting.last, next.map({ precedes(directory, $0) }) ?? true {
        level.waiting.removeLast()
        levels.append(level)
        if let rows = names.children[names.positions[directory]] {
          path.removeLast(path.count - level.length)
          names.withName(directory) { path.append(contentsOf: $0) }
          if path.last != slash { path.append(slash) }
          levels.append(Level(rows: rows, length: path.count))
        }
      } else if let next {
        level.rows = (next + 1)..<level.rows.upperBound
        count += 1
        guard count <= names.count else { break }
        try body(next, path[..<level.length])
        if names.children[names.positions[next]] != nil { level.waiting.append(next) }
        levels.append(level)
      }
    }
    guard count == names.count else {
      throw SQLiteError.corrupt("the entries are not all under one root each")
    }
  }

  /// Whether what is below the directory of one row comes before the entry of a later row.
  private func precedes(_ directory: Int, _ row: Int) -> Bool {
    names.withName(directory) { prefix in
      names.withName(row) { name in
        guard name.count > prefix.count, name.starts(with: prefix) else { return true }
        // The root of everything ends with its slash already.
        guard prefix.last != UInt8(ascii: "/") else { return true }
        return name[prefix.count] >= UInt8(ascii: "/")
      }
    }
  }
}
