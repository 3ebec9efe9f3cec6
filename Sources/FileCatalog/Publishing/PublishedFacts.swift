internal import FileSystem
internal import Fleet
internal import SQLite
internal import StandardDirectories
internal import SystemPackage

/// What entries of a catalog have in common: the part of a publication that is no row.
///
/// It stands in what the file of the directories says of itself, of every publication anew, as JSON: how roots
/// are scanned, what volumes are called, the containers, types that are not built in, and which directories
/// were not read as a whole. Engines need nothing of it.
enum PublishedFacts {
  /// What it is called in the file.
  static let key = "filecat.facts"

  /// Of more directories that were not read it is not told.
  private static let mostUnread = 100_000

  /// The facts of a catalog.
  static func json(in db: Connection) throws -> String {
    let facts = SQL(
      """
      SELECT json_object(
        'roots', (SELECT json_group_array(json_object('entry', r.entry_id,
            'given', hex(CAST(r.given_path AS BLOB)), 'started', s.started, 'finished', s.finished,
            'state', s.state, 'errors', s.errors,
            'settings', CASE WHEN json_valid(r.settings) THEN r.settings END))
          FROM _roots r LEFT JOIN _scan_log s ON s.id = r.last_scan_id WHERE r.entry_id IS NOT NULL),
        'volumes', (SELECT json_group_array(json_object('id', id, 'identity', identity,
            'device', device)) FROM _volumes),
        'containers', (SELECT json_group_array(json_object('path', hex(CAST(c.exact_path AS BLOB)),
            'style', c.style, 'identifier', c.identifier, 'directories', (
              SELECT json_group_array(json_array(r.name, hex(CAST(d.path AS BLOB)))
              ) FROM (SELECT * FROM _container_directories WHERE container_id = c.id
                ORDER BY role_id, position) d JOIN _role_policies r ON r.id = d.role_id)))
          FROM (SELECT * FROM _known_containers ORDER BY id) c),
        'types', (SELECT json_group_array(json_object('identifier', t.identifier,
            'description', t.description, 'flags', t.flags, 'source', t.source, 'ancestors', (
              SELECT json_group_array(a.identifier) FROM _uniform_type_conformance f
              JOIN _uniform_types a ON a.id = f.ancestor_id WHERE f.type_id = t.id)))
          FROM _uniform_types t WHERE t.id > \(UniformType.builtInIDs.upperBound)
            AND t.id IN (SELECT type_id FROM _usage_sums WHERE entries > 0)),
        'unread', (SELECT json_group_array(json_array(id, state, error)) FROM (
          SELECT id, state, error FROM _directory_totals WHERE state <> 0 LIMIT \(mostUnread))))
      """)
    return try db.first(facts) { $0.text(0) } ?? "{}"
  }

  /// Reads facts, which may be anything: what is not as it should be is left out, or refused by SQLite.
  ///
  /// - Parameter place: what the paths in them are put below.
  static func read(_ json: String, into catalog: inout ForeignCatalog, below place: FilePath) throws
  {
    let db = try Connection.inMemory()
    let reader = Reader(db: db, json: .text(json), place: place)
    try reader.readRoots(&catalog)
    try reader.readVolumes(&catalog)
    try reader.readContainers(&catalog)
    try reader.readTypes(&catalog)
    try reader.readUnread(&catalog)
    try db.close()
  }
}

/// Takes facts apart, by the JSON functions of SQLite.
private struct Reader {
  let db: Connection
  let json: Binding
  let place: FilePath

  /// Calls `body` with each member of a list.
  private func forEach(
    _ list: String, _ columns: [String], _ body: (Row) throws -> Void
  ) throws {
    let values = columns.map { "value ->> '\($0)'" }.joined(separator: ", ")
    let members = SQL(
      """
      SELECT \(values) FROM json_each(CASE WHEN json_valid(?1) THEN ?1 ELSE '{}' END, '$.\(list)')
      """, [json])
    try db.forEach(members, body)
  }

