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
  struct Directory: BitwiseCopyable {
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

  enum Fate: BitwiseCopyable {
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
  struct Reading: BitwiseCopyable {
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

  private(set) var directories: PagedArray<Directory>
  /// The ids of the directories that the catalog had before, which are the first of ``directories``.
  let knownIDs: [Int64]
  var knownCount: Int { knownIDs.count }
  private var names: ChildTable
  /// Made when it is first asked for: most rescans find every directory by its name.
  private var inodes: InodeTable?

  /// Makes a tree of the directories that a catalog has.
  ///
  /// - Parameters:
  ///   - known: the directories in the order of their ids, as far as ``Directory`` says.
  ///   - parents: the ids of the directories that they are in; 0 for the root.
  init(_ known: consuming PagedArray<Directory>, parents: [Int64]) {
    knownIDs = known.indices.map { known[$0].id }
    directories = known
    names = ChildTable(capacity: directories.count)
    var parent = Self.none
    for slot in directories.indices {
      // Directories that were found together mostly have one parent.
      if parent < 0 || knownIDs[Int(parent)] != parents[slot] {
        parent = self.slot(ofID: parents[slot]) ?? Self.none
      }
      var directory = directories[slot]
      directory.parent = parent
      directory.oldParent = parent
      directories[slot] = directory
      names.set(Slot(slot), named: directory.nameHash, in: parent)
      if parent == Self.none { root = Slot(slot) }
    }
  }

  /// Throws where what was known could not be kept.
  func requireSound() throws { try directories.requireSound() }

  /// Whether there is one root and every known directory is below it, as long as nothing has moved.
  var isTree: Bool {
    let parents = knownIDs.indices.lazy.map { directories[$0].oldParent }
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
    // The known directories are in the order of their ids.
    var low = 0
    var high = knownCount
    while low < high {
      let middle = (low + high) / 2
      if knownIDs[middle] < id { low = middle + 1 } else { high = middle }
    }
    return low < knownCount && knownIDs[low] == id ? Slot(low) : nil
  }

  /// The directories that had an inode before: one on each file system.
  mutating func directories(withInode inode: UInt64) -> some Sequence<Slot> {
    let inodes = inodes ?? InodeTable(directories, knownCount: knownCount)
    self.inodes = inodes
    return inodes.slots(mayHave: inode).filter { [directories] in
      directories[Int($0)].inode == inode
    }
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

  /// Lets go of what finds directories by their names and inodes: nobody is looked for any more.
  mutating func endSearching() {
    names = ChildTable(capacity: 0)
    inodes = nil
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
    ///
    /// It ends whatever the parents are: each has one, so only `start` could be met again.
    func forEach(from start: Slot, _ body: (Slot) throws -> Bool) rethrows {
      var stack = [start]
      while let slot = stack.popLast() {
        guard try body(slot) else { continue }
        var child = first[Int(slot)]
        while child >= 0 {
          if child != start { stack.append(child) }
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
}

// MARK: - Tables

/// Which directory has a name in which directory: a hash table with open addressing.
///
/// The names are hashes already, so nothing is hashed a second time.
private struct ChildTable {
  private struct Item {
    // Two halves, so that an item has twelve bytes.
    private var high: UInt32 = 0
    private var low: UInt32 = 0
    var slot = RescanTree.none

    init() {}

    init(_ key: UInt64, _ slot: RescanTree.Slot) {
      high = UInt32(truncatingIfNeeded: key >> 32)
      low = UInt32(truncatingIfNeeded: key)
      self.slot = slot
    }

    var key: UInt64 { UInt64(high) << 32 | UInt64(low) }
  }

  private var items: [Item]
  private var count = 0
  /// How many items there may be until the table grows: more than four fifths would be found slowly.
  private var limit: Int { items.count / 5 * 4 }

  init(capacity: Int) {
    // Room for a few new ones.
    items = Array(repeating: Item(), count: 64 + capacity + capacity / 3)
  }

  func slot(named nameHash: UInt64, in parent: RescanTree.Slot) -> RescanTree.Slot? {
    let item = items[index(of: Self.key(of: nameHash, in: parent))]
    return item.slot == RescanTree.none ? nil : item.slot
  }

  /// Gives a directory a name, which another one may have had so far.
  mutating func set(
    _ slot: RescanTree.Slot, named nameHash: UInt64, in parent: RescanTree.Slot
  ) {
    let key = Self.key(of: nameHash, in: parent)
    let index = index(of: key)
    if items[index].slot == RescanTree.none { count += 1 }
    items[index] = Item(key, slot)
    if count > limit { grow() }
  }

  private static func key(of nameHash: UInt64, in parent: RescanTree.Slot) -> UInt64 {
    nameHash &+ UInt64(truncatingIfNeeded: parent) &* 0x9e37_79b9_7f4a_7c15
  }

  /// Where a name stands, or would.
  private func index(of key: UInt64) -> Int {
    var index = Int(key.multipliedFullWidth(by: UInt64(items.count)).high)
    while items[index].slot != RescanTree.none, items[index].key != key {
      index = index + 1 < items.count ? index + 1 : 0
    }
    return index
  }

  private mutating func grow() {
    let old = items
    items = Array(repeating: Item(), count: old.count + old.count / 2)
    for item in old where item.slot != RescanTree.none {
      items[index(of: item.key)] = item
    }
  }
}

/// Known directories by their inodes, of which several file systems may have the same.
private struct InodeTable {
  /// In the order of parts of the inodes: a dictionary would be six times as large.
  private var items: [(inode: UInt32, slot: RescanTree.Slot)]

  /// - Parameter directories: by their slots; those that are known come first.
  init(_ directories: PagedArray<RescanTree.Directory>, knownCount: Int) {
    items = (0..<knownCount).map {
      (UInt32(truncatingIfNeeded: directories[$0].inode), RescanTree.Slot($0))
    }
    items.sort { $0 < $1 }
  }

  /// Those among which all with an inode are.
  func slots(mayHave inode: UInt64) -> some Sequence<RescanTree.Slot> {
    let inode = UInt32(truncatingIfNeeded: inode)
    var low = 0
    var high = items.count
    while low < high {
      let middle = (low + high) / 2
      if items[middle].inode < inode { low = middle + 1 } else { high = middle }
    }
    return items[low...].prefix { $0.inode == inode }.map(\.slot)
  }
}
