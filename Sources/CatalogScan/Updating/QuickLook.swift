internal import CatalogStore
internal import FileSystem
internal import SQLite
internal import SystemPackage

/// Finds the directories of a root in which names may have come, gone or changed since they were read,
/// by looking at the directories themselves: their own times and identities are compared with their rows.
///
/// A directory is told to be as it was only where that is certain. One that could not be read as a whole
/// is among the findings, and one that had changed so shortly before it was read that another change
/// could have left it the same times.
struct QuickLook {
  let root: RootRecord
  let settings: ScanOptions
  let jobs: ScanRequest.Jobs
  let control: ScanControl
  let db: Connection

  /// File systems may count in steps of two seconds; one more for the clock that they go by.
  private static let step: Int64 = 3_000_000_000
  /// Where another machine keeps the files, its clock is not ours.
  private static let stepElsewhere: Int64 = 60_000_000_000

  /// Finds what of a scope has to be read.
  ///
  /// - Parameter walker: one that could walk the root; it is not started.
  /// - Returns: the scope itself where all of it has to be.
  func scope(within scope: ScanScope, _ walker: TreeWalker) throws -> ScanScope {
    guard let listedFrom = root.listedFrom, let place = try place(of: walker),
      try !hasChangedAbove(since: listedFrom - Self.step)
    else { return scope }
    var parts: Set<ScanScope.Part> = []
    guard
      try look(
        place, walker.startStatus, within: scope, since: listedFrom, adding: &parts),
      // What is gone as a whole shows in the directory around.
      parts.allSatisfy({ part in scope.parts.contains { $0.covers(part) } })
    else { return scope }
    try lookForIgnoreFiles(adding: &parts)
    return .parts(Array(parts.filter { part in scope.parts.contains { $0.covers(part) } }))
  }

  // MARK: - The root

  private struct Place {
    let directory: OpenFile
    /// The catalog's number of its file system.
    let volume: Int64
    /// The devices by which file systems are known today, as far as these can be trusted.
    let devices: [Int64: UInt64]
    let step: Int64
  }

  /// The root, if it is the one that was scanned, on a file system on which directories tell of changes.
  private func place(of walker: TreeWalker) throws -> Place? {
    guard let id = root.entryID, let row = try StoredEntry.entry(id, db),
      row.status.inode == walker.startStatus.inode,
      row.status.created == walker.startStatus.created,
      let directory = try? OpenFile(unlinked: root.location.path, for: .passage),
      let status = try? directory.status(), status.inode == walker.startStatus.inode,
      status.device == walker.startStatus.device,
      FileSystemType(ofOpen: directory.descriptor)?.hasTimesOfDirectories ?? true
    else { return nil }
    var devices: [Int64: UInt64] = [:]
    var isKnown = false
    let types = Dictionary(
      MountTable().mounts.map { ($0.device, $0.type) }, uniquingKeysWith: { $1 })
    try db.forEach(SQL("SELECT id, identity, device FROM _volumes")) { volume in
      let device = UInt64(bitPattern: volume.integer(2))
      if volume.integer(0) == row.volume {
        isKnown = volume.text(1) == walker.startVolume.description
      } else if !types.isEmpty, types[device]?.hasTimesOfDirectories ?? true {
        devices[volume.integer(0)] = device
      }
    }
    guard isKnown else { return nil }
    devices[row.volume] = status.device
    return Place(
      directory: directory, volume: row.volume, devices: devices,
      step: directory.isRemote ? Self.stepElsewhere : Self.step)
  }

  /// Whether what is left out may be something else, by files outside the root.
  private func hasChangedAbove(since moment: Int64) throws -> Bool {
    var files: [FilePath] = []
    var above = root.location.path
    while above.removeLastComponent() {
      files += IgnoreNames.watched(settings).map { above.appending($0) }
      if settings.gitIgnore == .followed {
        files.append(above.pushing(FilePath(IgnoreNames.exclude)))
      }
    }
    if settings.gitIgnore == .followed, let file = GitIgnoring().fileOfUser { files.append(file) }
    return files.contains { file in
      guard let status = try? FileStatus(ofPath: file),
        EntryKind(mode: status.mode) != .directory
      else { return false }
      return max(status.modified, status.changed) >= moment
    }
  }

  // MARK: - Directories

