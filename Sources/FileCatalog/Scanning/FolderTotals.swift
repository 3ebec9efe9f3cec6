internal import FileSystem
internal import SystemPackage

/// The directories of one scan and their sums, numbered as the walk numbered them: a directory's
/// number is always higher than its parent's, so one pass from the end sums everything up.
struct FolderTotals {
  /// Plain memory, since every rescan that writes copies all of them.
  struct Folder {
    var id: Int64
    var parent: Int32
    var depth: Int32
    var state = State.unscanned
    var own = DirectoryTally()
    /// The blocks of the directory itself.
    var ownBlocks: Int64
    var total = DirectoryTally()
    /// Of everything that was read of the directory.
    var fingerprint = DirectoryFingerprint()
    /// Some child has no values: the next scan has to look at each.
    var isVague = false
    /// `own` is as the catalog has it, with each file counted once.
    var isStored = false

    /// The fingerprint, if it stands for the whole directory.
    var provenFingerprint: DirectoryFingerprint? {
      state == .complete && !isVague ? fingerprint : nil
    }
  }

  enum State: Int64 {
    case complete = 0
    case unreadable = 1
    case unscanned = 2
  }

  /// One of several names of a file.
  private struct Link {
    var file: LinkedFile
    var folder: Int32
  }

  private(set) var folders: [Folder] = []
  /// Why directories could not be read, by their numbers.
  private(set) var errors: [Int: String] = [:]
  /// The numbers of the folders in the order of their ids.
  private(set) var order: [Int32] = []
  private var links: [Link] = []

  /// - Parameter capacity: how many directories are expected.
  init(capacity: Int = 0) {
    folders.reserveCapacity(capacity)
    order.reserveCapacity(capacity)
  }

  /// Adds the directory with the number `index`. `parent` is -1 for the root.
  mutating func add(index: Int32, id: Int64, parent: Int32, depth: Int32, ownBlocks: Int64) {
    let folder = Folder(id: id, parent: parent, depth: depth, ownBlocks: ownBlocks)
    while folders.count <= Int(index) {
      folders.append(Folder(id: 0, parent: 0, depth: 0, ownBlocks: 0))
    }
    folders[Int(index)] = folder
    order.append(index)
  }

  func id(of index: Int32) -> Int64 { folders[Int(index)].id }

  /// Adds a directory whose number is the next one, as far as it is known.
  ///
  /// - Parameter error: why the directory could not be read.
  mutating func append(_ folder: Folder, error: String?) {
    if let error { errors[folders.count] = error }
    order.append(Int32(folders.count))
    folders.append(folder)
  }

  /// Sets what the rows of a directory's children add up to, every name of a file counted.
  mutating func recount(_ index: Int, _ tally: DirectoryTally) {
    folders[index].own = tally
    folders[index].isStored = false
  }

  /// Adds a piece of a directory's listing.
  mutating func add(_ section: DirectorySection) {
    let i = Int(section.directory)
    folders[i].own.add(section.tally)
    folders[i].fingerprint.add(section.fingerprint)
    if section.withoutStatusCount > 0 { folders[i].isVague = true }
    guard section.isLast else { return }
    switch section.outcome {
    case .read:
      folders[i].state = .complete
    case .unreadable(let error):
      folders[i].state = .unreadable
      errors[i] = error.description
    }
  }

  /// Remembers a file with several names, so that its blocks count once.
  mutating func addLink(_ file: LinkedFile, in folder: Int32) {
    links.append(Link(file: file, folder: folder))
  }

  /// Computes the totals of all directories. Call once, when everything has been added.
  mutating func sumUp() {
    countLinksOnce()
    for i in folders.indices.reversed() {
      folders[i].total.add(folders[i].own)
      if folders[i].parent >= 0 && i > 0 {
        folders[Int(folders[i].parent)].total.add(folders[i].total)
      }
    }
    for i in folders.indices { folders[i].total.allocated += folders[i].ownBlocks }
  }

  /// Takes the blocks of every further name of a file off where the names meet.
  private mutating func countLinksOnce() {
    guard !links.isEmpty else { return }
    let order = preorder()
    links.sort {
      ($0.file.device, $0.file.inode, order.position[Int($0.folder)])
        < ($1.file.device, $1.file.inode, order.position[Int($1.folder)])
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
      let here = rest.prefix { $0.folder == first.folder }
      rest = rest.dropFirst(here.count)
      let folder = Int(first.folder)
      let own = here.lazy.map(\.file.allocated).max() ?? 0
      if !folders[folder].isStored {
        folders[folder].own.allocated -= here.reduce(-own) { $0 + $1.file.allocated }
      }
      folders[folder].total.allocated += blocks - own
      if var meeting = last {
        while order.position[folder] >= order.end[meeting] {
          meeting = Int(folders[meeting].parent)
        }
        folders[meeting].total.allocated -= blocks
      }
      last = folder
    }
  }

  /// The position of each directory in pre-order, and the position after its last descendant.
  private func preorder() -> (position: [Int32], end: [Int32]) {
    var size = [Int32](repeating: 1, count: folders.count)
    for i in folders.indices.dropFirst().reversed() { size[Int(folders[i].parent)] += size[i] }
    var position = [Int32](repeating: 0, count: folders.count)
    var next = [Int32](repeating: 1, count: folders.count)
    for i in folders.indices.dropFirst() {
      let parent = Int(folders[i].parent)
      position[i] = next[parent]
      next[parent] += size[i]
      next[i] = position[i] + 1
    }
    return (position, zip(position, size).map { $0 + $1 })
  }
}

extension DirectoryTally {
  mutating func add(_ other: DirectoryTally) {
    files += other.files
    directories += other.directories
    size += other.size
    allocated += other.allocated
    newestModified = max(newestModified, other.newestModified)
  }
}

extension FolderTotals.Folder {
  /// The sums in the order of the table's columns: of the children, then of everything below.
  var sums: [Int64] {
    [
      own.files, own.directories, own.size, own.allocated, total.files, total.directories,
      total.size, total.allocated,
    ]
  }
}
