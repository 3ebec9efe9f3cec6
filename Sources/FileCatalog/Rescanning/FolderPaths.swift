internal import SQLite

/// Looks up where directories are, by their ids.
struct FolderPaths {
  private let statement: Statement

  init(on db: Connection) throws(SQLiteError) {
    statement = try db.prepare("SELECT path, depth FROM folders WHERE id = ?")
  }

  /// Empty for a directory that is not there.
  func path(of id: Int64) throws(SQLiteError) -> [UInt8] {
    statement.bind(id, at: 1)
    defer { statement.reset() }
    return try statement.step() ? Array(statement.row.bytes(0)) : []
  }

  /// How many levels below its root a directory is; 0 for one that is not there.
  func depth(of id: Int64) throws(SQLiteError) -> Int32 {
    statement.bind(id, at: 1)
    defer { statement.reset() }
    return try statement.step() ? Int32(truncatingIfNeeded: statement.row.integer(1)) : 0
  }
}
