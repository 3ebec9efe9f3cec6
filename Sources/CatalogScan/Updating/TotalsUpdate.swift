internal import CatalogStore
internal import FileSystem
internal import SQLite
internal import SystemPackage

/// Adds the directories of a root up again, and writes the sums that differ.
struct TotalsUpdate {
  typealias Slot = RescanTree.Slot

  let rows: RootRows
  let reading: WalkReading
  let stored: StoredTotals

  /// Writes what differs.
  ///
  /// - Returns: the sums of the root.
  func run() throws -> DirectoryTally {
    let tree = reading.tree
    var totals = TreeTotals(beside: rows.db.path)
    var positions = [Int32](repeating: -1, count: tree.directories.count)
    var order: [Slot] = []
    order.reserveCapacity(tree.directories.count)
    try tree.children(.now).forEach(from: tree.root) { slot in
      positions[Int(slot)] = Int32(order.count)
      let parent = tree[slot].parent
      let above = parent >= 0 ? positions[Int(parent)] : -1
      let depth = above >= 0 ? totals.directories[Int(above)].depth + 1 : 0
      totals.append(
        try directory(tree[slot], slot, at: above, depth: depth), error: error(of: slot))
      order.append(slot)
      return true
    }
    try recount(order, in: &totals)
    try addLinks(to: &totals, at: positions)
    try totals.sumUp()
    for (position, slot) in order.enumerated() {
      let before = stored[slot]
      if let before, before.isStored(as: totals.directories[position]),
        stored.errors[slot] == totals.errors[position]
      {
        continue
      }
      let row = try totals.row(at: position)
      try rows.insert(row)
      try rows.growth.add(row.own.minus(before?.own), row.total.minus(before?.total), to: row.id)
    }
    try stored.requireSound()
    return totals.directories[0].total
  }

  private func directory(
    _ found: RescanTree.Directory, _ slot: Slot, at parent: Int32, depth: Int32
  ) throws -> TreeTotals.Directory {
    let read = found.reading
    let before = stored[slot]
    var directory = TreeTotals.Directory(
      id: found.id, parent: parent, depth: depth,
      ownBlocks: try read.ownBlocks ?? storedBlocks(of: found.id))
    if reading.isRead(slot) {
      let isLeft = reading.left.contains(slot)
      directory.state = isLeft ? .unscanned : read.state
      directory.own = isLeft ? DirectoryTally() : read.own
      directory.fingerprint = read.fingerprint
      directory.isVague = read.isVague
      return directory
    }
    directory.own = before?.own ?? DirectoryTally()
    directory.isStored = true
    directory.state = found.storedState
    if let fingerprint = before?.provenFingerprint, !reading.disturbed.contains(slot), !read.isVague
    {
      directory.fingerprint = fingerprint
    } else {
      directory.isVague = true
    }
    if found.fate == .kept {
      directory.state = .unscanned
    } else if read.state == .unreadable {
      directory.state = .unreadable
    } else if read.isVague {
      // Children without values count with those that are known of them.
      directory.state = .complete
    }
    return directory
  }

  /// Why a directory could not be read, now or when it was last tried.
  private func error(of slot: Slot) -> String? {
    let directory = reading.tree[slot]
    if let error = directory.reading.error { return error.description }
    let isOver =
      reading.isRead(slot) || directory.fate == .kept || directory.reading.isVague
    return isOver ? nil : stored.errors[slot]
  }

  /// The blocks of a directory that nobody has looked at.
  private func storedBlocks(of id: Int64) throws -> Int64 {
    try rows.db.first(
      cached: SQL("SELECT allocated FROM _entries WHERE id = ?", [.integer(id)])
    ) { $0.count(0) } ?? 0
  }

  /// Counts the rows of directories that were not read to their end, or have lost rows unread.
  private func recount(_ order: [Slot], in totals: inout TreeTotals) throws {
    for (position, slot) in order.enumerated() where !reading.isRead(slot) {
      let read = reading.tree[slot].reading
      guard reading.disturbed.contains(slot) || read.isVague || read.state == .unreadable else {
        continue
      }
      totals.recount(
        position, try DirectoryTally(rowsIn: reading.tree[slot].id, of: rows.db))
    }
  }

  /// Adds the files with several names: of what was read from the walk, of the rest from the rows.
  private func addLinks(to totals: inout TreeTotals, at positions: [Int32]) throws {
    for link in reading.links where reading.isCurrent(link) {
      let position = positions[Int(link.directory)]
      if position >= 0, reading.isRead(link.directory) {
        totals.addLink(link.file, in: position)
      }
    }
    let isAllRead = positions.indices.allSatisfy {
      positions[$0] < 0 || reading.isRead(Slot($0))
    }
    if isAllRead { return }
    try LinkedFile.forEachStored(in: rows.db) { file, directory in
      guard let slot = reading.tree.slot(ofID: directory), positions[Int(slot)] >= 0,
        !reading.isRead(slot)
      else { return }
      totals.addLink(file, in: positions[Int(slot)])
    }
  }
}

extension LinkedFile {
  /// Calls `body` with each name of a file that has several, and the directory that it is in.
  static func forEachStored(
    in db: Connection, _ body: (_ file: LinkedFile, _ directory: Int64) -> Void
  ) throws {
    let statement: SQL = """
      SELECT volume_id, inode, allocated, parent_id FROM _entries
      WHERE links > 1 AND kind NOT IN (2, 3)
      UNION ALL
      SELECT p.volume_id, p.inode, p.allocated, e.parent_id
      FROM _packaged_links p JOIN _entries e ON e.id = p.package_id
      """
    try db.forEach(statement) { row in
      let file = LinkedFile(
        device: UInt64(bitPattern: row.integer(0)), inode: UInt64(bitPattern: row.integer(1)),
        allocated: row.count(2))
      body(file, row.integer(3))
    }
  }
}

extension DirectoryTally {
  /// What the rows of a directory's children add up to, every name of a file counted.
  init(rowsIn directory: Int64, of db: Connection) throws {
    self.init()
    let statement = SQL(
      """
      SELECT ifnull(sum(kind <> 2), 0), ifnull(sum(kind = 2), 0),
        ifnull(sum(size) FILTER (WHERE kind <> 2), 0), ifnull(sum(allocated), 0), max(modified)
      FROM _entries WHERE parent_id = ?
      """, [.integer(directory)])
    let sums = try db.first(cached: statement) { row in
      var tally = DirectoryTally()
      tally.files = row.count(0)
      tally.directories = row.count(1)
      tally.size = row.count(2)
      tally.allocated = row.count(3)
      tally.newestModified = row.optionalInteger(4) ?? FileStatus.unknownTime
      return tally
    }
    if let sums { self = sums }
  }

  /// By how much it is more than another, or than nothing. The times stay.
  fileprivate func minus(_ other: DirectoryTally?) -> DirectoryTally {
    guard let other else { return self }
    var difference = self
    difference.files -= other.files
    difference.directories -= other.directories
    difference.size -= other.size
    difference.allocated -= other.allocated
    return difference
  }
}

extension TreeTotals.Directory {
  /// Whether both are stored as the same row.
  fileprivate func isStored(as other: Self) -> Bool {
    own == other.own && total == other.total && provenFingerprint == other.provenFingerprint
      && state == other.state
  }
}
