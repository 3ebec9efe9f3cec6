internal import FileSystem
internal import SQLite
internal import SystemPackage

/// What tells an entry from every other on all file systems, and outlasts its name.
///
/// A file system gives the number of a deleted file to another one; the time of birth tells the two
/// apart.
struct EntryIdentity: Hashable {
  let volume: Int64
  let inode: UInt64
  let created: Int64
}

/// An entry as the catalog has it.
struct StoredEntry {
  let id: Int64
  let name: [UInt8]
  let kind: EntryKind
  /// Without the device, which is no value of its own.
  let status: FileStatus
  let volume: Int64
  let traits: EntryRecord.Traits
  let typeID: Int64
  /// Of a symbolic link.
  let target: [UInt8]
  /// Of a package.
  let packagedFiles: Int64
  let packageFingerprint: UInt64?
  let firstSeen: Int64

  /// Bytes; `nil` when nothing is known but the name.
  var size: Int64? { traits.contains(.withoutStatus) ? nil : status.size }

  var modified: Int64? {
    status.modified == FileStatus.unknownTime ? nil : status.modified
  }

  var identity: EntryIdentity {
    EntryIdentity(volume: volume, inode: status.inode, created: status.created)
  }

  /// The columns that ``init(_:)`` takes.
  private static let columns = """
    SELECT e.id, e.name, e.kind, e.size, e.allocated, e.created, e.modified, e.changed, e.mode,
      e.uid, e.gid, e.inode, e.links, e.attributes, e.volume_id, e.traits, e.type_id, s.target,
      p.files, p.fingerprint, e.first_seen_scan
    FROM entries e LEFT JOIN symlinks s ON s.id = e.id LEFT JOIN packages p ON p.id = e.id
    """

  /// Calls `body` with every child of a directory.
  static func forEachChild(
    of id: Int64, _ db: Connection, _ body: (StoredEntry) throws -> Void
  ) throws {
    let children = SQL(columns + " WHERE e.parent_id = ?", [.integer(id)])
    try db.forEach(cached: children) { try body(StoredEntry($0)) }
  }

  static func children(of id: Int64, _ db: Connection) throws -> [[UInt8]: StoredEntry] {
    var entries: [[UInt8]: StoredEntry] = [:]
    try forEachChild(of: id, db) { entries[$0.name] = $0 }
    return entries
  }

  static func child(
    _ name: [UInt8], of id: Int64, _ db: Connection
  ) throws -> StoredEntry? {
    let statement = SQL(
      columns + " WHERE e.parent_id = ? AND e.name = ?", [.integer(id), .name(name)])
    return try db.first(cached: statement) { StoredEntry($0) }
  }

  static func entry(_ id: Int64, _ db: Connection) throws -> StoredEntry? {
    try db.first(cached: SQL(columns + " WHERE e.id = ?", [.integer(id)])) {
      StoredEntry($0)
    }
  }

  private init(_ row: Row) {
    id = row.integer(0)
    name = Array(row.bytes(1))
    kind = EntryKind(rawValue: UInt8(truncatingIfNeeded: row.integer(2))) ?? .file
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
    status.attributes = UInt32(truncatingIfNeeded: row.integer(13))
    self.status = status
    volume = row.integer(14)
    traits = EntryRecord.Traits(rawValue: UInt8(truncatingIfNeeded: row.integer(15)))
    typeID = row.integer(16)
    target = Array(row.bytes(17))
    packagedFiles = row.integer(18)
    packageFingerprint = row.optionalInteger(19).map { UInt64(bitPattern: $0) }
    firstSeen = row.integer(20)
  }

  /// The record that the walk would make of an entry without changes.
  var record: EntryRecord {
    var record = EntryRecord()
    record.status = status
    record.kind = kind
    record.traits = traits
    record.typeCode = Int32(truncatingIfNeeded: typeID)
    record.packagedFiles = packagedFiles
    record.packageFingerprint = packageFingerprint ?? 0
    return record
  }
}

// MARK: - Differences

extension StoredEntry {
  /// What an entry has become.
  struct Difference {
    /// The columns that differ.
    var fields: [EntryColumn] = []
    /// A package whose sums are the same, but not its content.
    var isPackageContent = false
    /// The row has to be written, even where nobody would call it a change.
    var isStored = false

    var isEmpty: Bool { fields.isEmpty && !isPackageContent }
  }

  /// In what the disk differs. The time of the last reading is no difference.
  ///
  /// - Parameter volume: the catalog's number of the file system that the entry is on now.
  func difference(
    from record: EntryRecord, target: [UInt8], volume: Int64
  ) -> Difference {
    var difference = Difference()
    // The values could not be read: what was known stays.
    guard !record.traits.contains(.withoutStatus) else { return difference }
    let new = record.status
    // Of an entry without values, whatever is known now differs.
    let isUnknown = traits.contains(.withoutStatus)
    func compare<Value: Equatable>(_ column: EntryColumn, _ a: Value, _ b: Value) {
      if isUnknown || a != b { difference.fields.append(column) }
    }
    if kind != record.kind {
      difference.fields.append(.kind)
      if typeID != Int64(record.typeCode) { difference.fields.append(.type) }
      if (kind == .package) != (record.kind == .package) { difference.fields.append(.isPackage) }
    }
    compare(.size, status.size, new.size)
    compare(.allocated, status.allocated, new.allocated)
    // Times may be unknown by themselves.
    if status.created != new.created { difference.fields.append(.created) }
    if status.modified != new.modified { difference.fields.append(.modified) }
    if status.changed != new.changed { difference.fields.append(.changed) }
    compare(.mode, status.mode, new.mode)
    compare(.uid, status.uid, new.uid)
    compare(.gid, status.gid, new.gid)
    compare(.inode, status.inode, new.inode)
    compare(.device, self.volume, volume)
    compare(.links, status.links, new.links)
    compare(.flags, status.attributes, new.attributes)
    if self.target != target { difference.fields.append(.linkTarget) }
    if kind == .package, record.kind == .package, let packageFingerprint {
      difference.isPackageContent =
        packageFingerprint != record.packageFingerprint || packagedFiles != record.packagedFiles
    }
    difference.isStored =
      !difference.isEmpty || traits != record.traits.intersection(.stored)
      || kind == .package && packageFingerprint != record.packageFingerprint
    return difference
  }
}

extension [EntryColumn] {
  /// What changes of a directory when something is added to it or removed from it.
  private static let ofContent: Set<EntryColumn> = [
    .size, .allocated, .modified, .changed, .links,
  ]

  /// Whether the columns differ only because the content of a directory changed.
  var areContentOnly: Bool { allSatisfy { Self.ofContent.contains($0) } }
}
