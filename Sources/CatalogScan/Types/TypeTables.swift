internal import CatalogStore
internal import FileSystem
internal import SQLite
internal import UniformTypes

/// The uniform types as tables of the catalog, so that SQL can ask about conformance.
///
/// Scans fill them: a catalog without any scan has no types, since it has no entries either. They
/// hold all declared types, and of the system's and the dynamic ones those that entries have.
struct TypeTables {
  private let db: Connection
  private let rows: TypeRows

  init(in db: Connection) throws {
    self.db = db
    rows = try TypeRows(on: db)
  }

  /// Brings the tables up to the layers and returns the numbers of the types. Numbers that were
  /// given once stay. When the layers have changed, the entries of all roots get the types that
  /// their names have now; this is no change of the entries.
  func synchronize(with layers: TypeLayers) throws -> TypeNumbering {
    let stored = try db.integer("SELECT value FROM _catalog_settings WHERE key = 'type_registry'")
    let fingerprint = Int64(bitPattern: layers.fingerprint)
    let declared = Int64(bitPattern: layers.declaredFingerprint)
    let isCurrent = stored == fingerprint
    var assigned = try assignedNumbers(isCurrent ? .remembered : .forgotten)
    let numbers = layers.declared.types.map { assigned.numberDeclared($0) }
    let numbering = TypeNumbering(layers: layers, numbers: numbers, assigned: assigned)
    if !isCurrent {
      // Without a layer of the system the tables have what is declared and nothing else.
      if stored != declared { try replaceDeclared(numbers, in: layers.declared) }
      if stored != nil { try Retyping(numbering, in: db).run() }
      try db.execute(
        "INSERT OR REPLACE INTO _catalog_settings (key, value) VALUES ('type_registry', ?)",
        [fingerprint])
    }
    return numbering
  }

  /// Adds the types that a scan met for the first time.
  func insertAddedTypes(of numbering: TypeNumbering) throws {
    let added = numbering.takeAdded()
    for (type, number) in added.types {
      let ancestors = type.supertypes.compactMap { numbering.knownNumber(of: $0) }
      try rows.insert(type, number: number, ancestors: ancestors)
      guard type.source == .sharedMimeInfo, let index = type.registry.index(of: type) else {
        continue
      }
      for tag in type.registry.rankedTags(of: index) {
        try rows.insert(tag.tag, tag.tagClass, rank: tag.rank, of: number)
      }
    }
    for (rule, number) in added.rules {
      try rows.insert(rule.tag, rule.tagClass, rank: TypeRows.systemRank, of: number)
    }
  }

  // MARK: - Numbers

  /// The highest number of a built-in type.
  static let lastBuiltIn = Int64(UniformType.builtInIDs.upperBound)

  private enum Answers {
    case remembered
    case forgotten
  }

  private func assignedNumbers(_ answers: Answers) throws -> TypeNumbering.Assigned {
    let builtIn = UniformType.builtInIDs.upperBound
    var assigned = TypeNumbering.Assigned(next: builtIn + 1)
    // Built-in types have the same numbers everywhere.
    let others = SQL(
      "SELECT identifier, id FROM _uniform_types WHERE id > ?", [.integer(Int64(builtIn))])
    try db.forEach(others) { row in
      let identifier = row.text(0)
      let number = Int32(row.integer(1, in: TypeIDs.range))
      assigned.numbers[identifier] = number
      assigned.next = max(assigned.next, number + 1)
      if answers == .remembered, identifier.hasPrefix("dyn.") {
        assigned.dynamic.insert(identifier)
      }
    }
    guard answers == .remembered else { return assigned }
    let rules = SQL(
      "SELECT class, tag, type_id FROM _uniform_type_tags WHERE rank = \(TypeRows.systemRank)")
    try db.forEach(rules) { row in
      let rule = SharedMimeNames.Rule(.init(rawValue: row.text(0)), row.text(1).lowercased())
      assigned.rules[rule] = Int32(truncatingIfNeeded: row.integer(2))
    }
    return assigned
  }

  // MARK: - Declared types

  private func replaceDeclared(_ numbers: [Int32], in registry: TypeRegistry) throws {
    // A type that nobody declares any more keeps its number, should it come back.
    try db.execute(
      """
      UPDATE _uniform_types SET flags = flags | \(TypeRows.removedFlag)
        WHERE flags & \(TypeRows.dynamicFlag) = 0;
      DELETE FROM _uniform_type_conformance WHERE type_id IN
        (SELECT id FROM _uniform_types WHERE flags & \(TypeRows.removedFlag));
      DELETE FROM _uniform_type_tags;
      """)
    for (index, number) in zip(registry.indices, numbers) {
      try rows.insert(
        registry.type(at: index), number: number,
        ancestors: registry.ancestors(of: index).map { numbers[$0.position] })
      for tag in registry.rankedTags(of: index) {
        try rows.insert(tag.tag, tag.tagClass, rank: tag.rank, of: number)
      }
    }
  }
}

/// Inserts types into the tables of a catalog.
struct TypeRows {
  private let insertType: Statement
  private let insertConformance: Statement
  private let insertTag: Statement

  /// What the column `flags` says, beside 1 for packages and 2 for bundles.
  static let dynamicFlag: Int64 = 4
  static let removedFlag: Int64 = 8
  /// The rank of what the system's layer said about a rule for names, which scans read again.
  static let systemRank = -1

  init(on db: Connection) throws {
    insertType = try db.prepare(
      """
      INSERT OR REPLACE INTO _uniform_types (id, identifier, description, flags, source)
      VALUES (?, ?, ?, ?, ?)
      """)
    insertConformance = try db.prepare(
      "INSERT OR IGNORE INTO _uniform_type_conformance (ancestor_id, type_id) VALUES (?, ?)")
    insertTag = try db.prepare(
      "INSERT OR IGNORE INTO _uniform_type_tags (class, tag, rank, type_id) VALUES (?, ?, ?, ?)")
  }

  /// Inserts a type and its conformance to itself and to its ancestors.
  func insert(_ type: UniformType, number: Int32, ancestors: [Int32]) throws(SQLiteError) {
    insertType.bind(Int64(number), at: 1)
    insertType.bind(type.identifier, at: 2)
    if let description = type.localizedDescription {
      insertType.bind(description, at: 3)
    } else {
      insertType.bindNull(at: 3)
    }
    insertType.bind(
      (type.isPackage ? 1 : 0) | (type.isBundle ? 2 : 0) | (type.isDynamic ? Self.dynamicFlag : 0),
      at: 4)
    insertType.bind(type.source.name, at: 5)
    try insertType.run()
    insertConformance.bind(Int64(number), at: 2)
    for ancestor in [number] + ancestors {
      insertConformance.bind(Int64(ancestor), at: 1)
      try insertConformance.run()
    }
  }

  func insert(
    _ tag: String, _ tagClass: UniformType.TagClass, rank: Int, of number: Int32
  ) throws(SQLiteError) {
    insertTag.bind(tagClass.rawValue, at: 1)
    insertTag.bind(tag, at: 2)
    insertTag.bind(Int64(rank), at: 3)
    insertTag.bind(Int64(number), at: 4)
    try insertTag.run()
  }
}
