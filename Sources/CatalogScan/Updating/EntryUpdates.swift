internal import CatalogStore
internal import FileSystem
internal import SQLite

/// Changes rows of entries that a catalog has, with prepared statements.
///
/// It runs inside a transaction of its caller. Ids belong to identities: a row keeps its id wherever
/// the entry goes.
struct EntryUpdates {
  private let scanID: Int64
  private let updateValues: Statement
  private let updateType: Statement
  private let updateTraits: Statement
  private let relocate: Statement
  private let replaceDirectory: Statement
  private let moveDirectory: Statement
  private let moveDirectoryAlong: Statement
  private let updateTarget: Insertion<SymlinkRow>
  private let updatePackage: Insertion<PackageRow>
  private let insertAsset: Insertion<AssetRow>
  private let insertOddName: Insertion<OddNameRow>
  private let deletions: [Statement]
  private let deleteKeptValues: Statement
  private let directoryDeletions: [Statement]
  private let deleteLinks: Statement
  private let deleteValues: Statement
  private let deleteTarget: Statement
  private let deletePackage: Statement
  private let deleteAsset: Statement
  private let deleteOddName: Statement
  private let renumberings: [Statement]
  private let updateFirstSeen: Statement

  /// - Parameter kept: the values of entries that stay as they are, whatever happens to their rows.
  init(on db: Connection, scanID: Int64, keeping kept: KeptValues) throws(SQLiteError) {
    self.scanID = scanID
    let entries = EntryRow.table
    updateValues = try db.prepare(entries.update(EntryValues.columns + ["last_changed_scan"]))
    updateType = try db.prepare(entries.update(["type_id"]))
    let broken = EntryRecord.Traits.broken.rawValue
    updateTraits = try db.prepare(
      """
      UPDATE _entries SET traits = ?1,
        last_changed_scan = CASE WHEN (traits & \(broken)) = (?1 & \(broken))
          THEN last_changed_scan ELSE \(scanID) END
      WHERE id = ?2
      """)
    relocate = try db.prepare(
      entries.update(["parent_id", "last_changed_scan"] + NameFacts.columns))
    updateFirstSeen = try db.prepare(entries.update(["first_seen_scan"]))
    replaceDirectory = try db.prepare(DirectoryRow.table.update(["parent_id", "inode"]))
    moveDirectory = try db.prepare(
      DirectoryRow.table.update(Array(DirectoryRow.table.columns.dropFirst())))
    moveDirectoryAlong = try db.prepare(
      """
      UPDATE \(DirectoryRow.table.name) SET path = ?2 || substr(path, ?3), depth = depth + ?4
      WHERE id = ?1 AND path_bytes IS NULL AND typeof(path) = 'text'
      """)
    updateTarget = try Insertion(on: db, .replaced)
    updatePackage = try Insertion(on: db, .replaced)
    insertAsset = try Insertion(on: db)
    insertOddName = try Insertion(on: db)
    deleteTarget = try db.prepare(SymlinkRow.table.deletion)
    deletePackage = try db.prepare(PackageRow.table.deletion)
    deleteAsset = try db.prepare(AssetRow.table.deletion)
    deleteOddName = try db.prepare(OddNameRow.table.deletion)
    deleteLinks = try db.prepare("DELETE FROM _packaged_links WHERE package_id = ?")
    deleteValues = try db.prepare(
      "DELETE FROM _entry_values WHERE entry_id = ? AND NOT \(kept.condition)")
    deleteKeptValues = try db.prepare(
      "DELETE FROM _entry_values WHERE entry_id = ? AND \(kept.condition)")
    directoryDeletions = [
      try db.prepare(DirectoryRow.table.deletion), try db.prepare(TotalsRow.table.deletion),
    ]
    deletions = try Self.tables.map { table, key throws(SQLiteError) in
      try db.prepare("DELETE FROM \(table) WHERE \(key) = ?")
    }
    renumberings =
      try Self.tables.map { table, key throws(SQLiteError) in
        try db.prepare("UPDATE \(table) SET \(key) = ?2 WHERE \(key) = ?1")
      } + [
        try db.prepare(
          """
          UPDATE _entry_values SET entry_id = ?2 WHERE entry_id = ?1 AND NOT \(kept.condition)
          """)
      ]
  }

  /// Where rows of an entry stand, directories and values aside.
  static let tables = [
    ("_entries", "id"), ("_symlinks", "id"), ("_packages", "id"), ("_packaged_links", "package_id"),
    ("_assets", "id"), ("_odd_names", "id"), ("_cache_tags", "id"),
  ]
  /// Where those of directories stand, and values.
  static let furtherTables = [
    ("_directory_paths", "id"), ("_directory_totals", "id"), ("_entry_values", "entry_id"),
    ("_content_readings", "entry_id"),
  ]

  private func run(_ statement: Statement, _ id: Int64) throws(SQLiteError) {
    statement.bind(id, at: 1)
    try statement.run()
  }

  // MARK: - Values

  /// Writes what the file system has of an entry now.
  func setValues(_ values: EntryValues, of id: Int64) throws(SQLiteError) {
    var encoder = StatementEncoder(updateValues)
    values.encode(into: &encoder)
    encoder.integer(scanID)
    encoder.integer(id)
    try updateValues.run()
  }

  func setType(_ type: Int32, of id: Int64) throws(SQLiteError) {
    updateType.bind(Int64(type), at: 1)
    updateType.bind(id, at: 2)
    try updateType.run()
  }

