internal import FileSystem
internal import SQLite
internal import SystemPackage

/// Brings the rows of a known root up to date with what a walk finds, and writes down the difference.
///
/// A directory whose listing has its stored fingerprint is not looked at further. Of any other, the
/// rows are read and compared. Ids belong to identities: directories are found again by inode while
/// the walk goes on, files when it is over (``settleMoves()``).
///
/// It runs inside a transaction of its caller, on one thread.
final class RootUpdate {
  let root: RootRecord
  let scanID: Int64
  let db: Connection
  let rows: EntryRows
  let sink: SQLRowSink
  let folderPaths: FolderPaths
  let growth: GrowthLog
  /// What earlier attempts have found out about directories.
  let hints: MoveHints
  let settings: ScanOptions
  let loss: ScanRequest.Loss
  let rootPath: [UInt8]
  let places: PlaceMap

  var tree: FolderTree
  var log: ChangeLog
  var owners = OwnerNames()
  var volumes: VolumeNumbers
  var failures: [FileError] = []
  var nextID: Int64

  /// Directories that have to be read once more, or for the first time, when the walk is over.
  var unread: [Reread] = []
  /// Entries that were not listed any more, and the directories they were in.
  var vanished: [(id: Int64, folder: FolderTree.Slot)] = []
  var vanishedFolders: [FolderTree.Slot] = []
  /// Known directories that could not be looked into.
  var unseen: [FolderTree.Slot] = []
  /// Known directories whose content is not wanted any more.
  var left: Set<FolderTree.Slot> = []
  /// Directories whose content this scan leaves alone by its settings.
  var closed: Set<FolderTree.Slot> = []
  /// Which directories those were that have been replaced in their places.
  var replacedIdentities: [FolderTree.Slot: EntryIdentity] = [:]
  /// Directories in which a mount point was met that keeps the row of what was mounted there.
  var unmountedParents: Set<FolderTree.Slot> = []
  /// Directories that have lost a row without being read.
  var disturbed: Set<FolderTree.Slot> = []
  /// The names of entries that had to make room for others.
  var displacedNames: [Int64: [UInt8]] = [:]
  /// Directories that have become packages.
  var reclassified: [FolderTree.Slot] = []
  var arrivals: [Arrival] = []
  var replacements: [Replacement] = []
  /// New directories that have their rows.
  var insertedFolders: Set<FolderTree.Slot> = []
  /// The ids of directories whose rows are in their new places.
  var movedIDs: Set<Int64> = []
  var movedFolders: [MovedFolder] = []
  var links: [Link] = []
  /// Files with other names that have changed, and how many names they have.
  var renamedFiles: [FileNumber: Int] = [:]
  /// How many of the directories that have vanished were looked through for such files.
  var vanishedFoldersSeen = 0
  /// The rows of the directory that is being read once more.
  var comparison: [[UInt8]: StoredEntry] = [:]
  /// The walk's numbers of directories.
  var slots: [FolderTree.Slot] = []
  var pass = Pass(number: 0, purpose: .walk, depth: .deep)
  var entryCount = 0
  /// Whether there is more to write than that a scan took place.
  var hasChanges = false
  /// Read as soon as it is clear that they are needed: the walk goes on meanwhile.
  var storedTotals: StoredTotals?

  /// One walk of several that an update may take.
  struct Pass {
    let number: UInt16
    let purpose: Purpose
    let depth: WalkOptions.Depth

    enum Purpose {
      /// To find out what has changed.
      case walk
      /// To compare the children of one directory row by row.
      case comparison
    }
  }

  /// A directory to read in a further pass.
  struct Reread {
    let slot: FolderTree.Slot
    /// The path below the root.
    let components: [[UInt8]]
    let depth: WalkOptions.Depth
    let purpose: Pass.Purpose
  }

  /// An entry that is not a directory and has a row under a new id.
  struct Arrival {
    let identity: EntryIdentity
    let kind: EntryKind
    let id: Int64
    /// The line in the log that says it is new.
    let change: Int64
  }

  /// An entry that has the name of another one, and for now its row.
  struct Replacement {
    let old: StoredEntry
    let oldPath: [UInt8]
    let identity: EntryIdentity
    let kind: EntryKind
    let change: Int64
  }

  /// One of several names of a file.
  struct Link {
    let file: LinkedFile
    let folder: FolderTree.Slot
    let pass: UInt16
  }

  init(
    of root: RootRecord, settings: ScanOptions, loss: ScanRequest.Loss, scanID: Int64,
    hints: MoveHints, places: PlaceMap, in db: Connection
  ) throws {
    self.root = root
    self.settings = settings
    self.loss = loss
    self.scanID = scanID
    self.hints = hints
    self.places = places
    self.db = db
    rows = try EntryRows(on: db, scanID: scanID)
    sink = try SQLRowSink(on: db, scanID: scanID, rootID: root.id)
    folderPaths = try FolderPaths(on: db)
    // Values that were not asked for before are not in the fingerprints.
    tree = try FolderTree(
      of: root.id,
      fingerprints: root.settings.resourceValues == settings.resourceValues ? .trusted : .ignored,
      in: db)
    growth = try GrowthLog(on: db, scanID: scanID)
    log = try ChangeLog(on: db, scanID: scanID)
    volumes = try VolumeNumbers(in: db)
    nextID = try EntryIDs.next(in: db)
    rootPath = root.location.path.bytes
  }

