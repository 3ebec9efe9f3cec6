internal import CatalogStore
internal import FileSystem
internal import SystemPackage

/// What the walks of one update have read: who is who among the directories, what was read of each,
/// and which have to be looked at again.
struct WalkReading {
  typealias Slot = RescanTree.Slot

  let rows: RootRows
  private var matcher: DirectoryMatcher
  /// Of which it is undecided which they are; in the order of the matcher's.
  private var undecided: [Undecided] = []
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

  /// A directory that the end of the walk decides about.
  private struct Undecided {
    let identity: EntryIdentity
    let traits: EntryRecord.Traits
    /// The path below the root.
    let components: [[UInt8]]
  }

  /// One of several names of a file.
  struct Link {
    let file: LinkedFile
    fileprivate(set) var directory: Slot
    fileprivate let pass: UInt16
  }

  init(_ rows: RootRows, _ tree: RescanTree, loss: ScanRequest.Loss) {
    self.rows = rows
    matcher = DirectoryMatcher(tree, unmounted: loss == .refused ? .kept : .removed)
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
    /// The whole directory came in one piece, and the end of the walk will tell whose rows it has.
    case undecided
  }

  /// Takes a piece of a listing in.
  mutating func take(_ section: DirectorySection, of batch: EntryBatch) throws -> Verdict {
    guard let slot = slot(of: section.directory), !tree[slot].isIgnored else { return .nothing }
    try findDirectories(section, of: batch, in: slot)
    note(section, of: batch, in: slot)
    entryCount += section.records.count
    if tree[slot].fate == .undecided {
      return isToBeKept(section, of: slot) ? .undecided : .nothing
    }
    if tree[slot].isNew { return .new }
    if isComparing { return .comparison }
    return section.isLast ? judge(slot, components: batch.components(of: section)) : .nothing
  }

