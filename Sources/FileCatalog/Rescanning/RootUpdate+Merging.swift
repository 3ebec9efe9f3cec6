internal import FileSystem

extension RootUpdate {
  /// Brings the row of one child of a directory up to date, or makes it.
  func merge(
    _ i: Int, of batch: EntryBatch, _ section: DirectorySection, in parent: FolderTree.Slot
  ) throws {
    let name = Array(batch.name(of: batch.records[i]))
    let old = comparison.removeValue(forKey: name)
    let listed = Listed(
      record: batch.records[i], position: i, name: name, parent: parent,
      root: rootPath, directory: batch.path(of: section), depth: section.depth + 1, batch: batch)
    if listed.record.kind == .directory {
      try mergeFolder(listed, old)
    } else {
      try mergeEntry(listed, old)
    }
  }

  /// A child of a directory as the walk lists it.
  struct Listed {
    let record: EntryRecord
    /// Its place in the batch.
    let position: Int
    let name: [UInt8]
    let parent: FolderTree.Slot
    let root: [UInt8]
    /// Where it is, below the root.
    let directory: UnsafeBufferPointer<UInt8>
    let depth: Int32
    let batch: EntryBatch

    /// The whole path as it is now. Made when it is asked for, which is for what has changed.
    var path: [UInt8] {
      let slash = UInt8(ascii: "/")
      var path = root
      path.reserveCapacity(root.count + directory.count + name.count + 2)
      if !directory.isEmpty {
        if path.last != slash { path.append(slash) }
        path.append(contentsOf: directory)
      }
      if path.last != slash { path.append(slash) }
      path.append(contentsOf: name)
      return path
    }

    var target: UnsafeBufferPointer<UInt8> { batch.target(of: record) }
    var size: Int64? { record.traits.contains(.withoutStatus) ? nil : record.status.size }
    var modified: Int64? {
      record.status.modified == FileStatus.unknownTime ? nil : record.status.modified
    }

    var links: [LinkedFile] {
      batch.packagedLinks.lazy.filter { $0.record == position }.map(\.file)
    }
  }

  // MARK: - Directories

  private func mergeFolder(_ listed: Listed, _ old: StoredEntry?) throws {
    let slot = slots[Int(listed.record.directoryIndex)]
    let folder = tree[slot]
    if folder.isIgnored { return }
    if let old, old.id != folder.id { try displace(old, from: listed.parent) }
    if folder.isNew {
      if let old, old.id == folder.id {
        // Listed already, or a package before.
        if old.kind == .package { try makeDirectory(of: old, listed) }
        return try updateIfDifferent(old, listed)
      }
      try insertRow(id: folder.id, listed)
      try insertFolder(slot, listed)
      try logAddition(of: folder.id, listed)
    } else if let old, old.id == folder.id {
      try updateIfDifferent(old, listed)
      if folder.fate == .replaced {
        // The path stays as it was: if one above has moved, all paths are written at the end.
        try rows.replaceFolder(
          folder.id, in: tree[listed.parent].id, inode: listed.record.status.inode)
      }
    } else if let before = try StoredEntry.entry(folder.id, db) {
      try moveFolder(slot, before, listed)
    }
  }

  private func moveFolder(_ slot: FolderTree.Slot, _ before: StoredEntry, _ listed: Listed) throws {
    let id = tree[slot].id
    let oldPath = try folderPaths.path(of: id)
    try listed.name.withUnsafeBufferPointer {
      try rows.move(id, to: tree[listed.parent].id, name: $0)
    }
    let difference = before.difference(
      from: listed.record, target: [], volume: volumes.number(of: listed.record.status.device))
    if difference.isStored { try write(listed, over: before) }
    try replaceValues(of: id, listed)
    movedIDs.insert(id)
    movedFolders.append(
      MovedFolder(slot: slot, path: listed.path, oldPath: oldPath, depth: listed.depth))
    try log.add(
      ChangeLog.Item(
        kind: .moved, id: id, entryKind: .directory, path: listed.path, oldPath: oldPath,
        fields: difference.fields.areContentOnly ? [] : difference.fields, size: listed.size,
        oldSize: before.size, modified: listed.modified, oldModified: before.modified))
  }

  private func insertFolder(_ slot: FolderTree.Slot, _ listed: Listed) throws {
    insertedFolders.insert(slot)
    try listed.path.withUnsafeBufferPointer {
      try sink.writeFolder(row(of: slot, listed), path: $0)
    }
  }

  private func row(of slot: FolderTree.Slot, _ listed: Listed) -> FolderRow {
    FolderRow(
      id: tree[slot].id, parent: tree[listed.parent].id, inode: listed.record.status.inode,
      depth: listed.depth)
  }

  private func makeDirectory(of package: StoredEntry, _ listed: Listed) throws {
    let slot = slots[Int(listed.record.directoryIndex)]
    try rows.removePackage(package.id)
    try insertFolder(slot, listed)
  }

  // MARK: - Everything else

  private func mergeEntry(_ listed: Listed, _ old: StoredEntry?) throws {
    guard let old else { return try add(listed) }
    if old.kind == .directory {
      guard listed.record.kind == .package, let slot = tree.slot(ofID: old.id),
        old.identity == identity(of: listed.record.status)
      else {
        try displace(old, from: listed.parent)
        return try add(listed)
      }
      // A directory that counts as a package now: the disk has not changed.
      try write(listed, over: old)
      try replaceValues(of: old.id, listed)
      reclassified.append(slot)
      return
    }
    if listed.record.traits.contains(.withoutStatus) { return }
    let identity = identity(of: listed.record.status)
    if old.identity == identity { return try updateIfDifferent(old, listed) }
    let difference = old.difference(
      from: listed.record, target: Array(listed.target), volume: identity.volume)
    try write(listed, over: old)
    try replaceValues(of: old.id, listed)
    let change = try log.add(modification(of: old, listed, difference))
    replacements.append(
      Replacement(
        old: old, oldPath: try oldPath(of: old, in: listed.parent), identity: identity,
        kind: listed.record.kind, change: change))
  }

