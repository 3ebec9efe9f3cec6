internal import CatalogStore
internal import FileSystem
internal import SQLite
internal import StandardDirectories
internal import SystemPackage

/// Fills a root that has no rows: the difference between what a walk finds and nothing.
///
/// It gives entries their ids, directories their paths, and adds everything up.
struct RootLoader<Writer: RowWriter & ~Copyable>: ~Copyable {
  private var inserter: EntryInserter<Writer>
  private let rootID: Int64
  private let rootPath: [UInt8]
  private var totals: TreeTotals
  /// The walk's numbers of the directories, in the order of their ids.
  private var directories: [Int32] = []
  private(set) var entryCount = 0
  /// The first id that is still free.
  private(set) var nextID: Int64
  private var path = PathBuffer()
  private var places: DirectoryPlaces

  /// - Parameter catalog: its file, for what has no room in memory.
  init(
    _ inserter: consuming EntryInserter<Writer>, rootID: Int64, rootPath: FilePath, firstID: Int64,
    places: PlaceMap, beside catalog: FilePath
  ) {
    self.inserter = inserter
    totals = TreeTotals(beside: catalog)
    self.rootID = rootID
    self.rootPath = rootPath.bytes
    self.places = DirectoryPlaces(places)
    nextID = firstID
  }

  /// The sums of the root, when ``finishTotals()`` has been called.
  var total: DirectoryTally { totals.directories[0].total }

  /// Adds the root itself, which no directory lists, and returns its id.
  mutating func insertRoot(
    _ status: FileStatus, volume: VolumeIdentity, typeID: Int32
  ) throws -> Int64 {
    inserter.volumes.register(device: status.device, identity: volume)
    var record = EntryRecord()
    record.status = status
    record.kind = .directory
    record.typeCode = typeID
    let id = nextID
    nextID += 1
    entryCount += 1
    let name = rootPath.split(separator: UInt8(ascii: "/")).last.map { Array($0) } ?? rootPath
    let place = places.addRoot(rootPath)
    try name.withUnsafeBufferPointer {
      try inserter.insert(record, named: $0, id: id, parent: nil, place: place)
    }
    try rootPath.withUnsafeBufferPointer { path in
      try inserter.insert(
        DirectoryRow(
          id: id, rootID: rootID, path: path, depth: 0, parent: nil, inode: status.inode,
          place: place))
    }
    totals.add(index: 0, id: id, parent: -1, depth: 0, ownBlocks: status.allocated)
    directories.append(0)
    return id
  }

  /// Adds everything in a batch.
  mutating func insert(_ batch: EntryBatch) throws {
    for volume in batch.volumes {
      inserter.volumes.register(device: volume.device, identity: volume.identity)
    }
    for section in batch.sections {
      let parent = totals.id(of: section.directory)
      let placeOfOthers = places[section.directory]
      for i in section.records {
        let record = batch.records + i
        let id = nextID
        nextID += 1
        var place = placeOfOthers
        if record.pointee.kind == .directory {
          place = places.add(
            record.pointee.directoryIndex, named: batch.name(of: record.pointee),
            in: section.directory)
        }
        try inserter.insert(i, of: batch, id: id, parent: parent, place: place)
        switch record.pointee.kind {
        case .directory:
          try insertDirectory(
            record.pointee, id: id, parent: parent, place: place, of: section, in: batch)
        case .package:
          for link in batch.packagedLinks(of: i) {
            totals.addLink(link.file, in: section.directory)
          }
        default:
          if record.pointee.status.links > 1 {
            totals.addLink(LinkedFile(record.pointee.status), in: section.directory)
          }
        }
      }
      entryCount += section.records.count
      totals.add(section)
    }
  }

  private mutating func insertDirectory(
    _ record: EntryRecord, id: Int64, parent: Int64, place: Int64, of section: DirectorySection,
    in batch: EntryBatch
  ) throws {
    let name = batch.name(of: record)
    let depth = section.depth + 1
    path.set(rootPath, batch.path(of: section), name)
    try path.withBytes { path in
      try inserter.insert(
        DirectoryRow(
          id: id, rootID: rootID, path: path, depth: depth, parent: parent,
          inode: record.status.inode, place: place))
    }
    totals.add(
      index: record.directoryIndex, id: id, parent: section.directory, depth: depth,
      ownBlocks: record.status.allocated)
    directories.append(record.directoryIndex)
  }

  /// Sums up and adds the totals of all directories.
  mutating func finishTotals() throws {
    try totals.sumUp()
    for index in directories { try inserter.insert(try totals.row(at: Int(index))) }
  }

  /// What was met so far and belongs to the catalog as a whole.
  var met: MetOnTheWay { inserter.met }

  /// Ends the loading and gives the writer back.
  consuming func takeWriter() -> Writer { inserter.takeWriter() }
}

/// The path of an entry, put together in memory that is used again.
struct PathBuffer {
  private(set) var bytes: [UInt8] = []

  /// - Parameters:
  ///   - directory: below the root; empty for the root.
  mutating func set(
    _ root: [UInt8], _ directory: UnsafeBufferPointer<UInt8>, _ name: some Collection<UInt8>
  ) {
    let slash = UInt8(ascii: "/")
    bytes.removeAll(keepingCapacity: true)
    bytes.append(contentsOf: root)
    if !directory.isEmpty {
      if bytes.last != slash { bytes.append(slash) }
      bytes.append(contentsOf: directory)
    }
    if bytes.last != slash { bytes.append(slash) }
    bytes.append(contentsOf: name)
  }

  func withBytes<Result>(
    _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result {
    try bytes.withUnsafeBufferPointer(body)
  }
}

/// The places of the directories that a first scan meets, each told from that of the one it is in.
struct DirectoryPlaces {
  private let map: PlaceMap
  /// By the walk's number of the directory.
  private var places: [PlaceMap.Place] = []

  init(_ map: PlaceMap) {
    self.map = map
  }

  /// The place of the root, by its path.
  mutating func addRoot(_ path: [UInt8]) -> Int64 {
    guard !map.isEmpty else { return PlaceMap.outside }
    return add(path.withUnsafeBufferPointer { map.place(of: $0) }, as: 0)
  }

  /// The place of a directory in another one that was added before.
  @inline(__always)
  mutating func add(
    _ index: Int32, named name: UnsafeBufferPointer<UInt8>, in parent: Int32
  ) -> Int64 {
    guard !map.isEmpty else { return PlaceMap.outside }
    return add(map.place(ofChild: name, of: places[Int(parent)]), as: index)
  }

  /// The place of a directory that was added before.
  subscript(index: Int32) -> Int64 {
    map.isEmpty ? PlaceMap.outside : map.number(of: places[Int(index)])
  }

  private mutating func add(_ place: PlaceMap.Place, as index: Int32) -> Int64 {
    while places.count <= Int(index) { places.append(map.top) }
    places[Int(index)] = place
    return map.number(of: place)
  }
}