  /// Looks at the directories of a scope.
  ///
  /// - Returns: whether so few are to be read that it is worth to read them one by one.
  private func look(
    _ place: Place, _ rootStatus: FileStatus, within scope: ScanScope, since listedFrom: Int64,
    adding parts: inout Set<ScanScope.Part>
  ) throws -> Bool {
    let unsettled = try unsettledDirectories()
    let prefix = root.location.path.bytes
    let places = Places(of: scope)
    var inspection = DirectoryInspection(below: place.directory, options: jobs.walkOptions) {
      [control] in control.isCancelled
    }
    var ids: [Int64] = []
    var different: [Int64] = []
    let statement = SQL(
      """
      SELECT d.id, d.exact_path, e.inode, e.modified, e.changed, e.volume_id
      FROM \(DirectoryRow.table.name) d LEFT JOIN _entries e ON e.id = d.id WHERE d.root_id = ?
      """, [.integer(root.id)])
    try db.forEach(statement) { row in
      let id = row.id(0)
      let path = row.bytes(1)
      guard path.starts(with: prefix) else {
        throw SQLiteError.corrupt("directory \(id) has a path that is not below its root")
      }
      var below = UnsafeRawBufferPointer(rebasing: path[prefix.count...])
      if below.first == UInt8(ascii: "/") { below = UnsafeRawBufferPointer(rebasing: below[1...]) }
      guard places.contain(below) else { return }
      let number = ids.count
      ids.append(id)
      let volume = row.integer(5)
      let (modified, changed) = (row.integer(3), row.integer(4))
      let step = volume == place.volume ? place.step : max(place.step, Self.stepElsewhere)
      guard unsettled[id] != .unreadable, unsettled[id] != .complete,
        !row.isNull(2), !row.isNull(3), !row.isNull(4), !below.contains(0),
        max(modified, changed) < listedFrom - step, let device = place.devices[volume]
      else { return different.append(id) }
      let stamp = DirectoryStamp(
        inode: UInt64(bitPattern: row.integer(2)), device: device, modified: modified,
        changed: changed)
      if below.isEmpty {
        let now = DirectoryStamp(
          inode: rootStatus.inode, device: rootStatus.device, modified: rootStatus.modified,
          changed: rootStatus.changed)
        if now != stamp { different.append(id) }
      } else {
        inspection.look(
          at: below, number: number, for: stamp, unsettled[id] == nil ? .listed : .notEntered)
      }
    }
    let findings = inspection.finish()
    if control.isCancelled { throw CancellationError() }
    let most = 16 + ids.count / 32
    // What is missing mostly went with the directory around it.
    guard different.count + findings.count(where: { $0.finding == .different }) <= most else {
      return false
    }
    for id in different { parts.insert(try part(id)) }
    try addFindings(findings.map { (ids[$0.number], $0.finding) }, to: &parts)
    return parts.count <= most
  }

  /// The directories that were not read as a whole, by what is known of them: ``DirectoryState/complete``
  /// stands for those in which something could not be.
  private func unsettledDirectories() throws -> [Int64: DirectoryState] {
    var states: [Int64: DirectoryState] = [:]
    try db.forEach(
      SQL(
        """
        SELECT id, state FROM \(TotalsRow.table.name) WHERE state <> 0 OR fingerprint_high IS NULL
        """)
    ) { states[$0.id(0)] = DirectoryState(rawValue: $0.integer(1)) ?? .unreadable }
    return states
  }

  /// What is missing shows in the directory around it, if that is there.
  private func addFindings(
    _ findings: [(id: Int64, finding: DirectoryInspection.Finding)],
    to parts: inout Set<ScanScope.Part>
  ) throws {
    var missing: Set<[[UInt8]]> = []
    for item in findings {
      let part = try part(item.id)
      if item.finding == .missing {
        missing.insert(part.components)
      } else {
        parts.insert(part)
      }
    }
    for components in missing {
      let around = Array(components.dropLast())
      if !missing.contains(around) {
        parts.insert(ScanScope.Part(components: around, extent: .children))
      }
    }
  }

  private func part(_ id: Int64) throws -> ScanScope.Part {
    let statement = SQL(
      "SELECT exact_path FROM \(DirectoryRow.table.name) WHERE id = ?", [.integer(id)])
    let path = try db.first(cached: statement) { Array($0.bytes(0)) } ?? []
    return ScanScope.Part(
      FilePath(bytes: path), below: root.location.path, extent: .children)
  }

  // MARK: - Ignore files

  /// Looks at the ignore files that the catalog has: what they say may have changed without a change of
  /// their directories. What a scan then reads is found by ``UpdateScope``.
  private func lookForIgnoreFiles(adding parts: inout Set<ScanScope.Part>) throws {
    var names = [IgnoreNames.filecatignore]
    if settings.gitIgnore == .followed { names += [IgnoreNames.gitignore, "exclude"] }
    for name in names.map({ Array($0.utf8) }) {
      let statement = SQL(
        """
        SELECT d.exact_path, e.inode, e.size, e.modified, e.changed
        FROM _entries e JOIN \(DirectoryRow.table.name) d ON d.id = e.parent_id
        WHERE e.asset_key = ? AND e.name = ? AND d.root_id = ? AND e.kind <> 2
        """,
        [.integer(NameFacts.assetKey(of: name)), .name(name), .integer(root.id)])
      try db.forEach(statement) { row in
        let directory = row.path(0)
        let now = try? FileStatus(ofPath: directory.pushing(FilePath(bytes: name)))
        if let now, now.inode == UInt64(bitPattern: row.integer(1)), now.size == row.integer(2),
          now.modified == row.integer(3), now.changed == row.integer(4)
        {
          return
        }
        parts.insert(
          ScanScope.Part(directory, below: root.location.path, extent: .children))
      }
    }
  }
}

/// The places below a root that a scope is about.
private struct Places {
  /// `nil` for all.
  private let trees: [(path: [UInt8], extent: ScanScope.Extent)]?

  init(of scope: ScanScope) {
    trees =
      scope.isWhole
      ? nil
      : scope.parts.map {
        (Array($0.components.joined(separator: [UInt8(ascii: "/")])), $0.extent)
      }
  }

  func contain(_ path: UnsafeRawBufferPointer) -> Bool {
    guard let trees else { return true }
    return trees.contains { tree in
      guard path.starts(with: tree.path) else { return false }
      if path.count == tree.path.count { return true }
      return tree.extent == .tree
        && (tree.path.isEmpty || path[tree.path.count] == UInt8(ascii: "/"))
    }
  }
}
