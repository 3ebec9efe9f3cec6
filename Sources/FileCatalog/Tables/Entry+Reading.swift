internal import FileSystem
internal import SQLite
internal import StandardDirectories
internal import SystemPackage

/// Reads entries as values from the rows of statements.
///
/// What few entries have is asked for where there can be some: without containers no row is asked for
/// its place, without marks on disk none for its mark. Containers and roles are looked up once a
/// place, not once a row. Further values come with the row, by the keys that are asked for.
final class EntryReader {
  private let db: Connection
  private let marks: EntryMarks
  private let keys: [ValueKey]
  private var places: [Int64: EntryPlace] = [:]
  private var roles: RoleRegistry?

  /// What a statement over `_entry_rows` is to select.
  let columns: String

  init(_ db: Connection, values keys: [ValueKey] = []) throws {
    self.db = db
    self.keys = keys
    let extras = try Extras(db)
    marks = try EntryMarks(extras, db)
    let place = extras.hasContainers ? "place_id" : "\(PlaceMap.outside)"
    columns = (Entry.columns.map(\.rawValue) + [place] + keys.map(\.viewColumn))
      .joined(separator: ", ")
  }

  /// The entry of a row of ``columns``.
  func entry(_ row: Row) throws -> Entry {
    let kind = EntryKind(name: row.text(3)) ?? .file
    return Entry(
      row, kind, in: try place(row.integer(25)),
      mark: try marks.mark(of: row.id(0), kind, root: row.integer(24)),
      values: keys.isEmpty ? [:] : values(row))
  }

  private func values(_ row: Row) -> [ValueKey: ResourceValue] {
    var values: [ValueKey: ResourceValue] = [:]
    // Behind the columns and the place.
    let first = Int32(Entry.columns.count + 1)
    for (column, key) in zip(first..., keys) { values[key] = row.resourceValue(column) }
    return values
  }

  private func place(_ number: Int64) throws -> EntryPlace {
    guard number != PlaceMap.outside else { return EntryPlace() }
    if let known = places[number] { return known }
    let place = SQL(
      """
      SELECT c.id, c.exact_name, (SELECT r.name FROM _role_policies r WHERE r.id = p.role_id)
      FROM _places p JOIN _known_containers c ON c.id = p.container_id WHERE p.id = ?
      """, [.integer(number)])
    let roles = try roles ?? RoleTable(db).stored()
    self.roles = roles
    let found = try db.first(place) { row in
      EntryPlace(
        id: ContainerID(rawValue: row.integer(0)), container: row.text(1),
        role: row.optionalText(2).flatMap { roles[$0] })
    }
    places[number] = found ?? EntryPlace()
    return found ?? EntryPlace()
  }
}

/// Where an entry is among the containers; nowhere, unless something is said.
private struct EntryPlace {
  var id: ContainerID?
  var container: String?
  var role: Role?
}

/// What few catalogs have, found out in one statement.
private struct Extras {
  var hasContainers = false
  /// Whether a directory is tagged as a cache.
  var hasTags = false
  /// Roots whose scans store extended attributes.
  var attributedRoots: Set<Int64> = []

  init(_ db: Connection) throws {
    let attributes = ExtendedAttributeValues().key
    let question = SQL(
      """
      SELECT EXISTS (SELECT 1 FROM _known_containers),
        EXISTS (SELECT 1 FROM _cache_tags WHERE is_tag),
        EXISTS (SELECT 1 FROM _roots WHERE instr(settings, ?))
      """, [.text("\"\(attributes)\"")])
    let answer = try db.first(question) { row in
      (row.integer(0) != 0, row.integer(1) != 0, row.integer(2) != 0)
    }
    guard let answer else { return }
    (hasContainers, hasTags) = (answer.0, answer.1)
    guard answer.2 else { return }
    attributedRoots = Set(
      try RootTable.all(in: db).filter { $0.settings.resourceValues.contains(attributes) }
        .map(\.id))
  }
}

/// What the marks of single entries say of backups.
private struct EntryMarks {
  private let attributedRoots: Set<Int64>
  /// The attributes of an entry; `nil` where no root has any.
  private let attributes: Statement?
  /// Whether a directory has a tag in it; `nil` where none has.
  private let tag: Statement?

  init(_ extras: Extras, _ db: Connection) throws {
    attributedRoots = extras.attributedRoots
    attributes =
      extras.attributedRoots.isEmpty
      ? nil
      : try db.prepare(
        """
        SELECT substr(key, 7), value FROM _entry_values
        WHERE entry_id = ? AND key >= 'xattr:' AND key < 'xattr;'
        """)
    tag =
      extras.hasTags
      ? try db.prepare(
        """
        SELECT 1 FROM _entries e JOIN _cache_tags t ON t.id = e.id
        WHERE e.parent_id = ? AND e.name = '\(CacheDirectoryTag.fileName)' AND t.is_tag
        """) : nil
  }

  func mark(of id: Int64, _ kind: EntryKind, root: Int64) throws -> BackupMark? {
    if kind == .directory, let tag {
      tag.bind(id, at: 1)
      defer { tag.reset() }
      if try tag.step() { return .excluded }
    }
    guard let attributes, attributedRoots.contains(root) else { return nil }
    attributes.bind(id, at: 1)
    defer { attributes.reset() }
    while try attributes.step() {
      let row = attributes.row
      let mark = BackupMark(attribute: row.text(0), value: row.bytes(1))
      if mark == .excluded { return .excluded }
    }
    return .unmarked
  }
}

extension Entry {
  static let columns: [EntryColumn] = [
    .id, .parentID, .path, .kind, .type, .size, .allocated, .createdNanoseconds,
    .modifiedNanoseconds, .changedNanoseconds, .accessedNanoseconds, .mode, .uid, .gid, .owner,
    .groupName, .inode, .links, .isHidden, .isPackage, .linkTarget, .depth, .firstSeenScan,
    .lastChangedScan, .rootID,
  ]

  fileprivate init(
    _ row: Row, _ kind: EntryKind, in place: EntryPlace, mark: BackupMark?,
    values: [ValueKey: ResourceValue]
  ) {
    id = EntryID(rawValue: row.id(0))
    parentID = row.isNull(1) ? nil : EntryID(rawValue: row.id(1))
    path = row.path(2)
    self.kind = kind
    type = row.text(4)
    size = row.isNull(5) ? nil : row.count(5)
    allocated = row.isNull(6) ? nil : row.count(6)
    created = row.optionalInteger(7)
    modified = row.optionalInteger(8)
    changed = row.optionalInteger(9)
    accessed = row.optionalInteger(10)
    mode = row.optionalInteger(11).map { UInt32(truncatingIfNeeded: $0) }
    uid = row.optionalInteger(12).map { UInt32(truncatingIfNeeded: $0) }
    gid = row.optionalInteger(13).map { UInt32(truncatingIfNeeded: $0) }
    owner = row.optionalText(14)
    group = row.optionalText(15)
    inode = row.optionalInteger(16).map { UInt64(bitPattern: $0) }
    links = row.isNull(17) ? nil : Int(row.count(17))
    isHidden = row.integer(18) != 0
    isPackage = row.integer(19) != 0
    linkTarget = row.optionalText(20) == nil ? nil : row.path(20)
    depth = Int(row.count(21))
    firstSeenScan = ScanID(rawValue: row.integer(22))
    lastChangedScan = ScanID(rawValue: row.integer(23))
    container = place.container
    containerID = place.id
    role = place.role
    backupMark = mark
    self.values = values
  }
}
