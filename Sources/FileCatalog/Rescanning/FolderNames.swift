/// Which directory has a name in which directory: a hash table with open addressing.
///
/// The names are hashes already, so nothing is hashed a second time.
struct FolderNames {
  private struct Item {
    var nameHash: UInt64 = 0
    var parent = FolderTree.none
    var slot = FolderTree.none
  }

  private var items: [Item]
  private var count = 0

  init(capacity: Int) {
    var size = 16
    while size < capacity * 2 { size *= 2 }
    items = Array(repeating: Item(), count: size)
  }

  func slot(named nameHash: UInt64, in parent: FolderTree.Slot) -> FolderTree.Slot? {
    let item = items[index(of: nameHash, in: parent)]
    return item.slot == FolderTree.none ? nil : item.slot
  }

  /// Gives a directory a name, which another one may have had so far.
  mutating func set(
    _ slot: FolderTree.Slot, named nameHash: UInt64, in parent: FolderTree.Slot
  ) {
    let index = index(of: nameHash, in: parent)
    if items[index].slot == FolderTree.none { count += 1 }
    items[index] = Item(nameHash: nameHash, parent: parent, slot: slot)
    if count * 2 > items.count { grow() }
  }

  /// Where a name stands, or would.
  private func index(of nameHash: UInt64, in parent: FolderTree.Slot) -> Int {
    let mask = items.count - 1
    var index =
      Int(
        truncatingIfNeeded: nameHash &+ UInt64(truncatingIfNeeded: parent) &* 0x9e37_79b9_7f4a_7c15)
      & mask
    while items[index].slot != FolderTree.none,
      items[index].nameHash != nameHash || items[index].parent != parent
    {
      index = (index + 1) & mask
    }
    return index
  }

  private mutating func grow() {
    let old = items
    items = Array(repeating: Item(), count: old.count * 2)
    for item in old where item.slot != FolderTree.none {
      items[index(of: item.nameHash, in: item.parent)] = item
    }
  }
}

/// Known directories by their inodes, of which several file systems may have the same.
struct FolderInodes {
  private var first: [UInt64: FolderTree.Slot] = [:]
  /// Of directories with one inode, the next of each.
  private var next: [FolderTree.Slot: FolderTree.Slot] = [:]

  /// - Parameter folders: by their slots.
  init(_ folders: ArraySlice<FolderTree.Folder>) {
    first.reserveCapacity(folders.count)
    for slot in folders.indices {
      let slot = FolderTree.Slot(slot)
      next[slot] = first.updateValue(slot, forKey: folders[Int(slot)].inode)
    }
  }

  func slots(of inode: UInt64) -> some Sequence<FolderTree.Slot> {
    sequence(state: first[inode]) { [next] slot in
      defer { slot = slot.flatMap { next[$0] } }
      return slot
    }
  }
}
