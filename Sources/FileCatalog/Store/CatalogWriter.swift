internal import FileSystem
internal import SystemPackage

/// Turns the batches of a walk into rows: gives entries their ids, directories their paths, and adds
/// everything up.
///
/// It expects that the root has no rows.
struct CatalogWriter<Sink: RowSink & ~Copyable>: ~Copyable {
  private var sink: Sink
  private let rootPath: [UInt8]
  private(set) var owners = OwnerNames()
  private(set) var volumes: VolumeNumbers
  private(set) var totals = FolderTotals()
  private(set) var entryCount = 0
  /// The first id that is still free.
  private(set) var nextID: Int64
  private var pathBuffer: [UInt8] = []
  private var places: FolderPlaces

  init(
    _ sink: consuming Sink, rootPath: FilePath, firstID: Int64, volumes: VolumeNumbers,
    places: PlaceMap
  ) {
    self.sink = sink
    self.places = FolderPlaces(places)
    self.rootPath = rootPath.bytes
    self.volumes = volumes
    nextID = firstID
  }

  /// Writes the root's own row and returns its id.
  mutating func writeRoot(
    _ status: FileStatus, volume: VolumeIdentity, typeID: Int32
  ) throws -> Int64 {
    volumes.register(device: status.device, identity: volume)
    var record = EntryRecord()
    record.status = status
    record.kind = .directory
    record.typeCode = typeID
    let id = nextID
    nextID += 1
    let name = rootPath.split(separator: UInt8(ascii: "/")).last.map { Array($0) } ?? rootPath
    try name.withUnsafeBufferPointer { try writeEntry(id: id, parent: nil, name: $0, record) }
    let folder = FolderRow(
      id: id, parent: nil, inode: status.inode, depth: 0, place: places.addRoot(rootPath))
    try rootPath.withUnsafeBufferPointer { try sink.writeFolder(folder, path: $0) }
    totals.add(index: 0, id: id, parent: -1, depth: 0, ownBlocks: status.allocated)
    entryCount += 1
    return id
  }

  /// Writes everything in a batch.
  mutating func write(_ batch: EntryBatch) throws {
    for volume in batch.volumes {
      volumes.register(device: volume.device, identity: volume.identity)
    }
    let firstID = nextID
    var packagedLinks = batch.packagedLinks[...]
    for section in batch.sections {
      let parentID = totals.id(of: section.directory)
      for i in section.records {
        let record = batch.records + i
        let id = nextID
        nextID += 1
        try writeEntry(
          id: id, parent: parentID, name: batch.name(of: record.pointee), record.pointee)
        switch record.pointee.kind {
        case .directory:
          try writeDirectory(record.pointee, id: id, of: section, in: batch)
        case .symlink:
          try sink.writeSymlink(id: id, target: batch.target(of: record.pointee))
        case .package:
          try sink.writePackage(id: id, record.pointee)
          while let link = packagedLinks.first, link.record == i {
            packagedLinks.removeFirst()
            totals.addLink(link.file, in: section.directory)
            try sink.writePackagedLink(
              package: id, link.file, volume: volumes.number(of: link.file.device))
          }
        default:
          break
        }
        if record.pointee.status.links > 1, ![.directory, .package].contains(record.pointee.kind) {
          totals.addLink(LinkedFile(record.pointee.status), in: section.directory)
        }
      }
      entryCount += section.records.count
      totals.add(section)
    }
    // Sections follow each other without a gap, so a record's position gives its id.
    for (record, key, value) in batch.values {
      try sink.writeValue(id: firstID + Int64(record), key: key, value)
    }
  }

  @inline(__always)
  private mutating func writeEntry(
    id: Int64, parent: Int64?, name: UnsafeBufferPointer<UInt8>, _ record: borrowing EntryRecord
  ) throws {
    var volume: Int64 = 0
    if !record.traits.contains(.withoutStatus) {
      volume = volumes.number(of: record.status.device)
      owners.note(uid: record.status.uid, gid: record.status.gid)
    }
    try sink.writeEntry(id: id, parent: parent, name: name, record, volume: volume)
  }

  private mutating func writeDirectory(
    _ record: EntryRecord, id: Int64, of section: DirectorySection, in batch: EntryBatch
  ) throws {
    let slash = UInt8(ascii: "/")
    pathBuffer.removeAll(keepingCapacity: true)
    pathBuffer.append(contentsOf: rootPath)
    let directory = batch.path(of: section)
    if !directory.isEmpty {
      if pathBuffer.last != slash { pathBuffer.append(slash) }
      pathBuffer.append(contentsOf: directory)
    }
    if pathBuffer.last != slash { pathBuffer.append(slash) }
    pathBuffer.append(contentsOf: batch.name(of: record))
    let depth = section.depth + 1
    let folder = FolderRow(
      id: id, parent: totals.id(of: section.directory), inode: record.status.inode, depth: depth,
      place: places.add(
        record.directoryIndex, named: batch.name(of: record), in: section.directory))
    try pathBuffer.withUnsafeBufferPointer { try sink.writeFolder(folder, path: $0) }
    totals.add(
      index: record.directoryIndex, id: id, parent: section.directory, depth: depth,
      ownBlocks: record.status.allocated)
  }

  /// Sums up and writes the totals of all directories.
  mutating func finishTotals() throws {
    totals.sumUp()
    for index in totals.order {
      try sink.writeTotals(totals.folders[Int(index)], error: totals.errors[Int(index)])
    }
  }

  /// Ends the writing and gives the sink back.
  consuming func takeSink() -> Sink { sink }
}
