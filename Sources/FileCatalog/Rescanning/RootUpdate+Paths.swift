internal import FileSystem
internal import SQLite

/// A known directory that was found in another place.
struct MovedFolder {
  let slot: FolderTree.Slot
  let path: [UInt8]
  let oldPath: [UInt8]
  let depth: Int32
}

/// What becomes of the paths of everything below a directory that has moved.
struct FolderMove {
  /// The new beginning.
  let path: [UInt8]
  /// The length of the old beginning, as SQL counts.
  let oldCharacters: Int64
  /// By how much everything lies deeper now.
  let descent: Int32
}

extension RootUpdate {
  /// Writes the paths of all directories that lie elsewhere than before.
  func rewritePaths() throws {
    guard !movedFolders.isEmpty else { return }
    let children = tree.children(.now)
    let moved = Set(movedFolders.map(\.slot))
    for folder in movedFolders {
      let oldDepth = try folderPaths.depth(of: tree[folder.slot].id)
      let move = FolderMove(
        path: folder.path, oldCharacters: characters(of: folder.oldPath),
        descent: folder.depth - oldDepth)
      rows.beginMove(move)
      // Text is exchanged for text; and where there are containers, each path tells of a place.
      let isSimple = places.isEmpty && folder.path.withUnsafeBufferPointer(UTF8Validity.isValid)
      try write(folder)
      try children.forEach(from: folder.slot) { slot in
        if slot == folder.slot { return true }
        if moved.contains(slot) || tree[slot].isNew { return false }
        if isSimple, try rows.moveFolderAlong(tree[slot].id) { return true }
        try write(slot, movedWith: folder, move)
        return true
      }
    }
  }

  private func write(_ folder: MovedFolder) throws {
    try write(folder.slot, path: folder.path, depth: folder.depth)
  }

  private func write(
    _ slot: FolderTree.Slot, movedWith folder: MovedFolder, _ move: FolderMove
  ) throws {
    let id = tree[slot].id
    let path = folder.path + (try folderPaths.path(of: id)).dropFirst(folder.oldPath.count)
    try write(slot, path: path, depth: try folderPaths.depth(of: id) + move.descent)
  }

  private func write(_ slot: FolderTree.Slot, path: [UInt8], depth: Int32) throws {
    try path.withUnsafeBufferPointer { path in
      let row = FolderRow(
        id: tree[slot].id, parent: tree[tree[slot].parent].id, inode: tree[slot].inode,
        depth: depth, place: places.number(of: places.place(of: path)))
      try rows.moveFolder(row, path: path)
    }
  }

  /// The bytes that begin a character in UTF-8.
  private func characters(of path: [UInt8]) -> Int64 {
    path.reduce(0) { $0 + ($1 & 0xc0 == 0x80 ? 0 : 1) }
  }
}
