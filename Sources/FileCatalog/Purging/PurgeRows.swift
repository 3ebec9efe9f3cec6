internal import FileSystem
internal import SQLite
internal import StandardDirectories
internal import SystemPackage

/// What a catalog has in the directories that are to be purged.
struct PurgeRows: Sendable {
  /// A role's directory, or the part of it that was scanned: it is never removed itself.
  struct Base: Sendable {
    let path: FilePath
    let container: RegisteredContainer
    let role: Role
    let root: FilePath
    let isOnline: Bool
    /// What tells it from any other directory.
    let volume: String?
    let inode: UInt64
  }

  struct Directory: Sendable {
    let path: FilePath
    /// The index of the role's directory that it is in, or is.
    let base: Int
    /// The index of the directory around it; `nil` for a role's own.
    let parent: Int?
    let inode: UInt64
    /// How many entries it has.
    let children: Int
  }

  struct Entry: Sendable {
    /// The index of its directory.
    let directory: Int
    let name: FilePath.Component
    let kind: EntryKind
    let size: Int64
    /// When it was last used as far as the catalog knows.
    let lastUsed: Int64?
    let modified: Int64?
    let inode: UInt64?
  }

  private(set) var bases: [Base] = []
  private(set) var directories: [Directory] = []
  private(set) var entries: [Entry] = []
  /// All containers, by which it is told what is protected.
  private(set) var containers: [Container] = []
  /// The directories of roles that are outside of their containers, scanned or not.
  private(set) var outside: [PurgeRefusal] = []
  /// When the catalog was last written to by a scan, in nanoseconds since 1970.
  private(set) var newestScan: Int64 = 0

  init(_ request: PurgeRequest, in db: Connection) throws {
    let table = try ContainerTable(db)
    let records = try table.all()
    containers = records.map(\.container)
    newestScan = try db.integer("SELECT max(ifnull(finished, started)) FROM _scan_log") ?? 0
    let places = try places(
      request, records.map { RegisteredContainer($0) }, table.roles, in: db)
    guard !places.isEmpty else { return }
    let numbers = try readDirectories(of: places, in: db)
    try readEntries(of: places, numbers, in: db)
  }

  private typealias Places = [Int64: (container: RegisteredContainer, role: Role)]

  private mutating func places(
    _ request: PurgeRequest, _ known: [RegisteredContainer], _ roles: RoleRegistry,
    in db: Connection
  ) throws -> Places {
    let wanted = known.filter {
      request.containers.isEmpty || request.containers.contains($0.id)
    }
    var places: Places = [:]
    try db.forEach(
      SQL(
        """
        SELECT p.id, p.container_id, r.name FROM _places p JOIN _role_policies r ON r.id = p.role_id
        """)
    ) { row in
      let number = row.integer(1)
      guard let container = wanted.first(where: { $0.id.rawValue == number }),
        let role = roles[row.text(2)],
        request.roles.isEmpty ? role.policy.isPurgeable : request.roles.contains(role)
      else { return }
      places[row.integer(0)] = (container, role)
    }
    for (container, role) in places.values {
      for path in container.container.directories(of: role)
      where container.container.relative(path) == nil && path.isThere {
        outside.append(
          PurgeRefusal(path: path, container: container.name, role: role, reason: .outside))
      }
    }
    return places
  }

  /// - Returns: the indices of the directories, by their ids.
  private mutating func readDirectories(of places: Places, in db: Connection) throws -> [Int64: Int]
  {
    var numbers: [Int64: Int] = [:]
    try db.forEach(
      SQL(
        """
        SELECT d.id, d.place_id, d.parent_id, d.exact_path, d.inode,
          (SELECT v.identity FROM _volumes v WHERE v.id = e.volume_id), r.exact_path,
          r.state = 'online', (SELECT count(*) FROM _entries c WHERE c.parent_id = d.id)
        FROM _directory_paths d JOIN _entries e ON e.id = d.id JOIN _roots r ON r.id = d.root_id
        WHERE d.place_
        """) + Self.isIn(places) + SQL(" ORDER BY d.depth, d.exact_path")
    ) { row in
      guard let place = places[row.integer(1)] else { return }
      let path = row.path(3)
      let inode = UInt64(bitPattern: row.integer(4))
      let above = row.optionalInteger(2).flatMap { numbers[$0] }
      let isInside = above.map {
        let base = bases[directories[$0].base]
        return base.container.id == place.container.id && base.role == place.role
      }
      if isInside != true {
        bases.append(
          Base(
            path: path, container: place.container, role: place.role, root: row.path(6),
            isOnline: row.integer(7) != 0, volume: row.optionalText(5), inode: inode))
      }
      numbers[row.integer(0)] = directories.count
      directories.append(
        Directory(
          path: path,
          base: isInside == true
            ? above.map { directories[$0].base } ?? bases.count - 1 : bases.count - 1,
          parent: isInside == true ? above : nil, inode: inode, children: Int(row.count(8))))
    }
    return numbers
  }

  /// Whatever is no directory, but for packages that are the directory of a role themselves.
  private mutating func readEntries(
    of places: Places, _ numbers: [Int64: Int], in db: Connection
  ) throws {
    try db.forEach(
      SQL(
        """
        SELECT e.parent_id, e.name, e.kind, e.size, e.accessed, e.modified, e.inode
        FROM _directory_paths d CROSS JOIN _entries e ON e.parent_id = d.id
        LEFT JOIN _packages k ON k.id = e.id
        WHERE e.kind <> 2 AND k.place_id IS NULL AND d.place_
        """) + Self.isIn(places)
    ) { row in
      guard let directory = numbers[row.integer(0)],
        let kind = EntryKind(rawValue: UInt8(clamping: row.integer(2))),
        let name = row.path(1).lastComponent
      else { return }
      let (accessed, modified) = (row.optionalInteger(4), row.optionalInteger(5))
      entries.append(
        Entry(
          directory: directory, name: name, kind: kind, size: row.optionalInteger(3) ?? 0,
          lastUsed: [kind == .file ? accessed : nil, modified].compactMap(\.self).max(),
          modified: modified,
          inode: row.optionalInteger(6).map { UInt64(bitPattern: $0) }))
    }
  }

  private static func isIn(_ places: Places) -> SQL { SQL.isID(in: places.keys.sorted()) }
}
