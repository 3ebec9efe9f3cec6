internal import CatalogStore
internal import FileSystem
internal import SQLite
internal import SystemPackage

/// Brings the rows of a known root up to date with what walks find, and writes down the difference.
///
/// A directory whose listing has its stored fingerprint is not looked at further. Of any other, the
/// rows are read and compared. It goes in phases, each of which hands its findings to the next:
///
/// 1. ``WalkReading``: who is who among the directories, and which of them differ. While the walk
///    goes on,
/// 2. ``ListingMerge``: brings the rows of those up to date. Where it is undecided who is who,
///    ``KeptListings`` wait for the end of the walk.
/// 3. ``Settlement``: what has become of everything that is not where it was.
/// 4. ``TotalsUpdate``: the sums.
///
/// It runs inside a transaction of its caller, on one thread.
struct RootUpdate {
  let rows: RootRows
  private var reading: WalkReading
  private var merge: ListingMerge
  private var kept = KeptListings()
  private let loss: ScanRequest.Loss
  /// Read as soon as it is clear that they are needed: the walk goes on meanwhile.
  private var storedTotals: StoredTotals?
  /// How many of the directories that have vanished were looked through for files with other names.
  private var vanishedDirectoriesSeen = 0
  /// How many of the directories that have moved are read where they are now.
  private var movedDirectoriesSeen = 0

  init(_ rows: RootRows, loss: ScanRequest.Loss) throws {
    self.rows = rows
    self.loss = loss
    // Values that were not asked for before are not in the fingerprints.
    let tree = try RescanTree(
      of: rows.root.id,
      fingerprints: rows.root.settings.resourceValues == rows.settings.resourceValues
        ? .trusted : .ignored,
      in: rows.db)
    reading = WalkReading(rows, tree, loss: loss)
    merge = ListingMerge(rows)
  }

  /// What could not be read, with paths below the root.
  var failures: [FileError] { reading.failures }
  /// Whether there is more to write than that a scan took place.
  var hasChanges: Bool { reading.hasChanges || merge.hasChanges }

  mutating func fail(_ failure: FileError) { reading.fail(failure) }

  // MARK: - Walks

  /// Takes in everything that a walk of a part finds.
  ///
  /// - Parameter onBatch: gets each batch when it has been taken in, and how many entries and failures
  ///   there have been.
  mutating func take(
    _ part: WalkReading.Reread, _ walker: TreeWalker,
    onBatch: (_ entries: Int, _ failures: Int, EntryBatch) -> Void
  ) throws {
    if part.slot == reading.tree.root { try takeRoot(walker) }
    reading.begin(part)
    if part.purpose == .comparison { try merge.beginComparison(reading.tree[part.slot].id) }
    rows.register(device: walker.startStatus.device, identity: walker.startVolume)
    while let batch = walker.next() {
      for volume in batch.volumes {
        rows.register(device: volume.device, identity: volume.identity)
      }
      for section in batch.sections { try take(section, of: batch) }
      if hasChanges, storedTotals == nil {
        storedTotals = try StoredTotals(of: reading.tree, in: rows.db)
      }
      try requireSound()
      reading.note(failuresOf: batch)
      onBatch(reading.entryCount, reading.failures.count, batch)
      walker.recycle(batch)
    }
  }

  @inline(__always)
  private mutating func take(_ section: DirectorySection, of batch: EntryBatch) throws {
    let verdict = try reading.take(section, of: batch)
    guard verdict != .nothing, let slot = reading.slot(of: section.directory) else { return }
    if verdict == .undecided {
      kept.keep(section, of: batch, as: slot, reading)
    } else {
      try take(section, of: batch, in: slot, verdict)
      if reading.hasUndecided { kept.keepUndecided(of: section, of: batch, as: slot, reading) }
    }
  }

  private mutating func take(
    _ section: DirectorySection, of batch: EntryBatch, in slot: RescanTree.Slot,
    _ verdict: WalkReading.Verdict
  ) throws {
    if verdict == .difference { try merge.beginComparison(reading.tree[slot].id) }
    try merge.merge(section, of: batch, in: slot, reading)
    if verdict != .new, section.isLast {
      try merge.endComparison(of: section, in: slot, reading)
    }
  }

  /// Decides who is who where the walks so far have left that open, and takes in what has waited.
  ///
  /// - Returns: whether there was something to decide.
  mutating func decide() throws -> Bool {
    guard reading.hasUndecided else { return false }
    let kept = kept
    self.kept = KeptListings()
    let verdicts = try reading.decide(keeping: kept.directories)
    for batch in kept.batches {
      for section in batch.sections {
        guard let slot = reading.slot(of: section.directory), !reading.tree[slot].isIgnored else {
          continue
        }
        if !kept.directories.contains(section.directory) {
          try merge.mergeLate(section, of: batch, in: slot, reading)
        } else if let verdict = verdicts[slot], verdict != .nothing {
          try take(section, of: batch, in: slot, verdict)
        }
      }
    }
    return true
  }

