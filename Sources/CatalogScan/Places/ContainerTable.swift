package import CatalogStore
internal import FileSystem
package import SQLite
package import StandardDirectories
package import SystemPackage

/// The number of a registered container. It stays the same as long as the container is registered.
public struct ContainerID: RawRepresentable, Hashable, Sendable, Codable {
  /// The number itself.
  public let rawValue: Int64
  /// Wraps a number that was read from a catalog.
  public init(rawValue: Int64) { self.rawValue = rawValue }
}

/// The registered containers of a catalog: reading, adding and dropping them.
package struct ContainerTable {
  private let db: Connection
  /// The roles that all of them have beside the standard ones.
  package private(set) var roles: RoleRegistry

  package init(_ db: Connection) throws {
    self.db = db
    roles = try RoleTable(db).stored()
  }

  /// Has all containers have these roles, and no others beside the standard ones.
  ///
  /// - Returns: whether that changed anything.
  package mutating func adopt(_ roles: RoleRegistry) throws -> Bool {
    guard try RoleTable(db).adopt(roles) else { return false }
    self.roles = roles
    for record in try all() { try addPlaces(of: record.container, record.id) }
    try noteChange()
    return true
  }

  /// A container as it is stored.
  package struct Record {
    package let id: Int64
    package let name: [UInt8]
    package let container: Container
  }

  // MARK: - Reading

  /// All containers by path. Those of a style that only a newer version knows are left out.
  package func all() throws -> [Record] {
    var directories: [Int64: [Role: [FilePath]]] = [:]
    try db.forEach(
      SQL(
        """
        SELECT d.container_id, r.name, d.path FROM _container_directories d
        JOIN _role_policies r ON r.id = d.role_id
        ORDER BY d.container_id, d.role_id, d.position
        """)
    ) { row in
      guard let role = Role(standard: row.text(1)) else { return }
      let path = row.optionalText(2).map { _ in row.path(2) }
      directories[row.integer(0), default: [:]][role, default: []] += path.map { [$0] } ?? []
    }
    var records: [Record] = []
    try db.forEach(
      SQL(
        """
        SELECT id, exact_name, style, exact_path, identifier FROM _known_containers
        ORDER BY exact_path
        """)
    ) { row in
      guard let style = Container.Style(rawValue: row.text(2)) else { return }
      let stored = StoredContainer(
        style: style, root: row.path(3), identifier: row.optionalText(4),
        directories: directories[row.integer(0)] ?? [:])
      records.append(
        Record(
          id: row.integer(0), name: Array(row.bytes(1)),
          container: stored.container.adding(roles.roles)))
    }
    return records
  }

  /// The places of all containers.
  package func map() throws -> PlaceMap {
    let records = try all()
    guard !records.isEmpty else { return .empty }
    var numbers: [Int64: [Role?: Int64]] = [:]
    try db.forEach(
      SQL(
        """
        SELECT p.id, p.container_id, r.name FROM _places p
        LEFT JOIN _role_policies r ON r.id = p.role_id
        """)
    ) { row in
      numbers[row.integer(1), default: [:]][row.optionalText(2).flatMap { roles[$0] }] =
        row.integer(0)
    }
    return PlaceMap(records.map(\.container), numbers: records.map { numbers[$0.id] ?? [:] })
  }

  // MARK: - Changing

  /// Adds a container, or replaces the one at its path.
  ///
  /// - Returns: whether that changed anything.
  @discardableResult
  package func register(_ container: Container) throws -> Bool {
    let stored = StoredContainer(container)
    let known = try all()
    let old = known.first { $0.container.root == container.root }
    if let old, StoredContainer(old.container) == stored { return false }
    let identifier = container.identifier.flatMap { identifier in
      let isTaken = known.contains { $0.id != old?.id && $0.name == Array(identifier.utf8) }
      // What looks like a path would be the name of the container there.
      return isTaken || identifier.isEmpty || identifier.contains("/") ? nil : identifier
    }
    let path = container.root
    try db.execute(
      """
      UPDATE _known_containers SET name = path, name_bytes = path_bytes
      WHERE exact_name = ?1 AND exact_path <> ?1
      """, [path.binding])
    let changed = try db.integer(
      """
      INSERT INTO _known_containers (name, name_bytes, style, path, path_bytes, identifier)
      VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (exact_path) DO UPDATE SET name = excluded.name,
        name_bytes = excluded.name_bytes, style = excluded.style, identifier = excluded.identifier
      RETURNING id
      """,
      [
        identifier?.binding ?? path.shown, identifier == nil ? path.oddBytes : .null,
        container.style.rawValue, path.shown, path.oddBytes, container.identifier,
      ])
    let id = changed ?? db.lastInsertedRowID
    try writeDirectories(of: stored, id)
    try addPlaces(of: container.adding(roles.roles), id)
    try noteChange()
    return true
  }

  /// Drops a container. What it holds stays in the catalog and has no role any more.
  package func remove(_ id: Int64) throws {
    try db.execute(
      """
      DELETE FROM _container_directories WHERE container_id = ?1;
      DELETE FROM _places WHERE container_id = ?1;
      DELETE FROM _known_containers WHERE id = ?1;
      """, [id])
    try noteChange()
  }

  /// Has containers, and directories of theirs, follow a directory that has another path now.
  package func follow(_ change: PathChange) throws {
    for record in try all() {
      let stored = StoredContainer(record.container)
      let directories = stored.directories.mapValues { paths in
        paths.map { change.path(insteadOf: $0) ?? $0 }
      }
      let root = change.path(insteadOf: stored.root)
      guard root != nil || directories != stored.directories else { continue }
      let moved = StoredContainer(
        style: stored.style, root: root ?? stored.root, identifier: stored.identifier,
        directories: directories)
      if let root {
        // One that is registered there already stays what it is.
        guard try !all().contains(where: { $0.container.root == root }) else {
          try remove(record.id)
          continue
        }
        try db.execute(
          """
          UPDATE _known_containers SET path = ?2, path_bytes = ?3,
            name = iif(exact_name = exact_path, ?2, name),
            name_bytes = iif(exact_name = exact_path, ?3, name_bytes)
          WHERE id = ?1
          """, [record.id, root.shown, root.oddBytes])
      }
      try register(moved.container)
    }
    try noteChange()
  }

  /// Entries have other roles or other paths now: what was read of them before is of another state.
  private func noteChange() throws {
    try db.execute(
      """
      INSERT INTO _catalog_settings (key, value) VALUES ('containers', 1)
      ON CONFLICT (key) DO UPDATE SET value = value + 1
      """)
  }

  private func writeDirectories(of stored: StoredContainer, _ id: Int64) throws {
    try db.execute("DELETE FROM _container_directories WHERE container_id = ?", [id])
    for (role, paths) in stored.directories {
      let values = paths.isEmpty ? [Binding.null] : paths.map(\.binding)
      for (position, path) in values.enumerated() {
        try db.execute(
          """
          INSERT INTO _container_directories (container_id, role_id, position, path)
          VALUES (?, (SELECT id FROM _role_policies WHERE name = ?), ?, ?)
          """, [id, role.name, position, path])
      }
    }
  }

  /// Numbers keep their meaning for as long as the container is registered.
  private func addPlaces(of container: Container, _ id: Int64) throws {
    for role in Set([nil] + container.rules.map(\.role)) {
      try db.execute(
        """
        INSERT INTO _places (container_id, role_id)
        SELECT ?1, r.id
        FROM (SELECT (SELECT id FROM _role_policies WHERE name = ?2) AS id) r
        WHERE NOT EXISTS (SELECT 1 FROM _places p
          WHERE p.container_id = ?1 AND p.role_id IS r.id)
        """, [id, role?.name])
    }
  }
}

