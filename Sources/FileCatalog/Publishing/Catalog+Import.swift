internal import CatalogScan
internal import FileSystem
public import Fleet
internal import SQLite
public import SystemPackage

extension Catalog {
  /// The state of a catalog that was imported.
  public struct Imported: Sendable, Hashable {
    /// The publication of that state.
    public let record: CommitRecord
    /// The last publication that there is; another one where publications between are missing.
    public let last: Int64
    /// What has become of its roots: each as if it had been scanned for the first time.
    public let roots: [ScanSummary]
    /// Users and groups whose numbers this catalog knows by other names, which it keeps, such as `uid 1000`.
    public let otherOwners: [String]
  }

  /// Imports the roots of catalogs that machines have published: their entries are rows of this one, with the
  /// same values.
  ///
  /// The state is the last that is known: that of the last full publication, with those that follow it
  /// without a gap. A catalog that is not there yet is made. All of it is imported or nothing: what fails or is
  /// cancelled leaves everything as it was.
  ///
  /// The roots are offline until a scan finds them. What was published of the past stays in the lake: each
  /// root begins with one scan, of the time of its last one there.
  ///
  /// - Parameters:
  ///   - hosts: what the machines are called, or the numbers of their catalogs; none where there is only one.
  ///   - directory: where the roots are put, so that those of several machines have places of their own: `/home`
  ///     of a machine is `/hosts/anna/home` below `/hosts/anna`. `nil` leaves them where they are.
  /// - Returns: what was imported, in the order of `hosts`.
  /// - Throws: ``/Fleet/FleetError`` for what the lake does not have, or not as it was written;
  ///   ``/CatalogStore/CatalogError``, with ``/CatalogStore/CatalogError/Code/overlappingRoots`` for roots that
  ///   lie in those of the catalog or of another machine.
  /// - Complexity: Reads all entries once. In memory are the paths of the directories, and the numbers of
  ///   what has changed since the full publication.
  public func importRoots(
    of hosts: [String] = [], from lake: Lake, below directory: FilePath? = nil
  ) async throws -> [Imported] {
    let isCancelled = Monitor(false)
    do {
      return try await withTaskCancellationHandler {
        try await WorkerThread.run(named: "catalog import") { [self] in
          let place = directory?.absolute ?? ""
          let states = try PublishedState.selected(hosts, in: lake)
          return try importRoots(states, below: place) { isCancelled.withLock { $0 } }
        }
      } onCancel: {
        isCancelled.withLock { $0 = true }
      }
    } catch let error as FleetError {
      throw error
    } catch let error as ForeignFault {
      throw FleetError(.damaged, lake, error.description)
    } catch {
      throw CatalogError(error, path: path)
    }
  }

  private func importRoots(
    _ states: [PublishedState], below place: FilePath,
    unless isCancelled: @escaping @Sendable () -> Bool
  ) throws -> [Imported] {
    let sources = try states.map { try $0.source(below: place, unless: isCancelled) }
    let roots = RootsImport<PublishedEntries>(sources, into: store) { [layers, types] in
      layers.layers(of: types)
    }
    return zip(states, try roots.run()).map { state, result in
      Imported(
        record: state.record, last: state.last, roots: result.summaries,
        otherOwners: result.otherOwners)
    }
  }
}

/// The last state of a catalog that a lake has all of.
private struct PublishedState {
  let lake: Lake
  let record: CommitRecord
  /// The publications that it is put together from: a full one, and those that follow it.
  let records: [CommitRecord]
  let last: Int64

  private init(of member: FleetStatus.Member, in lake: Lake) throws {
    let catalog = member.last.catalog
    guard let full = member.full, let known = member.known else {
      throw FleetError(
        .unknownState, lake(Lake.directory(ofCommits: catalog)),
        "\(member.last.host) has no full publication there")
    }
    let reader = try CommitReader(lake)
    let records = try (full...known).map { try reader.record($0, of: catalog) }
    guard let record = records.last else {
      throw FleetError(.unknownState, lake, "\(member.last.host) has no known state there")
    }
    self.lake = lake
    self.records = records
    self.record = record
    last = member.last.publication
  }

  /// The states of the machines that are named.
  static func selected(_ hosts: [String], in lake: Lake) throws -> [PublishedState] {
    let members = try FleetStatus(of: lake).members
    let names = members.map(\.last.host)
    guard !hosts.isEmpty else {
      guard members.count == 1 else {
        throw FleetError(
          members.isEmpty ? .unknownHost : .ambiguousHost, lake, known: names,
          members.isEmpty
            ? "nothing has been published there"
            : "\(members.count) catalogs have been published there")
      }
      return [try PublishedState(of: members[0], in: lake)]
    }
    var chosen: [FleetStatus.Member] = []
    for host in hosts {
      let found = members.filter { $0.last.host == host || $0.last.catalog.description == host }
      guard let member = found.first else {
        throw FleetError(
          .unknownHost, lake, known: names, "no machine “\(host)” has published there")
      }
      guard found.count == 1 else {
        let catalogs = found.map(\.last.catalog.description)
        throw FleetError(
          .ambiguousHost, lake, known: catalogs,
          "\(found.count) catalogs are called “\(host)”")
      }
      if !chosen.contains(member) { chosen.append(member) }
    }
    return try chosen.map { try PublishedState(of: $0, in: lake) }
  }

  /// What is imported of it.
  func source(
    below place: FilePath, unless isCancelled: @escaping @Sendable () -> Bool
  ) throws -> RootsImport<PublishedEntries>.Source {
    var catalog = ForeignCatalog(name: record.host)
    let (tree, facts) = try directories(below: place)
    // What a root has without facts: when some root was scanned there.
    for id in tree.rootIDs {
      var root = ForeignCatalog.Root()
      root.started = record.scanStarted
      let seconds = record.newestScan ?? record.published
      root.finished = max(root.started, seconds.nanoseconds)
      catalog.roots[id] = root
    }
    if let facts { try PublishedFacts.read(facts, into: &catalog, below: place) }
    return RootsImport.Source(catalog, tree) { [lake, records] in
      try PublishedEntries(of: records, in: lake, unless: isCancelled)
    }
  }

  private func directories(
    below place: FilePath
  ) throws -> (tree: ForeignTree, facts: String?) {
    var rows = try PublishedRows(.directories, of: records, in: lake)
    let columns = PublishedTable.columns(of: .directories).map(\.name)
    func column(_ name: String) -> Int { columns.firstIndex(of: name) ?? 0 }
    let (id, parent, depth) = (column("id"), column("parent_id"), column("depth"))
    let (path, pathBytes) = (column("path"), column("path_bytes"))
    var directories: [ForeignTree.Row] = []
    while try rows.next() {
      let row = rows.row
      var bytes: [UInt8] = []
      if !row.copyText(pathBytes, to: &bytes) { row.copyText(path, to: &bytes) }
      directories.append(
        ForeignTree.Row(
          id: row.integer(id) ?? 0, parent: row.integer(parent), depth: row.integer(depth) ?? -1,
          path: bytes))
    }
    return (try ForeignTree(directories, below: place), rows.facts)
  }
}

extension Int64 {
  /// A time in seconds as one in nanoseconds; 0 for one that is none.
  fileprivate var nanoseconds: Int64 {
    let (product, isBeyond) = multipliedReportingOverflow(by: 1_000_000_000)
    return isBeyond ? 0 : product
  }
}
