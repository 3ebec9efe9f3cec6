internal import FileSystem
internal import SQLite
internal import SystemPackage

/// The directories of a root during a rescan: those that the catalog has, and those that the walk
/// finds on the way.
///
/// A directory is found again by its name in the directory it was in, or else by its inode. Names are
/// kept as hashes of 64 bits: what matters is that siblings differ.
struct FolderTree {
  /// A place in ``folders``. It stays the same for the whole rescan.
  typealias Slot = Int32

  /// No directory: the parent of the root.
  static let none: Slot = -1

  /// Plain memory, since each is touched several times: no references.
  struct Folder {
    let id: Int64
    /// Where it is, or was until the walk says otherwise.
    var parent = FolderTree.none
    /// Where it was.
    fileprivate(set) var oldParent = FolderTree.none
    let nameHash: UInt64
    var inode: UInt64
    /// What the catalog knows of the listing; `nil` when it has to be looked at.
    fileprivate(set) var storedFingerprint: DirectoryFingerprint?
    fileprivate(set) var storedState = FolderTotals.State.unscanned
    var fate = Fate.unmet
    /// The rows of its children are not the directory's from the start: there is nothing to compare.
    var isNew = false
    /// It is listed for a reason that is no change of the disk.
    var isSilent = false
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
    /// Neither: its rows go.
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
    var state = FolderTotals.State.unscanned
    var error: Errno?
    var own = DirectoryTally()
    /// The blocks of the directory itself.
    /// `nil` where nobody has looked.
    var ownBlocks: Int64?
    var fingerprint = DirectoryFingerprint()
    /// Some child has no values.
    var isVague = false

    mutating func add(_ section: DirectorySection) {
      pieces += 1
      own.add(section.tally)
      fingerprint.add(section.fingerprint)
      if section.withoutStatusCount > 0 { isVague = true }
      guard section.isLast else { return }
      switch section.outcome {
      case .read:
        state = .complete
      case .unreadable(let errno):
        state = .unreadable
        error = errno
      }
    }

    /// Forgets what was read, because the directory is read again.
    mutating func restart(inPass number: UInt16) {
      self = Reading(pass: number, ownBlocks: ownBlocks)
    }
  }

  private(set) var folders: [Folder] = []
  /// How many of ``folders`` the catalog had before.
  private(set) var knownCount = 0
  var knownFolders: ArraySlice<Folder> { folders.prefix(knownCount) }
  private var names = FolderNames(capacity: 0)
  /// Made when it is first asked for: most rescans find every directory by its name.
  private var inodes: FolderInodes?

  /// Loads the directories of a root.
  ///
  /// - Parameter fingerprints: whether stored fingerprints count.
  init(of rootID: Int64, fingerprints: Fingerprints, in db: Connection) throws {
    let statement = SQL(
      "SELECT id, parent_id, path, inode FROM folders WHERE root_id = ? ORDER BY id",
      [.integer(rootID)])
    let expected = try Self.expectedCount(of: rootID, db)
    var parents: [Int64] = []
    parents.reserveCapacity(expected)
    folders.reserveCapacity(expected)
    try db.forEach(statement) { row in
      parents.append(row.optionalInteger(1) ?? 0)
      folders.append(
        Folder(
          id: row.integer(0), nameHash: Self.hash(ofLastComponentOf: row.bytes(2)),
          inode: UInt64(bitPattern: row.integer(3))))
    }
    knownCount = folders.count
    try loadListings(fingerprints, db)
    names = FolderNames(capacity: knownCount)
    var parent = Self.none
    for slot in folders.indices {
      // Directories that were found together mostly have one parent.
      if parent < 0 || folders[Int(parent)].id != parents[slot] {
        parent = Self.position(of: parents[slot], in: folders[...])
      }
      folders[slot].parent = parent
      folders[slot].oldParent = parent
      names.set(Slot(slot), named: folders[slot].nameHash, in: parent)
      if parent == Self.none { root = Slot(slot) }
    }
  }

  /// How many directories a root had: growing the arrays step by step would touch twice the memory.
  private static func expectedCount(of rootID: Int64, _ db: Connection) throws -> Int {
    let statement = SQL(
      """
      SELECT total_directories FROM folder_totals
      WHERE id = (SELECT entry_id FROM roots WHERE id = ?)
      """, [.integer(rootID)])
    let below = try db.first(statement) { Int($0.integer(0)) } ?? 0
    // The root, and room for a few new ones.
    return below + below / 64 + 16
  }

