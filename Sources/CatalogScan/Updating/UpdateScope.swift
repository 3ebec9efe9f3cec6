internal import CatalogStore
internal import FileSystem
internal import SQLite
internal import SystemPackage

/// Which directories a scan of some parts of a root reads, by what is known so far.
struct UpdateScope {
  typealias Slot = RescanTree.Slot
  typealias Reread = WalkReading.Reread

  let rows: RootRows
  let reading: WalkReading

  private var tree: RescanTree {
    _read { yield reading.tree }
  }

  // MARK: - Parts

  /// The parts, each with all below where a file has come, gone or changed that says what is left out
  /// there.
  func widened(_ parts: [ScanScope.Part]) throws -> [ScanScope.Part] {
    let names = IgnoreNames.watched(rows.settings).map { [Array($0.utf8)] }
    let exclude = IgnoreNames.exclude.split(separator: "/").map { Array($0.utf8) }
    return try parts.map { part in
      guard part.extent == .children else { return part }
      if names.contains([[UInt8](IgnoreNames.metadata.utf8)]),
        part.components.suffix(2).elementsEqual(exclude.dropLast()),
        try hasChanged([exclude[2]], in: part.components)
      {
        return ScanScope.Part(components: part.components.dropLast(2), extent: .tree)
      }
      let isAffected = try names.contains { try hasChanged($0, in: part.components) }
      return isAffected ? ScanScope.Part(components: part.components, extent: .tree) : part
    }
  }

  /// Whether a file in a known directory is another one than its row says, or only one of both is there.
  private func hasChanged(_ name: [[UInt8]], in directory: [[UInt8]]) throws -> Bool {
    let (slot, known) = deepestKnown(directory[...])
    guard known.count == directory.count, let last = name.last else { return false }
    let path = (directory + name).reduce(rows.root.location.path) {
      $0.pushing(FilePath(bytes: $1))
    }
    let row = try StoredEntry.child(last, of: tree[slot].id, rows.db)
    let disk = try? FileStatus(ofPath: path)
    guard let row, let disk else { return (row == nil) != (disk == nil) }
    // What is in a directory says nothing here.
    if row.kind == .directory, EntryKind(mode: disk.mode) == .directory { return false }
    return row.status.inode != disk.inode || row.status.modified != disk.modified
      || row.status.changed != disk.changed || row.status.size != disk.size
  }

  /// The directories around the parts that are to be read: what became of a directory itself shows in
  /// the one that it is in. On the way there may be mount points, of which the directories around tell
  /// whether something is mounted, and whether a scan goes there.
  func surroundings(of parts: [ScanScope.Part]) throws -> [Reread] {
    var found: Set<Slot> = []
    var around: [Reread] = []
    func add(_ components: ArraySlice<[UInt8]>) throws {
      let (slot, known) = deepestKnown(components)
      if slot != tree.root, !found.contains(slot), try isMountPoint(slot) || isOnMountPoint(slot) {
        try add(known.dropLast())
      }
      guard found.insert(slot).inserted else { return }
      around.append(
        Reread(slot: slot, components: Array(known), depth: .shallow, purpose: .walk))
    }
    let trees = parts.filter { $0.extent == .tree }
    for part in parts {
      if trees.contains(where: { $0 != part && $0.covers(part) }) { continue }
      try add(part.components.dropLast())
      if part.extent == .children { try add(part.components[...]) }
    }
    return around.sorted { $0.components.count < $1.components.count }
  }

  /// A part that is to be read, by what is known of it now. If a directory on the way is another one
  /// than before, that is read as a whole.
  func current(_ part: Reread) -> Reread {
    let (slot, known) = deepestKnown(part.components[...])
    return Reread(
      slot: slot, components: Array(known),
      depth: known.count == part.components.count ? part.depth : .deep, purpose: part.purpose)
  }

  /// The directory around one that is not there, where that has not been read yet.
  func surrounding(of part: Reread) -> Reread? {
    let slot = tree[part.slot].oldParent
    guard slot >= 0, tree[slot].reading.pieces == 0, reading.isOpen(slot) else { return nil }
    return Reread(
      slot: slot, components: part.components.dropLast(), depth: .shallow, purpose: .walk)
  }

