internal import CatalogStore
internal import FileSystem
internal import SystemPackage

/// The directories of a root during a rescan: those that the catalog has, and those that the walk
/// finds on the way.
///
/// A directory is found again by its name in the directory it was in, or else by its inode. Names are
/// kept as hashes of 64 bits: what matters is that siblings differ.
struct RescanTree {
  /// A place in ``directories``. It stays the same for the whole rescan.
  typealias Slot = Int32

  /// No directory: the parent of the root.
  static let none: Slot = -1

  /// Plain memory, since each is touched several times: no references.
  struct Directory {
    fileprivate(set) var id: Int64
    /// Where it is, or was until the walk says otherwise.
    fileprivate(set) var parent = RescanTree.none
    /// Where it was.
    fileprivate(set) var oldParent = RescanTree.none
    let nameHash: UInt64
    var inode: UInt64
    /// What the catalog knows of the listing; `nil` when it has to be looked at.
    var storedFingerprint: DirectoryFingerprint?
    var storedState = DirectoryState.unscanned
    var fate = Fate.unmet
    /// The rows of its children are not the directory's from the start: there is nothing to compare.
    var isNew = false
    /// It is listed for a reason that is no change of the disk.
    var isSilent = false
    /// While it is undecided which directory it is: the one it seems to be. Then, which one it is.
    fileprivate(set) var counterpart = RescanTree.none
    var seeming: Slot? { fate == .undecided && counterpart >= 0 ? counterpart : nil }
    /// What was read of it does not concern the catalog: a mount point with nothing mounted.
    var isIgnored = false
    var reading = Reading()
  }

  enum Fate {
    /// The walk has not come by.
    case unmet
    /// Found where it was.
    case inPlace
    /// Another directory has its place.
    case replaced
    /// Found by its inode in another place.
    case elsewhere
    /// Listed, but only the end of the walk tells whether the catalog has it and where.
    case undecided
    /// None of these: its rows go, if it has any.
    case gone
    /// Not looked at, because something above could not be read.
    case kept
  }

  /// What the walk has read of a directory.
  struct Reading {
    /// The number of the walk.
    var pass: UInt16 = 0
    /// How many pieces came.
    var pieces = 0
    var state = DirectoryState.unscanned
    var error: Errno?
    var own = DirectoryTally()
    /// The blocks of the directory itself.
    /// `nil` where nobody has looked.
    var ownBlocks: Int64?
    var fingerprint = DirectoryFingerprint()
    /// Some child could not be read as a whole.
    var isVague = false

    mutating func add(_ section: DirectorySection) {
      pieces += 1
      own.add(section.tally)
      fingerprint.add(section.fingerprint)
      if section.unreadCount > 0 { isVague = true }
      guard section.isLast else { return }
      switch section.outcome {
      case .read:
        state = .complete
      case .unreadable(let errno):
        state = .unreadable
        error = errno
      }
    }

    /// Whether it is what the catalog knows of a directory.
    func isListing(of directory: Directory) -> Bool {
      !isVague && fingerprint == directory.storedFingerprint
    }

    /// Forgets what was read, because the directory is read again.
    mutating func restart(inPass number: UInt16) {
      self = Reading(pass: number, ownBlocks: ownBlocks)
    }
  }

  private(set) var directories: [Directory]
  /// How many of ``directories`` the catalog had before.
  private(set) var knownCount = 0
  var knownDirectories: ArraySlice<Directory> { directories.prefix(knownCount) }
  private var names: ChildTable
  /// Made when it is first asked for: most rescans find every directory by its name.
  private var inodes: InodeTable?

  /// Makes a tree of the directories that a catalog has.
  ///
  /// - Parameters:
  ///   - known: the directories in the order of their ids, as far as ``Directory`` says.
  ///   - parents: the ids of the directories that they are in; 0 for the root.
  init(_ known: consuming [Directory], parents: [Int64]) {
    directories = known
    knownCount = directories.count
    names = ChildTable(capacity: knownCount)
    var parent = Self.none
    for slot in directories.indices {
      // Directories that were found together mostly have one parent.
      if parent < 0 || directories[Int(parent)].id != parents[slot] {
        parent = Self.position(of: parents[slot], in: directories[...])
      }
      directories[slot].parent = parent
      directories[slot].oldParent = parent
      names.set(Slot(slot), named: directories[slot].nameHash, in: parent)
      if parent == Self.none { root = Slot(slot) }
    }
  }

  /// Whether there is one root and every known directory is below it, as long as nothing has moved.
  var isTree: Bool {
    let parents = knownDirectories.lazy.map(\.oldParent)
    guard parents.count(where: { $0 == Self.none }) == 1 else { return false }
    // Where every directory is younger than the one it is in, none can be inside itself.
    if parents.enumerated().allSatisfy({ $0.element < $0.offset }) { return true }
    var reached = 0
    children(.before).forEach(from: root) { _ in
      reached += 1
      return true
    }
    return reached == knownCount
  }

