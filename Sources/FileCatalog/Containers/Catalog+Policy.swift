internal import FileSystem
internal import SQLite
public import StandardDirectories
public import SystemPackage

extension Catalog {
  /// What the roles of containers take, and what that means for backups and for a full disk: one value
  /// for each role that has something in it, container by container.
  public func usageByRole(of container: ContainerID? = nil) async throws -> [RoleUsage] {
    try await read { try PolicyReader($0, container).usage() }
  }

  /// What is marked on disk against the policy of its role: outermost items, by path.
  ///
  /// Excluded from backups, by a mark on it or around it, though the role promises one; or offline data
  /// in which not everything is kept out of them, as far as scans store extended attributes.
  public func backupContradictions(
    in container: ContainerID? = nil
  ) async throws -> [BackupContradiction] {
    try await read { try PolicyReader($0, container).contradictions() }
  }

  /// The roots with containers in them whose scans do not store extended attributes, by path: what is
  /// marked on disk is not known there, so it is missing from ``backupContradictions(in:)``.
  ///
  /// Scans with ``/CatalogScan/ExtendedAttributeValues`` among their ``/CatalogStore/ScanOptions/resourceValues`` make it known.
  public func rootsWithUnknownMarks(
    of container: ContainerID? = nil
  ) async throws -> [FilePath] {
    try await read { try PolicyReader($0, container).rootsWithUnknownMarks() }
  }

  /// The temporary files, which the system may delete whenever their application does not run, that
  /// were last changed before a moment, the oldest first.
  ///
  /// - Parameter moment: nanoseconds since 1970.
  public func staleFiles(
    before moment: Int64, in container: ContainerID? = nil
  ) async throws -> [StaleFile] {
    try await read { try PolicyReader($0, container).staleFiles(before: moment) }
  }
}

/// Reads what the policies of containers mean for what is in them.
private struct PolicyReader {
  private let db: Connection
  private let containers: [Int64: RegisteredContainer]
  private let roles: RoleRegistry
  /// All roots, and whether their scans store extended attributes.
  private let roots: [(path: FilePath, hasAttributes: Bool)]
  private let wanted: ContainerID?

  init(_ db: Connection, _ wanted: ContainerID?) throws {
    self.db = db
    self.wanted = wanted
    let table = try ContainerTable(db)
    roles = table.roles
    let all = try table.all()
    containers = Dictionary(
      all.map { ($0.id, RegisteredContainer($0)) }, uniquingKeysWith: { first, _ in first })
    let attributes = ExtendedAttributeValues().key
    roots = try RootTable.all(in: db).map {
      ($0.location.path, $0.settings.resourceValues.contains(attributes))
    }
  }

  func usage() throws -> [RoleUsage] {
    let marked = try BackupMarks(db).sizes(db)
    let reclaimable = try reclaimable()
    var usage: [RoleUsage] = []
    let rows = SQL(
      """
      SELECT container_id, role, files, size, allocated, place_id FROM usage_by_container
      WHERE ? IS NULL OR container_id = ?
      ORDER BY (SELECT c.exact_path FROM _known_containers c WHERE c.id = container_id),
        role IS NULL, role
      """, wantedTwice)
    try db.forEach(rows) { row in
      guard let container = containers[row.integer(0)] else { return }
      usage.append(
        RoleUsage(
          container, row.optionalText(1).flatMap { roles[$0] }, files: Int(row.count(2)),
          size: row.count(3), allocated: row.count(4),
          reclaimable: reclaimable[row.integer(5)] ?? 0, markedSize: marked[row.integer(5)] ?? 0,
          areMarksKnown: areMarksKnown(at: container.container.root)))
    }
    return usage
  }