  private func add(_ listed: Listed) throws {
    let id = takeID()
    try insertRow(id: id, listed)
    guard let change = try logAddition(of: id, listed),
      !listed.record.traits.contains(.withoutStatus)
    else { return }
    arrivals.append(
      Arrival(
        identity: identity(of: listed.record.status), kind: listed.record.kind, id: id,
        change: change))
  }

  /// Makes room for another entry of the same name.
  private func displace(_ old: StoredEntry, from parent: FolderTree.Slot) throws {
    // Gone already, to where it is now.
    if movedIDs.contains(old.id) { return }
    try rows.park(old.id, in: tree[parent].id)
    displacedNames[old.id] = old.name
    try vanish(old, from: parent)
  }

  // MARK: - Rows

  private func insertRow(id: Int64, _ listed: Listed) throws {
    let record = listed.record
    var volume: Int64 = 0
    if !record.traits.contains(.withoutStatus) {
      volume = volumes.number(of: record.status.device)
      owners.note(uid: record.status.uid, gid: record.status.gid)
      noteNames(of: record.status, volume: volume, kind: record.kind)
    }
    var stored = record
    stored.traits.formIntersection(.stored)
    try listed.name.withUnsafeBufferPointer {
      try sink.writeEntry(
        id: id, parent: tree[listed.parent].id, name: $0, stored, volume: volume)
    }
    if record.kind == .symlink { try sink.writeSymlink(id: id, target: listed.target) }
    if record.kind == .package {
      try sink.writePackage(id: id, record)
      try writeLinks(of: id, listed)
    }
    try writeValues(of: id, listed)
  }

  /// Writes the values that the disk has now. The name and the place stay.
  private func write(_ listed: Listed, over old: StoredEntry) throws {
    let record = listed.record
    let volume = volumes.number(of: record.status.device)
    owners.note(uid: record.status.uid, gid: record.status.gid)
    noteNames(of: record.status, volume: volume, kind: record.kind)
    noteNames(of: old.status, volume: old.volume, kind: old.kind)
    try rows.update(old.id, record, volume: volume)
    if Int64(record.typeCode) != old.typeID { try rows.setType(record.typeCode, of: old.id) }
    if record.kind == .symlink {
      try rows.setTarget(listed.target, of: old.id)
    } else if old.kind == .symlink {
      try rows.removeTarget(of: old.id)
    }
    if record.kind == .package {
      try rows.setPackage(record, of: old.id)
      try writeLinks(of: old.id, listed)
    } else if old.kind == .package {
      try rows.removePackage(old.id)
    }
  }

  private func writeLinks(of package: Int64, _ listed: Listed) throws {
    for file in listed.links {
      try sink.writePackagedLink(
        package: package, file, volume: volumes.number(of: file.device))
    }
  }

  private func writeValues(of id: Int64, _ listed: Listed) throws {
    for value in listed.batch.values where value.record == listed.position {
      try sink.writeValue(id: id, key: value.key, value.value)
    }
  }

  /// What providers say now takes the place of what they have said.
  private func replaceValues(of id: Int64, _ listed: Listed) throws {
    if settings.resourceValues.isEmpty && root.settings.resourceValues.isEmpty { return }
    try rows.removeValues(of: id)
    try writeValues(of: id, listed)
  }

  private func updateIfDifferent(_ old: StoredEntry, _ listed: Listed) throws {
    try replaceValues(of: old.id, listed)
    let difference = old.difference(
      from: listed.record, target: Array(listed.target),
      volume: volumes.number(of: listed.record.status.device))
    guard difference.isStored else { return }
    let isReclassified = old.kind != listed.record.kind
    if difference.isEmpty {
      try rows.setTraits(listed.record.traits, of: old.id)
      if listed.record.kind == .package { try rows.setPackage(listed.record, of: old.id) }
    } else {
      try write(listed, over: old)
      if !isReclassified { try log.add(modification(of: old, listed, difference)) }
    }
  }

  // MARK: - The log

  @discardableResult
  private func logAddition(of id: Int64, _ listed: Listed) throws -> Int64? {
    guard !tree[listed.parent].isSilent else { return nil }
    return try log.add(
      ChangeLog.Item(
        kind: .added, id: id, entryKind: listed.record.kind, path: listed.path,
        size: listed.size, modified: listed.modified))
  }

  private func modification(
    of old: StoredEntry, _ listed: Listed, _ difference: StoredEntry.Difference
  ) -> ChangeLog.Item {
    ChangeLog.Item(
      kind: .modified, id: old.id, entryKind: listed.record.kind, path: listed.path,
      fields: difference.fields, size: listed.size, oldSize: old.size,
      modified: listed.modified, oldModified: old.modified,
      isContent: listed.record.kind == .directory && difference.fields.areContentOnly)
  }

  // MARK: - Paths

  /// The path that an entry had in the catalog.
  func oldPath(of entry: StoredEntry, in folder: FolderTree.Slot) throws -> [UInt8] {
    let slash = UInt8(ascii: "/")
    let directory = try folderPaths.path(of: tree[folder].id)
    return directory + (directory.last == slash ? [] : [slash])
      + (displacedNames[entry.id] ?? entry.name)
  }
}