  /// Whether it takes the listing of an undecided directory to say what has become of its rows.
  private func isToBeKept(_ section: DirectorySection, of slot: Slot) -> Bool {
    let reading = tree[slot].reading
    guard section.isLast, reading.pieces == 1, reading.state == .complete else { return false }
    guard let seeming = tree[slot].seeming else { return true }
    return !reading.isListing(of: tree[seeming])
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
  private mutating func judge(_ slot: Slot, components: @autoclosure () -> [[UInt8]]) -> Verdict {
    let reading = tree[slot].reading
    if reading.state != tree[slot].storedState { hasChanges = true }
    guard reading.state == .complete else {
      if !tree[slot].isNew { unseen.append(slot) }
      // What was read before the failure is known, and nothing of the rest is gone.
      if reading.pieces > 1 { readAgain(slot, components()) }
      return .nothing
    }
    if reading.isListing(of: tree[slot]) { return .nothing }
    guard reading.pieces == 1 else {
      readAgain(slot, components())
      return .nothing
    }
    return tree[slot].isNew ? .new : .difference
  }

  /// A directory whose listing is not in memory any more is read again: it came in pieces, or there was
  /// no room to keep it.
  private mutating func readAgain(_ slot: Slot, _ components: [[UInt8]]) {
    unread.append(
      Reread(slot: slot, components: components, depth: .shallow, purpose: .comparison))
  }

  /// Whether a new directory was read already: the one around it may have been listed twice.
  func isTakenIn(_ part: Reread) -> Bool {
    let directory = tree[part.slot]
    return part.purpose == .walk && (directory.isNew || directory.fate == .undecided)
      && directory.reading.pieces > 0
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
    // No more steps than there are directories, whatever their parents are.
    for _ in tree.directories.indices where slot >= 0 {
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
      if try isKnownPackage(record.pointee, of: batch, in: parent) { continue }
      let slot = try findDirectory(record.pointee, of: batch, section, in: parent)
      setSlot(slot, of: record.pointee.directoryIndex)
      if tree[slot].isIgnored { continue }
      if !record.pointee.traits.contains(.withoutStatus) {
        tree[slot].reading.ownBlocks = record.pointee.status.allocated
      }
      if tree[slot].fate != .undecided { enter(slot, record.pointee.traits) }
      if pass.depth == .shallow, isWanted(slot, record.pointee.traits) {
        let components = batch.components(of: section) + [Array(batch.name(of: record.pointee))]
        unread.append(Reread(slot: slot, components: components, depth: .deep, purpose: .walk))
      }
    }
  }

  /// Whether a directory of which could not be found out whether it is a package was one before. Then its
  /// row stays, and nobody numbers the directory: what a walk finds in it does not count.
  private func isKnownPackage(
    _ record: borrowing EntryRecord, of batch: EntryBatch, in parent: Slot
  ) throws -> Bool {
    guard record.traits.contains(.undetermined), !tree[parent].isNew,
      tree[parent].fate != .undecided,
      let row = try StoredEntry.child(
        Array(batch.name(of: record)), of: tree[parent].id, rows.db)
    else { return false }
    if record.traits.contains(.withoutStatus) { return row.kind == .package }
    let identity = rows.identity(of: record.status)
    return row.kind == .package && row.identity == identity
  }

  /// Notes what of a directory this scan leaves alone.
  private mutating func enter(_ slot: Slot, _ traits: EntryRecord.Traits) {
    if traits.contains(.withoutStatus) {
      if !tree[slot].isNew { leaveUnseen(slot) }
    } else if traits.contains(.beyondBoundary) || rows.settings.depth == .shallow {
      leave(slot)
    }
  }

  /// Whether a directory that is not read on the way has to be read, since nothing of it is known.
  private func isWanted(_ slot: Slot, _ traits: EntryRecord.Traits) -> Bool {
    let directory = tree[slot]
    return directory.reading.pieces == 0 && rows.settings.depth == .deep
      && traits.isDisjoint(with: [.withoutStatus, .beyondBoundary])
      && (directory.isNew || directory.fate == .undecided && directory.seeming == nil)
  }

  /// The directory that a record is about: the one it was, a new one, or one that is undecided.
  private mutating func findDirectory(
    _ record: borrowing EntryRecord, of batch: EntryBatch, _ section: DirectorySection,
    in parent: Slot
  ) throws -> Slot {
    let name = batch.name(of: record)
    let listed = DirectoryMatcher.Listed(
      nameHash: RescanTree.hash(of: name), identity: rows.identity(of: record.status),
      hasStatus: !record.traits.contains(.withoutStatus))
    let count = tree.directories.count
    switch try matcher.match(listed, in: parent, stored: rows.directory) {
    case .inPlace(let slot), .replaced(let slot), .moved(let slot):
      return slot
    case .unmounted(let slot):
      noteUnmounted(
        slot, in: parent, at: batch.components(of: section) + [Array(name)])
      return slot
    case .new:
      let slot = tree.append(
        parent: parent, nameHash: listed.nameHash, inode: listed.identity.inode, seeming: nil)
      try addDirectory(slot, listed.identity, named: Array(name))
      return slot
    case .undecided(let slot):
      hasChanges = true
      if slot == count {
        undecided.append(
          Undecided(
            identity: listed.identity, traits: record.traits,
            components: batch.components(of: section) + [Array(name)]))
      }
      return slot
    }
  }

  /// Whether the end of the walk has something to decide.
  var hasUndecided: Bool { !undecided.isEmpty }

  /// Whether it is undecided which directory a record is about.
  func isUndecided(_ record: borrowing EntryRecord) -> Bool {
    slot(of: record.directoryIndex).map { tree[$0].fate == .undecided } ?? false
  }

  /// Gives an id to a directory that is new.
  private mutating func addDirectory(
    _ slot: Slot, _ identity: EntryIdentity, named name: [UInt8]
  ) throws {
    hasChanges = true
    let parent = tree[slot].parent
    // A package that counts as a directory now keeps its row: the disk has not changed.
    if !tree[parent].isNew,
      let package = try StoredEntry.child(name, of: tree[parent].id, rows.db),
      package.kind == .package, package.identity == identity
    {
      tree.becomeNew(slot, id: package.id)
      tree[slot].isSilent = true
    } else {
      tree.becomeNew(slot, id: rows.takeID())
    }
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
  private mutating func noteUnmounted(_ slot: Slot, in parent: Slot, at components: [[UInt8]]) {
    unmountedParents.insert(parent)
    tree[parent].reading.isVague = true
    let path = FilePath(bytes: Array(components.joined(separator: [UInt8(ascii: "/")])))
    failures.append(FileError(.open, path, .noSuchAddressOrDevice))
    tree[slot].reading.state = .unreadable
    tree[slot].reading.error = .noSuchAddressOrDevice
    unseen.append(slot)
    if tree[slot].storedState != .unreadable { hasChanges = true }
  }

  // MARK: - What is over

  /// Decides which directories those are that were undecided. From then on ``slot(of:)`` takes the
  /// slots that they had for numbers of a walk.
  ///
  /// - Parameter kept: the directories whose listings need not be read again.
  /// - Returns: those that differ from their rows, or have none.
  mutating func decide(keeping kept: Set<Slot>) throws -> [Slot: Verdict] {
    var verdicts: [Slot: Verdict] = [:]
    let waiting = undecided
    undecided = []
    for (item, decision) in zip(waiting, try matcher.decide(stored: rows.directory)) {
      if case .new = decision.answer {
        try addDirectory(decision.slot, item.identity, named: item.components.last ?? [])
      }
      let slot = tree.decided(decision.slot)
      if case .unmounted = decision.answer {
        noteUnmounted(slot, in: tree[slot].parent, at: item.components)
      }
      if tree[slot].isIgnored { continue }
      enter(slot, item.traits)
      if isWanted(slot, item.traits) {
        unread.append(
          Reread(slot: slot, components: item.components, depth: .deep, purpose: .walk))
      } else if tree[slot].reading.pieces > 0 {
        let verdict = judge(slot, components: item.components)
        if verdict == .nothing || kept.contains(decision.slot) {
          verdicts[slot] = verdict
        } else {
          readAgain(slot, item.components)
        }
      }
    }
    slots = tree.directories.indices.map { tree.decided(Slot($0)) }
    for position in links.indices {
      links[position].directory = tree.decided(links[position].directory)
    }
    return verdicts
  }

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
