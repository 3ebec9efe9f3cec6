internal import FileSystem
internal import SQLite
internal import SystemPackage

extension RootUpdate {
  /// Adds everything up again and writes the sums that differ.
  ///
  /// - Returns: the sums of the root.
  func updateTotals() throws -> FolderTotals.Folder {
    let stored = try storedTotals ?? StoredTotals(of: tree, db)
    var totals = FolderTotals(capacity: tree.folders.count)
    var positions = [Int32](repeating: -1, count: tree.folders.count)
    var order: [FolderTree.Slot] = []
    order.reserveCapacity(tree.folders.count)
    try tree.children(.now).forEach(from: tree.root) { slot in
      positions[Int(slot)] = Int32(order.count)
      let parent = tree[slot].parent
      let above = parent >= 0 ? positions[Int(parent)] : -1
      let depth = above >= 0 ? totals.folders[Int(above)].depth + 1 : 0
      totals.append(
        try folder(slot, at: above, depth: depth, stored[slot]), error: error(of: slot, stored))
      order.append(slot)
      return true
    }
    try recount(order, in: &totals)
    try addLinks(to: &totals, at: positions)
    totals.sumUp()
    for (position, slot) in order.enumerated() {
      let folder = totals.folders[position]
      let error = totals.errors[position]
      let before = stored[slot]
      if let before, before == folder, stored.errors[slot] == error { continue }
      try sink.writeTotals(folder, error: error)
      let sums = before?.sums ?? Array(repeating: 0, count: 8)
      try growth.add(zip(folder.sums, sums).map { $0 - $1 }, to: folder.id)
    }
    return totals.folders[0]
  }

  /// Whether what was read of a directory is what its rows say.
  private func isRead(_ slot: FolderTree.Slot) -> Bool {
    let folder = tree[slot]
    return folder.isNew || left.contains(slot)
      || folder.reading.pieces > 0 && folder.reading.state == .complete && !folder.reading.isVague
  }

  private func folder(
    _ slot: FolderTree.Slot, at parent: Int32, depth: Int32, _ stored: FolderTotals.Folder?
  ) throws -> FolderTotals.Folder {
    let reading = tree[slot].reading
    var folder = FolderTotals.Folder(
      id: tree[slot].id, parent: parent, depth: depth,
      ownBlocks: try reading.ownBlocks ?? storedBlocks(of: slot))
    if isRead(slot) {
      folder.state = left.contains(slot) ? .unscanned : reading.state
      folder.own = left.contains(slot) ? DirectoryTally() : reading.own
      folder.fingerprint = reading.fingerprint
      folder.isVague = reading.isVague
      return folder
    }
    folder.own = stored?.own ?? DirectoryTally()
    folder.isStored = true
    folder.state = tree[slot].storedState
    if let fingerprint = stored?.provenFingerprint, !disturbed.contains(slot), !reading.isVague {
      folder.fingerprint = fingerprint
    } else {
      folder.isVague = true
    }
    if tree[slot].fate == .kept {
      folder.state = .unscanned
    } else if reading.state == .unreadable {
      folder.state = .unreadable
    } else if reading.isVague {
      // Children without values count with those that are known of them.
      folder.state = .complete
    }
    return folder
  }

  /// Why a directory could not be read, now or when it was last tried.
  private func error(of slot: FolderTree.Slot, _ stored: StoredTotals) -> String? {
    let folder = tree[slot]
    if let error = folder.reading.error { return error.description }
    let isOver = isRead(slot) || folder.fate == .kept || folder.reading.isVague
    return isOver ? nil : stored.errors[slot]
  }

  /// The blocks of a directory that nobody has looked at.
  private func storedBlocks(of slot: FolderTree.Slot) throws -> Int64 {
    let statement = SQL(
      "SELECT allocated FROM entries WHERE id = ?", [.integer(tree[slot].id)])
    return try db.first(cached: statement) { $0.integer(0) } ?? 0
  }

  /// Counts the rows of directories that were not read to their end, or have lost rows unread.
  private func recount(_ order: [FolderTree.Slot], in totals: inout FolderTotals) throws {
    for (position, slot) in order.enumerated()
    where !isRead(slot)
      && (disturbed.contains(slot) || tree[slot].reading.isVague
        || tree[slot].reading.state == .unreadable)
    {
      let statement = SQL(
        """
        SELECT ifnull(sum(kind <> 2), 0), ifnull(sum(kind = 2), 0),
          ifnull(sum(size) FILTER (WHERE kind <> 2), 0), ifnull(sum(allocated), 0), max(modified)
        FROM entries WHERE parent_id = ?
        """, [.integer(tree[slot].id)])
      let tally = try db.first(cached: statement) { row in
        var tally = DirectoryTally()
        tally.files = row.integer(0)
        tally.directories = row.integer(1)
        tally.size = row.integer(2)
        tally.allocated = row.integer(3)
        tally.newestModified = row.optionalInteger(4) ?? FileStatus.unknownTime
        return tally
      }
      if let tally { totals.recount(position, tally) }
    }
  }

