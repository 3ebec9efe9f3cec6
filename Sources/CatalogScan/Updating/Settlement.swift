internal import CatalogStore
internal import FileSystem
internal import SQLite

/// Finds out, when the walk is over, what has become of everything that is not where it was: moved,
/// or removed.
struct Settlement {
  typealias Slot = RescanTree.Slot

  let rows: RootRows
  let open: Unsettled

  /// Writes what is left to be written.
  func run(on tree: inout RescanTree) throws {
    try expectAllPlaced(tree)
    var matcher = MoveMatcher(additions: open.additions, replacements: open.replacements)
    for (id, directory) in open.vanished {
      guard let row = try StoredEntry.entry(id, rows.db) else { continue }
      let name = open.displacedNames[id] ?? row.name
      try depart(
        row, from: try rows.path(of: name, inDirectory: tree[directory].id), &matcher)
    }
    try removeDirectories(from: &tree, &matcher)
    for (position, replacement) in open.replacements.enumerated() {
      matcher.matchReplaced(position, replacement)
    }
    try number(matcher)
    try removeReclassified(from: &tree)
    try rewritePaths(tree)
  }

  // MARK: - Directories

  /// Directories that were met when the one around them was read for the first time, and not when it was
  /// read again, have nowhere to be.
  private func expectAllPlaced(_ tree: RescanTree) throws {
    for slot in tree.directories.indices {
      let directory = tree.directories[slot]
      let isPlaced =
        directory.isNew
        ? open.insertedDirectories.contains(Slot(slot))
        : directory.fate != .elsewhere || open.movedIDs.contains(directory.id)
      if !isPlaced { throw ChangedWhileRead() }
    }
  }

  private func removeDirectories(
    from tree: inout RescanTree, _ matcher: inout MoveMatcher
  ) throws {
    guard !open.vanishedDirectories.isEmpty else { return }
    let children = tree.children(.before)
    for directory in open.vanishedDirectories {
      try children.forEach(from: directory) { slot in
        guard tree[slot].fate == .unmet else { return false }
        tree[slot].fate = .gone
        try removeDirectory(tree[slot].id, &matcher)
        return true
      }
    }
  }

  private func removeDirectory(_ id: Int64, _ matcher: inout MoveMatcher) throws {
    let path = try rows.path(ofDirectory: id)
    for child in try children(of: id) {
      try depart(child, from: path + [UInt8(ascii: "/")] + child.name, &matcher)
    }
    if let row = try StoredEntry.entry(id, rows.db) { try logRemoval(of: row, from: path) }
    try rows.growth.addRemoval(of: id)
    try rows.updates.removeDirectory(id)
    try rows.updates.remove(id)
  }

  /// The entries in a directory that are no directories.
  private func children(of id: Int64) throws -> [StoredEntry] {
    var children: [StoredEntry] = []
    try StoredEntry.forEachChild(of: id, rows.db) { child in
      if child.kind != .directory { children.append(child) }
    }
    return children
  }

  /// Removes what directories held that are packages now. Nothing on the disk has changed.
  private func removeReclassified(from tree: inout RescanTree) throws {
    guard !open.reclassified.isEmpty else { return }
    let children = tree.children(.before)
    for package in open.reclassified {
      try children.forEach(from: package) { slot in
        guard tree[slot].fate == .unmet else { return false }
        tree[slot].fate = .gone
        let id = tree[slot].id
        for child in try self.children(of: id) { try rows.updates.remove(child.id) }
        try rows.updates.removeDirectory(id)
        if slot != package { try rows.updates.remove(id) }
        return true
      }
    }
  }

  // MARK: - Everything else

  /// An entry that is not in its place: it has moved, or it is removed.
  private func depart(
    _ row: StoredEntry, from path: [UInt8], _ matcher: inout MoveMatcher
  ) throws {
    if matcher.match(row, from: path) { return try rows.updates.vacate(row.id) }
    try logRemoval(of: row, from: path)
    try rows.updates.remove(row.id)
  }

