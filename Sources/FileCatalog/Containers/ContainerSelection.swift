internal import FileSystem
internal import SQLite
public import StandardDirectories
public import SystemPackage

/// Containers as a whole, or the directories of roles in them.
public struct ContainerSelection: Sendable, Hashable {
  /// The containers; none means all.
  public var containers: Set<ContainerID>
  /// The roles; none means the containers as a whole.
  public var roles: Set<Role>

  /// The directories of these roles in these containers.
  public init(containers: Set<ContainerID> = [], roles: Set<Role> = []) {
    self.containers = containers
    self.roles = roles
  }
}

/// What became of the marks of one of several items, or would.
public struct BackupMarkingResult: Sendable {
  /// The item, as the catalog has it.
  public let path: FilePath
  /// How it went.
  public let outcome: Result<BackupMarking, FileError>
}

extension Catalog {
  /// Marks containers, or the directories of roles, to be left out of backups, or takes away all marks in them.
  ///
  /// A mark holds for all that is inside, so that of the outermost directories is enough. Marks are taken away
  /// wherever the catalog knows of one; see ``rootsWithUnknownMarks(of:)``.
  ///
  /// - Parameters:
  ///   - mark: ``/StandardDirectories/BackupMark/unmarked`` takes marks away.
  ///   - rehearsal: whether only to say what would be done.
  /// - Returns: one result for each item, by path.
  public func setBackupMark(
    _ mark: BackupMark, of selection: ContainerSelection, rehearsal: DirectoryTable.Rehearsal = .no
  ) async throws -> [BackupMarkingResult] {
    var results: [BackupMarkingResult] = []
    for path in try await places(of: selection, toMark: mark) {
      do {
        let marking = try await setBackupMark(mark, of: path, rehearsal: rehearsal)
        results.append(BackupMarkingResult(path: path, outcome: .success(marking)))
      } catch let error as FileError {
        results.append(BackupMarkingResult(path: path, outcome: .failure(error)))
      }
    }
    return results
  }

  /// The items whose marks ``setBackupMark(_:of:rehearsal:)-(_,ContainerSelection,_)`` changes, by path.
  public func places(
    of selection: ContainerSelection, toMark mark: BackupMark
  ) async throws -> [FilePath] {
    try await read { db in
      let places = try SelectedPlaces(selection, in: db)
      var paths = try places.directories(in: db)
      if mark == .unmarked { paths.formUnion(try places.marked(in: db)) }
      return paths.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    }
  }
}

/// The places of a selection, by their numbers.
private struct SelectedPlaces {
  private let selection: ContainerSelection
  private let containers: [Container]
  private let numbers: [Int64]

  init(_ selection: ContainerSelection, in db: Connection) throws {
    self.selection = selection
    let table = try ContainerTable(db)
    let records = try table.all().filter {
      selection.containers.isEmpty
        || selection.containers.contains(ContainerID(rawValue: $0.id))
    }
    containers = records.map(\.container)
    let ids = Set(records.map(\.id))
    var numbers: [Int64] = []
    try db.forEach(
      SQL(
        """
        SELECT p.id, p.container_id, r.name FROM _places p
        LEFT JOIN _role_policies r ON r.id = p.role_id
        """)
    ) { row in
      let role = row.optionalText(2).flatMap { table.roles[$0] }
      guard ids.contains(row.integer(1)),
        selection.roles.isEmpty || role.map(selection.roles.contains) == true
      else { return }
      numbers.append(row.integer(0))
    }
    self.numbers = numbers
  }

  /// The outermost directories.
  func directories(in db: Connection) throws -> Set<FilePath> {
    var paths: Set<FilePath> = []
    if selection.roles.isEmpty {
      for container in containers {
        paths.insert(container.root)
        let own = (Role.standard + container.customRoles.map(Role.custom)).flatMap {
          container.directories(of: $0)
        }
        paths.formUnion(own.filter { container.relative($0) == nil && $0.isThere })
      }
    } else {
      for container in containers {
        let own = selection.roles.flatMap { container.directories(of: $0) }
        paths.formUnion(own.filter(\.isThere))
      }
      try db.forEach(
        SQL(
          """
          SELECT d.exact_path FROM _directory_paths d
          LEFT JOIN _directory_paths u ON u.id = d.parent_id
          WHERE u.place_id IS NOT d.place_id AND d.place_
          """) + .isID(in: numbers)
          + SQL(
            """
             UNION ALL
            SELECT f.path FROM _packages k JOIN _entry_rows f ON f.id = k.id WHERE k.place_
            """) + .isID(in: numbers)
      ) { paths.insert($0.path(0)) }
    }
    return paths.filter { !$0.ancestors.contains(where: paths.contains) }
  }

  /// What is marked in them.
  func marked(in db: Connection) throws -> Set<FilePath> {
    var paths: Set<FilePath> = []
    try db.forEach(
      SQL(
        """
        SELECT f.path FROM backup_marks m JOIN _entry_rows f ON f.id = m.entry_id WHERE f.place_
        """) + .isID(in: numbers)
    ) { paths.insert($0.path(0)) }
    return paths
  }
}

extension Container {
  /// The directories of a role, but for those of a kind that only a look at the disk would tell.
  func directories(of role: Role) -> [FilePath] {
    rules.filter { $0.role == role }.compactMap { rule in
      var path = FilePath("/")
      for case .name(let name) in rule.components { path.append(name) }
      return path.components.count == rule.components.count ? path : nil
    }
  }
}
