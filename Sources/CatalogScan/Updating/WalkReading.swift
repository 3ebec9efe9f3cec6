internal import CatalogStore
internal import FileSystem
internal import SystemPackage

/// What the walks of one update have read: who is who among the directories, what was read of each,
/// and which have to be looked at again.
struct WalkReading {
  typealias Slot = RescanTree.Slot

  let rows: RootRows
  private var matcher: DirectoryMatcher
  /// Directories to read once more, or for the first time, when the walk is over.
  var unread: [Reread] = []
  /// Known directories that could not be looked into.
  private(set) var unseen: [Slot] = []
  /// Known directories whose content is not wanted any more.
  private(set) var left: Set<Slot> = []
  /// Directories whose content this scan leaves alone by its settings.
  private var closed: Set<Slot> = []
  /// Directories in which a mount point was met that keeps the row of what was mounted there.
  private var unmountedParents: Set<Slot> = []
  private(set) var links: [Link] = []
  private(set) var failures: [FileError] = []
  private(set) var entryCount = 0
  /// Whether a directory is there that was not, or is known better or worse than before.
  var hasChanges = false
  /// The walk's numbers of directories.
  private var slots: [Slot] = []
  private var pass = Pass(number: 0, purpose: .walk, depth: .deep)

  /// One walk of several that an update may take.
  private struct Pass {
    let number: UInt16
    let purpose: Reread.Purpose
    let depth: WalkOptions.Depth
  }

  /// A directory to read in a further pass.
  struct Reread {
    let slot: Slot
    /// The path below the root.
    let components: [[UInt8]]
    let depth: WalkOptions.Depth
    let purpose: Purpose

    enum Purpose {
      /// To find out what has changed.
      case walk
      /// To compare the children of one directory row by row.
      case comparison
    }
  }

  /// One of several names of a file.
  struct Link {
    let file: LinkedFile
    let directory: Slot
    fileprivate let pass: UInt16
  }

  init(_ rows: RootRows, _ tree: RescanTree, _ hints: MoveHints, loss: ScanRequest.Loss) {
    self.rows = rows
    matcher = DirectoryMatcher(tree, hints, unmounted: loss == .refused ? .kept : .removed)
  }

  var tree: RescanTree {
    @inline(__always) _read { yield matcher.tree }
    @inline(__always) _modify { yield &matcher.tree }
  }

  /// Directories that have lost a row, perhaps without being read.
  var disturbed: Set<Slot> { matcher.disturbed }

  /// The directory with a number of this walk; `nil` where nobody has numbered it, since what is
  /// above it is ignored.
  func slot(of number: Int32) -> Slot? {
    guard Int(number) < slots.count, slots[Int(number)] >= 0 else { return nil }
    return slots[Int(number)]
  }

  /// Begins a further pass over a directory.
  mutating func begin(_ part: Reread) {
    pass = Pass(number: pass.number + 1, purpose: part.purpose, depth: part.depth)
    tree[part.slot].reading.restart(inPass: pass.number)
    slots.removeAll(keepingCapacity: true)
    setSlot(part.slot, of: 0)
  }

  var isComparing: Bool { pass.purpose == .comparison }

  private mutating func setSlot(_ slot: Slot, of number: Int32) {
    while slots.count <= Int(number) { slots.append(RescanTree.none) }
    slots[Int(number)] = slot
  }

  mutating func fail(_ failure: FileError) { failures.append(failure) }

  /// Notes what could not be read. A directory that is read again may fail again.
  mutating func note(failuresOf batch: EntryBatch) {
    failures += batch.failures.filter { !isComparing || !failures.contains($0) }
  }

  // MARK: - Listings

  /// What is to be done about a piece of a listing.
  enum Verdict {
    /// Nothing: the directory is as it was, or goes on.
    case nothing
    /// The directory has no rows: all that is listed is new.
    case new
    /// The rows are to be compared with the piece.
    case comparison
    /// The whole directory came in one piece, and differs: its rows are to be read and compared.
    case difference
  }

