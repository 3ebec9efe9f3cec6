internal import CatalogStore
internal import FileSystem
internal import SQLite
internal import StandardDirectories
internal import SystemPackage

/// Turns the entries of another catalog into rows, and adds them up.
///
/// Each gets the number that it has there and as much more as the catalog has given out: they stay in their
/// order, by which it is decided where a file with several names counts.
struct ForeignLoader<Writer: RowWriter & ~Copyable>: ~Copyable {
  private var writer: Writer
  private let tree: ForeignTree
  private let catalog: ForeignCatalog
  private let roots: [ForeignRoot]
  /// What numbers of entries become greater by. Those of directories may be anything until their entries come,
  /// which are looked at.
  private let base: Int64
  private var totals: [TreeTotals]
  /// Where directories are among the containers.
  private var places: [Int64]
  /// The directories that were met, in the order of their numbers.
  private var met: [Int32] = []
  private(set) var isMet: [Bool]
  private var last: Int64 = 0
  private(set) var counts: [Int]
  private(set) var usage = UsageSums()
  private(set) var extensions: ExtensionNumbers
  private(set) var volumes: ForeignVolumes
  /// The children of a directory that come one behind the other, which most do.
  private var open: (directory: Int32, tally: DirectoryTally) = (-1, DirectoryTally())

  init(
    _ writer: consuming Writer, _ tree: ForeignTree, of catalog: ForeignCatalog,
    roots: [ForeignRoot],
    firstID: Int64, places map: PlaceMap, extensions: ExtensionNumbers, volumes: ForeignVolumes,
    beside file: FilePath
  ) {
    self.writer = writer
    self.tree = tree
    self.catalog = catalog
    self.roots = roots
    self.extensions = extensions
    self.volumes = volumes
    base = firstID - 1
    totals = roots.map { _ in TreeTotals(beside: file) }
    counts = roots.map { _ in 0 }
    isMet = Array(repeating: false, count: tree.count)
    places = []
    for position in 0..<Int32(tree.count) {
      let directory = tree.directories[Int(position)]
      places.append(
        tree.path(position).withUnsafeBufferPointer { map.number(of: map.place(of: $0)) })
      let above = directory.parent < 0 ? -1 : tree.directories[Int(directory.parent)].index
      var sums = TreeTotals.Directory(
        id: base &+ directory.id, parent: above, depth: directory.depth, ownBlocks: 0)
      let unread = catalog.unread[directory.id]
      sums.state = unread?.state ?? .complete
      // What would tell its listing is not known: the next scan compares each row.
      sums.isVague = true
      totals[Int(directory.root)].append(sums, error: unread?.error)
    }
  }

  // MARK: - Entries

  mutating func insert(_ entry: borrowing ForeignEntry) throws {
    guard entry.id > last, entry.id <= Row.highestID - base else {
      throw ForeignFault("entry \(entry.id) has no sound number")
    }
    last = entry.id
    let isDirectory = entry.record.kind == .directory
    guard isDirectory == (tree.position(of: entry.id) != nil) else {
      throw ForeignFault("entry \(entry.id) is a directory without a path, or none with one")
    }
    if isDirectory {
      try insertDirectory(entry)
    } else {
      guard let parent = entry.parent.flatMap(tree.position(of:)), ForeignTree.isName(entry.name)
      else { throw ForeignFault("entry \(entry.id) is in no directory, or has no sound name") }
      try insert(entry, in: parent, place: places[Int(parent)])
      try insertDetails(entry, in: parent)
    }
  }

  private mutating func insertDirectory(_ entry: borrowing ForeignEntry) throws {
    guard let position = tree.position(of: entry.id) else { return }
    let directory = tree.directories[Int(position)]
    let above = directory.parent < 0 ? nil : tree.directories[Int(directory.parent)].id
    guard entry.parent == above else {
      throw ForeignFault("directory \(entry.id) is in another one than its path says")
    }
    guard directory.parent < 0 || tree.name(position).elementsEqual(entry.name) else {
      throw ForeignFault("directory \(entry.id) is not called as its path says")
    }
    let place = places[Int(position)]
    try insert(entry, in: directory.parent < 0 ? nil : directory.parent, place: place)
    try tree.path(position).withUnsafeBufferPointer { path in
      try writer.write(
        DirectoryRow(
          id: base + entry.id, rootID: roots[Int(directory.root)].id, path: path,
          depth: directory.depth, parent: above.map { base &+ $0 },
          inode: entry.record.status.inode, place: place))
    }
    totals[Int(directory.root)].setOwnBlocks(entry.record.status.allocated, of: directory.index)
    met.append(position)
    isMet[Int(position)] = true
  }

