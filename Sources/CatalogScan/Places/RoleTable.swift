internal import CatalogStore
package import SQLite
package import StandardDirectories

/// The roles that a catalog knows: the standard ones, and those that were declared when it was last scanned.
///
/// A declared role keeps its number, and so do its places, for as long as it is declared.
package struct RoleTable {
  private let db: Connection

  package init(_ db: Connection) {
    self.db = db
  }

  private struct Line {
    let name: String
    let parent: Int64?
    let directory: String
    let policy: Role.Policy?
  }

  /// The declared roles. What makes no sense, as in a damaged file, is left out with all that lies in it.
  package func stored() throws -> RoleRegistry {
    var lines: [Int64: Line] = [:]
    var standard: [Int64: Role] = [:]
    try db.forEach(
      SQL(
        """
        SELECT id, name, parent_id, directory, persists, backup, purge, writer FROM _role_policies
        ORDER BY id LIMIT 1000
        """)
    ) { row in
      guard let directory = row.optionalText(3) else {
        standard[row.integer(0)] = Role(standard: row.text(1))
        return
      }
      lines[row.integer(0)] = Line(
        name: row.text(1), parent: row.optionalInteger(2), directory: directory,
        policy: Role.Policy(
          persists: row.integer(4) != 0, backup: row.text(5), purge: row.text(6),
          writer: row.text(7)))
    }
    var roles: [Int64: CustomRole] = [:]
    // Parents need not have the smaller number. Each round makes those whose parent is made.
    var pending = Set(lines.keys)
    var isGoing = true
    while isGoing {
      isGoing = false
      for id in pending {
        guard let line = lines[id] else { continue }
        let parent = line.parent.flatMap { standard[$0] ?? roles[$0].map(Role.custom) }
        guard line.parent == nil || parent != nil, let policy = line.policy,
          let role = try? CustomRole(
            line.name, in: parent, directory: line.directory, policy: policy)
        else { continue }
        roles[id] = role
        pending.remove(id)
        isGoing = true
      }
    }
    return (try? RoleRegistry(Array(roles.values.prefix(RoleRegistry.limit)))) ?? .standard
  }

  /// Has the catalog know these roles and no others beside the standard ones.
  ///
  /// - Returns: whether that changed anything: then directories have other roles.
  package func adopt(_ registry: RoleRegistry) throws -> Bool {
    guard try stored() != registry else { return false }
    let names = Set(registry.roles.map(\.name))
    var gone: [Int64] = []
    try db.forEach(SQL("SELECT id, name FROM _role_policies WHERE directory IS NOT NULL")) { row in
      if !names.contains(row.text(1)) { gone.append(row.integer(0)) }
    }
    for id in gone {
      try db.execute(
        """
        DELETE FROM _places WHERE role_id = ?1;
        DELETE FROM _container_directories WHERE role_id = ?1;
        DELETE FROM _role_policies WHERE id = ?1;
        """, [id])
    }
    for role in registry.roles {
      let policy = role.policy
      try db.execute(
        """
        INSERT INTO _role_policies (id, name, persists, backup, purge, writer, directory)
        VALUES ((SELECT max(999, max(id)) + 1 FROM _role_policies), ?, ?, ?, ?, ?, ?)
        ON CONFLICT (name) DO UPDATE SET persists = excluded.persists, backup = excluded.backup,
          purge = excluded.purge, writer = excluded.writer, directory = excluded.directory
        """,
        [
          role.name, policy.persists, policy.backup.rawValue, policy.purge.rawValue,
          policy.writer.rawValue, role.directory.text,
        ])
    }
    for role in registry.roles {
      try db.execute(
        """
        UPDATE _role_policies SET parent_id = (SELECT p.id FROM _role_policies p WHERE p.name = ?)
        WHERE name = ?
        """, [role.parent?.name, role.name])
    }
    return true
  }
}

extension Role.Policy {
  /// The policy that columns say; `nil` for words that nobody knows.
  fileprivate init?(persists: Bool, backup: String, purge: String, writer: String) {
    guard let backup = Backup(rawValue: backup), let purge = Purge(rawValue: purge),
      let writer = Writer(rawValue: writer)
    else { return nil }
    self.init(persists: persists, backup: backup, purge: purge, writer: writer)
  }
}
