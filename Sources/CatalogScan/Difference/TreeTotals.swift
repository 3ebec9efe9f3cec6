internal import CatalogStore
internal import FileSystem
internal import SystemPackage

/// The directories of one scan and their sums, numbered as the walk numbered them: a directory's
/// number is always higher than its parent's, so one pass from the end sums everything up.
struct TreeTotals {
  /// Plain memory, since there is one for each directory of the root.
  struct Directory: BitwiseCopyable {
    var id: Int64
    var parent: Int32
    var depth: Int32
    var state = DirectoryState.unscanned
    var own = DirectoryTally()
    /// The blocks of the directory itself.
    var ownBlocks: Int64
    var total = DirectoryTally()
    /// Of everything that was read of the directory.
    var fingerprint = DirectoryFingerprint()
    /// Some child could not be read as a whole: the next scan has to look at each.
    var isVague = false
    /// `own` is as the catalog has it, with each file counted once.
    var isStored = false

    /// The fingerprint, if it stands for the whole directory.
    var provenFingerprint: DirectoryFingerprint? {
      state == .complete && !isVague ? fingerprint : nil
    }
  }

  /// One of several names of a file.
  private struct Link {
    var file: LinkedFile
    var directory: Int32
  }

  private(set) var directories: PagedArray<Directory>
  /// Why directories could not be read, by their numbers.
  private(set) var errors: [Int: String] = [:]
  private var links: [Link] = []

  /// - Parameter path: the catalog, for what has no room in memory.
  init(beside path: FilePath?) {
    directories = PagedArray(beside: path)
  }

  /// Adds the directory with the number `index`. `parent` is -1 for the root.
  mutating func add(index: Int32, id: Int64, parent: Int32, depth: Int32, ownBlocks: Int64) {
    let directory = Directory(id: id, parent: parent, depth: depth, ownBlocks: ownBlocks)
    while directories.count <= Int(index) {
      directories.append(Directory(id: 0, parent: 0, depth: 0, ownBlocks: 0))
    }
    directories[Int(index)] = directory
  }

  func id(of index: Int32) -> Int64 { directories[Int(index)].id }

  /// Adds a directory whose number is the next one, as far as it is known.
  ///
  /// - Parameter error: why the directory could not be read.
  mutating func append(_ directory: Directory, error: String?) {
    if let error { errors[directories.count] = error }
    directories.append(directory)
  }

  /// Adds what some children of a directory come to.
  mutating func add(_ tally: DirectoryTally, to index: Int32) {
    directories[Int(index)].own.add(tally)
  }

  /// Sets the blocks of a directory itself, where they are known later than the directory.
  mutating func setOwnBlocks(_ blocks: Int64, of index: Int32) {
    directories[Int(index)].ownBlocks = blocks
  }

  /// Sets what the rows of a directory's children add up to, every name of a file counted.
  mutating func recount(_ index: Int, _ tally: DirectoryTally) {
    directories[index].own = tally
    directories[index].isStored = false
  }

  /// Adds a piece of a directory's listing.
  mutating func add(_ section: DirectorySection) {
    let i = Int(section.directory)
    directories[i].own.add(section.tally)
    directories[i].fingerprint.add(section.fingerprint)
    if section.unreadCount > 0 { directories[i].isVague = true }
    guard section.isLast else { return }
    switch section.outcome {
    case .read:
      directories[i].state = .complete
    case .unreadable(let error):
      directories[i].state = .unreadable
      errors[i] = error.description
    }
  }

  /// Remembers a file with several names, so that its blocks count once.
  mutating func addLink(_ file: LinkedFile, in directory: Int32) {
    links.append(Link(file: file, directory: directory))
  }

  /// Computes the totals of all directories. Call once, when everything has been added.
  mutating func sumUp() throws {
    countLinksOnce()
    for i in directories.indices.reversed() {
      var directory = directories[i]
      directory.total.add(directory.own)
      directories[i] = directory
      if directory.parent >= 0 && i > 0 {
        directories[Int(directory.parent)].total.add(directory.total)
      }
    }
    for i in directories.indices {
      let blocks = directories[i].ownBlocks
      directories[i].total.allocated.add(clamped: blocks)
      directories[i].total.allocated = max(0, directories[i].total.allocated)
    }
    try directories.requireSound()
  }

  /// Takes the blocks of every further name of a file off where the names meet.
  private mutating func countLinksOnce() {
    guard !links.isEmpty else { return }
    let order = preorder()
    links.sort {
      ($0.file.device, $0.file.inode, order.position[Int($0.directory)])
        < ($1.file.device, $1.file.inode, order.position[Int($1.directory)])
    }
    var rest = links[...]
    links = []
    while let file = rest.first?.file {
      let names = rest.prefix { $0.file.inode == file.inode && $0.file.device == file.device }
      countOnce(names, order)
      rest = rest.dropFirst(names.count)
    }
  }

  /// Counts one file once in every directory, however its names are spread.
  ///
  /// With the names in pre-order, the blocks are taken off at the lowest common ancestor of each two
  /// neighbours. Names that were read at different times may tell of different blocks: a directory's own
  /// sum has the most that its names tell, the totals have the most that any tells.
  private mutating func countOnce(
    _ names: ArraySlice<Link>, _ order: (position: [Int32], end: [Int32])
  ) {
    let blocks = names.lazy.map(\.file.allocated).max() ?? 0
    var rest = names
    var last: Int?
    while let first = rest.first {
      let here = rest.prefix { $0.directory == first.directory }
      rest = rest.dropFirst(here.count)
      let directory = Int(first.directory)
      let own = here.lazy.map(\.file.allocated).max() ?? 0
      if !directories[directory].isStored {
        var repeated: Int64 = -own
        for link in here { repeated.add(clamped: link.file.allocated) }
        let allocated = directories[directory].own.allocated
        directories[directory].own.allocated = max(0, allocated - repeated)
      }
      directories[directory].total.allocated.add(clamped: blocks - own)
      if var meeting = last {
        while order.position[directory] >= order.end[meeting] {
          meeting = Int(directories[meeting].parent)
        }
        directories[meeting].total.allocated.add(clamped: -blocks)
      }
      last = directory
    }
  }

  /// The position of each directory in pre-order, and the position after its last descendant.
  private func preorder() -> (position: [Int32], end: [Int32]) {
    var size = [Int32](repeating: 1, count: directories.count)
    for i in directories.indices.dropFirst().reversed() {
      size[Int(directories[i].parent)] += size[i]
    }
    var position = [Int32](repeating: 0, count: directories.count)
    var next = [Int32](repeating: 1, count: directories.count)
    for i in directories.indices.dropFirst() {
      let parent = Int(directories[i].parent)
      position[i] = next[parent]
      next[parent] += size[i]
      next[i] = position[i] + 1
    }
    return (position, zip(position, size).map { $0 + $1 })
  }
}

extension DirectoryTally {
  mutating func add(_ other: DirectoryTally) {
    files.add(clamped: other.files)
    directories.add(clamped: other.directories)
    size.add(clamped: other.size)
    allocated.add(clamped: other.allocated)
    newestModified = max(newestModified, other.newestModified)
  }
}

extension TreeTotals {
  /// The row of a directory.
  func row(at index: Int) throws -> TotalsRow {
    let directory = directories[index]
    try directories.requireSound()
    return TotalsRow(
      id: directory.id, state: directory.state, error: errors[index], own: directory.own,
      total: directory.total, fingerprint: directory.provenFingerprint)
  }
}
