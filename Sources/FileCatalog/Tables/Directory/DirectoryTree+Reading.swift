public import CatalogScan
public import CatalogStore
package import FileSystem
public import SystemPackage
internal import UniformTypes

extension DirectoryTree {
  /// Reads a directory with all below it, with several threads. Blocks the calling one meanwhile.
  ///
  /// What could not be read below the directory is no error: it is told by the nodes it concerns.
  ///
  /// - Parameters:
  ///   - path: the directory. Links that lead to it are followed, none below it is.
  ///   - depth: how many steps below the directory entries are read; `nil` for any. With 0 it is the directory
  ///     alone.
  ///   - packages: whether a package is one node, or a directory as any other.
  ///   - boundary: whether file systems that are mounted below the directory belong to the tree. Those that
  ///     the system makes up, such as `proc`, never do.
  ///   - hiddenItems: whether entries are read whose names begin with a dot, and what they hold.
  ///   - types: what entries are typed by.
  /// - Throws: ``DirectoryTable/Failure/Code/notFound`` where there is nothing,
  ///   ``DirectoryTable/Failure/Code/notADirectory`` where something else is,
  ///   ``DirectoryTable/Failure/Code/gone`` when the directory vanishes meanwhile, and
  ///   ``DirectoryTable/Failure/Code/system`` when the system refuses to read it.
  public init(
    of path: FilePath, depth: Int? = nil, packages: ScanOptions.Packages = .asOneEntry,
    boundary: ScanOptions.Boundary = .crossDevices,
    hiddenItems: DirectoryTable.HiddenItems = .shown, types: TypeSources = .standard
  ) throws(DirectoryTable.Failure) {
    var settings = TypedWalk.Settings()
    settings.maxDepth = depth.map { max(1, $0) }
    settings.packages = packages
    settings.boundary = boundary
    settings.hidden = hiddenItems == .shown ? .included : .leftOut
    try self.init(
      of: path, settings, extent: depth.map { $0 > 0 } ?? true ? .tree : .rootAlone, types: types,
      makeSource: TreeWalker.systemSource)
  }

  /// How much of a directory is read.
  package enum Extent {
    case tree, rootAlone
  }

  /// Reads a directory through a source of the caller's.
  package init(
    of path: FilePath, _ settings: TypedWalk.Settings = TypedWalk.Settings(),
    extent: Extent = .tree, types: TypeSources,
    makeSource: @escaping @Sendable () -> any DirectorySource
  ) throws(DirectoryTable.Failure) {
    let given = try DirectoryTable(at: path).path
    guard let root = given.absolute.resolved else { throw DirectoryTable.Failure(gone: path) }
    let walk: TypedWalk
    do throws(FileError) {
      walk = try TypedWalk(root: root, settings, types: types, makeSource: makeSource)
    } catch {
      if error.errno.saysReplaced { throw DirectoryTable.Failure(gone: path) }
      throw DirectoryTable.Failure(path, error.errno, to: "read the directory")
    }
    var listing = Listing(of: root, walk)
    if extent == .tree {
      do throws(ThreadError) {
        try walk.walker.start()
      } catch {
        throw DirectoryTable.Failure(path, error.errno, to: "read the directory")
      }
      while let batch = walk.walker.next() {
        listing.add(batch)
        walk.walker.recycle(batch)
      }
    }
    self = listing.tree(typed: walk.takeTypes())
  }
}

/// What a walk hands over, until all of it is there and can be put in order.
private struct Listing {
  private typealias Row = DirectoryTree.Row

  private let root: FilePath
  private var rows: [Row]
  private var typeCodes: [Int32]
  private var volumes: [UInt64: VolumeIdentity]
  private var failures: [FileError] = []
  /// By number of a directory: its row, and those of its children.
  private var directories: [Int32: Int] = [0: 0]
  private var children: [Int32: [Int]] = [:]
  /// By row of a directory: its number.
  private var numbers: [Int: Int32] = [0: 0]

  /// The listing of a walk that has not begun.
  init(of root: FilePath, _ walk: TypedWalk) {
    self.root = root
    var row = Row(name: root.lastComponent?.bytes ?? root.bytes, kind: .directory)
    row.status = walk.walker.startStatus
    row.content = .notEntered
    rows = [row]
    typeCodes = [walk.rootTypeCode]
    volumes = [walk.walker.startStatus.device: walk.walker.startVolume]
  }

  mutating func add(_ batch: EntryBatch) {
    let first = rows.count
    var packages: [Int: Int] = [:]
    for section in batch.sections {
      for position in section.records {
        if batch.records[position].kind == .package { packages[position] = rows.count }
        add(batch.records[position], of: batch, in: section.directory)
      }
      guard section.isLast, let row = directories[section.directory] else { continue }
      rows[row].content = if case .read = section.outcome { .read } else { .unreadable }
    }
    for (position, file) in batch.packagedLinks {
      if let row = packages[position], row >= first { rows[row].links.append(file) }
    }
    failures += batch.failures
    for (device, volume) in batch.volumes { volumes[device] = volume }
  }

  private mutating func add(_ record: EntryRecord, of batch: EntryBatch, in directory: Int32) {
    var row = Row(name: Array(batch.name(of: record)), kind: record.kind)
    row.isPackage = record.traits.contains(.package)
    let isKnown = !record.traits.contains(.withoutStatus)
    if isKnown { row.status = record.status }
    switch record.kind {
    case .directory:
      directories[record.directoryIndex] = rows.count
      numbers[rows.count] = record.directoryIndex
      // Until a section of it comes.
      row.content = isKnown ? .notEntered : .unreadable
    case .package: row.content = .notEntered
    case .symlink:
      let target = batch.target(of: record)
      if !target.isEmpty { row.target = FilePath(bytes: target) }
    default: break
    }
    children[directory, default: []].append(rows.count)
    rows.append(row)
    typeCodes.append(record.typeCode)
  }

  /// The tree, once the walk is over.
  func tree(typed types: [Int32: UniformType]) -> DirectoryTree {
    var ordered: [Row] = []
    ordered.reserveCapacity(rows.count)
    var parents: [Int] = []
    var pending = [(row: 0, parent: -1)]
    while let (index, parent) = pending.popLast() {
      let place = ordered.count
      var row = rows[index]
      row.type = types[typeCodes[index]]
      ordered.append(row)
      parents.append(parent)
      guard let number = numbers[index], let inside = children[number] else { continue }
      let byName = inside.sorted { rows[$0].name.lexicographicallyPrecedes(rows[$1].name) }
      pending += byName.reversed().map { ($0, place) }
    }
    for place in ordered.indices.dropFirst().reversed() {
      ordered[parents[place]].descendants += ordered[place].descendants + 1
    }
    for failure in failures {
      let (place, _) = ordered.descend(from: 0, along: failure.path.components.map(\.bytes))
      ordered[place].failures.append(
        FileError(failure.operation, root.pushing(failure.path), failure.errno))
    }
    return DirectoryTree(path: root, rows: ordered, volumes: volumes)
  }
}
