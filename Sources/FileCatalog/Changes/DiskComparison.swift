internal import FileSystem
internal import GRDB
internal import SystemPackage
internal import UniformTypes

/// Compares a root with the disk, directory by directory, without changing anything.
struct DiskComparison {
  private let db: Database
  private let reader: RowReader
  private let root: RootRecord
  private let report: (Change) throws -> Void

  /// The entries that the catalog has, by the number of their directory within the walk; `nil` for
  /// directories that are new.
  private var ids: [Int64?] = []
  /// The names met so far of directories that come in several pieces.
  private var seen: [Int32: Set<[UInt8]>] = [:]

  init(
    of root: RootRecord, in db: Database, report: @escaping (Change) throws -> Void
  ) throws {
    self.db = db
    self.root = root
    self.report = report
    reader = try RowReader(db)
  }

  /// Walks the root and reports every difference.
  ///
  /// - Returns: what could not be read.
  mutating func run(_ walker: TreeWalker, control: ScanControl) throws -> [FileError] {
    var failures: [FileError] = []
    setID(root.entryID, of: 0)
    walker.start()
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

  private mutating func compare(_ section: DirectorySection, in batch: EntryBatch) throws {
    let directory = path(of: section, in: batch)
    let id = ids[Int(section.directory)]
    let stored = try id.map { try StoredEntry.children(of: $0, reader) } ?? [:]
    var names = seen.removeValue(forKey: section.directory) ?? []
    for i in section.records {
      let record = batch.records[i]
      let name = Array(batch.name(of: record))
      let path = directory.pushing(FilePath(bytes: name))
      if record.kind == .directory { setID(stored[name]?.id, of: record.directoryIndex) }
      names.insert(name)
      if let old = stored[name] {
        let fields = old.fieldsDiffering(from: record, target: Array(batch.target(of: record)))
        guard !fields.isEmpty else { continue }
        try report(
          Change(
            kind: .modified, path: path, entryID: EntryID(rawValue: old.id),
            entryKind: record.kind, fields: fields, size: record.status.size, oldSize: old.size))
      } else {
        try report(
          Change(
            kind: .added, path: path, entryKind: record.kind, fields: [],
            size: record.status.size))
      }
    }
    guard section.isLast else {
      seen[section.directory] = names
      return
    }
    // Only a directory that was read to its end can have lost something.
    guard case .read = section.outcome else { return }
    for (name, old) in stored where !names.contains(name) {
      try reportRemoved(old, at: directory.pushing(FilePath(bytes: name)))
    }
  }

  private func reportRemoved(_ old: StoredEntry, at path: FilePath) throws {
    try report(
      Change(
        kind: .removed, path: path, entryID: EntryID(rawValue: old.id), entryKind: old.kind,
        fields: [], size: old.size, oldSize: old.size))
    guard old.kind == .directory else { return }
    for (name, child) in try StoredEntry.children(of: old.id, reader) {
      try reportRemoved(child, at: path.pushing(FilePath(bytes: name)))
    }
  }

  private func path(of section: DirectorySection, in batch: EntryBatch) -> FilePath {
    root.location.path.pushing(FilePath(bytes: batch.path(of: section)))
  }
}

/// The values of an entry that a comparison looks at.
struct StoredEntry {
  let id: Int64
  let kind: EntryKind
  let size: Int64?
  let status: FileStatus
  let target: [UInt8]

  static func children(of id: Int64, _ reader: RowReader) throws -> [[UInt8]: StoredEntry] {
    var entries: [[UInt8]: StoredEntry] = [:]
    let statement = SQLFragment(
      """
      SELECT e.name, e.id, e.kind, e.size, e.allocated, e.created, e.modified, e.changed, e.mode,
        e.uid, e.gid, e.inode, e.links, s.target
      FROM entries e LEFT JOIN symlinks s ON s.id = e.id WHERE e.parent_id = ?
      """, [.integer(id)])
    try reader.forEach(statement) { row in
      entries[Array(row.bytes(0))] = StoredEntry(row)
    }
    return entries
  }

  private init(_ row: RawRow) {
    id = row.integer(1)
    kind = EntryKind(rawValue: UInt8(truncatingIfNeeded: row.integer(2))) ?? .file
    size = row.optionalInteger(3)
    var status = FileStatus()
    status.size = row.integer(3)
    status.allocated = row.integer(4)
    status.created = row.optionalInteger(5) ?? FileStatus.unknownTime
    status.modified = row.optionalInteger(6) ?? FileStatus.unknownTime
    status.changed = row.optionalInteger(7) ?? FileStatus.unknownTime
    status.mode = UInt32(truncatingIfNeeded: row.integer(8))
    status.uid = UInt32(truncatingIfNeeded: row.integer(9))
    status.gid = UInt32(truncatingIfNeeded: row.integer(10))
    status.inode = UInt64(bitPattern: row.integer(11))
    status.links = UInt32(truncatingIfNeeded: row.integer(12))
    self.status = status
    target = Array(row.bytes(13))
  }

  /// The columns in which the disk differs. The time of the last reading is no difference, and of a
  /// directory nothing that only follows from its content.
  func fieldsDiffering(from record: EntryRecord, target: [UInt8]) -> [EntryColumn] {
    guard !record.traits.contains(.withoutStatus) else { return [] }
    let new = record.status
    var fields: [EntryColumn] = []
    func compare<Value: Equatable>(_ column: EntryColumn, _ a: Value, _ b: Value) {
      if a != b { fields.append(column) }
    }
    compare(.kind, kind, record.kind)
    compare(.created, status.created, new.created)
    compare(.mode, status.mode, new.mode)
    compare(.uid, status.uid, new.uid)
    compare(.gid, status.gid, new.gid)
    compare(.inode, status.inode, new.inode)
    if kind != .directory || record.kind != .directory {
      compare(.size, status.size, new.size)
      compare(.allocated, status.allocated, new.allocated)
      compare(.modified, status.modified, new.modified)
      compare(.changed, status.changed, new.changed)
      compare(.links, status.links, new.links)
      compare(.linkTarget, self.target, target)
    }
    return fields
  }
}
