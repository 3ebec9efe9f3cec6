internal import FileSystem
internal import GRDBSQLite
internal import SystemPackage

/// Writes the entries of one scan, row by row on SQLite's own interface: the only place that does.
///
/// It runs inside a transaction of its caller and expects that the root has no rows.
struct CatalogWriter {
  private let connection: OpaquePointer
  private let scanID: Int64
  private let rootID: Int64
  private let rootPath: [UInt8]

  private let insertEntry: RawStatement
  private let insertFolder: RawStatement
  private let insertTotals: RawStatement
  private let insertSymlink: RawStatement
  private let insertPackage: RawStatement
  private let insertValue: RawStatement
  private var owners: OwnerNames
  private var volumes: VolumeNumbers

  private var nextID: Int64
  private(set) var totals = FolderTotals()
  private(set) var entryCount = 0
  private var pathBuffer: [UInt8] = []

  init(
    on connection: OpaquePointer, scanID: Int64, rootID: Int64, rootPath: FilePath
  ) throws(SQLiteFailure) {
    self.connection = connection
    self.scanID = scanID
    self.rootID = rootID
    self.rootPath = rootPath.bytes
    insertEntry = try RawStatement(
      """
      INSERT INTO entries (id, parent_id, name, kind, type_id, size, allocated, created, modified,
        changed, accessed, mode, uid, gid, inode, links, volume_id, attributes, traits,
        first_seen_scan, last_changed_scan)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, on: connection)
    insertFolder = try RawStatement(
      "INSERT INTO folders (id, root_id, path, depth) VALUES (?, ?, ?, ?)", on: connection)
    insertTotals = try RawStatement(
      """
      INSERT INTO folder_totals (id, state, error, files, directories, size, allocated,
        total_files, total_directories, total_size, total_allocated, newest_modified)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, on: connection)
    insertSymlink = try RawStatement(
      "INSERT INTO symlinks (id, target) VALUES (?, ?)", on: connection)
    insertPackage = try RawStatement(
      "INSERT INTO packages (id, files) VALUES (?, ?)", on: connection)
    insertValue = try RawStatement(
      "INSERT OR REPLACE INTO entry_values (entry_id, key, value) VALUES (?, ?, ?)",
      on: connection)
    owners = try OwnerNames(on: connection)
    volumes = try VolumeNumbers(on: connection)
    let highest = try RawStatement("SELECT ifnull(max(id), 0) FROM entries", on: connection)
    nextID = try highest.step() ? highest.integer(at: 0) + 1 : 1
    insertEntry.bind(scanID, at: 20)
    insertEntry.bind(scanID, at: 21)
  }

  // MARK: - Rows

  /// Writes the root's own row and returns its id.
  mutating func writeRoot(
    _ status: FileStatus, volume: VolumeIdentity, typeID: Int32
  ) throws(SQLiteFailure) -> Int64 {
    try volumes.register(device: status.device, identity: volume)
    var record = EntryRecord()
    record.status = status
    record.kind = .directory
    record.typeCode = typeID
    let id = nextID
    nextID += 1
    insertEntry.bindNull(at: 2)
    let name = rootPath.split(separator: UInt8(ascii: "/")).last.map { Array($0) } ?? rootPath
    try name.withUnsafeBufferPointer { name throws(SQLiteFailure) in
      try writeEntry(record, id: id, name: name)
    }
    try writeFolder(id: id, path: rootPath, depth: 0)
    totals.add(index: 0, id: id, parent: -1, depth: 0, ownBlocks: status.allocated)
    entryCount += 1
    return id
  }

  /// Writes everything in a batch.
  mutating func write(_ batch: EntryBatch) throws(SQLiteFailure) {
    for volume in batch.volumes {
      try volumes.register(device: volume.device, identity: volume.identity)
    }
    let firstID = nextID
    for section in batch.sections {
      let parentID = totals.id(of: section.directory)
      insertEntry.bind(parentID, at: 2)
      for i in section.records {
        let record = batch.records + i
        let id = nextID
        nextID += 1
        try writeEntry(record.pointee, id: id, name: batch.name(of: record.pointee))
        switch record.pointee.kind {
        case .directory:
          try writeDirectory(record.pointee, id: id, of: section, in: batch)
        case .symlink:
          insertSymlink.bind(id, at: 1)
          insertSymlink.bindName(batch.target(of: record.pointee), at: 2)
          try insertSymlink.run()
        case .package:
          insertPackage.bind(id, at: 1)
          insertPackage.bind(record.pointee.packagedFiles, at: 2)
          try insertPackage.run()
        default:
          if record.pointee.status.links > 1 {
            totals.addLink(record.pointee.status, in: section.directory)
          }
        }
      }
      entryCount += section.records.count
      totals.add(section)
    }
    // Sections follow each other without a gap, so a record's position gives its id.
    for (record, key, value) in batch.values {
      insertValue.bind(firstID + Int64(record), at: 1)
      insertValue.bind(key, at: 2)
      insertValue.bind(value, at: 3)
      try insertValue.run()
    }
  }

