public import FileSystem
package import SQLite

/// What tells an entry from every other on all file systems, and outlasts its name.
///
/// A file system gives the number of a deleted file to another one; the time of birth tells the two
/// apart.
package struct EntryIdentity: Hashable, Sendable {
  package let volume: Int64
  package let inode: UInt64
  package let created: Int64

  package init(volume: Int64, inode: UInt64, created: Int64) {
    self.volume = volume
    self.inode = inode
    self.created = created
  }
}

/// An entry as the catalog has it.
@usableFromInline
package struct StoredEntry: Sendable {
  package let id: Int64
  package let name: [UInt8]
  package let typeID: Int64
  /// The status is without the device, which is no value of its own.
  @usableFromInline package let values: EntryValues
  /// Of a symbolic link.
  package let target: [UInt8]
  /// Of a package.
  package let packagedFiles: Int64
  package let packageFingerprint: UInt64?
  package let firstSeen: Int64

  @inlinable package var kind: EntryKind { values.kind }
  @inlinable package var status: FileStatus { values.status }
  @inlinable package var volume: Int64 { values.volume }
  @inlinable package var traits: EntryRecord.Traits { values.traits }

  /// Bytes; `nil` when nothing is known but the name.
  package var size: Int64? { traits.contains(.withoutStatus) ? nil : status.size }

  package var modified: Int64? {
    status.modified == FileStatus.unknownTime ? nil : status.modified
  }

  package var identity: EntryIdentity {
    EntryIdentity(volume: volume, inode: status.inode, created: status.created)
  }

  /// Whether it is known what a package holds, or what a symbolic link says.
  package var isContentKnown: Bool {
    switch kind {
    case .package: packageFingerprint != nil
    case .symlink: !target.isEmpty
    default: true
    }
  }

  /// The record that a walk would make of the entry if nothing has changed.
  package var record: EntryRecord {
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

// MARK: - Reading

extension StoredEntry {
  /// The columns that ``init(from:)`` takes.
  private static let columns =
    (["id", "name", "type_id"] + EntryValues.columns + ["first_seen_scan"]).map { "e." + $0 }
    + ["s.exact_target", "p.files", "p.fingerprint"]

  private static let selection = """
    SELECT \(columns.joined(separator: ", "))
    FROM _entries e LEFT JOIN _symlinks s ON s.id = e.id LEFT JOIN _packages p ON p.id = e.id
    """

  private init(from row: Row) {
    var row = RowDecoder(row)
    id = row.id()
    name = Array(row.bytes())
    typeID = row.integer()
    values = EntryValues(from: &row)
    firstSeen = row.integer()
    target = Array(row.bytes())
    packagedFiles = row.count()
    packageFingerprint = row.optionalInteger().map { UInt64(bitPattern: $0) }
  }

  /// Calls `body` with every child of a directory.
  package static func forEachChild(
    of id: Int64, _ db: Connection, _ body: (StoredEntry) throws -> Void
  ) throws {
    try db.forEach(cached: SQL(selection + " WHERE e.parent_id = ?", [.integer(id)])) {
      try body(StoredEntry(from: $0))
    }
  }

  package static func child(_ name: [UInt8], of id: Int64, _ db: Connection) throws -> StoredEntry?
  {
    try db.first(
      cached: SQL(
        selection + " WHERE e.parent_id = ? AND e.name = ?", [.integer(id), .name(name)])
    ) { StoredEntry(from: $0) }
  }

  package static func entry(_ id: Int64, _ db: Connection) throws -> StoredEntry? {
    try db.first(cached: SQL(selection + " WHERE e.id = ?", [.integer(id)])) {
      StoredEntry(from: $0)
    }
  }
}
