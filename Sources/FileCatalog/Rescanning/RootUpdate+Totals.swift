internal import FileSystem

extension RootUpdate {
  /// Adds everything up again and writes the sums that differ.
  ///
  /// - Returns: the sums of the root.
  func updateTotals() throws -> FolderTotals.Folder {
    let stored = try StoredTotals.all(of: root.id, reader)
    var totals = FolderTotals()
    var positions = [Int32](repeating: -1, count: tree.folders.count)
    var order: [FolderTree.Slot] = []
    tree.children(.now).forEach(from: tree.root) { slot in
      positions[Int(slot)] = Int32(order.count)
      let parent = tree[slot].parent
      let above = parent >= 0 ? positions[Int(parent)] : -1
      totals.append(
        folder(
          slot, at: above, depth: above >= 0 ? totals.folders[Int(above)].depth + 1 : 0,
          stored[tree[slot].id]))
      order.append(slot)
      return true
    }
    try recount(order, in: &totals)
    try addLinks(to: &totals, at: positions)
    totals.sumUp()
    for folder in totals.folders {
      let before = stored[folder.id]
      guard before.map({ !$0.isSame(as: folder) }) ?? true else { continue }
      try sink.writeTotals(folder)
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
    _ slot: FolderTree.Slot, at parent: Int32, depth: Int32, _ stored: StoredTotals?
  ) -> FolderTotals.Folder {
    let reading = tree[slot].reading
    var folder = FolderTotals.Folder(
      id: tree[slot].id, parent: parent, depth: depth,
      ownBlocks: reading.ownBlocks ?? stored?.ownBlocks ?? 0)
    if isRead(slot) {
      folder.state = left.contains(slot) ? .unscanned : reading.state
      folder.error = reading.error
      folder.own = left.contains(slot) ? DirectoryTally() : reading.own
      folder.fingerprint = reading.fingerprint
      folder.isVague = reading.isVague
      return folder
    }
    folder.own = stored?.own ?? DirectoryTally()
    folder.isStored = true
    folder.state = tree[slot].storedState
    folder.error = stored?.error
    if let fingerprint = stored?.fingerprint, !disturbed.contains(slot), !reading.isVague {
      folder.fingerprint = fingerprint
    } else {
      folder.isVague = true
    }
    if tree[slot].fate == .kept {
      folder.state = .unscanned
      folder.error = nil
    } else if reading.state == .unreadable {
      folder.state = .unreadable
      folder.error = reading.error
    } else if reading.isVague {
      // Children without values count with those that are known of them.
      folder.state = .complete
      folder.error = nil
    }
    return folder
  }

  /// Counts the rows of directories that were not read to their end, or have lost rows unread.
  private func recount(_ order: [FolderTree.Slot], in totals: inout FolderTotals) throws {
    for (position, slot) in order.enumerated()
    where !isRead(slot)
      && (disturbed.contains(slot) || tree[slot].reading.isVague
        || tree[slot].reading.state == .unreadable)
    {
      let statement = SQLFragment(
        """
        SELECT ifnull(sum(kind <> 2), 0), ifnull(sum(kind = 2), 0),
          ifnull(sum(size) FILTER (WHERE kind <> 2), 0), ifnull(sum(allocated), 0), max(modified)
        FROM entries WHERE parent_id = ?
        """, [.integer(tree[slot].id)])
      let tally = try reader.first(statement) { row in
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
    let statement = SQLFragment(
      """
      SELECT volume_id, inode, allocated, parent_id FROM entries
      WHERE links > 1 AND kind NOT IN (2, 3)
      UNION ALL
      SELECT p.volume_id, p.inode, p.allocated, e.parent_id
      FROM packaged_links p JOIN entries e ON e.id = p.package_id
      """)
    try reader.forEach(statement) { row in
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

/// The sums of a directory as the catalog has them.
private struct StoredTotals {
  let state: Int64
  let error: String?
  let sums: [Int64]
  let newest: Int64
  let own: DirectoryTally
  let fingerprint: DirectoryFingerprint?
  let ownBlocks: Int64

  static func all(of root: Int64, _ reader: RowReader) throws -> [Int64: StoredTotals] {
    var totals: [Int64: StoredTotals] = [:]
    let statement = SQLFragment(
      """
      SELECT t.id, t.state, t.error, t.files, t.directories, t.size, t.allocated, t.total_files,
        t.total_directories, t.total_size, t.total_allocated, t.newest_modified, t.own_newest,
        t.fingerprint_high, t.fingerprint_low, e.allocated
      FROM folders f JOIN folder_totals t ON t.id = f.id JOIN entries e ON e.id = f.id
      WHERE f.root_id = ?
      """, [.integer(root)])
    try reader.forEach(statement) { totals[$0.integer(0)] = StoredTotals($0) }
    return totals
  }

  private init(_ row: RawRow) {
    state = row.integer(1)
    error = row.optionalText(2)
    sums = (Int32(3)...10).map { row.integer($0) }
    newest = row.optionalInteger(11) ?? FileStatus.unknownTime
    var own = DirectoryTally()
    own.files = row.integer(3)
    own.directories = row.integer(4)
    own.size = row.integer(5)
    own.allocated = row.integer(6)
    own.newestModified = row.optionalInteger(12) ?? FileStatus.unknownTime
    self.own = own
    fingerprint = row.optionalInteger(13).map {
      DirectoryFingerprint(
        high: UInt64(bitPattern: $0), low: UInt64(bitPattern: row.integer(14)))
    }
    ownBlocks = row.integer(15)
  }

  func isSame(as folder: FolderTotals.Folder) -> Bool {
    state == folder.state.rawValue && error == folder.error && sums == folder.sums
      && newest == folder.total.newestModified && own.newestModified == folder.own.newestModified
      && fingerprint == folder.provenFingerprint
  }
}
