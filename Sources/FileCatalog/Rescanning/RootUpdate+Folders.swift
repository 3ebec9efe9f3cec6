internal import FileSystem
internal import SystemPackage

extension RootUpdate {
  /// Finds out which directories the records of a section are.
  func findFolders(
    _ section: DirectorySection, of batch: EntryBatch, in parent: FolderTree.Slot
  ) throws {
    for position in batch.directories[section.directories] {
      let i = Int(position)
      let record = batch.records[i]
      let slot = try findFolder(i, of: batch, section, in: parent)
      setSlot(slot, of: record.directoryIndex)
      if tree[slot].isIgnored { continue }
      if !record.traits.contains(.withoutStatus) {
        tree[slot].reading.ownBlocks = record.status.allocated
      }
      if record.traits.contains(.withoutStatus) {
        if !tree[slot].isNew { leaveUnseen(slot) }
      } else if record.traits.contains(.beyondBoundary) || settings.depth == .shallow {
        leave(slot)
      } else if pass.depth == .shallow, tree[slot].isNew, tree[slot].reading.pieces == 0 {
        let components = batch.components(of: section) + [Array(batch.name(of: record))]
        unread.append(Reread(slot: slot, components: components, depth: .deep, purpose: .walk))
      }
    }
  }

  /// The directory that a record is about: the one it was, one that has come from elsewhere, or a new
  /// one.
  private func findFolder(
    _ i: Int, of batch: EntryBatch, _ section: DirectorySection, in parent: FolderTree.Slot
  ) throws -> FolderTree.Slot {
    let record = batch.records[i]
    let nameHash = FolderTree.hash(of: batch.name(of: record))
    let namesake = tree.child(nameHash, of: parent)
    if let namesake {
      let folder = tree[namesake]
      if folder.inode == record.status.inode || record.traits.contains(.withoutStatus) {
        switch folder.fate {
        case .unmet:
          tree[namesake].fate = .inPlace
          return namesake
        case .elsewhere where folder.parent != parent:
          throw WrongAssumption(fact: .inPlace(inode: folder.inode))
        default:
          return namesake
        }
      }
    }
    if let slot = try findMoved(record, nameHash, into: parent) { return slot }
    if let namesake, tree[namesake].fate == .unmet,
      let entry = try StoredEntry.entry(tree[namesake].id, db)
    {
      if try isUnmounted(entry, record, in: parent) {
        noteUnmounted(
          namesake, named: batch.name(of: record), in: parent, at: batch.path(of: section))
        return namesake
      }
      let hasMoved =
        hints.movedAway.contains(tree[namesake].inode)
        || batch.directories[section.directories].contains {
          identity(of: batch.records[Int($0)].status) == entry.identity
        }
      if !hasMoved {
        tree[namesake].fate = .replaced
        tree[namesake].inode = record.status.inode
        replacedIdentities[namesake] = entry.identity
        return namesake
      }
    }
    return try addFolder(record, batch.name(of: record), nameHash, to: parent)
  }

  /// A known directory that has been moved here, told by its identity.
  private func findMoved(
    _ record: EntryRecord, _ nameHash: UInt64, into parent: FolderTree.Slot
  ) throws -> FolderTree.Slot? {
    guard !hints.areMovesIgnored, !record.traits.contains(.withoutStatus),
      !hints.inPlace.contains(record.status.inode)
    else { return nil }
    let identity = identity(of: record.status)
    let known = try tree.folders(withInode: record.status.inode).first { slot in
      guard slot != tree.root, [.unmet, .replaced].contains(tree[slot].fate) else { return false }
      // The row of a directory that was replaced may say by now what replaced it.
      let before =
        try replacedIdentities[slot] ?? StoredEntry.entry(tree[slot].id, db)?.identity
      return before == identity
    }
    guard let slot = known else { return nil }
    // Something else was taken for this directory because it has its name.
    if tree[slot].fate == .replaced {
      throw WrongAssumption(fact: .movedAway(inode: record.status.inode))
    }
    guard !tree.isInside(parent, slot) else { return nil }
    disturbed.insert(tree[slot].oldParent)
    tree.move(slot, to: parent, nameHash: nameHash)
    hasChanges = true
    return slot
  }

  private func addFolder(
    _ record: EntryRecord, _ name: UnsafeBufferPointer<UInt8>, _ nameHash: UInt64,
    to parent: FolderTree.Slot
  ) throws -> FolderTree.Slot {
    hasChanges = true
    // A package that counts as a directory now keeps its row: the disk has not changed.
    if !tree[parent].isNew,
      let package = try StoredEntry.child(Array(name), of: tree[parent].id, db),
      package.kind == .package, package.identity == identity(of: record.status)
    {
      let slot = tree.append(
        id: package.id, parent: parent, nameHash: nameHash, inode: record.status.inode)
      tree[slot].isSilent = true
      return slot
    }
    return tree.append(
      id: takeID(), parent: parent, nameHash: nameHash, inode: record.status.inode)
  }

  /// A directory that is there, but not to be looked into from where it is.
  private func leaveUnseen(_ slot: FolderTree.Slot) {
    unseen.append(slot)
    if tree[slot].storedState != .unscanned { hasChanges = true }
    tree[slot].fate = .kept
  }

  /// What a directory holds is not wanted any more.
  private func leave(_ slot: FolderTree.Slot) {
    closed.insert(slot)
    guard !tree[slot].isNew, tree[slot].storedState != .unscanned else { return }
    left.insert(slot)
    hasChanges = true
  }

  // MARK: - Mount points

  /// Whether another file system was mounted where now only the mount point is.
  private func isUnmounted(
    _ entry: StoredEntry, _ record: EntryRecord, in parent: FolderTree.Slot
  ) throws -> Bool {
    guard loss == .refused, !entry.traits.contains(.withoutStatus),
      let above = try StoredEntry.entry(tree[parent].id, db)
    else { return false }
    return entry.volume != above.volume
      && volumes.number(of: record.status.device) == above.volume
  }

  /// Keeps what was on a file system that is not mounted.
  private func noteUnmounted(
    _ slot: FolderTree.Slot, named name: UnsafeBufferPointer<UInt8>,
    in parent: FolderTree.Slot, at directory: UnsafeBufferPointer<UInt8>
  ) {
    unmountedParents.insert(parent)
    let path = Array(directory) + (directory.isEmpty ? [] : [UInt8(ascii: "/")]) + name
    failures.append(FileError(.open, FilePath(bytes: path), .noSuchAddressOrDevice))
    tree[slot].isIgnored = true
    tree[slot].fate = .inPlace
    tree[slot].reading.state = .unreadable
    tree[slot].reading.error = .noSuchAddressOrDevice
    unseen.append(slot)
    if tree[slot].storedState != .unreadable { hasChanges = true }
  }

  // MARK: -

  func identity(of status: FileStatus) -> EntryIdentity {
    EntryIdentity(
      volume: volumes.number(of: status.device), inode: status.inode, created: status.created)
  }

  func takeID() -> Int64 {
    defer { nextID += 1 }
    return nextID
  }
}