  func readRoots(_ catalog: inout ForeignCatalog) throws {
    let columns = ["entry", "given", "started", "finished", "state", "errors", "settings"]
    try forEach("roots", columns) { row in
      var root = ForeignCatalog.Root()
      root.given = Self.path(row, 1).map { place.below($0) }
      root.started = Self.number(row, 2) ?? 0
      root.finished = max(root.started, Self.number(row, 3) ?? root.started)
      root.state = row.optionalText(4).flatMap(ScanState.init(rawValue:)) ?? .complete
      root.errors = max(0, Self.number(row, 5).flatMap { Int(exactly: $0) } ?? 0)
      root.settings = row.optionalText(6) ?? root.settings
      if let entry = Self.number(row, 0) { catalog.roots[entry] = root }
    }
  }

  func readVolumes(_ catalog: inout ForeignCatalog) throws {
    try forEach("volumes", ["id", "identity", "device"]) { row in
      guard let id = Self.number(row, 0), let identity = row.optionalText(1) else { return }
      catalog.volumes[id] = .init(identity: identity, device: Self.number(row, 2) ?? 0)
    }
  }

  func readContainers(_ catalog: inout ForeignCatalog) throws {
    try forEach("containers", ["path", "style", "identifier", "directories"]) { row in
      guard let path = Self.path(row, 0), path.first == UInt8(ascii: "/"),
        let style = row.optionalText(1).flatMap(Container.Style.init(rawValue:))
      else { return }
      var directories: [Role: [FilePath]] = [:]
      let list = SQL(
        """
        SELECT value ->> 0, value ->> 1
        FROM json_each(CASE WHEN json_valid(?1) THEN ?1 ELSE '[]' END)
        """, [.text(row.optionalText(3) ?? "[]")])
      try db.forEach(list) { directory in
        guard let role = directory.optionalText(0).flatMap(Role.init(standard:)) else { return }
        let path = Self.path(directory, 1).map { bytes in
          let path = FilePath(bytes: bytes)
          return path.isAbsolute ? FilePath(bytes: place.below(bytes)) : path
        }
        directories[role, default: []] += path.map { [$0] } ?? []
      }
      catalog.containers.append(
        StoredContainer(
          style: style, root: FilePath(bytes: place.below(path)), identifier: row.optionalText(2),
          directories: directories))
    }
  }

  func readTypes(_ catalog: inout ForeignCatalog) throws {
    let columns = ["identifier", "description", "flags", "source", "ancestors"]
    try forEach("types", columns) { row in
      guard let identifier = row.optionalText(0) else { return }
      var ancestors: [String] = []
      let list = SQL(
        "SELECT value FROM json_each(CASE WHEN json_valid(?1) THEN ?1 ELSE '[]' END)",
        [.text(row.optionalText(4) ?? "[]")])
      try db.forEach(list) { ancestors.append($0.text(0)) }
      catalog.types[identifier] = .init(
        description: row.optionalText(1), flags: Self.number(row, 2) ?? 0,
        source: row.optionalText(3) ?? catalog.name, ancestors: ancestors)
    }
  }

  func readUnread(_ catalog: inout ForeignCatalog) throws {
    let list = SQL(
      """
      SELECT value ->> 0, value ->> 1, value ->> 2
      FROM json_each(CASE WHEN json_valid(?1) THEN ?1 ELSE '{}' END, '$.unread')
      """, [json])
    try db.forEach(list) { row in
      guard let id = Self.number(row, 0),
        let state = Self.number(row, 1).flatMap(DirectoryState.init(rawValue:))
      else { return }
      catalog.unread[id] = (state, row.optionalText(2))
    }
  }

  private static func number(_ row: Row, _ column: Int32) -> Int64? {
    row.storageClass(column) == .integer ? row.integer(column) : nil
  }

  /// A path in base 16.
  private static func path(_ row: Row, _ column: Int32) -> [UInt8]? {
    guard let digits = row.optionalText(column)?.utf8, digits.count % 2 == 0, !digits.isEmpty
    else { return nil }
    var bytes: [UInt8] = []
    var high: UInt8?
    for digit in digits {
      guard let value = Character(Unicode.Scalar(digit)).hexDigitValue.map({ UInt8($0) }) else {
        return nil
      }
      if let first = high {
        bytes.append(first << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    return bytes.contains(0) ? nil : bytes
  }
}

extension FilePath {
  /// An absolute path put below this one, which may be empty.
  fileprivate func below(_ path: [UInt8]) -> [UInt8] {
    let prefix = isEmpty || self == "/" ? [] : bytes
    return path == [UInt8(ascii: "/")] && !prefix.isEmpty ? prefix : prefix + path
  }
}
