/// Looks up the paths of directories by their ids.
struct FolderPaths {
  private let statement: RawStatement

  init(on connection: OpaquePointer) throws(SQLiteFailure) {
    statement = try RawStatement("SELECT path FROM folders WHERE id = ?", on: connection)
  }

  /// Empty for a directory that is not there.
  func path(of id: Int64) throws(SQLiteFailure) -> [UInt8] {
    statement.bind(id, at: 1)
    defer { statement.reset() }
    return try statement.step() ? Array(statement.bytes(at: 0)) : []
  }
}