  /// Compares the root itself, which no directory lists.
  private mutating func takeRoot(_ walker: TreeWalker) throws {
    let status = walker.startStatus
    guard let id = rows.root.entryID, let old = try StoredEntry.entry(id, rows.db) else { return }
    if status.inode == old.status.inode && status.created == old.status.created {
      // A file system may be known by another identity after it was mounted again.
      rows.adopt(walker.startVolume, as: old.volume)
    }
    rows.register(device: status.device, identity: walker.startVolume)
    let volume = rows.volume(of: status.device)
    if volume != old.volume, loss == .refused {
      let path = rows.root.location.path
      throw CatalogError(
        .differentVolume, path: path, root: path,
        "\(path.string) is on another file system than before: is the right one mounted? Nothing "
          + "was changed")
    }
    var record = EntryRecord()
    record.status = status
    record.kind = .directory
    record.traits = old.traits
    let root = reading.tree.root
    reading.tree[root].reading.ownBlocks = status.allocated
    let difference = EntryDifference(
      of: record, target: UnsafeBufferPointer(start: nil, count: 0), volume: volume, from: old)
    guard !difference.isEmpty else { return }
    reading.hasChanges = true
    try rows.writeRoot(record, id: id, volume: volume)
    if status.inode != old.status.inode {
      try rows.updates.replaceDirectory(id, in: nil, inode: status.inode)
    }
    try rows.log.add(
      ChangeLog.Item(
        kind: .modified, id: id, entryKind: .directory, uid: status.uid, path: rows.rootPath,
        fields: difference.fields, size: status.size, oldSize: old.size,
        modified: record.status.modified, oldModified: old.modified,
        isContent: difference.fields.areContentOnly))
  }

  // MARK: - What to read

  /// The next directory to read, once more or for the first time; `nil` when there is none.
  mutating func nextUnread() -> WalkReading.Reread? {
    while let next = reading.unread.popLast() {
      if !reading.isTakenIn(next) { return next }
    }
    return nil
  }

  /// The walk of everything.
  var wholeRoot: WalkReading.Reread {
    WalkReading.Reread(
      slot: reading.tree.root, components: [],
      depth: rows.settings.depth == .deep ? .deep : .shallow, purpose: .walk)
  }

  /// Whether the directory at the start of a walk is the one that a part is about.
  func isStart(_ status: FileStatus, of part: WalkReading.Reread) -> Bool {
    let inode = reading.tree[part.slot].inode
    return part.slot == reading.tree.root || inode == 0 || inode == status.inode
  }

  /// Whether a part is one that this scan reads, as far as is known by now.
  func isOpen(_ part: WalkReading.Reread) -> Bool { reading.isOpen(part.slot) }

  /// The parts of a root that a scan of some parts reads, as they are found out.
  var scope: UpdateScope { UpdateScope(rows: rows, reading: reading) }

  /// Finds the directories that hold other names of what has changed and that this scan, being one of
  /// parts, has not read: they are read next.
  ///
  /// - Returns: whether there are some.
  mutating func findOtherNames() throws -> Bool {
    try noteNamesInVanishedDirectories()
    let found = try scope.directories(holding: merge.otherNames.take())
    reading.unread += found
    return !found.isEmpty
  }

  /// Finds the directories that have moved, in which a quick scan could not look where they were: they are
  /// read next, with all below.
  ///
  /// - Returns: whether there are some.
  mutating func findMoved() -> Bool {
    let moved = merge.open.movedDirectories.dropFirst(movedDirectoriesSeen)
    movedDirectoriesSeen = merge.open.movedDirectories.count
    let paths = Set(moved.map(\.path))
    for directory in moved where !directory.isBelow(paths) {
      let components = directory.path.dropFirst(rows.rootPath.count)
        .split(separator: UInt8(ascii: "/")).map { Array($0) }
      reading.unread.append(
        WalkReading.Reread(
          slot: directory.slot, components: components, depth: .deep, purpose: .walk))
    }
    return !moved.isEmpty
  }

  private mutating func noteNamesInVanishedDirectories() throws {
    let tree = reading.tree
    let children = tree.children(.before)
    for directory in merge.open.vanishedDirectories.dropFirst(vanishedDirectoriesSeen) {
      try children.forEach(from: directory) { slot in
        guard tree[slot].fate == .unmet else { return false }
        try StoredEntry.forEachChild(of: tree[slot].id, rows.db) { row in
          merge.otherNames.note(row.status, volume: row.volume, kind: row.kind)
        }
        return true
      }
    }
    vanishedDirectoriesSeen = merge.open.vanishedDirectories.count
  }

  // MARK: - The end

  /// Throws where what was known of directories could not be kept until now.
  func requireSound() throws { try reading.tree.requireSound() }

  /// Writes what shows only when the walks are over.
  ///
  /// - Returns: the sums of the root.
  mutating func finish() throws -> DirectoryTally {
    reading.keepUnseen()
    for slot in reading.left {
      var children: [StoredEntry] = []
      try StoredEntry.forEachChild(of: reading.tree[slot].id, rows.db) { children.append($0) }
      for child in children { try merge.vanish(child, from: slot, reading.tree) }
    }
    try Settlement(rows: rows, open: merge.open).run(on: &reading.tree)
    reading.tree.endSearching()
    let stored = try storedTotals ?? StoredTotals(of: reading.tree, in: rows.db)
    let total = try TotalsUpdate(rows: rows, reading: reading, stored: stored).run()
    try requireSound()
    return total
  }
}