  // MARK: - Walks

  /// Takes in everything that a walk finds.
  ///
  /// - Parameter onBatch: gets each batch when it has been taken in.
  func take(
    _ walker: TreeWalker, startingAt start: FolderTree.Slot, onBatch: (EntryBatch) -> Void
  ) throws {
    slots.removeAll(keepingCapacity: true)
    setSlot(start, of: 0)
    volumes.register(device: walker.startStatus.device, identity: walker.startVolume)
    while let batch = walker.next() {
      for volume in batch.volumes {
        volumes.register(device: volume.device, identity: volume.identity)
      }
      for section in batch.sections { try take(section, of: batch) }
      if hasChanges, storedTotals == nil { storedTotals = try StoredTotals(of: tree, db) }
      // A directory that is read again may fail again.
      failures += batch.failures.filter { pass.purpose == .walk || !failures.contains($0) }
      onBatch(batch)
      walker.recycle(batch)
    }
  }

  func setSlot(_ slot: FolderTree.Slot, of number: Int32) {
    while slots.count <= Int(number) { slots.append(FolderTree.none) }
    slots[Int(number)] = slot
  }

  private func take(_ section: DirectorySection, of batch: EntryBatch) throws {
    // Nobody has numbered what is below a directory that is ignored.
    guard Int(section.directory) < slots.count else { return }
    let slot = slots[Int(section.directory)]
    guard slot >= 0, !tree[slot].isIgnored else { return }
    try findFolders(section, of: batch, in: slot)
    note(section, of: batch, in: slot)
    entryCount += section.records.count
    if tree[slot].isNew {
      hasChanges = true
      for i in section.records { try merge(i, of: batch, section, in: slot) }
    } else if pass.purpose == .comparison {
      try compare(section, of: batch, in: slot)
    } else if section.isLast {
      try judge(section, of: batch, in: slot)
    }
  }

  /// Adds up what was read of a directory.
  private func note(_ section: DirectorySection, of batch: EntryBatch, in slot: FolderTree.Slot) {
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

  private func addLink(_ file: LinkedFile, in slot: FolderTree.Slot) {
    var file = file
    file.device = UInt64(volumes.number(of: file.device))
    links.append(Link(file: file, folder: slot, pass: pass.number))
  }

  /// Decides about a directory that was read to its end, or as far as it goes.
  private func judge(
    _ section: DirectorySection, of batch: EntryBatch, in slot: FolderTree.Slot
  ) throws {
    let folder = tree[slot]
    let reading = folder.reading
    if reading.state != folder.storedState { hasChanges = true }
    guard reading.state == .complete else {
      unseen.append(slot)
      // What was read before the failure is known, and nothing of the rest is gone.
      if reading.pieces > 1 { reread(section, of: batch, in: slot) }
      return
    }
    if !reading.isVague, reading.fingerprint == folder.storedFingerprint { return }
    guard reading.pieces == 1 else { return reread(section, of: batch, in: slot) }
    try loadComparison(of: slot)
    try compare(section, of: batch, in: slot)
  }

  /// A directory that came in pieces is not kept in memory until its end: it is read again.
  private func reread(_ section: DirectorySection, of batch: EntryBatch, in slot: FolderTree.Slot) {
    unread.append(
      Reread(
        slot: slot, components: batch.components(of: section), depth: .shallow,
        purpose: .comparison))
  }

  /// Whether a new directory was read already: the one around it may have been listed twice.
  func isTakenIn(_ part: Reread) -> Bool {
    part.purpose == .walk && tree[part.slot].isNew && tree[part.slot].reading.pieces > 0
  }

  /// Begins a further pass over a directory.
  func begin(_ reread: Reread, _ walker: TreeWalker) throws {
    pass = Pass(number: pass.number + 1, purpose: reread.purpose, depth: reread.depth)
    if reread.slot == tree.root { try takeRoot(walker) }
    tree[reread.slot].reading.restart(inPass: pass.number)
    if reread.purpose == .comparison { try loadComparison(of: reread.slot) }
  }

  private func loadComparison(of slot: FolderTree.Slot) throws {
    comparison.removeAll(keepingCapacity: true)
    try StoredEntry.forEachChild(of: tree[slot].id, db) { comparison[$0.name] = $0 }
  }

  private func compare(
    _ section: DirectorySection, of batch: EntryBatch, in slot: FolderTree.Slot
  ) throws {
    hasChanges = true
    for i in section.records { try merge(i, of: batch, section, in: slot) }
    guard section.isLast else { return }
    // Only a directory that was read to its end can have lost something.
    if case .read = section.outcome {
      for entry in comparison.values { try vanish(entry, from: slot) }
    }
    comparison.removeAll()
  }

  /// Notes that an entry is not where it was. What has become of it shows at the end.
  func vanish(_ entry: StoredEntry, from slot: FolderTree.Slot) throws {
    if entry.kind == .directory {
      guard let folder = tree.slot(ofID: entry.id) else { return }
      // It was there when the directory was read for the first time.
      if [.inPlace, .replaced].contains(tree[folder].fate) { throw ChangedWhileRead() }
      vanishedFolders.append(folder)
    } else {
      vanished.append((entry.id, slot))
      noteNames(of: entry.status, volume: entry.volume, kind: entry.kind)
    }
  }
}