  /// Adds the files with several names: of what was read from the walk, of the rest from the rows.
  private func addLinks(to totals: inout FolderTotals, at positions: [Int32]) throws {
    for link in links where link.pass == tree[link.folder].reading.pass {
      let position = positions[Int(link.folder)]
      if position >= 0, isRead(link.folder) { totals.addLink(link.file, in: position) }
    }
    guard tree.folders.indices.contains(where: { positions[$0] >= 0 && !isRead(Int32($0)) }) else {
      return
    }
    let statement = SQL(
      """
      SELECT volume_id, inode, allocated, parent_id FROM entries
      WHERE links > 1 AND kind NOT IN (2, 3)
      UNION ALL
      SELECT p.volume_id, p.inode, p.allocated, e.parent_id
      FROM packaged_links p JOIN entries e ON e.id = p.package_id
      """)
    try db.forEach(statement) { row in
      guard let slot = tree.slot(ofID: row.integer(3)), positions[Int(slot)] >= 0, !isRead(slot)
      else { return }
      totals.addLink(
        LinkedFile(
          device: UInt64(bitPattern: row.integer(0)), inode: UInt64(bitPattern: row.integer(1)),
          allocated: row.integer(2)),
        in: positions[Int(slot)])
    }
  }
}

/// The sums of known directories as the catalog has them.
struct StoredTotals {
  /// By slot. Directories without a row have the id 0.
  private var folders: [FolderTotals.Folder]
  private(set) var errors: [FolderTree.Slot: String] = [:]

  init(of tree: FolderTree, _ db: Connection) throws {
    folders = Array(
      repeating: FolderTotals.Folder(id: 0, parent: FolderTree.none, depth: 0, ownBlocks: 0),
      count: tree.knownCount)
    let statement = SQL(
      """
      SELECT t.id, t.state, t.error, t.files, t.directories, t.size, t.allocated, t.total_files,
        t.total_directories, t.total_size, t.total_allocated, t.newest_modified, t.own_newest,
        t.fingerprint_high, t.fingerprint_low
      FROM folder_totals t WHERE t.id BETWEEN ? AND ? ORDER BY t.id
      """,
      [
        .integer(tree.knownFolders.first?.id ?? 0), .integer(tree.knownFolders.last?.id ?? 0),
      ])
    var slot = 0
    try db.forEach(statement) { row in
      // Both are in the order of the ids. Between those of one root may be those of others.
      while slot < folders.count, tree.folders[slot].id < row.integer(0) { slot += 1 }
      guard slot < folders.count, tree.folders[slot].id == row.integer(0) else { return }
      folders[slot] = FolderTotals.Folder(stored: row)
      if let error = row.optionalText(2) { errors[FolderTree.Slot(slot)] = error }
    }
  }

  subscript(slot: FolderTree.Slot) -> FolderTotals.Folder? {
    guard slot < folders.count, folders[Int(slot)].id != 0 else { return nil }
    return folders[Int(slot)]
  }
}

extension FolderTotals.Folder {
  fileprivate init(stored row: Row) {
    self.init(id: row.integer(0), parent: FolderTree.none, depth: 0, ownBlocks: 0)
    state = FolderTotals.State(rawValue: row.integer(1)) ?? .unscanned
    own.files = row.integer(3)
    own.directories = row.integer(4)
    own.size = row.integer(5)
    own.allocated = row.integer(6)
    own.newestModified = row.optionalInteger(12) ?? FileStatus.unknownTime
    total.files = row.integer(7)
    total.directories = row.integer(8)
    total.size = row.integer(9)
    total.allocated = row.integer(10)
    total.newestModified = row.optionalInteger(11) ?? FileStatus.unknownTime
    if let high = row.optionalInteger(13) {
      fingerprint = DirectoryFingerprint(
        high: UInt64(bitPattern: high), low: UInt64(bitPattern: row.integer(14)))
    } else {
      isVague = true
    }
  }

  /// Whether both would be stored as the same row.
  fileprivate static func == (a: Self, b: Self) -> Bool {
    a.own == b.own && a.total == b.total && a.provenFingerprint == b.provenFingerprint
      && a.state == b.state
  }
}