  /// The bytes that deleting what may be purged frees, by place.
  ///
  /// Files with several names count at the first of them, as they do in reports, if as many names as
  /// they have may be purged. A file counts with its size, or with its blocks where it has holes.
  private func reclaimable() throws -> [Int64: Int64] {
    var bytes: [Int64: Int64] = [:]
    let rows = SQL(
      """
      WITH purgeable AS MATERIALIZED (
        SELECT p.id, p.container_id FROM _places p JOIN _role_policies r ON r.id = p.role_id
        WHERE r.purge <> 'never' AND (? IS NULL OR p.container_id = ?))
      SELECT place, sum(bytes) FROM (
        SELECT d.place_id AS place, min(e.size, e.allocated) AS bytes
        FROM _directory_paths d CROSS JOIN _entries e ON e.parent_id = d.id
        WHERE d.place_id IN (SELECT id FROM purgeable)
          AND e.kind NOT IN (2, 3) AND ifnull(e.links, 1) <= 1
        UNION ALL
        SELECT ifnull(k.place_id, d.place_id) AS place, min(e.size, e.allocated - ifnull(
          (SELECT sum(l.allocated) FROM _packaged_links l WHERE l.package_id = k.id), 0))
        FROM _packages k CROSS JOIN _entries e ON e.id = k.id
          CROSS JOIN _directory_paths d ON d.id = e.parent_id
        WHERE ifnull(k.place_id, d.place_id) IN (SELECT id FROM purgeable)
        UNION ALL
        SELECT (SELECT d.place_id FROM _entries e JOIN _directory_paths d ON d.id = e.parent_id
          WHERE e.id = g.first), g.bytes
        FROM (
          SELECT min(e.id) AS first, max(min(e.size, e.allocated)) AS bytes
          FROM _entries e CROSS JOIN _directory_paths d ON d.id = e.parent_id
            CROSS JOIN purgeable p ON p.id = d.place_id
          WHERE e.links > 1 AND e.kind NOT IN (2, 3)
          GROUP BY e.volume_id, e.inode, p.container_id
          HAVING count(*) >= max(e.links)) g)
      GROUP BY place
      """, wantedTwice)
    try db.forEach(rows) { bytes[$0.integer(0)] = $0.optionalInteger(1) ?? 0 }
    return bytes
  }

  func contradictions() throws -> [BackupContradiction] {
    let marks = try BackupMarks(db)
    var found = try marks.outermost.flatMap { try contradictions(of: $0) }
    for directory in try markedDirectories() where areMarksKnown(at: directory.path) {
      guard try hasUnmarked(in: directory, marks) else { continue }
      found.append(
        BackupContradiction(
          path: directory.path, container: directory.container, role: directory.role,
          observed: .unmarked,
          mark: nil))
    }
    return found.sorted { $0.path.bytes.lexicographicallyPrecedes($1.path.bytes) }
  }

  func staleFiles(before moment: Int64) throws -> [StaleFile] {
    var files: [StaleFile] = []
    let rows = SQL(
      """
      SELECT path, container, size, modified_ns FROM _entry_rows
      WHERE kind_id <> 2 AND modified_ns < ? AND place_id IN (
        SELECT p.id FROM _places p JOIN _role_policies r ON r.id = p.role_id
        WHERE r.purge = 'idle' AND (? IS NULL OR p.container_id = ?))
      ORDER BY modified_ns, id
      """, [.integer(moment)] + wantedTwice)
    try db.forEach(rows) { row in
      files.append(
        StaleFile(
          path: row.path(0), container: row.text(1), size: row.count(2),
          modified: row.integer(3)))
    }
    return files
  }

  /// What a mark keeps out of backups although its role promises one: what carries the mark, or
  /// else, outermost first, what is in it and begins such a role.
  private func contradictions(of mark: BackupMarks.Mark) throws -> [BackupContradiction] {
    let own = SQL(
      """
      SELECT f.path, f.role, f.container FROM _entry_rows f
      WHERE f.id = ? AND (? IS NULL OR f.place_id IN (
        SELECT p.id FROM _places p WHERE p.container_id = ?))
      """, [.integer(mark.entry)] + wantedTwice)
    let carrying = try contradictions(own, of: mark)
    guard carrying.isEmpty, mark.isDirectory else { return carrying }
    let below = DirectoriesBelow.parameters(mark.path)
    let inside = SQL(
      """
      SELECT d.exact_path, r.name, c.exact_name FROM _directory_paths d
      JOIN _places p ON p.id = d.place_id JOIN _role_policies r ON r.id = p.role_id
      JOIN _known_containers c ON c.id = p.container_id
      LEFT JOIN _directory_paths u ON u.id = d.parent_id
      WHERE d.id IN (\(DirectoriesBelow.statement)) AND u.place_id IS NOT d.place_id
        AND (? IS NULL OR p.container_id = ?)
      UNION ALL
      SELECT f.path, f.role, f.container FROM _packages k JOIN _entry_rows f ON f.id = k.id
      WHERE k.place_id IS NOT NULL
        AND (f.parent_id = ? OR f.parent_id IN (\(DirectoriesBelow.statement)))
        AND (? IS NULL OR f.place_id IN (SELECT p.id FROM _places p WHERE p.container_id = ?))
      """, below + wantedTwice + [.integer(mark.entry)] + below + wantedTwice)
    let found = try contradictions(inside, of: mark)
    let paths = Set(found.map(\.path))
    return found.filter { !$0.path.ancestors.contains(where: paths.contains) }
  }

