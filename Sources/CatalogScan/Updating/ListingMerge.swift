internal import CatalogStore
internal import FileSystem

/// Brings the rows of listed entries up to date, and leaves open what shows only when the walk is over.
struct ListingMerge {
  let rows: RootRows
  private(set) var open = Unsettled()
  var otherNames = OtherNames()
  private(set) var hasChanges = false
  private var comparison = ListingComparison.nothing

  init(_ rows: RootRows) {
    self.rows = rows
  }

  // MARK: - Listings

  /// Reads the rows of a directory, which the next pieces are compared with.
  mutating func beginComparison(_ directory: Int64) throws {
    comparison = .nothing
    comparison = try ListingComparison(of: directory, .compared, in: rows.db)
  }

  /// Takes in a piece of a listing: the difference from the rows, or from nothing.
  mutating func merge(
    _ section: DirectorySection, of batch: EntryBatch, in slot: RescanTree.Slot,
    _ reading: borrowing WalkReading
  ) throws {
    hasChanges = true
    let directory = batch.path(of: section)
    for i in section.records {
      let listed = ListedEntry(
        batch: batch, position: i, name: Array(batch.name(of: batch.records[i])),
        root: rows.rootPath, directory: directory, depth: section.depth + 1)
      let volume = rows.volume(of: listed.record.status.device)
      let row: StoredEntry?
      switch try comparison.take(
        listed.record, named: listed.name, target: listed.target, volume: volume)
      {
      case .none: row = nil
      case .row(let found): row = found
      case .same(let id) where listed.record.kind == .directory:
        // Where it is matters, too.
        row = try StoredEntry.entry(id, rows.db)
      case .same(let id):
        try rows.replaceValues(of: id, listed)
        continue
      }
      if let row { batch.complete(i, volume: volume, from: row) }
      if listed.record.kind == .directory {
        try mergeDirectory(listed, row, in: slot, reading)
      } else {
        try mergeEntry(listed, row, in: slot, reading)
      }
    }
  }

  /// Takes in directories of a listing that was compared before they were decided about.
  mutating func mergeLate(
    _ section: DirectorySection, of batch: EntryBatch, in slot: RescanTree.Slot,
    _ reading: borrowing WalkReading
  ) throws {
    comparison = try ListingComparison(
      section.records.compactMap { i in
        try StoredEntry.child(
          Array(batch.name(of: batch.records[i])), of: reading.tree[slot].id, rows.db)
      })
    try merge(section, of: batch, in: slot, reading)
  }

  /// Ends the comparison: what was not listed is not there any more.
  mutating func endComparison(
    of section: DirectorySection, in slot: RescanTree.Slot, _ reading: borrowing WalkReading
  ) throws {
    // Only a directory that was read to its end can have lost something.
    if case .read = section.outcome {
      let comparison = self.comparison
      self.comparison = .nothing
      try comparison.forEachMissing { try vanish($0, from: slot, reading.tree) }
    }
    comparison = .nothing
  }

  /// Notes that an entry is not where it was. What has become of it shows at the end.
  mutating func vanish(
    _ row: StoredEntry, from slot: RescanTree.Slot, _ tree: borrowing RescanTree
  ) throws {
    if row.kind == .directory {
      guard let directory = tree.slot(ofID: row.id) else { return }
      // It was there when the directory was read for the first time.
      if [.inPlace, .replaced].contains(tree[directory].fate) { throw ChangedWhileRead() }
      open.vanishedDirectories.append(directory)
    } else {
      open.vanished.append((row.id, slot))
      otherNames.note(row.status, volume: row.volume, kind: row.kind)
    }
  }

  // MARK: - Directories

  private mutating func mergeDirectory(
    _ listed: ListedEntry, _ row: StoredEntry?, in parent: RescanTree.Slot,
    _ reading: borrowing WalkReading
  ) throws {
    guard let slot = reading.slot(of: listed.record.directoryIndex) else { return }
    let directory = reading.tree[slot]
    if directory.isIgnored || directory.fate == .undecided { return }
    let change = EntryChange(
      ofDirectory: listed.record, directory.isNew ? .new(directory.id) : .known(directory.id),
      volume: rows.volume(of: listed.record.status.device), from: row)
    if change.displaces, let row { try displace(row, from: parent, reading.tree) }
    switch change.kind {
    case .addition:
      try insert(listed, id: directory.id, in: parent, reading.tree)
      try insertDirectory(slot, listed, in: parent, reading.tree)
      _ = try logAddition(of: directory.id, listed, in: parent, reading.tree)
    case .move:
      try move(slot, listed, to: parent, reading.tree)
    case .becameDirectory:
      try rows.updates.removePackage(directory.id)
      try insertDirectory(slot, listed, in: parent, reading.tree)
      if let row { try update(row, listed, change.difference) }
    case .none, .restatement, .modification, .replacement, .becamePackage:
      if let row { try update(row, listed, change.difference) }
    }
    if !directory.isNew, directory.fate == .replaced {
      // The path stays as it was: if one above has moved, all paths are written at the end.
      try rows.updates.replaceDirectory(
        directory.id, in: reading.tree[parent].id, inode: listed.record.status.inode)
    }
  }