  /// The root's own directory.
  private(set) var root: Slot = none

  subscript(slot: Slot) -> Directory {
    get { directories[Int(slot)] }
    _modify { yield &directories[Int(slot)] }
  }

  /// The directory that has a name in a directory, or had it before.
  func child(_ nameHash: UInt64, of parent: Slot) -> Slot? {
    names.slot(named: nameHash, in: parent)
  }

  /// A directory that the catalog had before.
  func slot(ofID id: Int64) -> Slot? {
    let slot = Self.position(of: id, in: directories.prefix(knownCount))
    return slot == Self.none ? nil : slot
  }

  /// Whether `slot` is `other` or somewhere below it.
  func isInside(_ slot: Slot, _ other: Slot) -> Bool {
    var current = slot
    while current >= 0 {
      if current == other { return true }
      current = directories[Int(current)].parent
    }
    return false
  }

  /// The directories that had an inode before: one on each file system.
  mutating func directories(withInode inode: UInt64) -> some Sequence<Slot> {
    let inodes = inodes ?? InodeTable(directories.prefix(knownCount))
    self.inodes = inodes
    return inodes.slots(of: inode)
  }

  /// Adds a directory that the catalog does not have.
  mutating func append(id: Int64, parent: Slot, nameHash: UInt64, inode: UInt64) -> Slot {
    let slot = append(parent: parent, nameHash: nameHash, inode: inode, seeming: nil)
    becomeNew(slot, id: id)
    return slot
  }

  /// Adds a directory that the catalog may have or not.
  mutating func append(
    parent: Slot, nameHash: UInt64, inode: UInt64, seeming known: Slot?
  ) -> Slot {
    let slot = Slot(directories.count)
    var directory = Directory(id: 0, nameHash: nameHash, inode: inode)
    directory.parent = parent
    directory.fate = .undecided
    directory.counterpart = known ?? Self.none
    directories.append(directory)
    names.set(slot, named: nameHash, in: parent)
    return slot
  }

  /// Decides that a directory is one that the catalog does not have.
  mutating func becomeNew(_ slot: Slot, id: Int64) {
    let parent = directories[Int(slot)].parent
    names.set(slot, named: directories[Int(slot)].nameHash, in: parent)
    directories[Int(slot)].id = id
    directories[Int(slot)].fate = .inPlace
    directories[Int(slot)].counterpart = Self.none
    directories[Int(slot)].isNew = true
    directories[Int(slot)].isSilent = parent >= 0 && directories[Int(parent)].isSilent
  }

  /// Decides that a directory is one that the catalog has: what was read of it is known of that one.
  mutating func become(_ known: Slot, _ slot: Slot) {
    directories[Int(slot)].fate = .gone
    directories[Int(slot)].counterpart = known
    if directories[Int(known)].isIgnored { return }
    directories[Int(known)].reading = directories[Int(slot)].reading
    names.set(known, named: directories[Int(slot)].nameHash, in: directories[Int(slot)].parent)
  }

  /// The directory that has been found out to be one.
  func decided(_ slot: Slot) -> Slot {
    let directory = directories[Int(slot)]
    return directory.fate == .gone && directory.counterpart >= 0 ? directory.counterpart : slot
  }

  /// Says in which directory one is that is undecided, when that has been decided.
  mutating func settleParent(of slot: Slot) {
    directories[Int(slot)].parent = decided(directories[Int(slot)].parent)
  }

  /// Puts a known directory where it was found.
  mutating func move(_ slot: Slot, to parent: Slot, nameHash: UInt64) {
    directories[Int(slot)].parent = parent
    directories[Int(slot)].fate = .elsewhere
    names.set(slot, named: nameHash, in: parent)
  }

  // MARK: - The whole tree

  /// Which directories a list of children is about.
  enum Moment {
    case before
    case now
  }

  /// The children of every directory, as they were or as they are.
  func children(_ moment: Moment) -> ChildLists {
    var lists = ChildLists(count: directories.count)
    for slot in directories.indices.reversed() {
      switch moment {
      case .before:
        if slot < knownCount { lists.add(Slot(slot), to: directories[slot].oldParent) }
      case .now:
        if directories[slot].fate != .gone { lists.add(Slot(slot), to: directories[slot].parent) }
      }
    }
    return lists
  }

  /// The children of directories as two arrays: the first child of each, and each one's next sibling.
  struct ChildLists {
    private var first: [Slot]
    private var next: [Slot]

    init(count: Int) {
      first = Array(repeating: RescanTree.none, count: count)
      next = first
    }

    mutating func add(_ child: Slot, to parent: Slot) {
      guard parent >= 0 else { return }
      next[Int(child)] = first[Int(parent)]
      first[Int(parent)] = child
    }