  private func contradictions(
    _ rows: SQL, of mark: BackupMarks.Mark
  ) throws -> [BackupContradiction] {
    var found: [BackupContradiction] = []
    try db.forEach(rows) { row in
      guard let role = row.optionalText(1).flatMap({ roles[$0] }),
        BackupMark.excluded.contradicts(role.policy)
      else { return }
      found.append(
        BackupContradiction(
          path: row.path(0), container: row.text(2), role: role, observed: .excluded,
          mark: mark.name))
    }
    return found
  }

  private struct MarkedDirectory {
    let id: Int64
    let place: Int64
    let path: FilePath
    let container: String
    let role: Role
  }

  /// The directories at which a role begins that nothing but marks keeps out of backups, such as offline data.
  private func markedDirectories() throws -> [MarkedDirectory] {
    var directories: [MarkedDirectory] = []
    let rows = SQL(
      """
      SELECT d.id, d.place_id, d.exact_path, c.exact_name, r.name FROM _places p
      JOIN _role_policies r ON r.id = p.role_id
      JOIN _known_containers c ON c.id = p.container_id
      JOIN _directory_paths d ON d.place_id = p.id
      LEFT JOIN _directory_paths u ON u.id = d.parent_id
      WHERE r.backup = 'excluded' AND u.place_id IS NOT d.place_id
        AND (? IS NULL OR p.container_id = ?)
      """, wantedTwice)
    try db.forEach(rows) { row in
      guard let role = roles[row.text(4)], role.policy.isExcludedByMark else { return }
      directories.append(
        MarkedDirectory(
          id: row.integer(0), place: row.integer(1), path: row.path(2), container: row.text(3),
          role: role))
    }
    return directories
  }

  /// Whether there is anything in such a directory that no mark keeps out of backups.
  private func hasUnmarked(in directory: MarkedDirectory, _ marks: BackupMarks) throws -> Bool {
    if marks.covers(directory.path) { return false }
    var isFound = false
    let directories = SQL(
      """
      SELECT d.exact_path, (SELECT count(*) FROM _entries e WHERE e.parent_id = d.id AND e.kind <> 2)
      FROM _directory_paths d
      WHERE d.place_id = ? AND (d.id = ? OR d.id IN (\(DirectoriesBelow.statement)))
      """,
      [.integer(directory.place), .integer(directory.id)]
        + DirectoriesBelow.parameters(directory.path))
    try db.forEach(directories) { row in
      guard !isFound, row.integer(1) > 0 else { return }
      let path = row.path(0)
      isFound = row.integer(1) > marks.count(in: path) && !marks.covers(path)
    }
    return isFound
  }

  func rootsWithUnknownMarks() -> [FilePath] {
    let places = containers.values.filter { wanted == nil || $0.id == wanted }
      .map(\.container.root)
    return roots.filter { root in
      !root.hasAttributes && places.contains { root.path.contains($0) || $0.contains(root.path) }
    }.map(\.path)
  }

  private func areMarksKnown(at path: FilePath) -> Bool {
    let concerned = roots.filter { $0.path.contains(path) || path.contains($0.path) }
    return !concerned.isEmpty && concerned.allSatisfy(\.hasAttributes)
  }

  private var wantedTwice: [Binding] {
    let number = wanted.map { Binding.integer($0.rawValue) } ?? .null
    return [number, number]
  }
}

/// Something whose mark on disk says of backups the opposite of what its role promises.
public struct BackupContradiction: Sendable, Hashable {
  /// The file or directory; all that is in it is concerned.
  public let path: FilePath
  /// The name of its container.
  public let container: String
  /// Its role.
  public let role: Role
  /// What the role promises.
  public var policy: Role.Policy.Backup { role.policy.backup }
  /// What the disk says.
  public let observed: BackupMark
  /// What says so, there or in a directory around it: the name of an extended attribute, or
  /// `CACHEDIR.TAG`; `nil` where a mark is missing.
  public let mark: String?
}

/// A temporary file that nobody has written to for a while.
public struct StaleFile: Sendable, Hashable {
  /// The file.
  public let path: FilePath
  /// The name of its container.
  public let container: String
  /// The bytes of its content.
  public let size: Int64
  /// The last change of its content, in nanoseconds since 1970.
  public let modified: Int64
}