  private mutating func move(
    _ slot: RescanTree.Slot, _ listed: ListedEntry, to parent: RescanTree.Slot,
    _ tree: borrowing RescanTree
  ) throws {
    let id = tree[slot].id
    guard let before = try StoredEntry.entry(id, rows.db) else { return }
    let oldPath = try rows.path(ofDirectory: id)
    try rows.move(id, to: tree[parent].id, name: listed.name)
    let difference = EntryDifference(
      of: listed.record, target: UnsafeBufferPointer(start: nil, count: 0),
      volume: rows.volume(of: listed.record.status.device), from: before)
    if difference.isStored { try write(listed, over: before) }
    try rows.replaceValues(of: id, listed)
    open.movedIDs.insert(id)
    open.movedDirectories.append(
      Unsettled.MovedDirectory(
        slot: slot, path: listed.path, oldPath: oldPath, depth: listed.depth))
    try rows.log.add(
      ChangeLog.Item(
        kind: .moved, id: id, entryKind: .directory, uid: listed.record.status.uid,
        path: listed.path, oldPath: oldPath,
        fields: difference.fields.areContentOnly ? [] : difference.fields, size: listed.size,
        oldSize: before.size, modified: listed.modified, oldModified: before.modified))
  }

  private mutating func insertDirectory(
    _ slot: RescanTree.Slot, _ listed: ListedEntry, in parent: RescanTree.Slot,
    _ tree: borrowing RescanTree
  ) throws {
    open.insertedDirectories.insert(slot)
    try rows.insertDirectory(
      tree[slot].id, at: listed.path, depth: listed.depth, parent: tree[parent].id,
      inode: listed.record.status.inode)
  }

  // MARK: - Everything else

  private mutating func mergeEntry(
    _ listed: ListedEntry, _ row: StoredEntry?, in parent: RescanTree.Slot,
    _ reading: borrowing WalkReading
  ) throws {
    let identity = rows.identity(of: listed.record.status)
    let change = EntryChange(
      of: listed.record, target: listed.target, identity: identity, from: row)
    if change.displaces, let row { try displace(row, from: parent, reading.tree) }
    switch (change.kind, row) {
    case (.addition, _):
      try add(listed, identity, in: parent, reading.tree)
    case (.becamePackage, let row?):
      try write(listed, over: row)
      try rows.replaceValues(of: row.id, listed)
      if let slot = reading.tree.slot(ofID: row.id) { open.reclassified.append(slot) }
    case (.replacement, let row?):
      try write(listed, over: row)
      try rows.replaceValues(of: row.id, listed)
      var item = modification(of: row, listed, change.difference)
      item.identity = identity
      let line = try rows.log.add(item)
      open.replacements.append(
        MoveMatcher.Replacement(
          old: row, oldPath: try oldPath(of: row, in: parent, reading.tree), identity: identity,
          kind: listed.record.kind, change: line))
    case (_, let row?) where !listed.record.traits.contains(.withoutStatus):
      try update(row, listed, change.difference)
    default:
      break
    }
  }

  private mutating func add(
    _ listed: ListedEntry, _ identity: EntryIdentity, in parent: RescanTree.Slot,
    _ tree: borrowing RescanTree
  ) throws {
    let id = rows.takeID()
    try insert(listed, id: id, in: parent, tree)
    guard let line = try logAddition(of: id, listed, in: parent, tree),
      !listed.record.traits.contains(.withoutStatus)
    else { return }
    open.additions.append(
      MoveMatcher.Addition(identity: identity, kind: listed.record.kind, id: id, change: line))
  }

  /// Makes room for another entry of the same name.
  private mutating func displace(
    _ row: StoredEntry, from parent: RescanTree.Slot, _ tree: borrowing RescanTree
  ) throws {
    // Gone already, to where it is now.
    if open.movedIDs.contains(row.id) { return }
    try rows.park(row.id, in: tree[parent].id)
    open.displacedNames[row.id] = row.name
    try vanish(row, from: parent, tree)
  }

  // MARK: - Rows