  /// Takes a piece of a listing in.
  mutating func take(_ section: DirectorySection, of batch: EntryBatch) throws -> Verdict {
    guard let slot = slot(of: section.directory), !tree[slot].isIgnored else { return .nothing }
    try findDirectories(section, of: batch, in: slot)
    note(section, of: batch, in: slot)
    entryCount += section.records.count
    if tree[slot].isNew { return .new }
    if isComparing { return .comparison }
    return section.isLast ? judge(section, of: batch, in: slot) : .nothing
  }

  /// Adds up what was read of a directory.
  private mutating func note(_ section: DirectorySection, of batch: EntryBatch, in slot: Slot) {
    if tree[slot].reading.pass != pass.number { tree[slot].reading.restart(inPass: pass.number) }
    tree[slot].reading.add(section)
    if unmountedParents.contains(slot) { tree[slot].reading.isVague = true }
    guard section.linkedCount > 0 || !batch.packagedLinks.isEmpty else { return }
    for i in section.records {
      let record = batch.records + i
      guard record.pointee.status.links > 1,
        ![.directory, .package].contains(record.pointee.kind)
      else { continue }
      addLink(LinkedFile(record.pointee.status), in: slot)
    }
    for link in batch.packagedLinks where section.records.contains(link.record) {
      addLink(link.file, in: slot)
    }
  }

  private mutating func addLink(_ file: LinkedFile, in slot: Slot) {
    var file = file
    file.device = UInt64(rows.volume(of: file.device))
    links.append(Link(file: file, directory: slot, pass: pass.number))
  }

  /// Whether a name of a file was met in the last reading of its directory.
  func isCurrent(_ link: Link) -> Bool {
    link.pass == tree[link.directory].reading.pass
  }

  /// Decides about a directory that was read to its end, or as far as it goes.
  private mutating func judge(
    _ section: DirectorySection, of batch: EntryBatch, in slot: Slot
  ) -> Verdict {
    let reading = tree[slot].reading
    if reading.state != tree[slot].storedState { hasChanges = true }
    guard reading.state == .complete else {
      unseen.append(slot)
      // What was read before the failure is known, and nothing of the rest is gone.
      if reading.pieces > 1 { readAgain(section, of: batch, in: slot) }
      return .nothing
    }
    if !reading.isVague, reading.fingerprint == tree[slot].storedFingerprint { return .nothing }
    guard reading.pieces == 1 else {
      readAgain(section, of: batch, in: slot)
      return .nothing
    }
    return .difference
  }

  /// A directory that came in pieces is not kept in memory until its end: it is read again.
  private mutating func readAgain(
    _ section: DirectorySection, of batch: EntryBatch, in slot: Slot
  ) {
    unread.append(
      Reread(
        slot: slot, components: batch.components(of: section), depth: .shallow,
        purpose: .comparison))
  }

  /// Whether a new directory was read already: the one around it may have been listed twice.
  func isTakenIn(_ part: Reread) -> Bool {
    part.purpose == .walk && tree[part.slot].isNew && tree[part.slot].reading.pieces > 0
  }

  /// Whether what was read of a directory is what its rows say.
  func isRead(_ slot: Slot) -> Bool {
    let directory = tree[slot]
    return directory.isNew || left.contains(slot)
      || directory.reading.pieces > 0 && directory.reading.state == .complete
        && !directory.reading.isVague
  }

  /// Whether a directory is one that this scan reads, as far as is known by now.
  func isOpen(_ slot: Slot) -> Bool {
    var slot = slot
    while slot >= 0 {
      if tree[slot].isIgnored || closed.contains(slot) { return false }
      slot = tree[slot].parent
    }
    return true
  }

  // MARK: - Directories

