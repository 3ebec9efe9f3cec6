internal import CatalogStore
internal import FileSystem
internal import SQLite
internal import SystemPackage

/// The rows of a root and the history, as one scan changes them.
///
/// It decides nothing: what an entry has become is an ``EntryChange``, and who has moved is found by
/// ``DirectoryMatcher`` and ``MoveMatcher``.
final class RootRows {
  let db: Connection
  let root: RootRecord
  let rootPath: [UInt8]
  let scanID: Int64
  let settings: ScanOptions
  private let kept: KeptValues
  let places: PlaceMap
  let updates: EntryUpdates
  let growth: GrowthLog
  private let directoryPath: Statement
  private var inserter: EntryInserter<StatementRowWriter>
  /// Extensions are read when the first name comes: most rescans write none.
  private var areExtensionsKnown = false
  /// Of the directory that an entry was added to last: its place among the containers.
  private var lastPlace: (directory: Int64, place: Int64)?
  var log: ChangeLog
  private(set) var nextID: Int64

  init(
    of root: RootRecord, settings: ScanOptions, scanID: Int64, places: PlaceMap,
    identities: ChangeLog.Identities, in db: Connection
  ) throws {
    self.db = db
    self.root = root
    rootPath = root.location.path.bytes
    self.settings = settings
    self.scanID = scanID
    self.places = places
    kept = KeptValues(settings, before: root.settings)
    updates = try EntryUpdates(on: db, scanID: scanID, keeping: kept)
    growth = try GrowthLog(on: db, scanID: scanID)
    log = try ChangeLog(on: db, scanID: scanID, identities: identities)
    inserter = EntryInserter(
      try StatementRowWriter(on: db), scanID: scanID, volumes: try VolumeNumbers(in: db),
      extensions: ExtensionNumbers())
    nextID = try EntryIDs.next(in: db)
    directoryPath = try db.prepare(
      "SELECT exact_path, depth, place_id FROM \(DirectoryRow.table.name) WHERE id = ?")
  }

  func takeID() -> Int64 {
    defer { nextID += 1 }
    return nextID
  }

  /// What was met so far and belongs to the catalog as a whole.
  var met: MetOnTheWay { inserter.met }

  // MARK: - Volumes

  func register(device: UInt64, identity: VolumeIdentity) {
    inserter.volumes.register(device: device, identity: identity)
  }

  func adopt(_ volume: VolumeIdentity, as number: Int64) {
    inserter.volumes.adopt(volume, as: number)
  }

  /// The catalog's number of a file system.
  func volume(of device: UInt64) -> Int64 { inserter.volumes.number(of: device) }

  func identity(of status: borrowing FileStatus) -> EntryIdentity {
    EntryIdentity(
      volume: volume(of: status.device), inode: status.inode, created: status.created)
  }

  // MARK: - Directories

  /// What who-is-who has to know of a directory.
  func directory(_ id: Int64) throws -> DirectoryMatcher.Stored? {
    try StoredEntry.entry(id, db).map {
      DirectoryMatcher.Stored(
        identity: $0.identity, hasStatus: !$0.traits.contains(.withoutStatus))
    }
  }

  /// The path of a directory as it is stored; empty for one that is not there.
  func path(ofDirectory id: Int64) throws(SQLiteError) -> [UInt8] {
    directoryPath.bind(id, at: 1)
    defer { directoryPath.reset() }
    return try directoryPath.step() ? Array(directoryPath.row.bytes(0)) : []
  }

  /// How many levels below its root a directory is stored; 0 for one that is not there.
  func depth(ofDirectory id: Int64) throws(SQLiteError) -> Int32 {
    directoryPath.bind(id, at: 1)
    defer { directoryPath.reset() }
    guard try directoryPath.step() else { return 0 }
    let depth = directoryPath.row.integer(1, in: 0...Int64(Int32.max / 2))
    try directoryPath.requireSoundRow()
    return Int32(depth)
  }

  /// The place among the containers that a directory is stored with.
  private func place(ofDirectory id: Int64) throws(SQLiteError) -> Int64 {
    if let lastPlace, lastPlace.directory == id { return lastPlace.place }
    directoryPath.bind(id, at: 1)
    defer { directoryPath.reset() }
    let place = try directoryPath.step() ? directoryPath.row.optionalInteger(2) : nil
    lastPlace = (id, place ?? UsageSums.noPlace)
    return place ?? UsageSums.noPlace
  }

  /// The path that an entry had in a directory.
  func path(of name: [UInt8], inDirectory id: Int64) throws -> [UInt8] {
    var path = PathBuffer()
    path.set(
      try self.path(ofDirectory: id), UnsafeBufferPointer(start: nil, count: 0), name)
    return path.bytes
  }

