package import CatalogStore
internal import FileSystem
internal import SQLite
internal import StandardDirectories
internal import SystemPackage

/// Puts the roots of another catalog into one, as if they had been scanned for the first time: all of them
/// or none.
///
/// A catalog that is not there yet is made of pages, and gets its name when it is complete. One that there is
/// gets rows in one transaction.
package struct RootsImport<Entries: ForeignEntries & ~Copyable>: ~Copyable {
  private let store: CatalogStore
  private let layers: () -> TypeLayers
  private let sources: [Source]

  /// A catalog whose roots are imported.
  package struct Source {
    package let catalog: ForeignCatalog
    package let tree: ForeignTree
    /// Gives its entries from the first on.
    package let open: () throws -> Entries

    package init(
      _ catalog: ForeignCatalog, _ tree: ForeignTree, open: @escaping () throws -> Entries
    ) {
      self.catalog = catalog
      self.tree = tree
      self.open = open
    }
  }

  package init(
    _ sources: [Source], into store: CatalogStore, layers: @escaping () -> TypeLayers
  ) {
    self.sources = sources
    self.store = store
    self.layers = layers
  }

  /// What has come of a catalog.
  package struct Result: Sendable {
    package let summaries: [ScanSummary]
    /// Users and groups whose numbers the catalog knows by other names, which it keeps: `uid 7`.
    package let otherOwners: [String]
  }

  /// - Returns: what has come of each source.
  package func run() throws -> [Result] {
    if let results = try makeCatalog() { return results }
    return try store.pool.withWriter { db in
      try db.transaction(.immediate) { try sources.map { try add($0, to: db) } }
    }
  }

  /// Makes a file with the roots, and puts it where the catalog is to stand.
  ///
  /// - Returns: `nil` where there is a catalog already.
  private func makeCatalog() throws -> [Result]? {
    guard store.isMissing, let first = sources.first else { return nil }
    let file = try UnfinishedFile(for: store.path)
    try CatalogTemplate.write(to: file)
    let (begun, numbers) = try file.with { db in
      try Schema.update(db)
      return try db.transaction(.immediate) { try begin(first, in: db) }
    }
    // Pages are those of a catalog without entries.
    var loader = try makeLoader(
      first, begun, numbers, try PageRowWriter(try PageLoader(path: file.path)))
    let loaded = try load(first, numbers, with: &loader)
    guard try loader.takeWriter().finish().duplicates.isEmpty else {
      throw ForeignFault("a directory has two entries of one name")
    }
    let results = try file.with { db in
      try CatalogStore.followEntries(in: db)
      return try db.transaction(.immediate) {
        try [finish(first, begun, loaded, in: db)]
          + sources.dropFirst().map { try add($0, to: db) }
      }
    }
    try file.set(.writeAhead)
    return try file.publish() ? results : nil
  }

  /// Adds the roots of a catalog by statements.
  private func add(_ source: Source, to db: Connection) throws -> Result {
    let (begun, numbers) = try begin(source, in: db)
    var loader = try makeLoader(source, begun, numbers, try StatementRowWriter(on: db))
    let loaded: Loaded
    do {
      loaded = try load(source, numbers, with: &loader)
    } catch let error as SQLiteError where error.code == .constraint {
      throw ForeignFault("a directory has two entries of one name")
    }
    return try finish(source, begun, loaded, in: db)
  }

  // MARK: - The beginning

  /// Roots that have begun.
  private struct Begun {
    let roots: [ForeignRoot]
    let places: PlaceMap
    let hasContainers: Bool
  }

  /// What numbers are free.
  private struct Numbers {
    let firstID: Int64
    let extensions: ExtensionNumbers
    let volumes: ForeignVolumes
    let words: ForeignWords
  }

  private func begin(
    _ source: Source, in db: Connection
  ) throws -> (Begun, Numbers) {
    try requireApart(source, in: db)
    let containers = try ContainerTable(db)
    for container in source.catalog.containers { try containers.register(container.container) }
    // The types that are declared here have their numbers before others come.
    _ = try TypeTables(in: db).synchronize(with: layers())
    var roots: [ForeignRoot] = []
    for (position, path) in zip(source.tree.roots, source.tree.rootPaths) {
      let id = source.tree.directories[Int(position)].id
      let root = source.catalog.roots[id] ?? ForeignCatalog.Root()
      let given = root.given.map { FilePath(bytes: $0) } ?? path
      let rootID = try RootTable.insert(
        RootLocation(given: given, path: path), ScanOptions(), in: db)
      try RootTable.setSettings(root.settings, of: rootID, in: db)
      let scan = try ScanLog.start(rootID: rootID, path: path, at: root.started, in: db)
      roots.append(ForeignRoot(id: rootID, scan: scan))
    }
    for root in try RootTable.all(in: db) where roots.contains(where: { $0.id == root.id }) {
      do {
        _ = try root.soundSettings()
      } catch let error as SQLiteError {
        throw ForeignFault(error.message)
      }
    }
    let begun = Begun(
      roots: roots, places: try containers.map(), hasContainers: !source.catalog.containers.isEmpty)
    return (begun, try numbers(in: db))
  }

  /// Refuses roots that lie in one another, or in one that the catalog has: their entries would stand twice.
  private func requireApart(_ source: Source, in db: Connection) throws {
    var known = try RootTable.all(in: db).map(\.location.path)
    for path in source.tree.rootPaths {
      if let other = known.first(where: { $0.contains(path) || path.contains($0) }) {
        throw CatalogError(
          .overlappingRoots, path: store.path, root: other,
          "\(path.string) of \(source.catalog.name) lies where the catalog has the root "
            + "\(other.string)")
      }
      known.append(path)
    }
  }

  private func numbers(in db: Connection) throws -> Numbers {
    var types: [String: Int64] = [:]
    try db.forEach("SELECT identifier, id FROM _uniform_types") { row in
      types[row.text(0).lowercased()] = row.integer(1, in: TypeIDs.range)
    }
    var identities: Set<String> = []
    try db.forEach("SELECT identity FROM _volumes") { identities.insert($0.text(0)) }
    let nextVolume = try db.integer("SELECT ifnull(max(id), 0) + 1 FROM _volumes") ?? 1
    let nextType = max(types.values.max() ?? 0, TypeTables.lastBuiltIn) + 1
    return Numbers(
      firstID: try EntryIDs.next(in: db), extensions: try ExtensionNumbers(in: db),
      volumes: ForeignVolumes(identities: identities, next: nextVolume),
      words: ForeignWords(types: types, nextType: nextType))
  }

  // MARK: - Entries

  private func makeLoader<Writer: RowWriter & ~Copyable>(
    _ source: Source, _ begun: Begun, _ numbers: Numbers, _ writer: consuming Writer
  ) throws -> ForeignLoader<Writer> {
    ForeignLoader(
      writer, source.tree, of: source.catalog, roots: begun.roots, firstID: numbers.firstID,
      places: begun.places, extensions: numbers.extensions, volumes: numbers.volumes,
      beside: store.path)
  }

  /// What was loaded, but for the rows.
  private struct Loaded {
    let sums: [DirectoryTally]
    let counts: [Int]
    let nextID: Int64
    let usage: UsageSums
    var extensions: ExtensionNumbers
    let volumes: ForeignVolumes
    let words: ForeignWords
  }

  private func load<Writer: RowWriter & ~Copyable>(
    _ source: Source, _ numbers: Numbers, with loader: inout ForeignLoader<Writer>
  ) throws -> Loaded {
    var entries = try source.open()
    var entry = ForeignEntry()
    var words = numbers.words
    while try entries.next(&entry, &words) { try loader.insert(entry) }
    try loader.finish()
    return Loaded(
      sums: loader.sums, counts: loader.counts, nextID: loader.nextID, usage: loader.usage,
      extensions: loader.extensions, volumes: loader.volumes, words: words)
  }

  // MARK: - The end

  private func finish(
    _ source: Source, _ begun: Begun, _ loaded: Loaded, in db: Connection
  ) throws -> Result {
    var extensions = loaded.extensions
    try extensions.writeAdded(to: db)
    try loaded.usage.write(to: db)
    for volume in loaded.volumes.added {
      try db.execute(
        "INSERT INTO _volumes (id, identity, device) VALUES (?, ?, ?)",
        [volume.number, volume.identity, volume.device])
    }
    try insertTypes(loaded.words, of: source.catalog, in: db)
    let others = try OwnerNames.insert(
      users: loaded.words.users, groups: loaded.words.groups, in: db)
    try EntryIDs.setNext(loaded.nextID, in: db)
    // Another container of the same name makes those known before be called otherwise, not be elsewhere; but
    // they may hold what is there already.
    try PlaceSettlement(begun.places, in: db).run(begun.hasContainers ? .everything : .open)
    try UsageSums.removeEmpty(in: db)
    var summaries: [ScanSummary] = []
    for (index, root) in begun.roots.enumerated() {
      let position = source.tree.roots[index]
      let known = source.catalog.roots[source.tree.directories[Int(position)].id]
      let told = known ?? ForeignCatalog.Root()
      let summary = ScanSummary(
        root: source.tree.rootPaths[index], scanID: ScanID(rawValue: root.scan), state: told.state,
        entries: loaded.counts[index], added: loaded.counts[index], removed: 0, modified: 0,
        moved: 0, errors: told.errors, size: loaded.sums[index].size,
        allocated: loaded.sums[index].allocated, isFirst: true,
        seconds: Double(told.finished &- told.started) / 1e9)
      try ScanLog.finish(summary, origin: nil, at: told.finished, in: db)
      try RootTable.complete(root.id, scan: root.scan, in: db)
      summaries.append(summary)
    }
    try NameIndex.fillGaps(in: db)
    return Result(summaries: summaries, otherOwners: others)
  }

  /// Adds the types that entries have and the catalog does not know.
  private func insertTypes(
    _ words: ForeignWords, of catalog: ForeignCatalog, in db: Connection
  ) throws {
    let insertType = try db.prepare(
      "INSERT INTO _uniform_types (id, identifier, description, flags, source) VALUES (?, ?, ?, ?, ?)"
    )
    let insertConformance = try db.prepare(
      "INSERT OR IGNORE INTO _uniform_type_conformance (ancestor_id, type_id) VALUES (?, ?)")
    for added in words.addedTypes {
      let known = catalog.types[added.identifier]
      let isDynamic = added.identifier.hasPrefix("dyn.")
      try insertType.run([
        added.number, added.identifier, known?.description ?? added.description,
        known.map { $0.flags & 7 } ?? (isDynamic ? TypeRows.dynamicFlag : 0),
        known?.source ?? catalog.name,
      ])
      for ancestor in [added.identifier] + (known?.ancestors ?? []) {
        guard let number = words.types[ancestor.lowercased()] else { continue }
        try insertConformance.run([number, added.number])
      }
    }
  }
}

/// A root as the catalog has begun it.
struct ForeignRoot {
  let id: Int64
  let scan: Int64
}