  @inline(__always)
  private mutating func writeEntry(
    _ record: EntryRecord, id: Int64, name: UnsafeBufferPointer<UInt8>
  ) throws(SQLiteFailure) {
    insertEntry.bind(id, at: 1)
    insertEntry.bindName(name, at: 3)
    insertEntry.bind(Int64(record.kind.rawValue), at: 4)
    insertEntry.bind(Int64(record.typeCode), at: 5)
    insertEntry.bind(Int64(record.traits.rawValue), at: 19)
    let status = record.status
    if record.traits.contains(.withoutStatus) {
      for index in Int32(6)...18 { insertEntry.bindNull(at: index) }
    } else {
      insertEntry.bind(status.size, at: 6)
      insertEntry.bind(status.allocated, at: 7)
      bindTime(status.created, at: 8)
      bindTime(status.modified, at: 9)
      bindTime(status.changed, at: 10)
      bindTime(status.accessed, at: 11)
      insertEntry.bind(Int64(status.mode), at: 12)
      insertEntry.bind(Int64(status.uid), at: 13)
      insertEntry.bind(Int64(status.gid), at: 14)
      insertEntry.bind(Int64(bitPattern: status.inode), at: 15)
      insertEntry.bind(Int64(status.links), at: 16)
      insertEntry.bind(try volumes.number(of: status.device), at: 17)
      insertEntry.bind(Int64(status.attributes), at: 18)
      try owners.note(uid: status.uid, gid: status.gid)
    }
    try insertEntry.run()
  }

  @inline(__always)
  private func bindTime(_ time: Int64, at index: Int32) {
    if time == FileStatus.unknownTime {
      insertEntry.bindNull(at: index)
    } else {
      insertEntry.bind(time, at: index)
    }
  }

  private mutating func writeDirectory(
    _ record: EntryRecord, id: Int64, of section: DirectorySection, in batch: EntryBatch
  ) throws(SQLiteFailure) {
    pathBuffer.removeAll(keepingCapacity: true)
    pathBuffer.append(contentsOf: rootPath)
    let directory = batch.path(of: section)
    if !directory.isEmpty {
      if rootPath.last != UInt8(ascii: "/") { pathBuffer.append(UInt8(ascii: "/")) }
      pathBuffer.append(contentsOf: directory)
    }
    if pathBuffer.last != UInt8(ascii: "/") { pathBuffer.append(UInt8(ascii: "/")) }
    pathBuffer.append(contentsOf: batch.name(of: record))
    try writeFolder(id: id, path: pathBuffer, depth: section.depth + 1)
    totals.add(
      index: record.directoryIndex, id: id, parent: section.directory, depth: section.depth + 1,
      ownBlocks: record.status.allocated)
  }

  private func writeFolder(id: Int64, path: [UInt8], depth: Int32) throws(SQLiteFailure) {
    insertFolder.bind(id, at: 1)
    insertFolder.bind(rootID, at: 2)
    insertFolder.bind(Int64(depth), at: 4)
    try path.withUnsafeBufferPointer { path throws(SQLiteFailure) in
      insertFolder.bindName(path, at: 3)
      try insertFolder.run()
    }
  }

  // MARK: - The end

  /// Sums up and writes the totals of all directories.
  mutating func finish() throws(SQLiteFailure) {
    totals.sumUp()
    for index in totals.order {
      let folder = totals.folders[Int(index)]
      insertTotals.bind(folder.id, at: 1)
      insertTotals.bind(folder.state.rawValue, at: 2)
      if let error = folder.error {
        insertTotals.bind(error.description, at: 3)
      } else {
        insertTotals.bindNull(at: 3)
      }
      insertTotals.bind(folder.own.files, at: 4)
      insertTotals.bind(folder.own.directories, at: 5)
      insertTotals.bind(folder.own.size, at: 6)
      insertTotals.bind(folder.own.allocated, at: 7)
      insertTotals.bind(folder.total.files, at: 8)
      insertTotals.bind(folder.total.directories, at: 9)
      insertTotals.bind(folder.total.size, at: 10)
      insertTotals.bind(folder.total.allocated, at: 11)
      if folder.total.newestModified == FileStatus.unknownTime {
        insertTotals.bindNull(at: 12)
      } else {
        insertTotals.bind(folder.total.newestModified, at: 12)
      }
      try insertTotals.run()
    }
  }
}