  func insertDirectory(
    _ id: Int64, at path: [UInt8], depth: Int32, parent: Int64?, inode: UInt64
  ) throws {
    try path.withUnsafeBufferPointer { path in
      try inserter.insert(
        DirectoryRow(
          id: id, rootID: root.id, path: path, depth: depth, parent: parent, inode: inode))
    }
  }

  /// Writes where a directory is now, with its place among the containers.
  func moveDirectory(
    _ id: Int64, to path: [UInt8], depth: Int32, parent: Int64?, inode: UInt64
  ) throws {
    lastPlace = nil
    try path.withUnsafeBufferPointer { path in
      try updates.moveDirectory(
        DirectoryRow(
          id: id, rootID: root.id, path: path, depth: depth, parent: parent, inode: inode,
          place: places.number(of: places.place(of: path))))
    }
  }

  func insert(_ totals: TotalsRow) throws { try inserter.insert(totals) }

  // MARK: - Entries

  private func readExtensions() throws {
    guard !areExtensionsKnown else { return }
    areExtensionsKnown = true
    inserter.extensions = try ExtensionNumbers(in: db)
  }

  /// Adds the row of an entry that was listed.
  func insert(_ listed: ListedEntry, id: Int64, parent: Int64) throws {
    try readExtensions()
    // The row of a directory itself comes later, and leaves its place open.
    let place =
      listed.record.kind == .directory ? UsageSums.noPlace : try place(ofDirectory: parent)
    try inserter.insert(listed.position, of: listed.batch, id: id, parent: parent, place: place)
  }

  /// Writes the values that the disk has now over those of a row. The name and the place stay.
  func write(_ listed: ListedEntry, over old: StoredEntry) throws {
    let record = listed.record
    inserter.note(owner: record.status)
    try updates.setValues(
      EntryValues(record, volume: volume(of: record.status.device)), of: old.id)
    if Int64(record.typeCode) != old.typeID { try updates.setType(record.typeCode, of: old.id) }
    if record.kind == .symlink {
      try updates.setTarget(listed.target, of: old.id)
    } else if old.kind == .symlink {
      try updates.removeTarget(of: old.id)
    }
    if record.kind == .package {
      try writePackage(listed, of: old.id)
    } else if old.kind == .package {
      try updates.removePackage(old.id)
    }
  }

  /// Writes what nobody would call a change: what is known beside the values.
  func restate(_ listed: ListedEntry, over old: StoredEntry) throws {
    try updates.setTraits(listed.record.traits, of: old.id)
    if listed.record.kind == .package { try writePackage(listed, of: old.id) }
  }

  private func writePackage(_ listed: ListedEntry, of id: Int64) throws {
    if listed.record.traits.contains(.storedContent) { return }
    try updates.setPackage(listed.record, of: id)
    try inserter.insertLinks(ofPackage: id, at: listed.position, of: listed.batch)
  }

  /// Writes the root's own values, which no directory lists.
  func writeRoot(_ record: EntryRecord, id: Int64, volume: Int64) throws {
    inserter.note(owner: record.status)
    try updates.setValues(EntryValues(record, volume: volume), of: id)
  }

  /// What providers say now takes the place of what they have said.
  func replaceValues(of id: Int64, _ listed: ListedEntry) throws {
    if kept == .all { return }
    // What could not be found out now stays as it was known.
    if !listed.record.traits.contains(.partialValues) { try updates.removeValues(of: id) }
    try inserter.insertValues(of: id, at: listed.position, of: listed.batch)
  }

  func move(_ id: Int64, to parent: Int64, name: [UInt8]) throws {
    try readExtensions()
    try name.withUnsafeBufferPointer { name in
      try updates.move(id, to: parent, inserter.facts(of: name))
    }
  }

  /// Takes an entry's name away so that another entry can have it. The row is removed or moved
  /// before the scan ends.
  func park(_ id: Int64, in parent: Int64) throws {
    try move(id, to: parent, name: EntryUpdates.parkedName(of: id))
  }
}

/// A child of a directory as the walk lists it. Valid as long as its batch.
struct ListedEntry {
  let batch: EntryBatch
  /// Its place in the batch.
  let position: Int
  let name: [UInt8]
  let root: [UInt8]
  /// Where it is, below the root.
  let directory: UnsafeBufferPointer<UInt8>
  let depth: Int32

  var record: EntryRecord {
    @inline(__always) _read { yield batch.records[position] }
  }

  /// The whole path as it is now. Made when it is asked for, which is for what has changed.
  var path: [UInt8] {
    var path = PathBuffer()
    path.set(root, directory, name)
    return path.bytes
  }

  var target: UnsafeBufferPointer<UInt8> { batch.target(of: record) }
  var size: Int64? { record.traits.contains(.withoutStatus) ? nil : record.status.size }
  var modified: Int64? {
    record.status.modified == FileStatus.unknownTime ? nil : record.status.modified
  }
}
