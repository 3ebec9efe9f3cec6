internal import FileSystem
internal import SQLite

/// A file, whatever its names are.
struct FileNumber: Hashable {
  /// The catalog's number of the file system.
  let volume: Int64
  let inode: UInt64
}

extension RootUpdate {
  /// Remembers a file that has changed and has other names, or had: their rows tell of it, too.
  func noteNames(of status: FileStatus, volume: Int64, kind: EntryKind) {
    guard status.links > 1, kind != .directory, kind != .package else { return }
    let file = FileNumber(volume: volume, inode: status.inode)
    renamedFiles[file] = max(renamedFiles[file] ?? 0, Int(status.links))
  }

  /// Finds the directories that hold other names of what has changed and that this scan, being one of
  /// parts, has not read: they are read next.
  ///
  /// - Returns: whether there are some.
  func findOtherNames() throws -> Bool {
    try noteNamesInVanishedFolders()
    let files = renamedFiles
    renamedFiles = [:]
    guard !files.isEmpty else { return false }
    var names = files
    var folders: Set<Int64> = []
    for file in files.keys {
      let statement = SQL(
        """
        SELECT parent_id FROM entries
        WHERE volume_id = ? AND inode = ? AND links > 1 AND kind NOT IN (2, 3)
        """, [.integer(file.volume), .integer(Int64(bitPattern: file.inode))])
      try db.forEach(cached: statement) { row in
        folders.insert(row.integer(0))
        names[file, default: 0] -= 1
      }
    }
    // A name that was the only one is not among those of which there are several.
    let missing = names.filter { $0.value > 0 }
    if !missing.isEmpty {
      try db.forEach(
        SQL("SELECT volume_id, inode, parent_id FROM entries WHERE links = 1")
      ) { row in
        let file = FileNumber(volume: row.integer(0), inode: UInt64(bitPattern: row.integer(1)))
        if missing[file] != nil { folders.insert(row.integer(2)) }
      }
    }
    let before = unread.count
    for id in folders { try readNames(inFolder: id) }
    return unread.count > before
  }

  private func noteNamesInVanishedFolders() throws {
    let children = tree.children(.before)
    for folder in vanishedFolders.dropFirst(vanishedFoldersSeen) {
      try children.forEach(from: folder) { slot in
        guard tree[slot].fate == .unmet else { return false }
        try StoredEntry.forEachChild(of: tree[slot].id, db) { entry in
          noteNames(of: entry.status, volume: entry.volume, kind: entry.kind)
        }
        return true
      }
    }
    vanishedFoldersSeen = vanishedFolders.count
  }

  private func readNames(inFolder id: Int64) throws {
    guard let slot = tree.slot(ofID: id), isOpen(slot), tree[slot].reading.pieces == 0,
      ![.gone, .kept].contains(tree[slot].fate)
    else { return }
    let path = try folderPaths.path(of: id)
    let components = path.dropFirst(rootPath.count).split(separator: UInt8(ascii: "/"))
    unread.append(
      Reread(
        slot: slot, components: components.map { Array($0) }, depth: .shallow, purpose: .walk))
  }
}