  /// The trees among the parts that are still where they were; those that are new are read anyway.
  func places(of parts: [ScanScope.Part]) -> [Reread] {
    let trees = parts.filter { $0.extent == .tree }
    var found: Set<Slot> = []
    return trees.compactMap { part in
      let (slot, known) = deepestKnown(part.components[...])
      guard known.count == part.components.count, isPresent(slot),
        !trees.contains(where: { $0 != part && $0.covers(part) }), found.insert(slot).inserted
      else { return nil }
      return Reread(slot: slot, components: part.components, depth: .deep, purpose: .walk)
    }
  }

  private func isPresent(_ slot: Slot) -> Bool {
    if slot == tree.root { return true }
    switch tree[slot].fate {
    case .inPlace, .replaced, .elsewhere, .undecided:
      return !tree[slot].isNew && reading.isOpen(slot)
    case .unmet, .gone, .kept:
      return false
    }
  }

  /// How far down a path leads through directories that are known.
  private func deepestKnown(
    _ components: ArraySlice<[UInt8]>
  ) -> (slot: Slot, components: ArraySlice<[UInt8]>) {
    var slot = tree.root
    for (depth, name) in components.enumerated() {
      let hash = name.withUnsafeBufferPointer { RescanTree.hash(of: $0) }
      guard let next = tree.child(hash, of: slot) else {
        return (slot, components.prefix(depth))
      }
      slot = next
    }
    return (slot, components)
  }

  // MARK: - Mount points

  /// Whether a directory is on another file system than the one around it.
  private func isMountPoint(_ slot: Slot) throws -> Bool {
    let parent = tree[slot].oldParent
    return try parent >= 0 && areOnDifferentVolumes(slot, parent)
  }

  /// Whether there is a mount point between the root and a directory.
  private func isOnMountPoint(_ slot: Slot) throws -> Bool {
    try areOnDifferentVolumes(slot, tree.root)
  }

  private func areOnDifferentVolumes(_ slot: Slot, _ other: Slot) throws -> Bool {
    guard let entry = try StoredEntry.entry(tree[slot].id, rows.db),
      let above = try StoredEntry.entry(tree[other].id, rows.db)
    else { return false }
    return entry.volume != above.volume
  }

  // MARK: - Other names

  /// The directories that hold names of some files and that no walk has read.
  ///
  /// - Parameter files: with how many names each has.
  func directories(holding files: [OtherNames.File: Int]) throws -> [Reread] {
    guard !files.isEmpty else { return [] }
    var names = files
    var directories: Set<Int64> = []
    for file in files.keys {
      let statement = SQL(
        """
        SELECT parent_id FROM _entries
        WHERE volume_id = ? AND inode = ? AND links > 1 AND kind NOT IN (2, 3)
        """, [.integer(file.volume), .integer(Int64(bitPattern: file.inode))])
      try rows.db.forEach(cached: statement) { row in
        directories.insert(row.integer(0))
        names[file, default: 0] -= 1
      }
    }
    // A name that was the only one is not among those of which there are several.
    let missing = names.filter { $0.value > 0 }
    if !missing.isEmpty {
      try rows.db.forEach("SELECT volume_id, inode, parent_id FROM _entries WHERE links = 1") {
        row in
        let file = OtherNames.File(
          volume: row.integer(0), inode: UInt64(bitPattern: row.integer(1)))
        if missing[file] != nil { directories.insert(row.integer(2)) }
      }
    }
    return try directories.compactMap(reread)
  }

  private func reread(_ directory: Int64) throws -> Reread? {
    guard let slot = tree.slot(ofID: directory), reading.isOpen(slot),
      tree[slot].reading.pieces == 0, ![.gone, .kept].contains(tree[slot].fate)
    else { return nil }
    let path = try rows.path(ofDirectory: directory)
    let components = path.dropFirst(rows.rootPath.count).split(separator: UInt8(ascii: "/"))
      .map { Array($0) }
    let isPlain = !components.contains { [Array(".".utf8), Array("..".utf8)].contains($0) }
    guard path.starts(with: rows.rootPath), isPlain, !path.contains(0) else {
      throw SQLiteError.corrupt("directory \(directory) has a path that is not below its root")
    }
    return Reread(slot: slot, components: components, depth: .shallow, purpose: .walk)
  }
}