  private mutating func insert(
    _ listed: ListedEntry, id: Int64, in parent: RescanTree.Slot, _ tree: borrowing RescanTree
  ) throws {
    let record = listed.record
    if !record.traits.contains(.withoutStatus) {
      otherNames.note(
        record.status, volume: rows.volume(of: record.status.device), kind: record.kind)
    }
    try rows.insert(listed, id: id, parent: tree[parent].id)
  }

  private mutating func write(_ listed: ListedEntry, over row: StoredEntry) throws {
    let record = listed.record
    otherNames.note(
      record.status, volume: rows.volume(of: record.status.device), kind: record.kind)
    otherNames.note(row.status, volume: row.volume, kind: row.kind)
    try rows.write(listed, over: row)
  }

  /// Writes what differs of an entry whose row it is.
  private mutating func update(
    _ row: StoredEntry, _ listed: ListedEntry, _ difference: EntryDifference
  ) throws {
    try rows.replaceValues(of: row.id, listed)
    guard difference.isStored else { return }
    guard !difference.isEmpty else { return try rows.restate(listed, over: row) }
    try write(listed, over: row)
    // What counts as a package, or does not any more, is no change of the disk.
    if row.kind == listed.record.kind {
      try rows.log.add(modification(of: row, listed, difference))
    }
  }

  // MARK: - The log

  private func logAddition(
    of id: Int64, _ listed: ListedEntry, in parent: RescanTree.Slot, _ tree: borrowing RescanTree
  ) throws -> Int64? {
    guard !tree[parent].isSilent else { return nil }
    return try rows.log.add(
      ChangeLog.Item(
        kind: .added, id: id, entryKind: listed.record.kind, uid: listed.record.status.uid,
        path: listed.path,
        size: listed.size, modified: listed.modified,
        identity: listed.record.traits.contains(.withoutStatus)
          ? nil : rows.identity(of: listed.record.status)))
  }

  private func modification(
    of row: StoredEntry, _ listed: ListedEntry, _ difference: EntryDifference
  ) -> ChangeLog.Item {
    ChangeLog.Item(
      kind: .modified, id: row.id, entryKind: listed.record.kind, oldKind: row.kind,
      uid: listed.record.status.uid, path: listed.path,
      fields: difference.fields, size: listed.size, oldSize: row.size,
      modified: listed.modified, oldModified: row.modified,
      isContent: listed.record.kind == .directory && difference.fields.areContentOnly)
  }

  /// The path that an entry had in the catalog.
  private func oldPath(
    of row: StoredEntry, in slot: RescanTree.Slot, _ tree: borrowing RescanTree
  ) throws -> [UInt8] {
    try rows.path(of: open.displacedNames[row.id] ?? row.name, inDirectory: tree[slot].id)
  }
}

/// What shows only when the walk is over: where entries are that are not where they were.
struct Unsettled {
  /// Entries that were not listed any more, and the directories they were in.
  var vanished: [(id: Int64, directory: RescanTree.Slot)] = []
  var vanishedDirectories: [RescanTree.Slot] = []
  /// The names of entries that had to make room for others.
  var displacedNames: [Int64: [UInt8]] = [:]
  var additions: [MoveMatcher.Addition] = []
  var replacements: [MoveMatcher.Replacement] = []
  /// New directories that have their rows.
  var insertedDirectories: Set<RescanTree.Slot> = []
  /// The ids of directories whose rows are in their new places.
  var movedIDs: Set<Int64> = []
  var movedDirectories: [MovedDirectory] = []
  /// Directories that have become packages.
  var reclassified: [RescanTree.Slot] = []

  /// A known directory that was found in another place.
  struct MovedDirectory {
    let slot: RescanTree.Slot
    let path: [UInt8]
    let oldPath: [UInt8]
    let depth: Int32

    /// Whether it is somewhere below one of some paths.
    func isBelow(_ paths: Set<[UInt8]>) -> Bool {
      path.indices.contains { path[$0] == UInt8(ascii: "/") && paths.contains(Array(path[..<$0])) }
    }
  }
}

/// Files with other names that have changed: the rows of those names tell of them, too.
struct OtherNames {
  /// A file, whatever its names are.
  struct File: Hashable {
    /// The catalog's number of the file system.
    let volume: Int64
    let inode: UInt64
  }

  /// How many names each has.
  private(set) var files: [File: Int] = [:]

  /// Remembers a file that has changed and has other names, or had.
  mutating func note(_ status: borrowing FileStatus, volume: Int64, kind: EntryKind) {
    guard status.links > 1, kind != .directory, kind != .package else { return }
    let file = File(volume: volume, inode: status.inode)
    files[file] = max(files[file] ?? 0, Int(status.links))
  }

  /// Gives away what was noted.
  mutating func take() -> [File: Int] {
    defer { files = [:] }
    return files
  }
}
