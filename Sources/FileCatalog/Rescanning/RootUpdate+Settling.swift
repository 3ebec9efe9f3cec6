internal import FileSystem

extension RootUpdate {
  /// Finds out what has become of everything that is not where it was: moved, or removed.
  func settle() throws {
    try expectAllPlaced()
    keepUnseen()
    try leaveUnwanted()
    var matcher = MoveMatcher(arrivals: arrivals, replacements: replacements)
    for (id, folder) in vanished {
      guard let entry = try StoredEntry.entry(id, db) else { continue }
      try depart(entry, from: try oldPath(of: entry, in: folder), &matcher)
    }
    try removeFolders(&matcher)
    for (position, replacement) in replacements.enumerated() {
      matcher.matchReplaced(position, replacement)
    }
    try number(matcher)
    try removeReclassified()
    try rewritePaths()
  }

  // MARK: - Directories

  /// Directories that were met when the one around them was read for the first time, and not when it was
  /// read again, have nowhere to be.
  private func expectAllPlaced() throws {
    for slot in tree.folders.indices {
      let folder = tree.folders[slot]
      let isPlaced =
        folder.isNew
        ? insertedFolders.contains(FolderTree.Slot(slot))
        : folder.fate != .elsewhere || movedIDs.contains(folder.id)
      if !isPlaced { throw ChangedWhileRead() }
    }
  }

  /// What lies under a directory that could not be read is neither confirmed nor gone.
  private func keepUnseen() {
    let children = tree.children(.before)
    for folder in unseen {
      children.forEach(from: folder) { slot in
        guard slot != folder else { return true }
        guard tree[slot].fate == .unmet else { return false }
        tree[slot].fate = .kept
        return true
      }
    }
  }

  private func leaveUnwanted() throws {
    for slot in left {
      try StoredEntry.forEachChild(of: tree[slot].id, db) { try vanish($0, from: slot) }
    }
  }

  private func removeFolders(_ matcher: inout MoveMatcher) throws {
    guard !vanishedFolders.isEmpty else { return }
    let children = tree.children(.before)
    for folder in vanishedFolders {
      try children.forEach(from: folder) { slot in
        guard tree[slot].fate == .unmet else { return false }
        try removeFolder(slot, &matcher)
        return true
      }
    }
  }

  private func removeFolder(_ slot: FolderTree.Slot, _ matcher: inout MoveMatcher) throws {
    let id = tree[slot].id
    let path = try folderPaths.path(of: id)
    var entries: [StoredEntry] = []
    try StoredEntry.forEachChild(of: id, db) { entry in
      if entry.kind != .directory { entries.append(entry) }
    }
    for entry in entries {
      try depart(entry, from: path + [UInt8(ascii: "/")] + entry.name, &matcher)
    }
    if let entry = try StoredEntry.entry(id, db) {
      try logRemoval(of: entry, from: path)
    }
    tree[slot].fate = .gone
    try growth.addRemoval(of: id)
    try rows.removeFolder(id)
    try rows.remove(id)
  }

  /// Removes what directories held that are packages now. Nothing on the disk has changed.
  private func removeReclassified() throws {
    guard !reclassified.isEmpty else { return }
    let children = tree.children(.before)
    for package in reclassified {
      try children.forEach(from: package) { slot in
        guard tree[slot].fate == .unmet else { return false }
        tree[slot].fate = .gone
        let id = tree[slot].id
        var entries: [Int64] = []
        try StoredEntry.forEachChild(of: id, db) { entry in
          if entry.kind != .directory { entries.append(entry.id) }
        }
        for entry in entries { try rows.remove(entry) }
        try rows.removeFolder(id)
        if slot != package { try rows.remove(id) }
        return true
      }
    }
  }

  // MARK: - Everything else

  /// An entry that is not in its place: it has moved, or it is removed.
  private func depart(
    _ entry: StoredEntry, from path: [UInt8], _ matcher: inout MoveMatcher
  ) throws {
    if !matcher.match(entry, from: path) { try logRemoval(of: entry, from: path) }
    try rows.remove(entry.id)
  }

  private func logRemoval(of entry: StoredEntry, from path: [UInt8]) throws {
    try log.add(
      ChangeLog.Item(
        kind: .removed, id: entry.id, entryKind: entry.kind, path: path, size: entry.size,
        oldSize: entry.size, oldModified: entry.modified))
  }

  /// Gives every row the id that its identity has, and says in the log what happened.
  private func number(_ matcher: MoveMatcher) throws {
    var renumberings: [(from: Int64, to: Int64, firstSeen: Int64)] = []
    for match in matcher.matches {
      let arrival = match.arrival
      guard let now = try StoredEntry.entry(arrival.rowID, db) else { continue }
      let difference = match.entry.difference(
        from: now.record, target: now.target, volume: now.volume)
      // Moving a file touches the time of its last change.
      let fields = difference.fields == [.changed] ? [] : difference.fields
      try log.replace(
        arrival.change, arrival.logged, with: .moved, id: match.entry.id,
        from: (match.entry, match.path), fields: fields)
      renumberings.append((arrival.rowID, match.entry.id, match.entry.firstSeen))
    }
    for (position, replacement) in replacements.enumerated() {
      let old = replacement.old
      switch (matcher.newIsKnown.contains(position), matcher.oldHasMoved.contains(position)) {
      case (true, false):
        try logRemoval(of: old, from: replacement.oldPath)
      case (false, true):
        let id = takeID()
        try log.replace(
          replacement.change, .modified, with: .added, id: id, from: nil, fields: [])
        renumberings.append((old.id, id, scanID))
      case (true, true), (false, false):
        break
      }
    }
    // In two steps, since ids may go round in a circle.
    for item in renumberings { try rows.renumber(item.from, to: -item.to) }
    for item in renumberings {
      try rows.renumber(-item.to, to: item.to)
      try rows.setFirstSeen(item.firstSeen, of: item.to)
    }
  }
}