  /// Finds out which directories the records of a section are.
  private mutating func findDirectories(
    _ section: DirectorySection, of batch: EntryBatch, in parent: Slot
  ) throws {
    for position in batch.directories[section.directories] {
      let record = batch.records + Int(position)
      let slot = try findDirectory(record.pointee, of: batch, section, in: parent)
      setSlot(slot, of: record.pointee.directoryIndex)
      if tree[slot].isIgnored { continue }
      let traits = record.pointee.traits
      if traits.contains(.withoutStatus) {
        if !tree[slot].isNew { leaveUnseen(slot) }
        continue
      }
      tree[slot].reading.ownBlocks = record.pointee.status.allocated
      if traits.contains(.beyondBoundary) || rows.settings.depth == .shallow {
        leave(slot)
      } else if pass.depth == .shallow, tree[slot].isNew, tree[slot].reading.pieces == 0 {
        let components = batch.components(of: section) + [Array(batch.name(of: record.pointee))]
        unread.append(Reread(slot: slot, components: components, depth: .deep, purpose: .walk))
      }
    }
  }

  /// The directory that a record is about: the one it was, one that has come from elsewhere, or a new
  /// one.
  private mutating func findDirectory(
    _ record: borrowing EntryRecord, of batch: EntryBatch, _ section: DirectorySection,
    in parent: Slot
  ) throws -> Slot {
    let name = batch.name(of: record)
    let listed = DirectoryMatcher.Listed(
      nameHash: RescanTree.hash(of: name), identity: rows.identity(of: record.status),
      hasStatus: !record.traits.contains(.withoutStatus))
    let answer = try matcher.match(
      listed, in: parent,
      siblings: { [rows] identity in
        batch.directories[section.directories].contains {
          rows.identity(of: batch.records[Int($0)].status) == identity
        }
      },
      stored: { [rows] id in
        try StoredEntry.entry(id, rows.db).map {
          DirectoryMatcher.Stored(
            identity: $0.identity, hasStatus: !$0.traits.contains(.withoutStatus))
        }
      })
    switch answer {
    case .inPlace(let slot), .replaced(let slot):
      return slot
    case .moved(let slot):
      hasChanges = true
      return slot
    case .unmounted(let slot):
      noteUnmounted(slot, named: name, in: parent, at: batch.path(of: section))
      return slot
    case .new:
      return try addDirectory(listed, name, to: parent)
    }
  }

  private mutating func addDirectory(
    _ listed: DirectoryMatcher.Listed, _ name: UnsafeBufferPointer<UInt8>, to parent: Slot
  ) throws -> Slot {
    hasChanges = true
    let inode = listed.identity.inode
    // A package that counts as a directory now keeps its row: the disk has not changed.
    if !tree[parent].isNew,
      let package = try StoredEntry.child(Array(name), of: tree[parent].id, rows.db),
      package.kind == .package, package.identity == listed.identity
    {
      let slot = tree.append(
        id: package.id, parent: parent, nameHash: listed.nameHash, inode: inode)
      tree[slot].isSilent = true
      return slot
    }
    return tree.append(
      id: rows.takeID(), parent: parent, nameHash: listed.nameHash, inode: inode)
  }

  /// A directory that is there, but not to be looked into from where it is.
  private mutating func leaveUnseen(_ slot: Slot) {
    unseen.append(slot)
    if tree[slot].storedState != .unscanned { hasChanges = true }
    tree[slot].fate = .kept
  }

  /// What a directory holds is not wanted any more.
  private mutating func leave(_ slot: Slot) {
    closed.insert(slot)
    guard !tree[slot].isNew, tree[slot].storedState != .unscanned else { return }
    left.insert(slot)
    hasChanges = true
  }

  /// Keeps what was on a file system that is not mounted.
  private mutating func noteUnmounted(
    _ slot: Slot, named name: UnsafeBufferPointer<UInt8>, in parent: Slot,
    at directory: UnsafeBufferPointer<UInt8>
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

  // MARK: - What is over

  /// What lies under a directory that could not be read is neither confirmed nor gone.
  mutating func keepUnseen() {
    let children = tree.children(.before)
    for directory in unseen {
      children.forEach(from: directory) { slot in
        guard slot != directory else { return true }
        guard tree[slot].fate == .unmet else { return false }
        tree[slot].fate = .kept
        return true
      }
    }
  }
}
