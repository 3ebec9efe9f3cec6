package import CatalogStore
package import FileSystem
package import SQLite
internal import SystemPackage

/// Compares a root with the disk, directory by directory, without changing anything: the difference
/// that a scan would write, as a report.
package struct DiskComparison {
  private let db: Connection
  private let root: RootRecord
  private let report: (Change) throws -> Void
  /// The scan whose state is compared with the disk; `nil` for a root that was never scanned.
  private let scanID: ScanID?
  /// When the comparison began, in seconds since 1970.
  private let at: Int64

  /// The rows of directories, by their numbers within the walk; `nil` for directories that are new.
  private var ids: [Int64?] = []
  /// Directories that come in several pieces.
  private var unfinished: [Int32: ListingComparison] = [:]

  package init(
    of root: RootRecord, in db: Connection, report: @escaping (Change) throws -> Void
  ) throws {
    self.db = db
    self.root = root
    self.report = report
    scanID = try db.integer("SELECT last_scan_id FROM _roots WHERE id = ?", [root.id])
      .map { ScanID(rawValue: $0) }
    at = Clock.now / 1_000_000_000
  }

  /// Walks the root and reports every difference.
  ///
  /// - Returns: what could not be read.
  package mutating func run(_ walker: TreeWalker, control: ScanControl) throws -> [FileError] {
    var failures: [FileError] = []
    setID(root.entryID, of: 0)
    try compareRoot(with: walker.startStatus)
    try walker.start()
    while let batch = walker.next() {
      if control.isCancelled { throw CancellationError() }
      for section in batch.sections { try compare(section, in: batch) }
      failures += batch.failures
      walker.recycle(batch)
    }
    if control.isCancelled { throw CancellationError() }
    return failures
  }

  private mutating func setID(_ id: Int64?, of index: Int32) {
    while ids.count <= Int(index) { ids.append(nil) }
    ids[Int(index)] = id
  }

  /// Compares the root itself, which no directory lists.
  private func compareRoot(with status: FileStatus) throws {
    guard let id = root.entryID, let row = try StoredEntry.entry(id, db) else { return }
    var record = EntryRecord()
    record.status = status
    record.kind = .directory
    record.traits = row.traits
    let difference = EntryDifference(
      of: record, target: UnsafeBufferPointer(start: nil, count: 0), volume: row.volume, from: row)
    try report(difference, of: row, from: record, at: root.location.path)
  }

  private func comparison(of directory: Int64?) throws -> ListingComparison {
    try directory.map { try ListingComparison(of: $0, .ignored, in: db) } ?? .nothing
  }

  private mutating func compare(_ section: DirectorySection, in batch: EntryBatch) throws {
    let directory = root.location.path.pushing(FilePath(bytes: batch.path(of: section)))
    var rows =
      try unfinished.removeValue(forKey: section.directory)
      ?? comparison(of: ids[Int(section.directory)])
    for i in section.records {
      let name = Array(batch.name(of: batch.records[i]))
      let row: StoredEntry?
      switch try rows.take(
        batch.records[i], named: name, target: batch.target(of: batch.records[i]), volume: 0)
      {
      case .none: row = nil
      case .row(let found): row = found
      case .same(let id) where batch.records[i].kind == .directory:
        row = try StoredEntry.entry(id, db)
      case .same:
        continue
      }
      if let row { batch.complete(i, volume: row.volume, from: row) }
      try compare(
        batch.records[i], batch.target(of: batch.records[i]),
        at: directory.pushing(FilePath(bytes: name)), with: row)
    }
    guard section.isLast else {
      unfinished[section.directory] = rows
      return
    }
    // Only a directory that was read to its end can have lost something.
    guard case .read = section.outcome else { return }
    try rows.forEachMissing { row in
      try reportRemoval(of: row, at: directory.pushing(FilePath(bytes: row.name)))
    }
  }

  private mutating func compare(
    _ record: EntryRecord, _ target: UnsafeBufferPointer<UInt8>, at path: FilePath,
    with row: StoredEntry?
  ) throws {
    let change: EntryChange
    // File systems have no numbers here: an entry is taken to be on that of its row.
    let volume = row?.volume ?? 0
    if record.kind == .directory {
      let id = row.flatMap { $0.kind == .directory ? $0.id : nil }
      setID(id, of: record.directoryIndex)
      change = EntryChange(
        ofDirectory: record, id.map { .known($0) } ?? .new(0), volume: volume, from: row)
    } else {
      let identity = EntryIdentity(
        volume: volume, inode: record.status.inode, created: record.status.created)
      change = EntryChange(of: record, target: target, identity: identity, from: row)
    }
    if change.displaces, let row { try reportRemoval(of: row, at: path) }
    switch change.kind {
    case .addition, .move:
      try report(
        Change(
          scanID: scanID, at: at, kind: .added, path: path, entryKind: record.kind, fields: [],
          size: record.status.size))
    case .modification, .replacement:
      if let row { try report(change.difference, of: row, from: record, at: path) }
    case .none, .restatement, .becamePackage, .becameDirectory:
      break
    }
  }

  private func report(
    _ difference: EntryDifference, of row: StoredEntry, from record: EntryRecord, at path: FilePath
  ) throws {
    // Of a directory, nothing that only follows from its content.
    let isContent = record.kind == .directory && difference.fields.areContentOnly
    guard !difference.isEmpty, !isContent else { return }
    try report(
      Change(
        scanID: scanID, at: at, kind: .modified, path: path, entryID: EntryID(rawValue: row.id),
        entryKind: record.kind,
        fields: difference.fields, size: record.status.size, oldSize: row.size))
  }

  /// Reports an entry with everything below it, however deep that is.
  private func reportRemoval(of row: StoredEntry, at path: FilePath) throws {
    var pending = [(row: row, path: path)]
    var directories: Set<Int64> = []
    while let (row, path) = pending.popLast() {
      try report(
        Change(
          scanID: scanID, at: at, kind: .removed, path: path, entryID: EntryID(rawValue: row.id),
          entryKind: row.kind,
          fields: [], size: row.size, oldSize: row.size))
      guard row.kind == .directory else { continue }
      guard directories.insert(row.id).inserted else {
        throw SQLiteError.corrupt("directory \(row.id) is inside itself")
      }
      var children: [(row: StoredEntry, path: FilePath)] = []
      try StoredEntry.forEachChild(of: row.id, db) {
        children.append(($0, path.pushing(FilePath(bytes: $0.name))))
      }
      pending += children.reversed()
    }
  }
}
