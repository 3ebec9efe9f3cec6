internal import FileSystem
internal import GRDB
internal import StandardDirectories
public import SystemPackage

extension Catalog {
  /// What the roles of containers take, and what that means for backups and for a full disk: one value
  /// for each role that has something in it, container by container.
  public func usageByRole(of container: ContainerID? = nil) async throws -> [RoleUsage] {
    try await read { try PolicyReader($0, container).usage() }
  }

  /// What is marked on disk against the policy of its role: outermost items, by path.
  ///
  /// Excluded from backups though the role promises one; or offline data that nothing keeps out of
  /// them, as far as scans store extended attributes.
  public func backupContradictions(
    in container: ContainerID? = nil
  ) async throws -> [BackupContradiction] {
    try await read { try PolicyReader($0, container).contradictions() }
  }

  /// The roots with containers in them whose scans do not store extended attributes, by path: what is
  /// marked on disk is not known there, so it is missing from ``backupContradictions(in:)``.
  ///
  /// Scans with ``ExtendedAttributeValues`` among their ``ScanOptions/resourceValues`` make it known.
  public func rootsWithUnknownMarks(
    of container: ContainerID? = nil
  ) async throws -> [FilePath] {
    try await read { try PolicyReader($0, container).rootsWithUnknownMarks() }
  }

  /// The temporary files that were last changed before a moment, the oldest first.
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
  private let db: Database
  private let reader: RowReader
  private let containers: [Int64: RegisteredContainer]
  /// All roots, and whether their scans store extended attributes.
  private let roots: [(path: FilePath, hasAttributes: Bool)]
  private let wanted: ContainerID?

  init(_ db: Database, _ wanted: ContainerID?) throws {
    self.db = db
    self.wanted = wanted
    reader = try RowReader(db)
    let all = try ContainerTable(db).all()
    containers = Dictionary(
      all.map { ($0.id, RegisteredContainer($0)) }, uniquingKeysWith: { first, _ in first })
    let attributes = ExtendedAttributeValues().key
    roots = try RootTable.all(in: db).map {
      ($0.location.path, $0.settings.resourceValues.contains(attributes))
    }
  }

  func usage() throws -> [RoleUsage] {
    let marked = try BackupMarks(db).sizes(db)
    var usage: [RoleUsage] = []
    let rows = SQLFragment(
      """
      SELECT container_id, role, files, size, allocated, place_id FROM usage_by_container
      WHERE ? IS NULL OR container_id = ?
      ORDER BY (SELECT c.path FROM known_containers c WHERE c.id = container_id),
        role IS NULL, role
      """, wantedTwice)
    try reader.forEach(rows) { row in
      guard let container = containers[row.integer(0)] else { return }
      usage.append(
        RoleUsage(
          container, row.optionalText(1).flatMap(Role.init(rawValue:)), files: Int(row.integer(2)),
          size: row.integer(3), allocated: row.integer(4),
          markedSize: marked[row.integer(5)] ?? 0,
          areMarksKnown: areMarksKnown(at: container.container.root)))
    }
    return usage
  }

  func contradictions() throws -> [BackupContradiction] {
    let marks = try BackupMarks(db)
    var found = try marks.outermost.compactMap { try contradiction($0) }
    for (path, container) in try offlineFolders()
    where areMarksKnown(at: path) && !marks.covers(path) {
      found.append(
        BackupContradiction(
          path: path, container: container, role: .offlineData, observed: .unmarked, mark: nil))
    }
    return found.filter { $0.observed.contradicts($0.role.policy) }
      .sorted { $0.path.bytes.lexicographicallyPrecedes($1.path.bytes) }
  }

  func staleFiles(before moment: Int64) throws -> [StaleFile] {
    var files: [StaleFile] = []
    let rows = SQLFragment(
      """
      SELECT path, container, size, modified_ns FROM entry_rows
      WHERE kind_id <> 2 AND modified_ns < ? AND place_id IN (
        SELECT p.id FROM places p JOIN role_policies r ON r.id = p.role_id
        WHERE r.name = ? AND (? IS NULL OR p.container_id = ?))
      ORDER BY modified_ns, id
      """, [.integer(moment), .text(Role.temporary.rawValue)] + wantedTwice)
    try reader.forEach(rows) { row in
      files.append(
        StaleFile(
          path: row.path(0), container: row.text(1), size: row.integer(2),
          modified: row.integer(3)))
    }
    return files
  }

  private func contradiction(_ mark: BackupMarks.Mark) throws -> BackupContradiction? {
    let entry = SQLFragment(
      """
      SELECT f.role, f.container FROM entry_rows f
      WHERE f.id = ? AND (? IS NULL OR f.place_id IN (
        SELECT p.id FROM places p WHERE p.container_id = ?))
      """, [.integer(mark.entry)] + wantedTwice)
    let found = try reader.first(entry) { row in
      row.optionalText(0).flatMap(Role.init(rawValue:)).map { ($0, row.text(1)) }
    }
    guard let (role, container) = found ?? nil else { return nil }
    return BackupContradiction(
      path: mark.path, container: container, role: role, observed: .excluded, mark: mark.name)
  }

  /// The directories at which offline data begins.
  private func offlineFolders() throws -> [(FilePath, String)] {
    var folders: [(FilePath, String)] = []
    let rows = SQLFragment(
      """
      SELECT d.path, c.name FROM places p JOIN role_policies r ON r.id = p.role_id
      JOIN known_containers c ON c.id = p.container_id
      JOIN folders d ON d.place_id = p.id
      LEFT JOIN folders u ON u.id = d.parent_id
      WHERE r.name = ? AND u.place_id IS NOT d.place_id AND (? IS NULL OR p.container_id = ?)
      """, [.text(Role.offlineData.rawValue)] + wantedTwice)
    try reader.forEach(rows) { folders.append(($0.path(0), $0.text(1))) }
    return folders
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

  private var wantedTwice: [SQLFragment.Parameter] {
    let number = wanted.map { SQLFragment.Parameter.integer($0.rawValue) } ?? .null
    return [number, number]
  }
}
