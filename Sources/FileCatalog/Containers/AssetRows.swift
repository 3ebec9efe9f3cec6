internal import FileSystem
internal import SQLite
internal import StandardDirectories

/// Writes what names say of assets, with prepared statements.
///
/// It runs inside a transaction of its caller.
struct AssetRows {
  private let insert: Statement
  private let delete: Statement

  init(on db: Connection) throws(SQLiteError) {
    insert = try db.prepare(
      """
      INSERT INTO assets (id, stem, extension, scale, idiom, height, hd)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """)
    delete = try db.prepare("DELETE FROM assets WHERE id = ?")
  }

  /// Adds the row of an entry that has none, if its name needs one.
  func add(_ id: Int64, _ name: UnsafeBufferPointer<UInt8>, _ facts: AssetFacts) throws {
    guard facts.needsRow else { return }
    let layout = facts.layout
    insert.bind(id, at: 1)
    insert.bindName(UnsafeBufferPointer(rebasing: name[layout.stem]), at: 2)
    insert.bindName(UnsafeBufferPointer(rebasing: name[layout.extension ?? 0..<0]), at: 3)
    switch layout.variant.scale?.number {
    case .integer(let scale): insert.bind(scale, at: 4)
    case .real(let scale): insert.bindReal(scale, at: 4)
    case nil: insert.bindNull(at: 4)
    }
    if let idiom = layout.variant.idiom {
      insert.bind(idiom.rawValue, at: 5)
    } else {
      insert.bindNull(at: 5)
    }
    insert.bind(layout.variant.height.map { Int64($0) }, at: 6)
    insert.bind(layout.variant.isHD ? 1 : 0, at: 7)
    try insert.run()
  }

  /// Brings the row of an entry up to date that has another name now.
  func replace(_ id: Int64, _ name: UnsafeBufferPointer<UInt8>, _ facts: AssetFacts) throws {
    delete.bind(id, at: 1)
    try delete.run()
    try add(id, name, facts)
  }

  /// Fills in what catalogs of before version 5 do not have.
  static func addAll(in db: Connection) throws {
    let rows = try AssetRows(on: db)
    let update = try db.prepare("UPDATE entries SET asset_key = ? WHERE id = ?")
    var keys: [(id: Int64, key: Int64)] = []
    try db.forEach(SQL("SELECT id, name FROM entries")) { row in
      let name = Array(row.bytes(1))
      try name.withUnsafeBufferPointer { name in
        let facts = AssetFacts(name, isText: UTF8Validity.isValid(name))
        try rows.add(row.integer(0), name, facts)
        keys.append((row.integer(0), facts.key))
      }
    }
    for (id, key) in keys {
      update.bind(key, at: 1)
      update.bind(id, at: 2)
      try update.run()
    }
  }
}

extension AssetScale {
  enum Number {
    case integer(Int64)
    case real(Double)
  }

  /// The scale as SQLite stores a number of a NUMERIC column.
  var number: Number {
    let (whole, part) = millionths.quotientAndRemainder(dividingBy: 1_000_000)
    return part == 0 ? .integer(Int64(whole)) : .real(value)
  }
}
