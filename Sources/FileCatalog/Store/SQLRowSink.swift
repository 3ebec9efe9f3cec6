internal import FileSystem
internal import SQLite
internal import SystemPackage

/// Writes rows with prepared statements on SQLite's own interface.
///
/// It runs inside a transaction of its caller.
struct SQLRowSink: RowSink {
  private let rootID: Int64
  private let insertEntry: Statement
  private let insertFolder: Statement
  private let insertTotals: Statement
  private let insertSymlink: Statement
  private let insertPackage: Statement
  private let insertPackagedLink: Statement
  private let insertValue: Statement
  private let assets: AssetRows

  init(on db: Connection, scanID: Int64, rootID: Int64) throws(SQLiteError) {
    self.rootID = rootID
    insertEntry = try db.prepare(
      """
      INSERT INTO entries (id, parent_id, name, kind, type_id, size, allocated, created, modified,
        changed, accessed, mode, uid, gid, inode, links, volume_id, attributes, traits,
        first_seen_scan, last_changed_scan, asset_key)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
    insertFolder = try db.prepare(
      """
      INSERT INTO folders (id, root_id, path, depth, parent_id, inode, place_id)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """)
    insertTotals = try db.prepare(
      """
      INSERT INTO folder_totals (id, state, error, files, directories, size, allocated,
        total_files, total_directories, total_size, total_allocated, newest_modified,
        own_newest, fingerprint_high, fingerprint_low)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET state = excluded.state, error = excluded.error,
        files = excluded.files, directories = excluded.directories, size = excluded.size,
        allocated = excluded.allocated, total_files = excluded.total_files,
        total_directories = excluded.total_directories, total_size = excluded.total_size,
        total_allocated = excluded.total_allocated, newest_modified = excluded.newest_modified,
        own_newest = excluded.own_newest, fingerprint_high = excluded.fingerprint_high,
        fingerprint_low = excluded.fingerprint_low
      """)
    insertSymlink = try db.prepare("INSERT INTO symlinks (id, target) VALUES (?, ?)")
    insertPackage = try db.prepare("INSERT INTO packages (id, files, fingerprint) VALUES (?, ?, ?)")
    insertPackagedLink = try db.prepare(
      """
      INSERT INTO packaged_links (package_id, volume_id, inode, allocated) VALUES (?, ?, ?, ?)
      """)
    insertValue = try db.prepare(
      "INSERT OR REPLACE INTO entry_values (entry_id, key, value) VALUES (?, ?, ?)")
    assets = try AssetRows(on: db)
    insertEntry.bind(scanID, at: 20)
    insertEntry.bind(scanID, at: 21)
  }

  @inline(__always)
  func writeEntry(
    id: Int64, parent: Int64?, name: UnsafeBufferPointer<UInt8>, _ record: borrowing EntryRecord,
    volume: Int64
  ) throws {
    insertEntry.bind(id, at: 1)
    if let parent {
      insertEntry.bind(parent, at: 2)
    } else {
      insertEntry.bindNull(at: 2)
    }
    insertEntry.bindName(name, at: 3)
    insertEntry.bind(Int64(record.kind.rawValue), at: 4)
    insertEntry.bind(Int64(record.typeCode), at: 5)
    insertEntry.bind(Int64(record.traits.rawValue), at: 19)
    if record.traits.contains(.withoutStatus) {
      for index in Int32(6)...18 { insertEntry.bindNull(at: index) }
    } else {
      insertEntry.bind(record.status.size, at: 6)
      insertEntry.bind(record.status.allocated, at: 7)
      insertEntry.bindTime(record.status.created, at: 8)
      insertEntry.bindTime(record.status.modified, at: 9)
      insertEntry.bindTime(record.status.changed, at: 10)
      insertEntry.bindTime(record.status.accessed, at: 11)
      insertEntry.bind(Int64(record.status.mode), at: 12)
      insertEntry.bind(Int64(record.status.uid), at: 13)
      insertEntry.bind(Int64(record.status.gid), at: 14)
      insertEntry.bind(Int64(bitPattern: record.status.inode), at: 15)
      insertEntry.bind(Int64(record.status.links), at: 16)
      insertEntry.bind(volume, at: 17)
      insertEntry.bind(Int64(record.status.attributes), at: 18)
    }
    let facts = AssetFacts(name, isText: UTF8Validity.isValid(name))
    insertEntry.bind(facts.key, at: 22)
    try insertEntry.run()
    try assets.add(id, name, facts)
  }

  func writeFolder(_ folder: FolderRow, path: UnsafeBufferPointer<UInt8>) throws {
    insertFolder.bind(folder.id, at: 1)
    insertFolder.bind(rootID, at: 2)
    insertFolder.bindName(path, at: 3)
    insertFolder.bind(Int64(folder.depth), at: 4)
    insertFolder.bind(folder.parent, at: 5)
    insertFolder.bind(Int64(bitPattern: folder.inode), at: 6)
    insertFolder.bind(folder.place, at: 7)
    try insertFolder.run()
  }

  func writeTotals(_ folder: FolderTotals.Folder, error: String?) throws {
    insertTotals.bind(folder.id, at: 1)
    insertTotals.bind(folder.state.rawValue, at: 2)
    if let error {
      insertTotals.bind(error, at: 3)
    } else {
      insertTotals.bindNull(at: 3)
    }
    for (value, index) in zip(folder.sums, Int32(4)...) { insertTotals.bind(value, at: index) }
    insertTotals.bindTime(folder.total.newestModified, at: 12)
    insertTotals.bindTime(folder.own.newestModified, at: 13)
    let fingerprint = folder.provenFingerprint
    insertTotals.bind(fingerprint.map { Int64(bitPattern: $0.high) }, at: 14)
    insertTotals.bind(fingerprint.map { Int64(bitPattern: $0.low) }, at: 15)
    try insertTotals.run()
  }

  func writeSymlink(id: Int64, target: UnsafeBufferPointer<UInt8>) throws {
    insertSymlink.bind(id, at: 1)
    insertSymlink.bindName(target, at: 2)
    try insertSymlink.run()
  }

  func writePackage(id: Int64, _ record: borrowing EntryRecord) throws {
    insertPackage.bind(id, at: 1)
    insertPackage.bind(record.packagedFiles, at: 2)
    insertPackage.bind(Int64(bitPattern: record.packageFingerprint), at: 3)
    try insertPackage.run()
  }

  func writePackagedLink(package: Int64, _ file: LinkedFile, volume: Int64) throws {
    insertPackagedLink.bind(package, at: 1)
    insertPackagedLink.bind(volume, at: 2)
    insertPackagedLink.bind(Int64(bitPattern: file.inode), at: 3)
    insertPackagedLink.bind(file.allocated, at: 4)
    try insertPackagedLink.run()
  }

  func writeValue(id: Int64, key: String, _ value: ResourceValue) throws {
    insertValue.bind(id, at: 1)
    insertValue.bind(key, at: 2)
    insertValue.bind(value.binding, at: 3)
    try insertValue.run()
  }
}
