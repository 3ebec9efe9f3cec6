internal import FileSystem
internal import GRDB
internal import UniformTypes

/// The uniform types as tables of the catalog, so that SQL can ask about conformance.
struct TypeTables {
  private let db: Database
  private let insertType: RawStatement
  private let insertConformance: RawStatement
  private let insertTag: RawStatement

  init(in db: Database, connection: OpaquePointer) throws {
    self.db = db
    insertType = try RawStatement(
      """
      INSERT OR REPLACE INTO uniform_types (id, identifier, description, flags, source)
      VALUES (?, ?, ?, ?, ?)
      """, on: connection)
    insertConformance = try RawStatement(
      "INSERT OR IGNORE INTO uniform_type_conformance (ancestor_id, type_id) VALUES (?, ?)",
      on: connection)
    insertTag = try RawStatement(
      "INSERT OR IGNORE INTO uniform_type_tags (class, tag, rank, type_id) VALUES (?, ?, ?, ?)",
      on: connection)
  }

  /// Brings the tables up to the registry and returns the numbers of its types. Numbers that were
  /// given once stay.
  func synchronize(with registry: TypeRegistry) throws -> TypeNumbering {
    var known: [String: Int32] = [:]
    for row in try Row.fetchAll(db, sql: "SELECT identifier, id FROM uniform_types") {
      known[row[0]] = row[1]
    }
    let first = TypeID.firstAssigned.rawValue
    var next = max(first, (known.values.max() ?? 0) + 1)
    let types = registry.types
    let numbers = types.map { type in
      if let number = type.builtInID ?? known[type.identifier] { return number }
      defer { next += 1 }
      return next
    }
    let fingerprint = Int64(bitPattern: registry.fingerprint)
    let stored = try Int64.fetchOne(
      db, sql: "SELECT value FROM catalog_settings WHERE key = 'type_registry'")
    var dynamic: [String: Int32] = [:]
    for (identifier, number) in known where identifier.hasPrefix("dyn.") {
      dynamic[identifier] = number
    }
    if stored != fingerprint {
      try replaceDeclared(types, numbers, in: registry)
      try db.execute(
        sql: "INSERT OR REPLACE INTO catalog_settings (key, value) VALUES ('type_registry', ?)",
        arguments: [fingerprint])
    }
    return TypeNumbering(
      registry: registry, numbers: numbers,
      dynamic: TypeNumbering.DynamicTypes(numbers: dynamic, next: next))
  }

  private func replaceDeclared(
    _ types: [UniformType], _ numbers: [Int32], in registry: TypeRegistry
  ) throws {
    try db.execute(
      sql: """
        DELETE FROM uniform_type_conformance
          WHERE type_id NOT IN (SELECT id FROM uniform_types WHERE flags & 4);
        DELETE FROM uniform_type_tags;
        """)
    for (index, (type, number)) in zip(registry.indices, zip(types, numbers)) {
      try insert(type, number)
      try insertConformance(of: number, to: number)
      for ancestor in registry.ancestors(of: index) {
        try insertConformance(of: number, to: numbers[ancestor.position])
      }
      for tag in registry.rankedTags(of: index) {
        insertTag.bind(tag.tagClass.rawValue, at: 1)
        insertTag.bind(tag.tag, at: 2)
        insertTag.bind(Int64(tag.rank), at: 3)
        insertTag.bind(Int64(number), at: 4)
        try insertTag.run()
      }
    }
  }

  /// Adds the dynamic types that a scan met.
  func insertDynamicTypes(of numbering: TypeNumbering) throws {
    let registry = numbering.registry
    for (type, number) in numbering.takeAddedTypes() {
      try insert(type, number)
      try insertConformance(of: number, to: number)
      for ancestor in type.supertypes {
        guard let index = registry.index(of: ancestor) else { continue }
        try insertConformance(of: number, to: numbering.number(of: index))
      }
    }
  }

  private func insert(_ type: UniformType, _ number: Int32) throws(SQLiteFailure) {
    insertType.bind(Int64(number), at: 1)
    insertType.bind(type.identifier, at: 2)
    if let description = type.localizedDescription {
      insertType.bind(description, at: 3)
    } else {
      insertType.bindNull(at: 3)
    }
    insertType.bind(
      (type.isPackage ? 1 : 0) | (type.isBundle ? 2 : 0) | (type.isDynamic ? 4 : 0), at: 4)
    insertType.bind(type.source.name, at: 5)
    try insertType.run()
  }

  private func insertConformance(of type: Int32, to ancestor: Int32) throws(SQLiteFailure) {
    insertConformance.bind(Int64(ancestor), at: 1)
    insertConformance.bind(Int64(type), at: 2)
    try insertConformance.run()
  }
}
