internal import CatalogStore
internal import FileSystem
internal import SQLite

extension RescanTree {
  /// Whether a listing that looks the same is the same.
  enum Fingerprints {
    case trusted
    case ignored
  }

  /// Loads the directories of a root.
  ///
  /// - Parameter fingerprints: whether stored fingerprints count.
  init(of rootID: Int64, fingerprints: Fingerprints, in db: Connection) throws {
    var parents: [Int64] = []
    parents.reserveCapacity(try Self.expectedCount(of: rootID, db))
    var directories = PagedArray<Directory>(beside: db.path)
    let statement = SQL(
      """
      SELECT id, parent_id, exact_path, inode FROM \(DirectoryRow.table.name)
      WHERE root_id = ? ORDER BY id
      """, [.integer(rootID)])
    try db.forEach(statement) { row in
      parents.append(row.isNull(1) ? 0 : row.id(1))
      directories.append(
        Directory(
          id: row.id(0), nameHash: Self.hash(ofLastComponentOf: row.bytes(2)),
          inode: UInt64(bitPattern: row.integer(3))))
    }
    try Self.loadListings(of: &directories, fingerprints, db)
    self.init(directories, parents: parents)
    try requireSound()
    guard isTree else {
      throw SQLiteError.corrupt("the directories of a root are not all below one another")
    }
  }

  /// How many directories a root had: growing an array step by step would touch twice the memory.
  private static func expectedCount(of rootID: Int64, _ db: Connection) throws -> Int {
    let statement = SQL(
      """
      SELECT total_directories FROM \(TotalsRow.table.name)
      WHERE id = (SELECT entry_id FROM _roots WHERE id = ?)
      """, [.integer(rootID)])
    // What is said may be anything, and is only a hint.
    let below = Int(min(try db.first(statement) { $0.count(0) } ?? 0, 1 << 22))
    // The root, and room for a few new ones.
    return below + below / 64 + 16
  }

  /// Reads what is known of the listings: by itself, since two tables in the order of their ids are
  /// read in half the time that looking up each row of one in the other takes.
  private static func loadListings(
    of directories: inout PagedArray<Directory>, _ fingerprints: Fingerprints, _ db: Connection
  ) throws {
    let statement = SQL(
      """
      SELECT id, fingerprint_high, fingerprint_low, state FROM \(TotalsRow.table.name)
      WHERE id BETWEEN ? AND ? ORDER BY id
      """,
      [.integer(directories.first?.id ?? 0), .integer(directories.last?.id ?? 0)])
    var slot = 0
    try db.forEach(statement) { row in
      // Between the directories of one root may be those of others.
      while slot < directories.count, directories[slot].id < row.integer(0) { slot += 1 }
      guard slot < directories.count, directories[slot].id == row.integer(0) else { return }
      if let state = DirectoryState(rawValue: row.integer(3)) {
        directories[slot].storedState = state
      } else {
        row.refuse(3)
      }
      if fingerprints == .trusted, let high = row.optionalInteger(1) {
        directories[slot].storedFingerprint = DirectoryFingerprint(
          high: UInt64(bitPattern: high), low: UInt64(bitPattern: row.integer(2)))
      }
    }
  }
}

/// The sums of known directories as the catalog has them.
struct StoredTotals {
  /// By slot, as far as there are rows. Directories without one have the id 0.
  private var directories: PagedArray<TreeTotals.Directory>
  private(set) var errors: [RescanTree.Slot: String] = [:]

  init(of tree: borrowing RescanTree, in db: Connection) throws {
    let known = tree.knownIDs
    var directories = PagedArray<TreeTotals.Directory>(beside: db.path)
    let statement = SQL(
      """
      SELECT \(TotalsRow.table.columns(of: "t")) FROM \(TotalsRow.table.name) t
      WHERE t.id BETWEEN ? AND ? ORDER BY t.id
      """, [.integer(known.first ?? 0), .integer(known.last ?? 0)])
    var errors: [RescanTree.Slot: String] = [:]
    var slot = 0
    try db.forEach(statement) { row in
      // Both are in the order of the ids. Between those of one root may be those of others.
      while slot < known.count, known[slot] < row.integer(0) { slot += 1 }
      guard slot < known.count, known[slot] == row.integer(0) else { return }
      var decoder = RowDecoder(row)
      let totals = TotalsRow(from: &decoder)
      while directories.count < slot { directories.append(TreeTotals.Directory(id: 0)) }
      if directories.count == slot { directories.append(TreeTotals.Directory(totals)) }
      if let error = totals.error { errors[RescanTree.Slot(slot)] = error }
    }
    self.directories = directories
    self.errors = errors
  }

  subscript(slot: RescanTree.Slot) -> TreeTotals.Directory? {
    guard slot < directories.count else { return nil }
    let directory = directories[Int(slot)]
    return directory.id == 0 ? nil : directory
  }

  /// Throws where not all could be read back.
  func requireSound() throws { try directories.requireSound() }
}

extension TreeTotals.Directory {
  fileprivate init(id: Int64) {
    self.init(id: id, parent: RescanTree.none, depth: 0, ownBlocks: 0)
  }

  fileprivate init(_ row: TotalsRow) {
    self.init(id: row.id)
    state = row.state
    own = row.own
    total = row.total
    if let fingerprint = row.fingerprint {
      self.fingerprint = fingerprint
    } else {
      isVague = true
    }
  }
}
