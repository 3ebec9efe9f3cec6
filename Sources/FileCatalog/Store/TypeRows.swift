internal import SQLite
internal import UniformTypes

/// Inserts types into the tables of a catalog.
struct TypeRows {
  private let insertType: Statement
  private let insertConformance: Statement
  private let insertTag: Statement

  /// What the column `flags` says, beside 1 for packages and 2 for bundles.
  static let dynamicFlag: Int64 = 4
  static let removedFlag: Int64 = 8

  init(on db: Connection) throws {
    insertType = try db.prepare(
      """
      INSERT OR REPLACE INTO uniform_types (id, identifier, description, flags, source)
      VALUES (?, ?, ?, ?, ?)
      """)
    insertConformance = try db.prepare(
      "INSERT OR IGNORE INTO uniform_type_conformance (ancestor_id, type_id) VALUES (?, ?)")
    insertTag = try db.prepare(
      "INSERT OR IGNORE INTO uniform_type_tags (class, tag, rank, type_id) VALUES (?, ?, ?, ?)")
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
