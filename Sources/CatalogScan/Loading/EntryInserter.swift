internal import CatalogStore
internal import FileSystem
internal import SQLite

/// Turns listed entries into rows, with all that belongs to an entry: its name's extension and marks,
/// the text of a link, what a package holds, values of providers.
///
/// First scans and rescans add entries the same way; they differ in where the rows are written.
struct EntryInserter<Writer: RowWriter & ~Copyable>: ~Copyable {
  private var writer: Writer
  private let scanID: Int64
  private(set) var owners = OwnerNames()
  private var usage = UsageSums()
  var volumes: VolumeNumbers
  var extensions: ExtensionNumbers

  init(
    _ writer: consuming Writer, scanID: Int64, volumes: VolumeNumbers, extensions: ExtensionNumbers
  ) {
    self.writer = writer
    self.scanID = scanID
    self.volumes = volumes
    self.extensions = extensions
  }

  /// Adds an entry of a batch.
  ///
  /// - Parameters:
  ///   - position: where its record is in the batch.
  ///   - place: where a directory itself, or the directory of what is none, is stored to be.
  @inline(__always)
  mutating func insert(
    _ position: Int, of batch: EntryBatch, id: Int64, parent: Int64, place: Int64
  ) throws {
    let record = batch.records + position
    try insert(
      record.pointee, named: batch.name(of: record.pointee), id: id, parent: parent, place: place)
    switch record.pointee.kind {
    case .symlink:
      try writer.write(SymlinkRow(id: id, target: batch.target(of: record.pointee)))
    case .package:
      try writer.write(PackageRow(id: id, record.pointee))
      try insertLinks(ofPackage: id, at: position, of: batch)
    default:
      break
    }
    if !batch.values.isEmpty { try insertValues(of: id, at: position, of: batch) }
  }

  /// Adds an entry without what only some kinds have.
  ///
  /// - Parameter parent: `nil` for a root.
  @inline(__always)
  mutating func insert(
    _ record: borrowing EntryRecord, named name: UnsafeBufferPointer<UInt8>, id: Int64,
    parent: Int64?, place: Int64
  ) throws {
    var volume: Int64 = 0
    if !record.traits.contains(.withoutStatus) {
      volume = volumes.number(of: record.status.device)
      owners.note(uid: record.status.uid, gid: record.status.gid)
    }
    let row = EntryRow(
      id: id, parent: parent, name: NameFacts(name, &extensions),
      typeID: Int64(record.typeCode), values: EntryValues(record, volume: volume),
      firstSeenScan: scanID, lastChangedScan: scanID)
    try writer.write(row)
    usage.add(row, place: place)
  }

  mutating func insert(_ directory: DirectoryRow) throws {
    try writer.write(directory)
  }

  mutating func insert(_ totals: TotalsRow) throws {
    try writer.write(totals)
  }

  /// Adds the files in a package that have several names.
  mutating func insertLinks(
    ofPackage id: Int64, at position: Int, of batch: EntryBatch
  ) throws {
    for link in batch.packagedLinks(of: position) {
      try writer.write(
        PackagedLinkRow(
          package: id, file: link.file, volume: volumes.number(of: link.file.device)))
    }
  }

  /// Adds what the providers say of an entry.
  mutating func insertValues(of id: Int64, at position: Int, of batch: EntryBatch) throws {
    for value in batch.values(of: position) {
      try writer.write(value.value, value.key, of: id)
    }
  }

  /// The facts of a name, for a row that gets another.
  mutating func facts(of name: UnsafeBufferPointer<UInt8>) -> NameFacts {
    NameFacts(name, &extensions)
  }

  mutating func note(owner status: borrowing FileStatus) {
    owners.note(uid: status.uid, gid: status.gid)
  }

  /// Ends the writing and gives the writer back.
  consuming func takeWriter() -> Writer { writer }

  /// What was met so far and belongs to the catalog as a whole.
  var met: MetOnTheWay {
    MetOnTheWay(owners: owners, volumes: volumes, usage: usage, extensions: extensions)
  }
}

/// What the entries of a scan have in common with others, which is written when the scan ends.
struct MetOnTheWay {
  let owners: OwnerNames
  let volumes: VolumeNumbers
  let usage: UsageSums
  private var extensions: ExtensionNumbers

  init(
    owners: OwnerNames, volumes: VolumeNumbers, usage: UsageSums, extensions: ExtensionNumbers
  ) {
    self.owners = owners
    self.volumes = volumes
    self.usage = usage
    self.extensions = extensions
  }

  /// Nothing.
  init() {
    self.init(
      owners: OwnerNames(), volumes: VolumeNumbers(), usage: UsageSums(),
      extensions: ExtensionNumbers())
  }

  mutating func write(to db: Connection) throws {
    try owners.write(to: db)
    try volumes.write(to: db)
    try usage.write(to: db)
    try extensions.writeAdded(to: db)
  }
}

extension EntryBatch {
  /// The files with several names in the package at a position.
  func packagedLinks(of position: Int) -> ArraySlice<(record: Int, file: LinkedFile)> {
    packagedLinks.run { $0.record - position }
  }

  /// What the providers say of the entry at a position.
  func values(of position: Int) -> ArraySlice<(record: Int, key: String, value: ResourceValue)> {
    values.run { $0.record - position }
  }
}

extension Array {
  /// The elements for which `order` is 0. It ascends along the array.
  fileprivate func run(_ order: (Element) -> Int) -> ArraySlice<Element> {
    var low = startIndex
    var high = endIndex
    while low < high {
      let middle = low + (high - low) / 2
      if order(self[middle]) < 0 { low = middle + 1 } else { high = middle }
    }
    return self[low...].prefix { order($0) == 0 }
  }
}
