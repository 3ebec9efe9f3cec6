internal import FileSystem
internal import SystemPackage

extension RootUpdate {
  /// The walk of everything.
  var wholeRoot: Reread {
    Reread(
      slot: tree.root, components: [], depth: settings.depth == .deep ? .deep : .shallow,
      purpose: .walk)
  }

  /// The directories around the parts of a root that are to be read: what became of a directory
  /// itself shows in the one that it is in. On the way there may be mount points, of which the directories
  /// around tell whether something is mounted, and whether a scan goes there.
  func surroundings(of parts: [ScanScope.Part]) throws -> [Reread] {
    if settings.depth == .shallow { return [wholeRoot] }

    var found: Set<FolderTree.Slot> = []
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

  /// The directory around one that is not there, where that has not been read yet.
  func surrounding(of part: Reread) -> Reread? {
    let slot = tree[part.slot].oldParent
    guard slot >= 0, tree[slot].reading.pieces == 0, isOpen(slot) else { return nil }
    return Reread(
      slot: slot, components: part.components.dropLast(), depth: .shallow, purpose: .walk)
  }

  /// Whether a directory is on another file system than the one around it.
  private func isMountPoint(_ slot: FolderTree.Slot) throws -> Bool {
    let parent = tree[slot].oldParent
    guard parent >= 0, let entry = try StoredEntry.entry(tree[slot].id, db),
      let above = try StoredEntry.entry(tree[parent].id, db)
    else { return false }
    return entry.volume != above.volume
  }

  /// Whether there is a mount point between the root and a directory.
  private func isOnMountPoint(_ slot: FolderTree.Slot) throws -> Bool {
    guard let entry = try StoredEntry.entry(tree[slot].id, db),
      let top = try StoredEntry.entry(tree[tree.root].id, db)
    else { return false }
    return entry.volume != top.volume
  }

  /// Whether a directory is one that this scan reads, as far as is known by now.
  func isOpen(_ slot: FolderTree.Slot) -> Bool {
    var slot = slot
    while slot >= 0 {
      if tree[slot].isIgnored || closed.contains(slot) { return false }
      slot = tree[slot].parent
    }
    return true
  }

  /// The trees among the parts that are still where they were; those that are new are read anyway.
  func places(of parts: [ScanScope.Part]) -> [Reread] {
    if settings.depth == .shallow { return [] }
    let trees = parts.filter { $0.extent == .tree }
    var found: Set<FolderTree.Slot> = []
    return trees.compactMap { part in
      let (slot, known) = deepestKnown(part.components[...])
      guard known.count == part.components.count, isPresent(slot),
        !trees.contains(where: { $0 != part && $0.covers(part) }), found.insert(slot).inserted
      else { return nil }
      return Reread(slot: slot, components: part.components, depth: .deep, purpose: .walk)
    }
  }

  private func isPresent(_ slot: FolderTree.Slot) -> Bool {
    if slot == tree.root { return true }
    switch tree[slot].fate {
    case .inPlace, .replaced, .elsewhere:
      return !tree[slot].isNew && isOpen(slot)
    case .unmet, .gone, .kept:
      return false
    }
  }

  /// How far down a path leads through directories that are known.
  private func deepestKnown(
    _ components: ArraySlice<[UInt8]>
  ) -> (slot: FolderTree.Slot, components: ArraySlice<[UInt8]>) {
    var slot = tree.root
    for (depth, name) in components.enumerated() {
      let hash = name.withUnsafeBufferPointer { FolderTree.hash(of: $0) }
      guard let next = tree.child(hash, of: slot) else {
        return (slot, components.prefix(depth))
      }
      slot = next
    }
    return (slot, components)
  }

  // MARK: - The root's own row

  /// Compares the root itself, which no directory lists.
  func takeRoot(_ walker: TreeWalker) throws {
    let status = walker.startStatus
    guard let id = root.entryID, let old = try StoredEntry.entry(id, db) else { return }
    if status.inode == old.status.inode && status.created == old.status.created {
      // A file system may be known by another identity after it was mounted again.
      volumes.adopt(walker.startVolume, as: old.volume)
    }
    volumes.register(device: status.device, identity: walker.startVolume)
    let volume = volumes.number(of: status.device)
    if volume != old.volume, loss == .refused { throw differentVolume() }
    var record = EntryRecord()
    record.status = status
    record.kind = .directory
    record.traits = old.traits
    tree[tree.root].reading.ownBlocks = status.allocated
    let difference = old.difference(from: record, target: [], volume: volume)
    guard !difference.isEmpty else { return }
    hasChanges = true
    owners.note(uid: status.uid, gid: status.gid)
    try rows.update(id, record, volume: volume)
    if status.inode != old.status.inode {
      try rows.replaceFolder(id, in: nil, inode: status.inode)
    }
    try log.add(
      ChangeLog.Item(
        kind: .modified, id: id, entryKind: .directory, path: rootPath,
        fields: difference.fields, size: status.size, oldSize: old.size,
        modified: record.status.modified, oldModified: old.modified,
        isContent: difference.fields.areContentOnly))
  }

  private func differentVolume() -> CatalogError {
    let path = root.location.path
    return CatalogError(
      .differentVolume, path: path, root: path,
      "\(path.string) is on another file system than before: is the right one mounted? Nothing was "
        + "changed")
  }
}
