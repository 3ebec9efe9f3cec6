internal import FileSystem
internal import SQLite

/// Changes rows of entries that a catalog has, with prepared statements.
///
/// It runs inside a transaction of its caller. Ids belong to identities: a row keeps its id wherever
/// the entry goes.
struct EntryRows {
  private let updateValues: Statement
  private let updateType: Statement
  private let updateTraits: Statement
  private let relocate: Statement
  private let replaceFolder: Statement
  private let moveFolder: Statement
  private let moveFolderAlong: Statement
  private let updateTarget: Statement
  private let updatePackage: Statement
  private let deletions: [Statement]
  private let folderDeletions: [Statement]
  private let deleteLinks: Statement
  private let deleteValues: Statement
  private let renumberings: [Statement]
  private let updateFirstSeen: Statement
  private let deleteTarget: Statement
  private let deletePackage: Statement
  private let assets: AssetRows

  init(on db: Connection, scanID: Int64) throws(SQLiteError) {
    func prepare(_ sql: String) throws(SQLiteError) -> Statement {
      try db.prepare(sql)
    }
    updateValues = try prepare(
      """
      UPDATE entries SET kind = ?2, size = ?3, allocated = ?4, created = ?5, modified = ?6,
        changed = ?7, accessed = ?8, mode = ?9, uid = ?10, gid = ?11, inode = ?12, links = ?13,
        volume_id = ?14, attributes = ?15, traits = ?16, last_changed_scan = ?17
      WHERE id = ?1
      """)
    updateValues.bind(scanID, at: 17)
    updateType = try prepare("UPDATE entries SET type_id = ?2 WHERE id = ?1")
    updateTraits = try prepare("UPDATE entries SET traits = ?2 WHERE id = ?1")
    relocate = try prepare(
      """
      UPDATE entries SET parent_id = ?2, name = ?3, last_changed_scan = ?4, asset_key = ?5
      WHERE id = ?1
      """)
    relocate.bind(scanID, at: 4)
    replaceFolder = try prepare("UPDATE folders SET parent_id = ?2, inode = ?3 WHERE id = ?1")
    moveFolder = try prepare(
      """
      UPDATE folders SET path = ?2, depth = ?3, parent_id = ?4, inode = ?5, place_id = ?6
      WHERE id = ?1
      """)
    moveFolderAlong = try prepare(
      """
      UPDATE folders SET path = ?2 || substr(path, ?3), depth = depth + ?4
      WHERE id = ?1 AND typeof(path) = 'text'
      """)
    updateTarget = try prepare(
      """
      INSERT INTO symlinks (id, target) VALUES (?1, ?2)
      ON CONFLICT (id) DO UPDATE SET target = excluded.target
      """)
    updatePackage = try prepare(
      """
      INSERT INTO packages (id, files, fingerprint) VALUES (?1, ?2, ?3)
      ON CONFLICT (id) DO UPDATE SET files = excluded.files, fingerprint = excluded.fingerprint
      """)
    var deletions: [Statement] = []
    for (table, key) in Self.tables {
      deletions.append(try prepare("DELETE FROM \(table) WHERE \(key) = ?1"))
    }
    self.deletions = deletions
    folderDeletions = [
      try prepare("DELETE FROM folders WHERE id = ?1"),
      try prepare("DELETE FROM folder_totals WHERE id = ?1"),
    ]
    deleteTarget = try prepare("DELETE FROM symlinks WHERE id = ?1")
    deletePackage = try prepare("DELETE FROM packages WHERE id = ?1")
    deleteLinks = try prepare("DELETE FROM packaged_links WHERE package_id = ?1")
    deleteValues = try prepare("DELETE FROM entry_values WHERE entry_id = ?1")
    var renumberings: [Statement] = []
    for (table, key) in Self.tables {
      renumberings.append(try prepare("UPDATE \(table) SET \(key) = ?2 WHERE \(key) = ?1"))
    }
    self.renumberings = renumberings
    assets = try AssetRows(on: db)
    updateFirstSeen = try prepare("UPDATE entries SET first_seen_scan = ?2 WHERE id = ?1")
  }

  /// Where rows of an entry stand, directories aside.
  private static let tables = [
    ("entries", "id"), ("symlinks", "id"), ("packages", "id"), ("packaged_links", "package_id"),
    ("entry_values", "entry_id"), ("assets", "id"), ("cache_tags", "id"),
  ]

  // MARK: - Values

  func update(_ id: Int64, _ record: EntryRecord, volume: Int64) throws {
    let status = record.status
    updateValues.bind(id, at: 1)
    updateValues.bind(Int64(record.kind.rawValue), at: 2)
    updateValues.bind(status.size, at: 3)
    updateValues.bind(status.allocated, at: 4)
    updateValues.bindTime(status.created, at: 5)
    updateValues.bindTime(status.modified, at: 6)
    updateValues.bindTime(status.changed, at: 7)
    updateValues.bindTime(status.accessed, at: 8)
    updateValues.bind(Int64(status.mode), at: 9)
    updateValues.bind(Int64(status.uid), at: 10)
    updateValues.bind(Int64(status.gid), at: 11)
    updateValues.bind(Int64(bitPattern: status.inode), at: 12)
    updateValues.bind(Int64(status.links), at: 13)
    updateValues.bind(volume, at: 14)
    updateValues.bind(Int64(status.attributes), at: 15)
    updateValues.bind(Int64(record.traits.intersection(.stored).rawValue), at: 16)
    try updateValues.run()
  }