  /// Notes what is known of an entry beside its values: that is no change of the entry. The row of a link that
  /// leads nowhere, or no more, is another one all the same, for tables and for what is published.
  func setTraits(_ traits: EntryRecord.Traits, of id: Int64) throws(SQLiteError) {
    updateTraits.bind(Int64(traits.intersection(.stored).rawValue), at: 1)
    updateTraits.bind(id, at: 2)
    try updateTraits.run()
  }

  func setTarget(_ target: UnsafeBufferPointer<UInt8>, of id: Int64) throws(SQLiteError) {
    try updateTarget.run(SymlinkRow(id: id, target: target))
  }

  /// Notes what a package holds; the files in it that have several names are to be added again.
  func setPackage(_ record: EntryRecord, of id: Int64) throws(SQLiteError) {
    try updatePackage.run(PackageRow(id: id, record))
    try run(deleteLinks, id)
  }

  func removeTarget(of id: Int64) throws(SQLiteError) { try run(deleteTarget, id) }

  func removePackage(_ id: Int64) throws(SQLiteError) {
    try run(deletePackage, id)
    try run(deleteLinks, id)
  }

  /// Removes the values of an entry that are not kept.
  func removeValues(of id: Int64) throws(SQLiteError) { try run(deleteValues, id) }

  /// Removes the kept values of an id that no entry has any more.
  func removeKeptValues(of id: Int64) throws(SQLiteError) { try run(deleteKeptValues, id) }

  // MARK: - Places

  /// Gives an entry another directory, which only a root has none, and another name.
  func move(_ id: Int64, to parent: Int64?, _ name: NameFacts) throws(SQLiteError) {
    var encoder = StatementEncoder(relocate)
    encoder.integer(parent)
    encoder.integer(scanID)
    name.encode(into: &encoder)
    encoder.integer(id)
    try relocate.run()
    try run(deleteAsset, id)
    if let marks = name.marks(of: id) { try insertAsset.run(marks) }
    try run(deleteOddName, id)
    if let odd = name.oddName(of: id) { try insertOddName.run(odd) }
  }

  /// The name of an entry that has none for now. No file can have it: it holds a NUL and a slash.
  static func parkedName(of id: Int64) -> [UInt8] {
    Array("\0/".utf8) + Array(String(id).utf8)
  }

  /// Writes which directory there is now in the place of another.
  func replaceDirectory(_ id: Int64, in parent: Int64?, inode: UInt64) throws(SQLiteError) {
    replaceDirectory.bind(parent, at: 1)
    replaceDirectory.bind(Int64(bitPattern: inode), at: 2)
    replaceDirectory.bind(id, at: 3)
    try replaceDirectory.run()
  }

  /// Writes where a directory is now.
  func moveDirectory(_ row: DirectoryRow) throws(SQLiteError) {
    var encoder = StatementEncoder(moveDirectory)
    row.encode(into: &encoder)
    encoder.integer(row.id)
    try moveDirectory.run()
  }

  /// What becomes of the paths of everything below a directory that has moved.
  struct PathChange {
    /// The new beginning.
    let path: [UInt8]
    /// The length of the old beginning, as SQL counts.
    let oldCharacters: Int64
    /// By how much everything lies deeper now.
    let descent: Int32
  }

  /// Says with which directory those of ``moveDirectoryAlong(_:)`` went.
  func beginMove(_ change: PathChange) {
    moveDirectoryAlong.bind(String(decoding: change.path, as: UTF8.self), at: 2)
    moveDirectoryAlong.bind(change.oldCharacters + 1, at: 3)
    moveDirectoryAlong.bind(Int64(change.descent), at: 4)
  }

  /// Writes where a directory is now that went along with one above it. The beginning of its path is
  /// exchanged where it stands: it need not be read for that. The place among the containers stays.
  ///
  /// - Returns: whether that was possible. A path that is no text has no characters to go by.
  func moveDirectoryAlong(_ id: Int64, on db: Connection) throws(SQLiteError) -> Bool {
    try run(moveDirectoryAlong, id)
    return db.changedRows > 0
  }

  // MARK: - Ids

  /// Removes an entry that is no directory.
  func remove(_ id: Int64) throws(SQLiteError) {
    try vacate(id)
    try run(deleteKeptValues, id)
  }

  /// Removes the rows of an entry that is elsewhere and will have its id there: the values that are kept
  /// stay with the id.
  func vacate(_ id: Int64) throws(SQLiteError) {
    for statement in deletions { try run(statement, id) }
    try run(deleteValues, id)
  }

  /// Removes what only directories have. What it holds has to be removed by itself.
  func removeDirectory(_ id: Int64) throws(SQLiteError) {
    for statement in directoryDeletions { try run(statement, id) }
  }

  /// Gives an entry that is no directory another id, which nothing may have. Values that are kept belong to
  /// the ids.
  func renumber(_ id: Int64, to other: Int64) throws(SQLiteError) {
    for statement in renumberings {
      statement.bind(id, at: 1)
      statement.bind(other, at: 2)
      try statement.run()
    }
  }

  func setFirstSeen(_ scan: Int64, of id: Int64) throws(SQLiteError) {
    updateFirstSeen.bind(scan, at: 1)
    updateFirstSeen.bind(id, at: 2)
    try updateFirstSeen.run()
  }
}
