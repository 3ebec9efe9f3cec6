internal import FileSystem
internal import SQLite
internal import SystemPackage
internal import UniformTypes

/// Compares a root with the disk, directory by directory, without changing anything.
struct DiskComparison {
  private let db: Connection
  private let root: RootRecord
  private let report: (Change) throws -> Void

  /// The entries that the catalog has, by the number of their directory within the walk; `nil` for
  /// directories that are new.
  private var ids: [Int64?] = []
  /// The names met so far of directories that come in several pieces.
  private var seen: [Int32: Set<[UInt8]>] = [:]

  init(
    of root: RootRecord, in db: Connection, report: @escaping (Change) throws -> Void
  ) throws {
    self.db = db
    self.root = root
    self.report = report
  }

  /// Walks the root and reports every difference.
  ///
  /// - Returns: what could not be read.
  mutating func run(_ walker: TreeWalker, control: ScanControl) throws -> [FileError] {
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
    guard let id = root.entryID, let old = try StoredEntry.entry(id, db) else { return }
    var record = EntryRecord()
    record.status = status
    record.kind = .directory
    record.traits = old.traits
    try reportDifference(of: old, from: record, target: [], at: root.location.path)
  }

  private func reportDifference(
    of old: StoredEntry, from record: EntryRecord, target: [UInt8], at path: FilePath
  ) throws {
    let difference = old.difference(from: record, target: target, volume: old.volume)
    // Of a directory, nothing that only follows from its content.
    let isContent = record.kind == .directory && difference.fields.areContentOnly
    guard !difference.isEmpty, !isContent else { return }
    try report(
      Change(
        kind: .modified, path: path, entryID: EntryID(rawValue: old.id),
        entryKind: record.kind, fields: difference.fields, size: record.status.size,
        oldSize: old.size))
  }

  private mutating func compare(_ section: DirectorySection, in batch: EntryBatch) throws {
    let directory = path(of: section, in: batch)
    let id = ids[Int(section.directory)]
    let stored = try id.map { try StoredEntry.children(of: $0, db) } ?? [:]
    var names = seen.removeValue(forKey: section.directory) ?? []
    for i in section.records {
      let record = batch.records[i]
      let name = Array(batch.name(of: record))
      let path = directory.pushing(FilePath(bytes: name))
      names.insert(name)
      // A directory and another entry of one name are two entries.
      let old = stored[name].flatMap { old in
        (old.kind == .directory) == (record.kind == .directory) ? old : nil
      }
      if record.kind == .directory { setID(old?.id, of: record.directoryIndex) }
      if let old {
        try reportDifference(
          of: old, from: record, target: Array(batch.target(of: record)), at: path)
      } else {
        if let other = stored[name] { try reportRemoved(other, at: path) }
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
    for (name, child) in try StoredEntry.children(of: old.id, db) {
      try reportRemoved(child, at: path.pushing(FilePath(bytes: name)))
    }
  }

  private func path(of section: DirectorySection, in batch: EntryBatch) -> FilePath {
    root.location.path.pushing(FilePath(bytes: batch.path(of: section)))
  }
}
