/// Looks up where directories are, by their ids.
struct FolderPaths {
  private let statement: RawStatement

  init(on connection: OpaquePointer) throws(SQLiteFailure) {
    statement = try RawStatement("SELECT path, depth FROM folders WHERE id = ?", on: connection)
  }

  /// Empty for a directory that is not there.
  func path(of id: Int64) throws(SQLiteFailure) -> [UInt8] {
    statement.bind(id, at: 1)
    defer { statement.reset() }
    return try statement.step() ? Array(statement.bytes(at: 0)) : []
  }

  /// How many levels below its root a directory is; 0 for one that is not there.
  func depth(of id: Int64) throws(SQLiteFailure) -> Int32 {
    statement.bind(id, at: 1)
    defer { statement.reset() }
    return try statement.step() ? Int32(truncatingIfNeeded: statement.integer(at: 1)) : 0
  }
}