/// What a container is, as tables can hold it: its style, and what is not as the style has it.
package struct StoredContainer: Hashable {
  package let style: Container.Style
  package let root: FilePath
  package let identifier: String?
  /// Directories that are elsewhere; an empty list for a role that has none.
  package let directories: [Role: [FilePath]]

  package init(
    style: Container.Style, root: FilePath, identifier: String?, directories: [Role: [FilePath]]
  ) {
    self.style = style
    self.root = root
    self.identifier = identifier
    self.directories = directories
  }

  package init(_ container: Container) {
    let standard = Container(
      container.style, root: container.root, identifier: container.identifier)
    var directories: [Role: [FilePath]] = [:]
    for role in Role.standard where container.answers(role) != standard.answers(role) {
      directories[role] = container.ownAnswers(role).map { container.relative($0) ?? $0 }
    }
    self.init(
      style: container.style, root: container.root, identifier: container.identifier,
      directories: directories)
  }

  package var container: Container {
    directories.reduce(Container(style, root: root, identifier: identifier)) { container, item in
      container.setting(item.key, to: item.value)
    }
  }
}

extension Container {
  /// The directories for a role; empty where there is none.
  package func answers(_ role: Role) -> [FilePath] { (try? paths(for: role)) ?? [] }

  /// The directories for a role without those that the library adds by itself: a home's own
  /// directory for temporary files is what remains when the system's is not there.
  package func ownAnswers(_ role: Role) -> [FilePath] {
    let answers = answers(role)
    guard role == .temporary, style.isHome, answers.count > 1 else { return answers }
    return answers.dropLast()
  }
}
