package import CatalogStore
package import FileSystem
package import SQLite
package import SystemPackage

/// How a root is walked: its settings as the walker takes them.
package struct WalkPlan {
  package let location: RootLocation
  package let settings: ScanOptions
  /// The catalog's file, which no catalog holds.
  package let catalog: FilePath
  package let numbering: TypeNumbering
  package let providers: [any ResourceValueProvider]
  package let jobs: ScanRequest.Jobs
  package let makeSource: @Sendable () -> any DirectorySource
  /// What the catalog holds as packages, for a walk that goes by it.
  package var stored: StoredPackages?

  package init(
    location: RootLocation, settings: ScanOptions, catalog: FilePath, numbering: TypeNumbering,
    providers: [any ResourceValueProvider], jobs: ScanRequest.Jobs,
    makeSource: @escaping @Sendable () -> any DirectorySource, stored: StoredPackages? = nil
  ) {
    self.location = location
    self.settings = settings
    self.catalog = catalog
    self.numbering = numbering
    self.providers = providers
    self.jobs = jobs
    self.makeSource = makeSource
    self.stored = stored
  }

  /// A walk of the root, or of a directory below it.
  ///
  /// - Parameters:
  ///   - start: the components of the path from the root to where the walk starts.
  ///   - depth: how far down, within what the settings allow.
  /// - Throws: ``/CatalogStore/CatalogError`` for a root that cannot be read or is another now, a bad glob or an unknown provider;
  ///   `FileError` for a directory below it that cannot.
  package func makeWalker(
    startingAt start: [[UInt8]] = [], depth: WalkOptions.Depth = .deep
  ) throws -> TreeWalker {
    var options = depth == .deep ? jobs.walkOptions : WalkOptions(jobs: 1)
    options.depth = settings.depth == .deep ? depth : .shallow
    options.maxDepth = settings.maxDepth.map { Int32(clamping: $0) }
    options.boundary = settings.boundary == .crossDevices ? .crossDevices : .oneFileSystem
    options.skippedFileSystems = settings.skippedFileSystems
    options.isExcluded = try exclusion()
    options.ignoreFiles = try ignoreFiles()
    let active = try activeProviders()
    do {
      return try TreeWalker(
        root: location.path, startingAt: start, options: options, makeSource: makeSource
      ) { [location, numbering, stored, packages = settings.packages] in
        var classifier = EntryClassifier(
          numbering: numbering, packages: packages, providers: active, root: location.path,
          stored: stored)
        return { classifier.classify($0, $1, $2) }
      }
    } catch {
      guard error.path == location.path else { throw error }
      try location.requireSamePlace()
      throw CatalogError(
        .unreadableRoot, path: location.path,
        "\(location.path.string) cannot be read: \(error.errno)")
    }
  }

  package func activeProviders() throws -> [any ResourceValueProvider] {
    try settings.resourceValues.map { key in
      guard let provider = providers.first(where: { $0.key == key }) else {
        throw CatalogError(
          .valuesNotProvided, path: location.path,
          "\(location.path.string) asks for the resource values “\(key)”, which nothing here "
            + "provides; known: \(providers.map(\.key).joined(separator: ", "))")
      }
      return provider
    }
  }

  private func ignoreFiles() throws(CatalogError) -> IgnoreFiles {
    do throws(FileError) {
      return try IgnoreFiles(of: location.path, settings)
    } catch {
      throw CatalogError(
        .unreadableRoot, path: location.path,
        "what \(location.path.string) leaves out is not known: \(error)")
    }
  }

  /// Leaves out what the user wants left out, and the catalog's own files.
  private func exclusion() throws -> WalkOptions.Exclusion? {
    var rules = try ExcludeRules(settings.excludes).exclusion
    if settings.hidden == .leftOut {
      rules = { [rules] directory, entry in
        entry.first == UInt8(ascii: ".") || rules?(directory, entry) ?? false
      }
    }
    let place = catalog.absolute
    guard let name = place.lastComponent?.bytes,
      let own = place.removingLastComponent().resolved, location.path.contains(own)
    else { return rules }
    let suffixes = ["", "-wal", "-shm", "-journal"].map { Array($0.utf8) }
    let unfinished = Array(UnfinishedFile.prefix(for: catalog).utf8)
    let prefix = location.path.bytes.count + (location.path.bytes.last == UInt8(ascii: "/") ? 0 : 1)
    let inside = Array(own.bytes.dropFirst(prefix))
    return { [rules] directory, entry in
      if let rules, rules(directory, entry) { return true }
      guard directory.elementsEqual(inside) else { return false }
      return entry.starts(with: unfinished)
        || entry.starts(with: name)
          && suffixes.contains { entry.dropFirst(name.count).elementsEqual($0) }
    }
  }
}

extension WalkPlan {
  /// Stores what the providers say of the root itself, in place of what they said before. No
  /// directory lists the root, so no walk asks for it.
  ///
  /// - Parameter before: the settings of the last scan, if there was one.
  /// - Returns: what went wrong, with paths below the root.
  package func storeRootValues(
    of entry: Int64, before: ScanOptions?, in db: Connection
  ) throws -> [FileError] {
    let kept = KeptValues(settings, before: before)
    guard kept != .all else { return [] }
    let providers = try activeProviders()
    let stored = providers.isEmpty ? nil : try StoredEntry.entry(entry, db)
    var failures: [FileError] = []
    var values: [String: ResourceValue] = [:]
    if let stored {
      let opened = try? OpenFile(unlinked: location.path, for: .listing)
      defer { withExtendedLifetime(opened) {} }
      let root = ScannedEntry(
        path: location.path, place: opened?.systemPath?.appending(".") ?? location.path,
        kind: .directory, status: stored.status)
      for provider in providers {
        do {
          values.merge(try provider.storableValues(of: root)) { $1 }
        } catch {
          failures.append(FileError(.attributes, "", providing: error))
        }
      }
    }
    // What could not be found out stays as it was known.
    let before = try self.values(of: entry, allBut: kept, in: db)
    if failures.isEmpty ? values == before : values.allSatisfy({ before[$0.key] == $0.value }) {
      return failures
    }
    if failures.isEmpty {
      try db.execute(
        "DELETE FROM _entry_values WHERE entry_id = ? AND NOT \(kept.condition)", [entry])
    }
    let writer = try StatementRowWriter(on: db)
    for (key, value) in values { try writer.write(value, key, of: entry) }
    try AttributeTable.noteChange(in: db)
    return failures
  }

  private func values(
    of entry: Int64, allBut kept: KeptValues, in db: Connection
  ) throws -> [String: ResourceValue] {
    var values: [String: ResourceValue] = [:]
    let stored = SQL(
      "SELECT key, value FROM _entry_values WHERE entry_id = ? AND NOT \(kept.condition)",
      [.integer(entry)])
    try db.forEach(stored) { values[$0.text(0)] = $0.resourceValue(1) }
    return values
  }
}

extension FileError {
  /// What a provider has thrown.
  package init(_ operation: Operation, _ path: FilePath, providing error: any Error) {
    self.init(
      operation, path, (error as? FileError)?.errno ?? (error as? Errno) ?? .ioError)
  }
}