  private func logRemoval(of row: StoredEntry, from path: [UInt8]) throws {
    try rows.log.add(
      ChangeLog.Item(
        kind: .removed, id: row.id, entryKind: row.kind, uid: row.status.uid, path: path,
        size: row.size,
        oldSize: row.size, oldModified: row.modified,
        identity: row.traits.contains(.withoutStatus) ? nil : row.identity,
        firstSeen: row.firstSeen))
  }

  /// Gives every row the id that its identity has, and says in the log what happened.
  private func number(_ matcher: MoveMatcher) throws {
    var renumberings: [(from: Int64, to: Int64, firstSeen: Int64)] = []
    for match in matcher.matches {
      let arrival = match.arrival
      guard let now = try StoredEntry.entry(arrival.rowID, rows.db) else {
        try rows.updates.removeKeptValues(of: match.entry.id)
        continue
      }
      let difference = now.target.withUnsafeBufferPointer { target in
        EntryDifference(of: now.record, target: target, volume: now.volume, from: match.entry)
      }
      // Moving a file touches the time of its last change.
      let fields = difference.fields == [.changed] ? [] : difference.fields
      try rows.log.replace(
        arrival.change, arrival.logged, with: .moved, id: match.entry.id,
        from: (match.entry, match.path), fields: fields)
      renumberings.append((arrival.rowID, match.entry.id, match.entry.firstSeen))
    }
    for (position, replacement) in open.replacements.enumerated() {
      let old = replacement.old
      switch (matcher.newIsKnown.contains(position), matcher.oldHasMoved.contains(position)) {
      case (true, false):
        try logRemoval(of: old, from: replacement.oldPath)
        try rows.updates.removeKeptValues(of: old.id)
      case (false, true):
        let id = rows.takeID()
        try rows.log.replace(
          replacement.change, .modified, with: .added, id: id, from: nil, fields: [],
          identity: replacement.identity)
        renumberings.append((old.id, id, rows.scanID))
      case (true, true), (false, false):
        break
      }
    }
    // In two steps, since ids may go round in a circle.
    for item in renumberings { try rows.updates.renumber(item.from, to: -item.to) }
    for item in renumberings {
      try rows.updates.renumber(-item.to, to: item.to)
      try rows.updates.setFirstSeen(item.firstSeen, of: item.to)
    }
  }

  // MARK: - Paths

  /// Writes the paths of all directories that lie elsewhere than before.
  private func rewritePaths(_ tree: RescanTree) throws {
    guard !open.movedDirectories.isEmpty else { return }
    let children = tree.children(.now)
    let moved = Set(open.movedDirectories.map(\.slot))
    for directory in open.movedDirectories {
      let oldDepth = try rows.depth(ofDirectory: tree[directory.slot].id)
      let change = EntryUpdates.PathChange(
        path: directory.path, oldCharacters: Self.characters(of: directory.oldPath),
        descent: directory.depth - oldDepth)
      rows.updates.beginMove(change)
      // Text is exchanged for text; and where there are containers, each path tells of a place.
      let isSimple =
        rows.places.isEmpty && directory.path.withUnsafeBufferPointer(UTF8Validity.isValid)
      try write(tree, directory.slot, path: directory.path, depth: directory.depth)
      try children.forEach(from: directory.slot) { slot in
        if slot == directory.slot { return true }
        if moved.contains(slot) || tree[slot].isNew { return false }
        let id = tree[slot].id
        if isSimple, try rows.updates.moveDirectoryAlong(id, on: rows.db) { return true }
        let below = try rows.path(ofDirectory: id).dropFirst(directory.oldPath.count)
        try write(
          tree, slot, path: directory.path + below,
          depth: try rows.depth(ofDirectory: id) + change.descent)
        return true
      }
    }
  }

  private func write(_ tree: RescanTree, _ slot: Slot, path: [UInt8], depth: Int32) throws {
    let directory = tree[slot]
    try rows.moveDirectory(
      directory.id, to: path, depth: depth, parent: tree[directory.parent].id,
      inode: directory.inode)
  }

  /// The bytes that begin a character in UTF-8.
  private static func characters(of path: [UInt8]) -> Int64 {
    path.reduce(0) { $0 + ($1 & 0xc0 == 0x80 ? 0 : 1) }
  }
}