    /// Calls `body` with a directory and everything below that `body` says yes to, parents first.
    func forEach(from start: Slot, _ body: (Slot) throws -> Bool) rethrows {
      var stack = [start]
      while let slot = stack.popLast() {
        guard try body(slot) else { continue }
        var child = first[Int(slot)]
        while child >= 0 {
          stack.append(child)
          child = next[Int(child)]
        }
      }
    }
  }

  // MARK: - Names

  static func hash(of name: UnsafeBufferPointer<UInt8>) -> UInt64 {
    hash(UnsafeRawBufferPointer(name))
  }

  static func hash(ofLastComponentOf path: UnsafeRawBufferPointer) -> UInt64 {
    var start = path.count
    while start > 0 && path[start - 1] != UInt8(ascii: "/") { start -= 1 }
    return hash(UnsafeRawBufferPointer(rebasing: path[start...]))
  }

  /// Where hashes begin: not to be known by whoever gives names to directories.
  private static let seed = UInt64.random(in: .min ... .max)

  /// Words of eight bytes, multiplied and folded; the last is filled up with the length.
  private static func hash(_ name: UnsafeRawBufferPointer) -> UInt64 {
    var hash = seed
    func add(_ word: UInt64) {
      let product = (hash ^ word).multipliedFullWidth(by: 0xd1b5_4a32_d192_ed03)
      hash = product.high ^ product.low ^ word.byteSwapped
    }
    var i = 0
    while i + 8 <= name.count {
      add(name.loadUnaligned(fromByteOffset: i, as: UInt64.self))
      i += 8
    }
    var rest = UInt64(name.count - i) << 56
    for (shift, byte) in name[i...].enumerated() { rest |= UInt64(byte) << UInt64(shift * 8) }
    add(rest)
    return hash
  }

  /// The known directories are in the order of their ids.
  private static func position(of id: Int64, in directories: ArraySlice<Directory>) -> Slot {
    var low = 0
    var high = directories.count
    while low < high {
      let middle = (low + high) / 2
      if directories[middle].id < id { low = middle + 1 } else { high = middle }
    }
    return low < directories.count && directories[low].id == id ? Slot(low) : none
  }
}

// MARK: - Tables

/// Which directory has a name in which directory: a hash table with open addressing.
///
/// The names are hashes already, so nothing is hashed a second time.
private struct ChildTable {
  private struct Item {
    var nameHash: UInt64 = 0
    var parent = RescanTree.none
    var slot = RescanTree.none
  }

  private var items: [Item]
  private var count = 0

  init(capacity: Int) {
    var size = 16
    while size < capacity * 2 { size *= 2 }
    items = Array(repeating: Item(), count: size)
  }

  func slot(named nameHash: UInt64, in parent: RescanTree.Slot) -> RescanTree.Slot? {
    let item = items[index(of: nameHash, in: parent)]
    return item.slot == RescanTree.none ? nil : item.slot
  }

  /// Gives a directory a name, which another one may have had so far.
  mutating func set(
    _ slot: RescanTree.Slot, named nameHash: UInt64, in parent: RescanTree.Slot
  ) {
    let index = index(of: nameHash, in: parent)
    if items[index].slot == RescanTree.none { count += 1 }
    items[index] = Item(nameHash: nameHash, parent: parent, slot: slot)
    if count * 2 > items.count { grow() }
  }

  /// Where a name stands, or would.
  private func index(of nameHash: UInt64, in parent: RescanTree.Slot) -> Int {
    let mask = items.count - 1
    var index =
      Int(
        truncatingIfNeeded: nameHash &+ UInt64(truncatingIfNeeded: parent) &* 0x9e37_79b9_7f4a_7c15)
      & mask
    while items[index].slot != RescanTree.none,
      items[index].nameHash != nameHash || items[index].parent != parent
    {
      index = (index + 1) & mask
    }
    return index
  }

  private mutating func grow() {
    let old = items
    items = Array(repeating: Item(), count: old.count * 2)
    for item in old where item.slot != RescanTree.none {
      items[index(of: item.nameHash, in: item.parent)] = item
    }
  }
}

/// Known directories by their inodes, of which several file systems may have the same.
private struct InodeTable {
  private var first: [UInt64: RescanTree.Slot] = [:]
  /// Of directories with one inode, the next of each.
  private var next: [RescanTree.Slot: RescanTree.Slot] = [:]

  /// - Parameter directories: by their slots.
  init(_ directories: ArraySlice<RescanTree.Directory>) {
    first.reserveCapacity(directories.count)
    for slot in directories.indices {
      let slot = RescanTree.Slot(slot)
      next[slot] = first.updateValue(slot, forKey: directories[Int(slot)].inode)
    }
  }

  func slots(of inode: UInt64) -> some Sequence<RescanTree.Slot> {
    sequence(state: first[inode]) { [next] slot in
      defer { slot = slot.flatMap { next[$0] } }
      return slot
    }
  }
}