  func setType(_ type: Int32, of id: Int64) throws {
    updateType.bind(id, at: 1)
    updateType.bind(Int64(type), at: 2)
    try updateType.run()
  }

  /// Notes what is known of an entry beside its values: that is no change of the entry.
  func setTraits(_ traits: EntryRecord.Traits, of id: Int64) throws {
    updateTraits.bind(id, at: 1)
    updateTraits.bind(Int64(traits.intersection(.stored).rawValue), at: 2)
    try updateTraits.run()
  }

  func setTarget(_ target: UnsafeBufferPointer<UInt8>, of id: Int64) throws {
    updateTarget.bind(id, at: 1)
    updateTarget.bindName(target, at: 2)
    try updateTarget.run()
  }

  /// Notes what a package holds; the files in it that have several names are to be added again.
  func setPackage(_ record: EntryRecord, of id: Int64) throws {
    updatePackage.bind(id, at: 1)
    updatePackage.bind(record.packagedFiles, at: 2)
    updatePackage.bind(Int64(bitPattern: record.packageFingerprint), at: 3)
    try updatePackage.run()
    deleteLinks.bind(id, at: 1)
    try deleteLinks.run()
  }

  func removeTarget(of id: Int64) throws {
    deleteTarget.bind(id, at: 1)
    try deleteTarget.run()
  }

  func removePackage(_ id: Int64) throws {
    deletePackage.bind(id, at: 1)
    try deletePackage.run()
    deleteLinks.bind(id, at: 1)
    try deleteLinks.run()
  }

  func removeValues(of id: Int64) throws {
    deleteValues.bind(id, at: 1)
    try deleteValues.run()
  }

  // MARK: - Places

  func move(_ id: Int64, to parent: Int64, name: UnsafeBufferPointer<UInt8>) throws {
    relocate.bind(id, at: 1)
    relocate.bind(parent, at: 2)
    relocate.bindName(name, at: 3)
    let facts = AssetFacts(name, isText: UTF8Validity.isValid(name))
    relocate.bind(facts.key, at: 5)
    try relocate.run()
    try assets.replace(id, name, facts)
  }

  /// Takes an entry's name away so that another entry can have it. The row is removed or moved
  /// before the scan ends. No file can have this name: it holds a NUL and a slash.
  func park(_ id: Int64, in parent: Int64) throws {
    try (Array("\0/".utf8) + Array(String(id).utf8)).withUnsafeBufferPointer {
      try move(id, to: parent, name: $0)
    }
  }

  /// Writes which directory there is now in the place of another.
  func replaceFolder(_ id: Int64, in parent: Int64?, inode: UInt64) throws {
    replaceFolder.bind(id, at: 1)
    replaceFolder.bind(parent, at: 2)
    replaceFolder.bind(Int64(bitPattern: inode), at: 3)
    try replaceFolder.run()
  }

  /// Writes where a directory is now.
  func moveFolder(_ folder: FolderRow, path: UnsafeBufferPointer<UInt8>) throws {
    moveFolder.bind(folder.id, at: 1)
    moveFolder.bindName(path, at: 2)
    moveFolder.bind(Int64(folder.depth), at: 3)
    moveFolder.bind(folder.parent, at: 4)
    moveFolder.bind(Int64(bitPattern: folder.inode), at: 5)
    moveFolder.bind(folder.place, at: 6)
    try moveFolder.run()
  }

  /// Says with which directory those of ``moveFolderAlong(_:)`` went.
  func beginMove(_ move: FolderMove) {
    moveFolderAlong.bind(String(decoding: move.path, as: UTF8.self), at: 2)
    moveFolderAlong.bind(move.oldCharacters + 1, at: 3)
    moveFolderAlong.bind(Int64(move.descent), at: 4)
  }

  /// Writes where a directory is now that went along with one above it. The beginning of its path is
  /// exchanged where it stands: it need not be read for that. The place among the containers stays.
  ///
  /// - Returns: whether that was possible. A path that is no text has no characters to go by.
  func moveFolderAlong(_ id: Int64) throws -> Bool {
    moveFolderAlong.bind(id, at: 1)
    try moveFolderAlong.run()
    return moveFolderAlong.changedRows > 0
  }

  // MARK: - Ids

  /// Removes an entry that is no directory.
  func remove(_ id: Int64) throws {
    for statement in deletions {
      statement.bind(id, at: 1)
      try statement.run()
    }
  }

  /// Removes what only directories have. What it holds has to be removed by itself.
  func removeFolder(_ id: Int64) throws {
    for statement in folderDeletions {
      statement.bind(id, at: 1)
      try statement.run()
    }
  }

  /// Gives an entry that is no directory another id, which nothing may have.
  func renumber(_ id: Int64, to other: Int64) throws {
    for statement in renumberings {
      statement.bind(id, at: 1)
      statement.bind(other, at: 2)
      try statement.run()
    }
  }

  func setFirstSeen(_ scan: Int64, of id: Int64) throws {
    updateFirstSeen.bind(id, at: 1)
    updateFirstSeen.bind(scan, at: 2)
    try updateFirstSeen.run()
  }
}