  /// Adds an entry without what only some kinds have.
  ///
  /// - Parameter parent: `nil` for a root, whose name follows from where it is put.
  private mutating func insert(
    _ entry: borrowing ForeignEntry, in parent: Int32?, place: Int64
  ) throws {
    let position = parent ?? tree.position(of: entry.id) ?? 0
    let root = tree.directories[Int(position)].root
    let scan = roots[Int(root)].scan
    let isKnown = !entry.record.traits.contains(.withoutStatus)
    let volume = isKnown ? volumes.number(of: entry.volume, in: catalog) : 0
    let values = EntryValues(entry.record, volume: volume)
    let id = base + entry.id
    let above = parent.map { base &+ tree.directories[Int($0)].id }
    let type = entry.type
    if parent == nil {
      try tree.name(position).withUnsafeBufferPointer {
        try write($0, id, in: above, type, values, scan, place)
      }
    } else {
      try entry.name.withUnsafeBufferPointer {
        try write($0, id, in: above, type, values, scan, place)
      }
    }
    counts[Int(root)] += 1
    guard let parent else { return }
    if open.directory != parent {
      closeTally()
      open.directory = parent
    }
    open.tally.add(entry.record)
  }

  private mutating func write(
    _ name: UnsafeBufferPointer<UInt8>, _ id: Int64, in parent: Int64?, _ type: Int64,
    _ values: EntryValues, _ scan: Int64, _ place: Int64
  ) throws {
    let row = EntryRow(
      id: id, parent: parent, name: NameFacts(name, &extensions), typeID: type, values: values,
      firstSeenScan: scan, lastChangedScan: scan)
    try writer.write(row)
    usage.add(row, place: place)
  }

  private mutating func closeTally() {
    guard open.directory >= 0 else { return }
    let directory = tree.directories[Int(open.directory)]
    totals[Int(directory.root)].add(open.tally, to: directory.index)
    open = (-1, DirectoryTally())
  }

  private mutating func insertDetails(
    _ entry: borrowing ForeignEntry, in parent: Int32
  ) throws {
    let directory = tree.directories[Int(parent)]
    let id = base + entry.id
    switch entry.record.kind {
    case .symlink:
      try entry.target.withUnsafeBufferPointer { try writer.write(SymlinkRow(id: id, target: $0)) }
    case .package:
      try writer.write(PackageRow(id: id, entry.record))
      for link in entry.links {
        let volume = volumes.number(of: Int64(bitPattern: link.device), in: catalog)
        try writer.write(PackagedLinkRow(package: id, file: link, volume: volume))
        var file = link
        file.device = UInt64(bitPattern: volume)
        totals[Int(directory.root)].addLink(file, in: directory.index)
      }
    default: break
    }
    guard entry.record.kind != .package, entry.record.status.links > 1 else { return }
    var file = LinkedFile(entry.record.status)
    file.device = UInt64(bitPattern: volumes.number(of: entry.volume, in: catalog))
    totals[Int(directory.root)].addLink(file, in: directory.index)
  }

  // MARK: - The end

  /// Adds everything up, and writes the sums.
  mutating func finish() throws {
    guard isMet.allSatisfy({ $0 }) else {
      throw ForeignFault("a directory has a path, and no entry")
    }
    closeTally()
    for index in totals.indices { try totals[index].sumUp() }
    for position in met {
      let directory = tree.directories[Int(position)]
      try writer.write(try totals[Int(directory.root)].row(at: Int(directory.index)))
    }
  }

  /// The sums of each root.
  var sums: [DirectoryTally] { totals.map { $0.directories[0].total } }

  /// The first number that is still free.
  var nextID: Int64 { base + last + 1 }

  /// Ends the loading and gives the writer back.
  consuming func takeWriter() -> Writer { writer }
}

/// The volumes of another catalog: each is one of its own here, whatever it is called.
struct ForeignVolumes {
  private(set) var added: [(number: Int64, identity: String, device: Int64)] = []
  private var identities: Set<String>
  private var numbers: [Int64: Int64] = [:]
  private var next: Int64
  private var last: (foreign: Int64, number: Int64)?

  /// - Parameter identities: those of the catalog's volumes.
  init(identities: Set<String>, next: Int64) {
    self.identities = identities
    self.next = next
  }

  @inline(__always)
  mutating func number(of foreign: Int64, in catalog: borrowing ForeignCatalog) -> Int64 {
    if let last, last.foreign == foreign { return last.number }
    return look(foreign, catalog)
  }

  private mutating func look(_ foreign: Int64, _ catalog: borrowing ForeignCatalog) -> Int64 {
    let number = numbers[foreign] ?? add(foreign, catalog)
    last = (foreign, number)
    return number
  }

  private mutating func add(_ foreign: Int64, _ catalog: borrowing ForeignCatalog) -> Int64 {
    let known = catalog.volumes[foreign]
    var identity = known?.identity ?? "\(catalog.name):\(foreign)"
    // Two machines may call theirs alike.
    if !identities.insert(identity).inserted {
      identity = "\(catalog.name):\(foreign):\(identity)"
      identities.insert(identity)
    }
    let number = next
    next += 1
    numbers[foreign] = number
    added.append((number, identity, known?.device ?? 0))
    return number
  }
}
