import FileSystem

@testable import CatalogScan
@testable import CatalogStore

// Entries as a walk lists them and as a catalog has them, made without either.

extension EntryIdentity {
  init(_ inode: UInt64, volume: Int64 = 1, created: Int64 = 100) {
    self.init(volume: volume, inode: inode, created: created)
  }
}

extension EntryRecord {
  /// An entry as it is listed: a file of ten bytes, but for what `change` says.
  static func listed(
    _ kind: EntryKind = .file, inode: UInt64 = 7, _ change: (inout EntryRecord) -> Void = { _ in }
  ) -> EntryRecord {
    var record = EntryRecord()
    record.kind = kind
    record.status.inode = inode
    record.status.size = 10
    record.status.allocated = 4096
    record.status.created = 100
    record.status.modified = 200
    record.status.changed = 300
    record.status.accessed = 400
    record.status.mode = 0o644
    record.status.links = 1
    change(&record)
    return record
  }

  /// An entry whose name could be read and nothing else.
  static func unknown(_ kind: EntryKind = .file) -> EntryRecord {
    var record = EntryRecord()
    record.kind = kind
    record.traits = .withoutStatus
    return record
  }
}

extension StoredEntry {
  /// The row that a scan makes of an entry.
  init(
    _ record: EntryRecord, id: Int64 = 1, name: String = "a", volume: Int64 = 1,
    target: String = "", fingerprint: UInt64? = 0
  ) {
    self.init(
      id: id, name: Array(name.utf8), typeID: Int64(record.typeCode),
      values: EntryValues(record, volume: volume), target: Array(target.utf8),
      packagedFiles: record.packagedFiles,
      packageFingerprint: record.kind == .package ? fingerprint : nil, firstSeen: 1)
  }
}