  /// Reads what is known of the listings: by itself, since two tables in the order of their ids are
  /// read in half the time that looking up each row of one in the other takes.
  private mutating func loadListings(_ fingerprints: Fingerprints, _ db: Connection) throws {
    let statement = SQL(
      """
      SELECT id, fingerprint_high, fingerprint_low, state FROM folder_totals
      WHERE id BETWEEN ? AND ? ORDER BY id
      """, [.integer(folders.first?.id ?? 0), .integer(folders.last?.id ?? 0)])
    var slot = 0
    try db.forEach(statement) { row in
      // Between the directories of one root may be those of others.
      while slot < folders.count, folders[slot].id < row.integer(0) { slot += 1 }
      guard slot < folders.count, folders[slot].id == row.integer(0) else { return }
      folders[slot].storedState = FolderTotals.State(rawValue: row.integer(3)) ?? .unscanned
      if fingerprints == .trusted, let high = row.optionalInteger(1) {
        folders[slot].storedFingerprint = DirectoryFingerprint(
          high: UInt64(bitPattern: high), low: UInt64(bitPattern: row.integer(2)))
      }
    }
  }

  /// Whether a listing that looks the same is the same.
  enum Fingerprints {
    case trusted
    case ignored
  }

  /// The root's own directory.
  private(set) var root: Slot = none

  subscript(slot: Slot) -> Folder {
    get { folders[Int(slot)] }
    _modify { yield &folders[Int(slot)] }
  }

  /// The directory that has a name in a directory, or had it before.
  func child(_ nameHash: UInt64, of parent: Slot) -> Slot? {
    names.slot(named: nameHash, in: parent)
  }

  /// A directory that the catalog had before.
  func slot(ofID id: Int64) -> Slot? {
    let slot = Self.position(of: id, in: folders.prefix(knownCount))
    return slot == Self.none ? nil : slot
  }

  /// Whether `slot` is `other` or somewhere below it.
  func isInside(_ slot: Slot, _ other: Slot) -> Bool {
    var current = slot
    while current >= 0 {
      if current == other { return true }
      current = folders[Int(current)].parent
    }
    return false
  }

  /// The directories that had an inode before: one on each file system.
  mutating func folders(withInode inode: UInt64) -> some Sequence<Slot> {
    let inodes = inodes ?? FolderInodes(folders.prefix(knownCount))
    self.inodes = inodes
    return inodes.slots(of: inode)
  }

  /// Adds a directory that the catalog does not have.
  mutating func append(id: Int64, parent: Slot, nameHash: UInt64, inode: UInt64) -> Slot {
    let slot = Slot(folders.count)
    var folder = Folder(id: id, nameHash: nameHash, inode: inode)
    folder.parent = parent
    folder.fate = .inPlace
    folder.isNew = true
    folder.isSilent = parent >= 0 && folders[Int(parent)].isSilent
    folders.append(folder)
    names.set(slot, named: nameHash, in: parent)
    return slot
  }

  /// Puts a known directory where it was found.
  mutating func move(_ slot: Slot, to parent: Slot, nameHash: UInt64) {
    folders[Int(slot)].parent = parent
    folders[Int(slot)].fate = .elsewhere
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
    var lists = ChildLists(count: folders.count)
    for slot in folders.indices.reversed() {
      switch moment {
      case .before:
        if slot < knownCount { lists.add(Slot(slot), to: folders[slot].oldParent) }
      case .now:
        if folders[slot].fate != .gone { lists.add(Slot(slot), to: folders[slot].parent) }
      }
    }
    return lists
  }

  /// The children of directories as two arrays: the first child of each, and each one's next sibling.
  struct ChildLists {
    private var first: [Slot]
    private var next: [Slot]

    init(count: Int) {
      first = Array(repeating: FolderTree.none, count: count)
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

  private static func hash(ofLastComponentOf path: UnsafeRawBufferPointer) -> UInt64 {
    var start = path.count
    while start > 0 && path[start - 1] != UInt8(ascii: "/") { start -= 1 }
    return hash(UnsafeRawBufferPointer(rebasing: path[start...]))
  }

  /// Words of eight bytes, multiplied and folded; the last is filled up with the length.
  private static func hash(_ name: UnsafeRawBufferPointer) -> UInt64 {
    var hash: UInt64 = 0x9e37_79b9_7f4a_7c15
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
  private static func position(of id: Int64, in folders: ArraySlice<Folder>) -> Slot {
    var low = 0
    var high = folders.count
    while low < high {
      let middle = (low + high) / 2
      if folders[middle].id < id { low = middle + 1 } else { high = middle }
    }
    return low < folders.count && folders[low].id == id ? Slot(low) : none
  }
}
